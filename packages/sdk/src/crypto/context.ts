/**
 * Names version of the format, use, and what the use belongs to, so that no ciphertext passes for another one: UTF-8 of
 * `document-vault/3/` and the parts, joined by `/`. No part has a `/` but the base64 of a public key, which is the last.
 */
export function contextOf(...parts: readonly string[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`document-vault/3/${parts.join('/')}`);
}
