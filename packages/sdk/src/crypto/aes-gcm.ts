import { DecryptionError } from '../errors.ts';

/** Ciphertext with its initialisation vector and tag. */
export interface Encrypted {
  /** Without the tag: as long as the plaintext. */
  readonly data: Uint8Array<ArrayBuffer>;
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly authTag: Uint8Array<ArrayBuffer>;
}

/** Ciphertext from outside. */
interface Received {
  readonly data: Uint8Array;
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly authTag: Uint8Array;
}

/** NIST SP 800-38D, section 8.2.2: a random vector of 96 bits. */
export const ivLength = 12;
export const tagLength = 16;

/**
 * Encrypts with a new random initialisation vector.
 *
 * @param purpose - additional data: decryption fails with another purpose
 */
export async function encryptUnder(
  key: CryptoKey,
  bytes: Uint8Array,
  purpose?: string,
): Promise<Encrypted> {
  const iv = randomBytes(ivLength);
  const sealed = await crypto.subtle.encrypt(parameters(iv, purpose), key, asSource(bytes));
  const length = sealed.byteLength - tagLength;
  return {
    data: new Uint8Array(sealed, 0, length),
    iv,
    authTag: new Uint8Array(sealed, length),
  };
}

/**
 * Decrypts and authenticates.
 *
 * @throws DecryptionError
 */
export async function decryptUnder(
  key: CryptoKey,
  { data, iv, authTag }: Received,
  purpose?: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const sealed = new Uint8Array(data.length + authTag.length);
  sealed.set(data);
  sealed.set(authTag, data.length);
  try {
    return new Uint8Array(await crypto.subtle.decrypt(parameters(iv, purpose), key, sealed));
  } catch (cause) {
    throw notDecrypted(cause);
  }
}

/** The error for content that AES-GCM does not authenticate. */
export function notDecrypted(cause: unknown): DecryptionError {
  return new DecryptionError('Cannot decrypt: the content was changed', { cause });
}

/** The error for a passphrase or a key that does not fit. */
export function wrongKey(cause: unknown): DecryptionError {
  return new DecryptionError('Cannot decrypt: wrong passphrase or key', { reason: 'key', cause });
}

export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length));
}

function parameters(iv: Uint8Array<ArrayBuffer>, purpose: string | undefined): AesGcmParams {
  const name = 'AES-GCM';
  if (purpose === undefined) return { name, iv };
  return { name, iv, additionalData: new TextEncoder().encode(purpose) };
}

/** Web Crypto refuses memory that threads share. */
function asSource(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer
    ? (bytes as Uint8Array<ArrayBuffer>)
    : new Uint8Array(bytes);
}
