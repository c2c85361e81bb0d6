/** Decrypts contents and names. A cipher loads this code at its first use. */
import { DecryptionError, UsageError } from '../errors.ts';
import { decryptUnder, wrongKey } from './aes-gcm.ts';
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
import { nameKey } from './document-key.ts';
import { checkedName, decryptName, invalidName, isEncryptedName } from './file-name.ts';
import type { DocumentKeys, NamedDocument } from './key-ring.ts';
import { segmentBytes } from './layout.ts';
import { isMediaType } from './media-type.ts';
import { isStream, parseContent, parseStream } from './metadata.ts';

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
  /**
   * Whether content, name and type are tied to the document. False for content of an older format: the
   * service may have exchanged it for another one of that format, and name and type are its own.
   */
  bound: boolean;
}

/**
 * Decrypts a document.
 *
 * @throws DecryptionError
 */
export async function decrypt(
  keys: DocumentKeys,
  document: StoredContent,
): Promise<DecryptedContent> {
  const { encryptedData, encryptionMetadata } = document;
  if (!isStream(encryptionMetadata)) return decryptWhole(keys, document);
  const first = encryptedData.subarray(0, segmentBytes);
  const decryptor = await openStream(keys, document, first);
  const bytes = await decryptAll(decryptor, encryptedData);
  const { fileName, mimeType, charset } = decryptor;
  return { bytes, fileName, mimeType, charset, bound: true };
}

/**
 * Decodes and decrypts a document that came from the service.
 *
 * @throws DecryptionError, and UsageError without content
 */
export function unseal(
  keys: DocumentKeys,
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
export async function fileName(keys: DocumentKeys, document: NamedDocument): Promise<string> {
  const { id, fileName: stored, encryptionMetadata } = document;
  if (!isEncryptedName(stored)) return checkedName(stored);
  if (isStream(encryptionMetadata)) {
    return decryptName(await nameKey(await keys.rootOf(document), id), stored);
  }
  if (!keys.isVerified(encryptionMetadata)) return checkedName(stored);
  return decryptName(await keys.keyOf(encryptionMetadata), stored);
}

/**
 * Decrypts the beginning of a ciphertext stream.
 *
 * @throws DecryptionError
 */
export async function openStream(
  keys: DocumentKeys,
  document: StoredDocument,
  first: Uint8Array,
): Promise<Decryptor> {
  // Before a key is derived, which costs much.
  const parameters = parseStream(document.encryptionMetadata);
  const root = await keys.rootOf(document);
  const opening = createDecryptor({ ...parameters, root }, document, first, (sealed) =>
    currentName(root, document, sealed),
  );
  return opening.catch((error) => {
    throw orWrongKey(error, keys, document);
  });
}

/** A key that was not verified is the likely cause when the content does not decrypt. */
function orWrongKey(
  error: unknown,
  keys: DocumentKeys,
  { encryptionMetadata }: StoredDocument,
): unknown {
  const isContent = error instanceof DecryptionError && error.reason === 'content';
  return isContent && !keys.isVerified(encryptionMetadata) ? wrongKey(error) : error;
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

/** Decrypts content of the older format, which was encrypted as a whole. */
async function decryptWhole(
  keys: DocumentKeys,
  document: StoredContent,
): Promise<DecryptedContent> {
  const { encryptedData: data, encryptionMetadata, mimeType } = document;
  const parameters = parseContent(encryptionMetadata);
  const key = await keys.keyOf(encryptionMetadata);
  const bytes = await decryptUnder(key, { data, ...parameters }).catch((error) => {
    throw orWrongKey(error, keys, document);
  });
  const name = await fileName(keys, document);
  // Nothing seals the type: the service may have returned anything, and an app may write it to a header.
  if (!isMediaType(mimeType)) {
    throw new DecryptionError('Cannot decrypt: mimeType is not a media type');
  }
  return { bytes, fileName: name, mimeType, charset: undefined, bound: false };
}
