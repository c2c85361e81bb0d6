import type { Cipher, Document } from '@document-vault/sdk';
import { effect, signal } from '@preact/signals';
import { cipher } from '../../service/keys.ts';

/** The decrypted name of a document, or why there is none. */
export interface Name {
  readonly text?: string;
  readonly error?: unknown;
}

/** The names that were decrypted since the console was unlocked. They are never stored. */
const names = new Map<string, Name>();
const pending = new Set<string>();

/** Changes after each batch, so that components render again. */
const batches = signal(0);

/** Names between two renderings. */
const batchSize = 25;

/** A document has another stored name after it was renamed. */
function keyOf({ id, fileName }: Document): string {
  return `${id} ${fileName}`;
}

/** Returns the name of a document; undefined while it is decrypted. Components render again when it is there. */
export function nameOf(document: Document): Name | undefined {
  batches.value;
  return names.get(keyOf(document));
}

/** Returns the name of a document, or what stands for it until it is decrypted. */
export function shownName(document: Document): string {
  return nameOf(document)?.text ?? '…';
}

/** Decrypts names in batches, between which the page renders. */
export async function decryptNames(documents: readonly Document[]): Promise<void> {
  const used = cipher.peek();
  if (!used) return;
  const missing = documents.filter((one) => !names.has(keyOf(one)) && !pending.has(keyOf(one)));
  for (const document of missing) pending.add(keyOf(document));
  for (let start = 0; start < missing.length; start += batchSize) {
    const batch = missing.slice(start, start + batchSize);
    const found = await Promise.all(batch.map((document) => decryptName(document, used)));
    // The console was locked meanwhile.
    if (cipher.peek() !== used) return;
    for (const [index, document] of batch.entries()) {
      names.set(keyOf(document), found[index] ?? {});
      pending.delete(keyOf(document));
    }
    batches.value += 1;
  }
}

async function decryptName(document: Document, used: Cipher): Promise<Name> {
  try {
    return { text: await used.fileName(document) };
  } catch (error) {
    return { error };
  }
}

// Another cipher can open names that this one cannot, and a locked console has none.
effect(() => {
  cipher.value;
  names.clear();
  pending.clear();
  batches.value = batches.peek() + 1;
});
