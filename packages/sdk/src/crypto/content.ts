/** Decrypts contents and names. A cipher loads this code at its first use. */
import { DecryptionError, UsageError } from '../errors.ts';
import { wrongKey } from './aes-gcm.ts';
import { fromBase64 } from './base64.ts';
import {
  createDecryptor,
  type Decryptor,
  decryptAll,
  type StoredContent,
  type StoredDocument,
  type StoredSealedContent,
} from './decryptor.ts';
import type { Description } from './description.ts';
import { type DocumentKeys, importRoot, type NamedDocument, nameKey } from './document-key.ts';
import type { EncryptorState } from './encryptor.ts';
import { checkedName, decryptName, invalidName, isEncryptedName } from './file-name.ts';
import { segmentBytes } from './layout.ts';
import { metadataOfKey, parseStream } from './metadata.ts';

/** A decrypted document. */
export interface DecryptedContent {
  /** The plaintext. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The name: decrypted, or as it was sealed with the content. */
  fileName: string;
  /** Media type of the plaintext, as it was sealed with the content. */
  mimeType: string;
  /** The encoding of a text, as it was named at the upload and sealed: for `decodeText`. */
  charset: string | undefined;
}

/** Returns the keys of documents. */
export interface Unwrapping extends Pick<DocumentKeys, 'unwrap'> {
  /** Whether unwrapping detects a wrong key. A link has the key itself: only the content shows that it does not fit. */
  readonly detectsWrongKey: boolean;
}

/**
 * Decrypts a document.
 *
 * @throws DecryptionError
 */
export async function decrypt(
  keys: Unwrapping,
  document: StoredContent,
): Promise<DecryptedContent> {
  const { encryptedData } = document;
  const first = encryptedData.subarray(0, segmentBytes);
  const decryptor = await openStream(keys, document, first);
  const bytes = await decryptAll(decryptor, encryptedData);
  const { fileName, mimeType, charset } = decryptor;
  return { bytes, fileName, mimeType, charset };
}

/**
 * Decodes and decrypts a document that came from the service.
 *
 * @throws DecryptionError, and UsageError without content
 */
export function unseal(
  keys: Unwrapping,
  { encryptedData, ...document }: StoredSealedContent,
): Promise<DecryptedContent> {
  if (encryptedData === undefined || encryptedData === null) {
    throw new UsageError(
      'The document has no encryptedData: its content was left out or is larger than 32 MiB',
    );
  }
  let bytes: Uint8Array;
  try {
    bytes = fromBase64(encryptedData);
  } catch (cause) {
    throw new DecryptionError('Cannot decrypt: encryptedData is not base64', { cause });
  }
  return decrypt(keys, { ...document, encryptedData: bytes });
}

/**
 * Returns the name of a document, for which its content is not needed.
 *
 * @throws DecryptionError
 */
export async function fileName(
  keys: Unwrapping,
  document: NamedDocument | EncryptorState,
): Promise<string> {
  const { id, fileName: stored } = document;
  if (!isEncryptedName(stored)) return checkedName(stored);
  const keyed =
    'key' in document ? { id, encryptionMetadata: metadataOfKey(document.key) } : document;
  return decryptName(await nameKey(await importRoot(await keys.unwrap(keyed)), id), stored);
}

/**
 * Decrypts the beginning of a ciphertext stream.
 *
 * @throws DecryptionError
 */
export async function openStream(
  keys: Unwrapping,
  document: StoredDocument,
  first: Uint8Array,
): Promise<Decryptor> {
  // Before a key is derived, which costs much.
  const parameters = parseStream(document.encryptionMetadata);
  const root = await importRoot(await keys.unwrap(document));
  const opening = createDecryptor({ ...parameters, root }, document, first, (sealed) =>
    currentName(root, document, sealed),
  );
  return opening.catch((error) => {
    const isContent = error instanceof DecryptionError && error.reason === 'content';
    throw isContent && !keys.detectsWrongKey ? wrongKey(error) : error;
  });
}

/**
 * Returns the name of a document whose description is known. Everyone with the key can rename it. The
 * service has no key, so a plain name that it returns never replaces the sealed one.
 *
 * @throws DecryptionError
 */
async function currentName(
  root: CryptoKey,
  { id, fileName: stored }: StoredDocument,
  sealed: Description,
): Promise<string> {
  const isPlain = !sealed.encryptFileName;
  if (isEncryptedName(stored) && !(isPlain && stored === sealed.fileName)) {
    return decryptName(await nameKey(root, id), stored);
  }
  if (isPlain) return checkedName(sealed.fileName);
  throw invalidName('the service returned a plain fileName in the place of the encrypted one');
}
