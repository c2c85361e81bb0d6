import { DecryptionError } from '../errors.ts';
import { fromBase64, toBase64 } from './base64.ts';

/**
 * What decrypting a document needs besides the passphrase. The service stores it as it is and makes
 * no use of it. Binary values are base64 with padding.
 */
export interface EncryptionMetadata {
  /** Cipher of the content, such as `AES-256-GCM`. */
  algorithm: string;
  /** How the key was derived from a passphrase, such as `PBKDF2`. */
  keyDerivation?: string;
  /** Iterations of the key derivation. */
  iterations?: number;
  /** Salt of the key derivation. */
  salt?: string;
  /** The document's own key, wrapped by the derived one (AES-KW, RFC 3394). */
  wrappedKey?: string;
  /** Initialisation vector of the encryption. */
  iv: string;
  /** Authentication tag of the encryption. */
  authTag: string;
  [name: string]: unknown;
}

/** One derivation of a key from a passphrase. */
export interface KeyDerivation {
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly iterations: number;
}

/** Where the key of a document comes from. */
interface KeyParameters extends KeyDerivation {
  /** Undefined when the content is encrypted under the derived key itself. */
  readonly wrappedKey?: Uint8Array<ArrayBuffer> | undefined;
}

/** What decrypting content needs besides its key. */
interface ContentParameters {
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly authTag: Uint8Array<ArrayBuffer>;
}

const algorithm = 'AES-256-GCM';
const keyDerivation = 'PBKDF2';

/** Beyond this a derivation takes many seconds: metadata of a stranger must not ask for it. */
const maxIterations = 10_000_000;

/**
 * Content can be made that opens under thousands of keys, and whether a document opens may show. With
 * few iterations, a hostile service could so try passphrases on people at a fraction of what trying
 * them on true content costs. A wrapped key has room for one key alone.
 */
const minDirectIterations = 100_000;

/** Describes an encryption for whoever decrypts it. */
export function describe(
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
 * Reads from metadata that came from outside where the key comes from.
 *
 * @throws DecryptionError when this SDK cannot decrypt what it describes
 */
export function understandKey(metadata: EncryptionMetadata): KeyParameters {
  const { iterations } = metadata;
  if (metadata.keyDerivation === undefined) {
    throw refuse('keyDerivation', 'is missing; shares opened without credentials have none');
  }
  if (metadata.keyDerivation !== keyDerivation) {
    throw refuse('keyDerivation', `is not ${keyDerivation}`);
  }
  if (!isIterations(iterations)) throw refuse('iterations', `is not 1 to ${maxIterations}`);
  const salt = bytesOf(metadata, 'salt', { min: 1, max: 1_024 });
  // GraphQL says null for what there is not.
  if ((metadata.wrappedKey ?? undefined) === undefined) return { iterations, salt };
  return { iterations, salt, wrappedKey: bytesOf(metadata, 'wrappedKey', { min: 40, max: 40 }) };
}

/**
 * Checks a derivation whose key decrypts content by itself.
 *
 * @throws DecryptionError when it has too few iterations
 */
export function checkDirect({ iterations }: KeyDerivation): void {
  if (iterations >= minDirectIterations) return;
  throw refuse('iterations', `is below ${minDirectIterations}, and there is no wrappedKey`);
}

/**
 * Reads from metadata that came from outside how the content is encrypted.
 *
 * @throws DecryptionError when this SDK cannot decrypt what it describes
 */
export function understandContent(metadata: EncryptionMetadata): ContentParameters {
  if (metadata?.algorithm !== algorithm) throw refuse('algorithm', `is not ${algorithm}`);
  return {
    iv: bytesOf(metadata, 'iv', { min: 12, max: 128 }),
    // GCM would take a shorter tag, which is easier to forge.
    authTag: bytesOf(metadata, 'authTag', { min: 16, max: 16 }),
  };
}

/** Whether PBKDF2 is asked for a number of iterations it can and may do. */
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
    throw refuse(field, 'is not base64', cause);
  }
  if (bytes.length >= min && bytes.length <= max) return bytes;
  throw refuse(field, `has ${bytes.length} bytes`);
}

function refuse(field: string, problem: string, cause?: unknown): DecryptionError {
  return new DecryptionError(`Cannot decrypt: encryptionMetadata.${field} ${problem}`, { cause });
}
