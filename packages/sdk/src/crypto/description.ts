import { DecryptionError, UsageError } from '../errors.ts';
import { isCharset, isMediaType } from './media-type.ts';

/** Describes a document. It is sealed in front of the content. */
export interface Description {
  /** The name at the time of the upload. */
  readonly fileName: string;
  /** Media type, as `type/subtype`. */
  readonly mimeType: string;
  /** The encoding of a text, as the uploader named it. */
  readonly charset?: string | undefined;
  /** Bytes of the content. */
  readonly size: number;
  /** Whether the service got the name encrypted: it must not return a plain one then. */
  readonly encryptFileName: boolean;
}

/** The length of the description, in front of it: 16 bits, big-endian. */
const lengthBytes = 2;
const maxLength = 2 ** 16 - 1;

/**
 * Writes a description as JSON in UTF-8, with its length in front.
 *
 * @throws UsageError when it is invalid
 */
export function writeDescription(description: Description): Uint8Array<ArrayBuffer> {
  const { fileName, mimeType, charset, size, encryptFileName } = description;
  if (!isSize(size)) throw new UsageError('size must be the number of bytes of the content');
  const json = new TextEncoder().encode(
    JSON.stringify({ fileName, mimeType, charset, size, encryptFileName }),
  );
  if (json.length > maxLength) throw new UsageError('fileName and mimeType are too long');
  const bytes = new Uint8Array(lengthBytes + json.length);
  new DataView(bytes.buffer).setUint16(0, json.length);
  bytes.set(json, lengthBytes);
  return bytes;
}

/**
 * Reads the description at the beginning of a decrypted content. Its writer had the key, but may be a
 * stranger who shared a link.
 *
 * @returns the description and its bytes
 * @throws DecryptionError when it is invalid
 */
export function readDescription(
  plain: Uint8Array<ArrayBuffer>,
): Description & { readonly length: number } {
  try {
    const length = lengthBytes + new DataView(plain.buffer, plain.byteOffset).getUint16(0);
    const json = new TextDecoder('utf-8', { fatal: true }).decode(
      plain.subarray(lengthBytes, length),
    );
    const { fileName, mimeType, size, encryptFileName = false, ...rest } = JSON.parse(json);
    const isWhole = length <= plain.length && isSize(size) && typeof encryptFileName === 'boolean';
    if (isWhole && typeof fileName === 'string' && isMediaType(mimeType)) {
      const charset = isCharset(rest.charset) ? rest.charset : undefined;
      return { fileName, mimeType, charset, size, encryptFileName, length };
    }
  } catch {
    // The error below is the same. The platform's may quote the plaintext.
  }
  throw new DecryptionError('Cannot decrypt: the content has no valid description');
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
