/** Identifiers as the service makes them; they sort by the time they were made. */
export interface Ids {
  /** A UUIDv7 (RFC 9562, section 5.7). */
  resource(): string;
  /** A prefix and the 32 hexadecimal digits of a UUIDv7. */
  prefixed(prefix: 'evt' | 'dlv' | 'key' | 'req'): string;
}

/** Ids by this clock: within a millisecond they count upwards, so that the order of creation is kept. */
export function createIds(now: () => number): Ids {
  let last = 0;
  let sequence = 0;

  /** 48 bits of time, 12 and 18 bits of the sequence, the rest by chance. */
  function digits(): string {
    const time = Math.max(now(), last);
    sequence = time === last ? sequence + 1 : 0;
    last = time;
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    const view = new DataView(bytes.buffer);
    view.setUint16(0, Math.floor(time / 2 ** 32));
    view.setUint32(2, time % 2 ** 32);
    view.setUint16(6, 0x7000 | (sequence >>> 18));
    view.setUint32(8, 0x80000000 | ((sequence & 0x3ffff) << 12) | (view.getUint32(8) & 0xfff));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }

  return {
    resource: () => digits().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    prefixed: (prefix) => `${prefix}_${digits()}`,
  };
}

const alphanumerics = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** 32 random bytes in base64url: refresh tokens and share tokens. */
export function randomToken(): string {
  return toBase64Url(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
}

/** `service_sk_` and 40 alphanumeric characters. */
export function randomApiKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(40));
  return `service_sk_${Array.from(bytes, (byte) => alphanumerics[byte % 62]).join('')}`;
}

/** Base64 without padding, for URLs (RFC 4648, section 5), of a text of bytes. */
export function toBase64Url(bytes: string): string {
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
