import { createHmac, type KeyObject } from 'node:crypto';

/** Returns the HMAC-SHA256 (RFC 2104, FIPS 198-1) of a content. Strings stand for their UTF-8 bytes. */
export function hmac(key: string | Uint8Array | KeyObject, content: string | Uint8Array): Buffer {
  // A digest as a string lands in Node's buffer pool. `digest()` allocates, which costs more.
  return Buffer.from(createHmac('sha256', key).update(content).digest('binary'), 'latin1');
}
