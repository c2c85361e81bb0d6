import { type CipherKey, createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;

/** Bytes that `encrypt` adds to a text. */
export const encryptionOverhead = nonceLength + tagLength;

const nothing: Uint8Array = new Uint8Array();

/**
 * Encrypts with AES-256-GCM and a random nonce.
 *
 * @param about authenticated with the text, and not contained in the result. Default: nothing
 * @returns nonce (12 bytes), tag (16), ciphertext
 */
export function encrypt(text: string | Uint8Array, key: CipherKey, about = nothing): Buffer {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(about);
  const ciphertext = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/** @throws Error for another key or another `about`, and for bytes that were changed */
export function decrypt(encrypted: Uint8Array, key: CipherKey, about = nothing): Buffer {
  const nonce = encrypted.subarray(0, nonceLength);
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength })
    .setAAD(about)
    .setAuthTag(encrypted.subarray(nonceLength, encryptionOverhead));
  const text = decipher.update(encrypted.subarray(encryptionOverhead));
  return Buffer.concat([text, decipher.final()]);
}
