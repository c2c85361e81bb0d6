/** Where pages keep the checkpoints of uploads. */
import { UsageError } from '../errors.ts';
import type { CheckpointStore, UploadCheckpoint } from '../resources/checkpoints.ts';

const database = 'document-vault-checkpoints';
const storeName = 'checkpoints';

/**
 * Keeps the checkpoint of an upload in IndexedDB, where it outlives a reload and a crash of the browser. All tabs of an
 * origin share it: hold a Web Lock during an upload, so that two tabs never continue the same one.
 *
 * @param key - names the upload. Default: `document-vault`
 * @example
 * const checkpoints = indexedDbCheckpoints(vault.id);
 * const resume = await checkpoints.get();
 * await client.documents.upload(file, { vaultId: vault.id, resume, onCheckpoint: checkpoints.set });
 * await checkpoints.clear();
 */
export function indexedDbCheckpoints(key = 'document-vault'): CheckpointStore {
  return {
    get: () => run<UploadCheckpoint | undefined>('readonly', (store) => store.get(key)),
    async set(checkpoint) {
      await run('readwrite', (store) => store.put(checkpoint, key));
    },
    clear: () => run('readwrite', (store) => store.delete(key)),
  };
}

/** Runs one request in a transaction of its own. Resolves when a change is on the disk. */
async function run<Result>(
  mode: IDBTransactionMode,
  request: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  // One connection for each use: iOS closes connections of tabs in the background.
  const opened = await open();
  try {
    const transaction = opened.transaction(storeName, mode, { durability: 'strict' });
    const { result } = await new Promise<IDBRequest<Result>>((resolve, reject) => {
      const requested = request(transaction.objectStore(storeName));
      transaction.oncomplete = () => resolve(requested);
      transaction.onabort = () => reject(transaction.error);
    });
    return result;
  } finally {
    opened.close();
  }
}

/** @throws UsageError where there is no IndexedDB, or the user blocks it */
async function open(): Promise<IDBDatabase> {
  try {
    return await new Promise((resolve, reject) => {
      const request = indexedDB.open(database, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(storeName);
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  } catch (cause) {
    throw new UsageError('IndexedDB is missing or blocked here: store checkpoints elsewhere', {
      cause,
    });
  }
}
