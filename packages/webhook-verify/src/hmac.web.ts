/** Bytes that Web Crypto accepts: it refuses views of shared memory. */
type Bytes = Uint8Array<ArrayBuffer>;

/** Resolves whether `signature` is the HMAC-SHA256 of `content`. The platform compares in constant time. */
export type Matches = (signature: Bytes, content: Bytes) => Promise<boolean>;

/** Imports a key of at least one byte once, for any number of comparisons. */
export function createMatches(key: Bytes): Matches {
  const imported = crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
  return async (signature, content) =>
    crypto.subtle.verify('HMAC', await imported, signature, content);
}

/** Resolves to the HMAC-SHA256 (RFC 2104) of a content. The key has at least one byte. */
export async function hmac(key: Bytes, content: Bytes): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey(
    'raw',
    key,
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, content));
}
