/** The change of the passphrase. It goes on while the user looks at other screens. */
import { type Cipher, DecryptionError, type Document } from '@document-vault/sdk';
import { createCipher } from '@document-vault/sdk/crypto';
import { signal } from '@preact/signals';
import { client, userId } from '../../service/client.ts';
import { cipherFor, lock, newestDocument, unlock } from '../../service/keys.ts';
import { outdate } from '../../service/loading.ts';

export interface Change {
  readonly state: 'running' | 'stopped' | 'failed' | 'done';
  /** Documents that were looked at, and those that there are. */
  readonly done: number;
  readonly total: number;
  /** Documents under a third passphrase, which keep it. */
  readonly others: number;
  readonly error?: unknown;
}

/** The change since the console was opened; undefined before it begins. */
export const change = signal<Change | undefined>();

/** A passphrase that was entered as the present one. */
export interface Present {
  readonly passphrase: string;
  readonly newest: Document;
  /** Whether the newest document has it; after an interruption, it can have the new one already. */
  readonly isNewest: boolean;
}

/** Returns undefined for an account without documents. */
export async function checkPresent(passphrase: string): Promise<Present | undefined> {
  const newest = await newestDocument();
  if (!newest) return undefined;
  const isNewest = (await cipherFor(passphrase, newest)) !== undefined;
  return { passphrase, newest, isNewest };
}

/** Ends the running change. */
let running: AbortController | undefined;

/**
 * Wraps the key of every document under a new passphrase, the newest document first.
 *
 * @returns false when the newest document has neither passphrase
 */
export async function changePassphrase(
  { passphrase, newest, isNewest }: Present,
  chosen: string,
): Promise<boolean> {
  // An interrupted change has wrapped the newest key: the others follow with the same salt.
  const to = isNewest ? await cipherFor(chosen, undefined) : await cipherFor(chosen, newest);
  if (!to) return false;
  const from = await createCipher({ passphrase });
  running = new AbortController();
  change.value = { state: 'running', done: 0, total: 0, others: 0 };
  void run({ from, to, signal: running.signal });
  return true;
}

export function stopChange(): void {
  running?.abort();
  if (change.value?.state === 'running') change.value = { ...change.value, state: 'stopped' };
}

interface Ciphers {
  readonly from: Cipher;
  readonly to: Cipher;
  /** Ends the change. */
  readonly signal: AbortSignal;
}

async function run(options: Ciphers): Promise<void> {
  const { to, signal } = options;
  const update = (changes: Partial<Change>) => {
    if (change.value && !signal.aborted) change.value = { ...change.value, ...changes };
  };
  const seen: Seen = { all: new Set(), others: new Set() };
  try {
    await wrapAll(options, seen, update);
    // No tab uploads under the old key from now on. What was uploaded meanwhile is wrapped too.
    await lock();
    let left = 1;
    while (left > 0) left = await wrapAll(options, seen, update);
    outdate('');
    await unlock(to);
    update({ state: 'done' });
  } catch (error) {
    update({ state: 'failed', error });
  }
}

/** Ids of the documents that were looked at, and of those under a third passphrase. */
interface Seen {
  readonly all: Set<string>;
  readonly others: Set<string>;
}

/** Goes through all documents once. Returns how many it has wrapped. */
async function wrapAll(
  options: Ciphers,
  { all, others }: Seen,
  update: (changes: Partial<Change>) => void,
): Promise<number> {
  const { signal } = options;
  let wrapped = 0;
  // Wrapping changes no upload time, so the order stays.
  for await (const page of client.documents.list({ pageSize: 100 }, { signal }).pages()) {
    update({ total: page.pagination.totalCount });
    for (const document of page.data) {
      const result = await rewrap(document, options);
      signal.throwIfAborted();
      all.add(document.id);
      if (!result) others.add(document.id);
      else if (result !== document) wrapped += 1;
      update({ done: all.size, others: others.size });
    }
  }
  return wrapped;
}

/** Returns the document, which is the same object when it had the new passphrase; undefined for a third passphrase. */
async function rewrap(document: Document, options: Ciphers): Promise<Document | undefined> {
  try {
    return await client.documents.rewrap(document, options);
  } catch (error) {
    if (error instanceof DecryptionError) return undefined;
    throw error;
  }
}

// A change ends when its user signs out, and the next user does not see it.
userId.subscribe(() => {
  running?.abort();
  change.value = undefined;
});
