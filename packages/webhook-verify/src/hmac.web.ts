const algorithm = { name: 'HMAC', hash: 'SHA-256' };

/** A `CryptoKey`, by a name that needs neither the DOM's types nor Node's. */
export type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** A key for {@link matches}; any bytes but none. */
export function importKey(key: Uint8Array<ArrayBuffer>): Promise<HmacKey> {
  return crypto.subtle.importKey('raw', key, algorithm, false, ['verify']);
}

/** Whether `signature` is the HMAC-SHA256 of `content`, compared in constant time by the platform. */
export function matches(
  key: HmacKey,
  signature: Uint8Array<ArrayBuffer>,
  content: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  return crypto.subtle.verify(algorithm, key, signature, content);
}
