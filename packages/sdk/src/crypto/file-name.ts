import { DecryptionError, UsageError } from '../errors.ts';
import { isFileName } from '../generated/rules/names.ts';
import { decryptUnder, encryptUnder } from './aes-gcm.ts';
import { fromBase64Url, toBase64Url } from './base64.ts';

const prefix = 'enc.';

/** The base64url text holds the vector, the tag and at least one byte. */
const encrypted = /^enc\.[\w-]{39,}$/;

/** Bytes of UTF-8. With prefix, vector and tag, they fill 255 characters of base64url. */
const maxBytes = 160;

/** Additional data. */
const purpose = () => new TextEncoder().encode('fileName');

/** @throws UsageError when the contract does not accept the name */
export function requireFileName(fileName: string): void {
  if (isFileName(fileName)) return;
  throw new UsageError(
    'fileName must have a visible character, no invisible ones, neither / nor \\, and not be "." or ".."',
  );
}

/** Whether a stored `fileName` is encrypted. */
export function isEncryptedName(fileName: unknown): fileName is string {
  return typeof fileName === 'string' && encrypted.test(fileName);
}

/**
 * Encrypts a file name: `enc.` and the base64url of vector, ciphertext and tag.
 *
 * @throws UsageError when the name is invalid or longer than 160 bytes of UTF-8
 */
export async function encryptName(key: CryptoKey, fileName: string): Promise<string> {
  requireFileName(fileName);
  const plain = new TextEncoder().encode(fileName);
  if (plain.length > maxBytes) {
    throw new UsageError(
      `fileName has ${plain.length} bytes of UTF-8; at most ${maxBytes} can be encrypted`,
    );
  }
  return prefix + toBase64Url(await encryptUnder(key, plain, purpose()));
}

/**
 * Decrypts a file name.
 *
 * @throws DecryptionError
 */
export async function decryptName(key: CryptoKey, fileName: string): Promise<string> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = fromBase64Url(fileName.slice(prefix.length));
  } catch (cause) {
    throw invalidName('fileName is not base64url', cause);
  }
  const plain = await decryptUnder(key, bytes, purpose()).catch((cause) => {
    throw invalidName('fileName was changed, or the key does not fit', cause);
  });
  // A byte order mark is part of the name.
  return checkedName(new TextDecoder('utf-8', { ignoreBOM: true }).decode(plain));
}

/**
 * Returns a decrypted or plain name from the service unchanged. An attacker may have chosen it, and an
 * app may write a file of that name.
 *
 * @throws DecryptionError when it is not a file name
 */
export function checkedName(fileName: unknown): string {
  if (isFileName(fileName)) return fileName;
  throw invalidName('fileName is not a valid file name');
}

/** The error for a name that was changed or is invalid. */
export function invalidName(problem: string, cause?: unknown): DecryptionError {
  return new DecryptionError(`Cannot decrypt: ${problem}`, { reason: 'name', cause });
}
