import { DecryptionError } from '../errors.ts';
import type { EncryptionMetadata } from '../generated/types.ts';
import { decryptUnder, encryptUnder, keyLength, randomBytes, wrongKey } from './aes-gcm.ts';
import { contextOf } from './context.ts';
import type { WrappedKeyMetadata } from './metadata.ts';

/** A document with the metadata of its key. */
export interface KeyedDocument {
  /** Id of the document, as the caller knows it. */
  id: string;
  /** Id of its vault. Required when `keyDerivation` is `VAULT_KEY`. */
  vaultId?: string | undefined;
  /** Parameters for decryption. */
  encryptionMetadata: EncryptionMetadata;
}

/** The file name of a document, with what decrypts it. */
export interface NamedDocument extends KeyedDocument {
  /** The name as stored, encrypted or not. */
  fileName: string;
}

/** The key of a new document, and as the service stores it. */
export interface DocumentKey {
  /** The document's own key, for HKDF. */
  readonly root: CryptoKey;
  readonly metadata: WrappedKeyMetadata;
}

/** Creates and unwraps the keys of documents. */
export interface DocumentKeys {
  /** @param id - id of the document */
  create(id: string): Promise<DocumentKey>;
  /**
   * Returns the bytes of a document's own key.
   *
   * @throws DecryptionError, also when it is the key of another document
   */
  unwrap(document: KeyedDocument): Promise<Uint8Array<ArrayBuffer>>;
}

/** What is derived from a document's own key. Each use has a key of its own. */
type Use = 'name' | 'checkpoint';

export function createDocumentKey(): Uint8Array<ArrayBuffer> {
  return randomBytes(keyLength);
}

/**
 * Wraps a document's own key for storage. It can be unwrapped as the key of this document only.
 *
 * @param wrapping - the key of a vault, or one derived from a passphrase: AES-GCM, for encryption
 * @param id - id of the document
 * @returns 60 bytes
 */
export function wrapDocumentKey(
  wrapping: CryptoKey,
  key: Uint8Array<ArrayBuffer>,
  id: string,
): Promise<Uint8Array<ArrayBuffer>> {
  return encryptUnder(wrapping, key, contextOf('key', id));
}

/**
 * Unwraps a document's own key.
 *
 * @param wrapping - AES-GCM, for decryption
 * @throws DecryptionError for another wrapping key, and for the key of another document
 */
export async function unwrapDocumentKey(
  wrapping: CryptoKey,
  wrappedKey: Uint8Array<ArrayBuffer>,
  id: string,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await decryptUnder(wrapping, wrappedKey, contextOf('key', id));
  } catch (cause) {
    throw wrongKey(cause);
  }
}

/** Imports a document's own key. Everything else is derived from it by HKDF (RFC 5869). */
export function importRoot(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey']);
}

/** Derives the key that encrypts a document's name. */
export function nameKey(root: CryptoKey, id: string): Promise<CryptoKey> {
  const derived = { name: 'AES-GCM', length: 256 };
  return derive(root, 'name', id, derived, ['encrypt', 'decrypt']);
}

/** Returns the HMAC-SHA-256 of a text under a key of the document. */
export async function macOf(
  root: CryptoKey,
  id: string,
  text: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const derived = { name: 'HMAC', hash: 'SHA-256', length: 256 };
  const key = await derive(root, 'checkpoint', id, derived, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text)));
}

function derive(
  root: CryptoKey,
  use: Use,
  id: string,
  derived: AesKeyGenParams | HmacImportParams,
  uses: KeyUsage[],
): Promise<CryptoKey> {
  const salt = new Uint8Array(0);
  const parameters = { name: 'HKDF', hash: 'SHA-256', salt, info: contextOf(use, id) };
  return crypto.subtle.deriveKey(parameters, root, derived, false, uses);
}

/**
 * Verifies that the service returned the document of a call. Callers use its id, for example to share it.
 *
 * @throws DecryptionError
 */
export function requireDocument(id: string, returned: { readonly id: string }): void {
  // The service reads ids in any case.
  if (returned.id === id.toLowerCase()) return;
  throw new DecryptionError('Cannot decrypt: the service returned data of another document', {
    reason: 'document',
  });
}
