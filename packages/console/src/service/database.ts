import { signal } from '@preact/signals';

/** The stores of the console in IndexedDB. Each has its keys outside of its values. */
type StoreName = 'keys' | 'uploads';

const stores: readonly StoreName[] = ['keys', 'uploads'];

/** Whether the last use of IndexedDB failed. The page then says what is lost; some private windows have no IndexedDB. */
export const isFailing = signal(false);

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('document-vault-console', 1);
    request.onupgradeneeded = () => {
      for (const name of stores) request.result.createObjectStore(name);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Each use opens a connection of its own: iOS closes connections of tabs in the background for good. */
async function run<T>(
  name: StoreName,
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await open();
  try {
    return await new Promise((resolve, reject) => {
      // Strict: a value is on the disk when its promise resolves.
      const transaction = database.transaction(name, mode, { durability: 'strict' });
      const request = work(transaction.objectStore(name));
      // A reload right afterwards would abort it otherwise.
      transaction.commit();
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

/** Notes in `isFailing` whether a use of IndexedDB failed, and returns `instead` then. */
async function watch<T>(use: Promise<T>, instead: T): Promise<T> {
  try {
    const result = await use;
    isFailing.value = false;
    return result;
  } catch {
    isFailing.value = true;
    return instead;
  }
}

/** Returns a value; undefined when there is none, or when IndexedDB fails. */
export function readValue<T>(store: StoreName, key: string): Promise<T | undefined> {
  return watch(
    run<T | undefined>(store, 'readonly', (values) => values.get(key)),
    undefined,
  );
}

/** Returns all values of a store; none when IndexedDB fails. */
export function readValues<T>(store: StoreName): Promise<T[]> {
  return watch(
    run<T[]>(store, 'readonly', (values) => values.getAll()),
    [],
  );
}

function change(store: StoreName, work: (values: IDBObjectStore) => IDBRequest): Promise<boolean> {
  const changed = run(store, 'readwrite', work).then(() => true);
  return watch(changed, false);
}

/** Returns whether the value was stored. */
export function writeValue(store: StoreName, key: string, value: unknown): Promise<boolean> {
  return change(store, (values) => values.put(value, key));
}

/** Returns whether the value is gone. */
export function deleteValue(store: StoreName, key: string): Promise<boolean> {
  return change(store, (values) => values.delete(key));
}
