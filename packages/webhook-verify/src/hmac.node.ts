import { createHmac, type KeyObject } from 'node:crypto';

/** HMAC-SHA256 (RFC 2104, FIPS 198-1) of any bytes with any key; strings are taken as UTF-8. */
export function hmac(key: string | Uint8Array | KeyObject, content: string | Uint8Array): Buffer {
  // By way of a string the digest lands in the pool; a Buffer of its own costs more than that.
  return Buffer.from(createHmac('sha256', key).update(content).digest('binary'), 'latin1');
}
