/** Where an unfinished upload has got to, kept in IndexedDB over reloads and crashes. */
import type { UploadCheckpoint } from '@document-vault/sdk';

/** An upload that can be continued with the same file. */
export interface Unfinished {
  readonly checkpoint: UploadCheckpoint;
  readonly fileName: string;
}

const storeName = 'uploads';

/** Returns the unfinished upload of a vault. */
export async function unfinishedOf(vaultId: string): Promise<Unfinished | undefined> {
  return run('readonly', (store) => store.get(vaultId));
}

/** Stores how far an upload has come. Resolves when it is on disk: the part is sent only then. */
export async function keep(unfinished: Unfinished): Promise<void> {
  await run('readwrite', (store) => store.put(unfinished, unfinished.checkpoint.vaultId));
}

/** Removes the unfinished upload of a vault. */
export async function forget(vaultId: string): Promise<void> {
  await run('readwrite', (store) => store.delete(vaultId));
}

/** Runs one request in a transaction of its own. */
async function run<Result>(
  mode: IDBTransactionMode,
  request: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  // One connection for each use: iOS closes connections of tabs in the background.
  const database = await open();
  try {
    const transaction = database.transaction(storeName, mode, { durability: 'strict' });
    const { result } = await new Promise<IDBRequest<Result>>((resolve, reject) => {
      const requested = request(transaction.objectStore(storeName));
      transaction.oncomplete = () => resolve(requested);
      transaction.onabort = () => reject(transaction.error);
    });
    return result;
  } finally {
    database.close();
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('large-files', 1);
    request.onupgradeneeded = () => request.result.createObjectStore(storeName);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
