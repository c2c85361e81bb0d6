/** The change of the passphrase. It goes on while the user looks at other screens. */
import { type Cipher, DecryptionError, type Document } from '@document-vault/sdk';
import { createCipher } from '@document-vault/sdk/crypto';
import { signal } from '@preact/signals';
import { client, user } from '../../service/client.ts';
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
  change.value = { state: 'running', done: 0, total: 0, others: 0 };
  void run(await createCipher({ passphrase }), to);
  return true;
}

export function stopChange(): void {
  if (change.value?.state === 'running') change.value = { ...change.value, state: 'stopped' };
}

async function run(from: Cipher, to: Cipher): Promise<void> {
  const { userId } = user.peek() ?? {};
  const isRunning = () => change.peek()?.state === 'running' && user.peek()?.userId === userId;
  const update = (changes: Partial<Change>) => {
    if (change.value) change.value = { ...change.value, ...changes };
  };
  try {
    // Wrapping changes no upload time, so the order stays.
    for await (const page of client.documents.list({ pageSize: 100 }).pages()) {
      update({ total: page.pagination.totalCount });
      for (const document of page.data) {
        if (!isRunning()) return;
        const isWrapped = await rewrap(document, from, to);
        const { done = 0, others = 0 } = change.peek() ?? {};
        update({ done: done + 1, others: others + Number(!isWrapped) });
      }
    }
    if (!isRunning()) return;
    // Other tabs have the old key.
    await lock();
    outdate('');
    await unlock(to);
    update({ state: 'done' });
  } catch (error) {
    update({ state: 'failed', error });
  }
}

/** Returns false for a document of a third passphrase. */
async function rewrap(document: Document, from: Cipher, to: Cipher): Promise<boolean> {
  try {
    await client.documents.rewrap(document, { from, to });
    return true;
  } catch (error) {
    if (error instanceof DecryptionError) return false;
    throw error;
  }
}
