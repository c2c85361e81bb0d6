import { type AccountKeys, type Document, LockedError } from '@document-vault/sdk';
import { effect, signal } from '@preact/signals';
import { client } from '../../service/client.ts';
import { accountKeys, lock } from '../../service/keys.ts';
import { documentTexts } from './messages.ts';

/** The decrypted name of a document, or why there is none. */
export interface Name {
  readonly text?: string;
  readonly error?: unknown;
}

/** The names that were decrypted since the console was unlocked. They are never stored. */
const names = new Map<string, Name>();
const pending = new Map<string, Promise<void>>();

/** Counts the changes of the names, so that components render again. */
const version = signal(0);

/** Names of a long list appear in steps of so many milliseconds: each step renders the list again. */
const stepTime = 250;

/** Changes with the names. Components render again then. */
export function namesVersion(): number {
  return version.value;
}

/** Names that are decrypted at once. */
const batchSize = 25;

/** A document has another stored name after it was renamed. */
function keyOf({ id, fileName }: Document): string {
  return `${id} ${fileName}`;
}

/** Returns the name of a document; undefined while it is decrypted. Components render again when it is there. */
export function nameOf(document: Document): Name | undefined {
  version.value;
  return names.get(keyOf(document));
}

/** Returns the name of a document, or what stands for it until it is decrypted. */
export function shownName(document: Document): string {
  return nameOf(document)?.text ?? (accountKeys.value ? '…' : documentTexts.value.lockedName);
}

/** Decrypts names, unless they are there or on their way. It ends when all of them are there. */
export async function decryptNames(documents: readonly Document[]): Promise<void> {
  const used = accountKeys.peek();
  if (!used) return;
  const missing = documents.filter((one) => !names.has(keyOf(one)) && !pending.has(keyOf(one)));
  const decrypted = decryptBatches(missing, used);
  for (const document of missing) pending.set(keyOf(document), decrypted);
  await Promise.all(documents.map((document) => pending.get(keyOf(document))));
}

/** Decrypts names in batches, between which the page renders. */
async function decryptBatches(missing: readonly Document[], used: AccountKeys): Promise<void> {
  let shownAt = 0;
  for (let start = 0; start < missing.length; start += batchSize) {
    const batch = missing.slice(start, start + batchSize);
    const found = await Promise.all(batch.map((document) => decryptName(document, used)));
    // The console was locked meanwhile.
    if (accountKeys.peek() !== used) return;
    for (const [index, document] of batch.entries()) {
      names.set(keyOf(document), found[index] ?? {});
      pending.delete(keyOf(document));
    }
    const isLast = start + batchSize >= missing.length;
    if (!isLast && performance.now() - shownAt < stepTime) continue;
    shownAt = performance.now();
    version.value += 1;
  }
}

async function decryptName(document: Document, used: AccountKeys): Promise<Name> {
  try {
    return { text: await client.documents.fileName(document) };
  } catch (error) {
    // Another device has replaced the keyring: these keys are useless.
    if (error instanceof LockedError && accountKeys.peek() === used) void lock();
    return { error };
  }
}

// A locked console has no names.
effect(() => {
  accountKeys.value;
  names.clear();
  pending.clear();
  version.value = version.peek() + 1;
});
