import { DecryptionError } from '../errors.ts';
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
  readonly authTag: Uint8Array<ArrayBuffer>;
}

const algorithm = 'AES-256-GCM';
const keyDerivation = 'PBKDF2';

/** More would take many seconds, and metadata may come from an attacker. */
const maxIterations = 10_000_000;

/**
 * An attacker can make content that decrypts with thousands of keys, and may see whether a document
 * opens. With few iterations, a malicious service could test passphrases that way at low cost. A
 * wrapped key fits one key only.
 */
const minDirectIterations = 100_000;

/** Writes the metadata of an encrypted document. */
export function serialize(
  parameters: KeyDerivation & ContentParameters & { wrappedKey: Uint8Array },
): EncryptionMetadata {
  return {
    algorithm,
    keyDerivation,
    iterations: parameters.iterations,
    salt: toBase64(parameters.salt),
    wrappedKey: toBase64(parameters.wrappedKey),
    iv: toBase64(parameters.iv),
    authTag: toBase64(parameters.authTag),
  };
}

/**
 * Parses the key parameters in metadata from outside.
 *
 * @throws DecryptionError when a parameter is missing or not supported
 */
export function parseKey(metadata: EncryptionMetadata): KeyParameters {
  const { iterations } = metadata;
  if (metadata.keyDerivation === undefined) {
    throw invalid(
      'keyDerivation',
      'is missing; the service returns none for a share opened without credentials',
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
  if (metadata?.algorithm !== algorithm) throw invalid('algorithm', `is not ${algorithm}`);
  return {
    iv: bytesOf(metadata, 'iv', { min: 12, max: 128 }),
    // GCM accepts shorter tags, which are easier to forge.
    authTag: bytesOf(metadata, 'authTag', { min: 16, max: 16 }),
  };
}

/** Whether a number of PBKDF2 iterations is supported. */
export function isIterations(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxIterations;
}

function bytesOf(
  metadata: EncryptionMetadata,
  field: 'salt' | 'wrappedKey' | 'iv' | 'authTag',
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

function invalid(field: string, problem: string, cause?: unknown): DecryptionError {
  return new DecryptionError(`Cannot decrypt: encryptionMetadata.${field} ${problem}`, { cause });
}
