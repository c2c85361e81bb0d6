import { createHmac, type KeyObject } from 'node:crypto';

/**
 * Returns the 64 lowercase hex digits of the HMAC-SHA256 (RFC 2104, FIPS 198-1) of a content. Strings stand for
 * their UTF-8 bytes.
 */
export function hmac(key: string | Uint8Array | KeyObject, content: string | Uint8Array): string {
  return createHmac('sha256', key).update(content).digest('hex');
}
