import { randomBytes } from './aes-gcm.ts';

/** Makes the id of a new document: a UUID of version 7 with 74 random bits (RFC 9562, section 5.7). */
export function createDocumentId(): string {
  const bytes = randomBytes(16);
  const view = new DataView(bytes.buffer);
  const time = Date.now();
  view.setUint16(0, time / 2 ** 32);
  view.setUint32(2, time % 2 ** 32);
  view.setUint16(6, 0x7000 | (view.getUint16(6) & 0x0fff));
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
