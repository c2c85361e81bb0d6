import { DecryptionError } from '../errors.ts';

/** What is derived from a document's own key. Each use has a key or value of its own. */
type Use = 'content' | 'name' | 'binding' | 'checkpoint';

const bindingBits = 128;

/** Names version of the format, use and document, so that nothing fits another document. */
export function contextOf(use: Use, id: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`document-vault/2/${use}/${id}`);
}

/** Imports a document's own key. Everything else is derived from it by HKDF (RFC 5869). */
export function importRoot(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', bytes, 'HKDF', false, rootUses);
}

export const rootUses: KeyUsage[] = ['deriveKey', 'deriveBits'];

/** Derives the key that encrypts a document's name. */
export function nameKey(root: CryptoKey, id: string): Promise<CryptoKey> {
  const length = 256;
  return crypto.subtle.deriveKey(parameters('name', id), root, { name: 'AES-GCM', length }, false, [
    'encrypt',
    'decrypt',
  ]);
}

/**
 * Derives a value from which a reader sees that a key belongs to a document, without its content. It
 * reveals nothing about the key.
 */
export async function bindingOf(root: CryptoKey, id: string): Promise<Uint8Array<ArrayBuffer>> {
  const bits = await crypto.subtle.deriveBits(parameters('binding', id), root, bindingBits);
  return new Uint8Array(bits);
}

/** Returns the HMAC-SHA-256 of a text under a key of the document. */
export async function macOf(
  root: CryptoKey,
  id: string,
  text: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const derived = { name: 'HMAC', hash: 'SHA-256', length: 256 };
  const key = await crypto.subtle.deriveKey(parameters('checkpoint', id), root, derived, false, [
    'sign',
  ]);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text)));
}

/** @throws DecryptionError when the key belongs to another document */
export async function requireBinding(
  root: CryptoKey,
  id: string,
  binding: Uint8Array,
): Promise<void> {
  const expected = await bindingOf(root, id);
  if (expected.every((byte, at) => byte === binding[at])) return;
  throw otherDocument();
}

/**
 * Verifies that the service returned the document of a call. Callers use its id, for example to share it.
 *
 * @throws DecryptionError
 */
export function requireDocument(id: string, returned: { readonly id: string }): void {
  if (returned.id !== id) throw otherDocument();
}

/** The error for a key or content of another document. */
export function otherDocument(): DecryptionError {
  return new DecryptionError('Cannot decrypt: the service returned data of another document', {
    reason: 'document',
  });
}

function parameters(use: Use, id: string): HkdfParams {
  return { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: contextOf(use, id) };
}
