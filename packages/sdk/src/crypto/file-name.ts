import { DecryptionError, UsageError } from '../errors.ts';
import { decryptUnder, encryptUnder, ivLength, tagLength } from './aes-gcm.ts';
import { fromBase64Url, toBase64Url } from './base64url.ts';

const prefix = 'enc.';

/** At least one byte beside vector and tag; a plain name of this form would be taken for one. */
const encrypted = /^enc\.[\w-]{39,}$/;

/** The contract's 255 characters without the prefix, in base64url, without vector and tag. */
const maxBytes = 160;

/** A name and content are encrypted under the same key: neither passes for the other. */
const purpose = 'fileName';

/**
 * Characters that no name holds: those that lead to another folder, control characters, and
 * bidirectional controls, which show `invoice\u202efdp.exe` as `invoiceexe.pdf`.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about them
const forbidden = /[/\\\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Whether the contract accepts a name: `.` and `..` are folders. */
function isFileName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !forbidden.test(name);
}

/** Whether a document's `fileName` is an encrypted one. */
export function isEncryptedName(fileName: string): boolean {
  return encrypted.test(fileName);
}

/**
 * Encrypts a file name into one that the service takes: `enc.` and the base64url of vector,
 * ciphertext and tag.
 *
 * @throws UsageError when it is not a file name, or longer than 160 bytes of UTF-8
 */
export async function encryptName(key: CryptoKey, fileName: string): Promise<string> {
  const plain = new TextEncoder().encode(fileName);
  if (!isFileName(fileName)) {
    throw new UsageError(
      'fileName must not be empty, . or .., nor hold /, \\, control or bidirectional characters',
    );
  }
  if (plain.length > maxBytes) {
    throw new UsageError(
      `fileName has ${plain.length} bytes; an encrypted one may have ${maxBytes} bytes of UTF-8`,
    );
  }
  const { iv, data, authTag } = await encryptUnder(key, plain, purpose);
  return prefix + toBase64Url(new Uint8Array([...iv, ...data, ...authTag]));
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
    throw new DecryptionError('Cannot decrypt: fileName is not base64url', { cause });
  }
  const iv = bytes.slice(0, ivLength);
  const data = bytes.subarray(ivLength, -tagLength);
  const plain = await decryptUnder(key, { iv, data, authTag: bytes.slice(-tagLength) }, purpose);
  // A mark at the beginning is part of the name.
  return checkedName(new TextDecoder('utf-8', { ignoreBOM: true }).decode(plain));
}

/**
 * Returns a decrypted or plain name from the service unchanged. An attacker may have chosen it, and an
 * app may write a file of that name.
 *
 * @throws DecryptionError when it is not a file name
 */
export function checkedName(fileName: string): string {
  if (isFileName(fileName)) return fileName;
  throw new DecryptionError('Cannot decrypt: fileName is not a file name');
}
