// A page that stays unlocked across reloads: it keeps the keys of a cipher in IndexedDB.
import { type Cipher, createCipher, type EncryptedContent } from '@document-vault/sdk/crypto';

const text = 'Dear Ada';
const store = 'keys';

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function keys(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  const opening = indexedDB.open('app', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(store);
  return (await resultOf(opening)).transaction(store, mode).objectStore(store);
}

/** Derives keys, keeps them, and returns an encrypted document. */
async function unlock(passphrase: string): Promise<EncryptedContent> {
  const cipher = await createCipher({ passphrase, iterations: 1_000 });
  await resultOf((await keys('readwrite')).put(cipher.keep(), 'kept'));
  return cipher.encrypt(new TextEncoder().encode(text), { fileName: 'letter.txt' });
}

async function restored(): Promise<Cipher> {
  return createCipher({ kept: await resultOf((await keys('readonly')).get('kept')) });
}

/** Decrypts a document with the kept keys, and tries to read their bytes. */
async function read(document: EncryptedContent) {
  const cipher = await restored();
  const { bytes } = await cipher.decrypt(document);
  const exports = cipher.keep().map(({ key }) => crypto.subtle.exportKey('raw', key));
  const read = await Promise.allSettled(exports);
  return { text: new TextDecoder().decode(bytes), readable: read.map(({ status }) => status) };
}

/** Encrypts under another salt, and returns why the kept keys do not decrypt it. */
async function readOther(passphrase: string): Promise<unknown> {
  const other = await createCipher({ passphrase, iterations: 1_000 });
  const document = await other.encrypt(new Uint8Array(3), { fileName: 'other.bin' });
  return (await restored()).decrypt(document).catch(({ name, reason }) => ({ name, reason }));
}

Object.assign(window, { page: { unlock, read, readOther } });

/** The functions of the page for its test. */
export interface KeptKeysPage {
  readonly unlock: typeof unlock;
  readonly read: typeof read;
  readonly readOther: typeof readOther;
}
