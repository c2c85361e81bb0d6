/** What a user does on the page. The functions run in the page, with or without Playwright. */

/** The secrets of the test's user. */
export const secrets = {
  email: 'ada@example.com',
  password: 'CANARY-PASSWORD-1',
  passphrase: 'CANARY-PASSPHRASE',
};

/** Fills the form and presses a button. */
export function signIn(values: typeof secrets, button: 'login' | 'register'): void {
  for (const [name, value] of Object.entries(values)) {
    (document.querySelector(`[name=${name}]`) as HTMLInputElement).value = value;
  }
  (document.querySelector(`#${button}`) as HTMLElement).click();
}

/** Whether an element is shown. */
export function isShown(selector: string): boolean {
  return document.querySelector(selector)?.checkVisibility() ?? false;
}

/** Presses a button. */
export function press(selector: string): void {
  (document.querySelector(selector) as HTMLElement).click();
}

/** The progress of the upload, from 0 to 1. */
export function progressShown(): number {
  return (document.querySelector('progress') as HTMLProgressElement).value;
}

/** Changes the stored checkpoint, so that its `mac` is wrong. */
export async function changeCheckpoint(): Promise<void> {
  const done = <Result>(request: IDBRequest<Result>) =>
    new Promise<Result>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const database = await done(indexedDB.open('document-vault-checkpoints', 1));
  const store = database.transaction('checkpoints', 'readwrite').objectStore('checkpoints');
  const [checkpoint] = await done(store.getAll());
  checkpoint.lastModified += 1;
  await done(store.put(checkpoint, checkpoint.vaultId));
  database.close();
}
