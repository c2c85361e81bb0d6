/** The stores of the console in IndexedDB. Each has its keys outside of its values. */
type StoreName = 'keys' | 'uploads';

const stores: readonly StoreName[] = ['keys', 'uploads'];

let opening: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('document-vault-console', 1);
    request.onupgradeneeded = () => {
      for (const name of stores) request.result.createObjectStore(name);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opening;
}

async function run<T>(
  name: StoreName,
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await open();
  return new Promise((resolve, reject) => {
    // Strict: a value is on the disk when its promise resolves.
    const transaction = database.transaction(name, mode, { durability: 'strict' });
    const request = work(transaction.objectStore(name));
    // A reload right afterwards would abort it otherwise.
    transaction.commit();
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

/** Returns a value, or undefined. */
export function readValue<T>(store: StoreName, key: string): Promise<T | undefined> {
  return run<T | undefined>(store, 'readonly', (values) => values.get(key));
}

export function readValues<T>(store: StoreName): Promise<T[]> {
  return run<T[]>(store, 'readonly', (values) => values.getAll());
}

export function writeValue(store: StoreName, key: string, value: unknown): Promise<unknown> {
  return run(store, 'readwrite', (values) => values.put(value, key));
}

export function deleteValue(store: StoreName, key: string): Promise<unknown> {
  return run(store, 'readwrite', (values) => values.delete(key));
}
