/** Whether `signature` is the HMAC-SHA256 of `content`, compared in constant time by the platform. */
export type Matches = (
  signature: Uint8Array<ArrayBuffer>,
  content: Uint8Array<ArrayBuffer>,
) => Promise<boolean>;

/** Imports a key, of any bytes but none, once for all that is compared. */
export function createMatches(key: Uint8Array<ArrayBuffer>): Matches {
  const imported = crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
  return async (signature, content) =>
    crypto.subtle.verify('HMAC', await imported, signature, content);
}
