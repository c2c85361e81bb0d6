import { requireDocument } from '../crypto/document-key.ts';
import { UsageError } from '../errors.ts';
import type { Document, UpdateDocument } from '../generated/types.ts';
import type { StartedCall } from '../http/api.ts';
import type { RewrapOptions } from './content.ts';

/** Changes a document. */
export type UpdateOperation = (
  id: string,
  changes: UpdateDocument,
  options?: StartedCall,
) => Promise<Document>;

/**
 * Wraps the key of a document under another passphrase and stores it.
 *
 * @throws UsageError without ciphers, and DecryptionError
 */
export async function rewrap(
  document: Document,
  options: RewrapOptions & StartedCall,
  update: UpdateOperation,
): Promise<Document> {
  const { from, to, ...call } = options ?? {};
  if (!from || !to) throw new UsageError('rewrap needs the ciphers from and to');
  if (await to.check(document)) return document;
  const encryptionMetadata = await from.rewrap(document, to);
  const updated = await update(document.id, { encryptionMetadata }, call);
  requireDocument(document.id, updated);
  return updated;
}
