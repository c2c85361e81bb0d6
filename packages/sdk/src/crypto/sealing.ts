/** Encrypts contents and names. A cipher loads this code at its first encryption. */
import { UsageError } from '../errors.ts';
import { type DocumentKeys, importRoot, type KeyedDocument, nameKey } from './document-key.ts';
import { createEncryptor, encryptAll } from './encryptor.ts';
import { encryptName } from './file-name.ts';
import {
  bytesOf,
  type ContentDescription,
  type DocumentSource,
  describe,
  type EncryptedContent,
  type SealedContent,
  type SealOptions,
  sealSource,
} from './seal.ts';

export { createEncryptor, resumeEncryptor } from './encryptor.ts';

/**
 * Encrypts bytes under a new key.
 *
 * @throws UsageError when `content` is not bytes
 */
export async function encrypt(
  keys: DocumentKeys,
  content: Uint8Array,
  options: ContentDescription,
): Promise<EncryptedContent> {
  const bytes = bytesOf(content);
  if (!bytes) throw new UsageError('bytes must be a Uint8Array');
  const about = describe(bytes, options ?? {});
  const encryptor = await createEncryptor(keys, { ...about, size: bytes.length });
  const encryptedData = await encryptAll(encryptor, bytes);
  return { ...encryptor.fields(), encryptedData };
}

/** Reads a source and encrypts it under a new key. */
export function seal(
  keys: DocumentKeys,
  source: DocumentSource,
  options: SealOptions = {},
): Promise<SealedContent> {
  const about = describe(source, options);
  return sealSource((bytes) => encrypt(keys, bytes, about), source, options);
}

/** Encrypts a name under the key of a document. */
export async function encryptFileName(
  keys: Pick<DocumentKeys, 'unwrap'>,
  document: KeyedDocument,
  fileName: string,
): Promise<string> {
  const root = await importRoot(await keys.unwrap(document));
  return encryptName(await nameKey(root, document.id), fileName);
}
