import { DecryptionError } from '../errors.ts';

/** Bytes of a key. */
export const keyLength = 32;

/** NIST SP 800-38D, section 8.2.2: a random vector of 96 bits. */
const ivLength = 12;
export const tagLength = 16;

/** Encryption adds a vector and a tag: their bytes. */
export const overhead = ivLength + tagLength;

/**
 * Encrypts with a new random initialisation vector.
 *
 * @param context - additional data: decryption fails with another one
 * @returns vector, ciphertext and tag
 */
export async function encryptUnder(
  key: CryptoKey,
  bytes: Uint8Array<ArrayBuffer>,
  context: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const iv = randomBytes(ivLength);
  const ciphertext = await crypto.subtle.encrypt(parameters(iv, context), key, bytes);
  const sealed = new Uint8Array(ivLength + ciphertext.byteLength);
  sealed.set(iv);
  sealed.set(new Uint8Array(ciphertext), ivLength);
  return sealed;
}

/**
 * Decrypts and authenticates.
 *
 * @param sealed - vector, ciphertext and tag
 * @throws DecryptionError
 */
export async function decryptUnder(
  key: CryptoKey,
  sealed: Uint8Array<ArrayBuffer>,
  context: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const { subtle } = crypto;
  const iv = sealed.subarray(0, ivLength);
  try {
    return new Uint8Array(
      await subtle.decrypt(parameters(iv, context), key, sealed.subarray(ivLength)),
    );
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

function parameters(
  iv: Uint8Array<ArrayBuffer>,
  additionalData: Uint8Array<ArrayBuffer>,
): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData };
}
