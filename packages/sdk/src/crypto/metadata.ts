import { DecryptionError, UsageError } from '../errors.ts';
import type { EncryptionMetadata } from '../generated/types.ts';
import { fromBase64, toBase64 } from './base64.ts';

/** Parameters that derive a key from a passphrase. */
export interface KeyDerivation {
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly iterations: number;
}

/** Parameters of a document's key. */
interface KeyParameters extends KeyDerivation {
  /** Undefined when the derived key itself has encrypted the content. */
  readonly wrappedKey?: Uint8Array<ArrayBuffer> | undefined;
}

/** Parameters of encrypted content. */
interface ContentParameters {
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly authTag: Uint8Array;
}

/** Parameters of a ciphertext stream. Both are in the stream too. */
export interface StreamParameters {
  readonly noncePrefix: Uint8Array<ArrayBuffer>;
  /** The tag of the last segment. */
  readonly authTag: Uint8Array;
}

/** Content that was encrypted as a whole. Nothing ties it to its document. */
const wholeAlgorithm = 'AES-256-GCM';

/** Tink's name of AES-GCM-HKDF streaming AEAD with 256-bit keys, SHA-256 and segments of 1 MiB. */
export const streamAlgorithm = 'AES256_GCM_HKDF_1MB';

const keyDerivation = 'PBKDF2';

/** More would take many seconds, and metadata may come from an attacker. */
const maxIterations = 10_000_000;

/**
 * An attacker can make content that decrypts with thousands of keys, and may see whether a document
 * opens. With few iterations, a malicious service could test passphrases that way at low cost. A
 * wrapped key fits one key only.
 */
const minDirectIterations = 100_000;

/** The four fields that say how a document's key is wrapped. */
export interface WrappedKeyMetadata {
  /** `PBKDF2`. */
  keyDerivation: string;
  /** PBKDF2 iterations. */
  iterations: number;
  /** Salt of PBKDF2, base64. */
  salt: string;
  /** The document's own key, wrapped, base64. */
  wrappedKey: string;
}

/** Writes the metadata of a wrapped key. */
export function writeWrappedKey({
  salt,
  iterations,
  wrappedKey,
}: KeyDerivation & { wrappedKey: Uint8Array }): WrappedKeyMetadata {
  return { keyDerivation, iterations, salt: toBase64(salt), wrappedKey: toBase64(wrappedKey) };
}

/** Writes the metadata of a document whose content is a ciphertext stream. */
export function writeMetadata(
  parameters: KeyDerivation & StreamParameters & { wrappedKey: Uint8Array; binding: Uint8Array },
): EncryptionMetadata {
  return {
    algorithm: streamAlgorithm,
    ...writeWrappedKey(parameters),
    iv: toBase64(parameters.noncePrefix),
    authTag: toBase64(parameters.authTag),
    binding: toBase64(parameters.binding),
  };
}

/**
 * Parses the key parameters in metadata from outside.
 *
 * @throws DecryptionError when a parameter is missing or not supported
 */
export function parseKey(metadata: EncryptionMetadata): KeyParameters {
  if (!metadata) throw new UsageError('The document has no encryptionMetadata');
  const { iterations } = metadata;
  if (metadata.keyDerivation === undefined) {
    throw invalid(
      'keyDerivation',
      'is missing; the service returns none for a share of another account',
    );
  }
  if (metadata.keyDerivation !== keyDerivation) {
    throw invalid('keyDerivation', `is not ${keyDerivation}`);
  }
  if (!isIterations(iterations)) throw invalid('iterations', `is not 1 to ${maxIterations}`);
  const salt = bytesOf(metadata, 'salt', { min: 1, max: 1_024 });
  // GraphQL returns null for missing fields.
  if ((metadata.wrappedKey ?? undefined) === undefined) return { iterations, salt };
  return { iterations, salt, wrappedKey: bytesOf(metadata, 'wrappedKey', { min: 40, max: 40 }) };
}

/**
 * Validates the derivation of a key that decrypts content itself.
 *
 * @throws DecryptionError when it has too few iterations
 */
export function validateDirect({ iterations }: KeyDerivation): void {
  if (iterations >= minDirectIterations) return;
  throw invalid('iterations', `is below ${minDirectIterations}, and there is no wrappedKey`);
}

/**
 * Parses the content parameters in metadata from outside.
 *
 * @throws DecryptionError when a parameter is missing or not supported
 */
export function parseContent(metadata: EncryptionMetadata): ContentParameters {
  if (metadata?.algorithm !== wholeAlgorithm) {
    throw invalid('algorithm', `is not ${streamAlgorithm} or ${wholeAlgorithm}`);
  }
  return {
    iv: bytesOf(metadata, 'iv', { min: 12, max: 128 }),
    // GCM accepts shorter tags, which are easier to forge.
    authTag: bytesOf(metadata, 'authTag', { min: 16, max: 16 }),
  };
}

/** Whether a content is a ciphertext stream, which is bound to its document. */
export function isStream(metadata: EncryptionMetadata): boolean {
  return metadata?.algorithm === streamAlgorithm;
}

/**
 * Parses the parameters of a ciphertext stream in metadata from outside.
 *
 * @throws DecryptionError when a parameter is missing or not supported
 */
export function parseStream(metadata: EncryptionMetadata): StreamParameters {
  return {
    noncePrefix: bytesOf(metadata, 'iv', { min: 7, max: 7 }),
    authTag: bytesOf(metadata, 'authTag', { min: 16, max: 16 }),
  };
}

/**
 * Parses what ties a key to its document.
 *
 * @returns undefined when the service returned none: GraphQL and shares of other accounts
 * @throws DecryptionError when it is invalid
 */
export function parseBinding(metadata: EncryptionMetadata): Uint8Array | undefined {
  if ((metadata?.binding ?? undefined) === undefined) return undefined;
  return bytesOf(metadata, 'binding', { min: 16, max: 16 });
}

/** Whether a number of PBKDF2 iterations is supported. */
export function isIterations(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxIterations;
}

function bytesOf(
  metadata: EncryptionMetadata,
  field: 'salt' | 'wrappedKey' | 'iv' | 'authTag' | 'binding',
  { min, max }: { min: number; max: number },
): Uint8Array<ArrayBuffer> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = fromBase64(String(metadata[field]));
  } catch (cause) {
    throw invalid(field, 'is not base64', cause);
  }
  if (bytes.length >= min && bytes.length <= max) return bytes;
  throw invalid(field, `has ${bytes.length} bytes`);
}

/** The error for metadata that is invalid or not supported. */
export function invalid(field: string, problem: string, cause?: unknown): DecryptionError {
  const message = `Cannot decrypt: encryptionMetadata.${field} ${problem}`;
  return new DecryptionError(message, { reason: 'metadata', cause });
}
