import { DecryptionError, UsageError } from '../errors.ts';
import type { EncryptionMetadata } from '../generated/types.ts';
import { keyLength, overhead } from './aes-gcm.ts';
import { fromBase64, toBase64 } from './base64.ts';

/** Parameters that derive a key from a passphrase. */
export interface KeyDerivation {
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly iterations: number;
}

/** A key that is wrapped under one of a passphrase. */
interface PassphraseWrap extends KeyDerivation {
  readonly wrappedKey: Uint8Array<ArrayBuffer>;
}

/** A key that is wrapped under one of its vault. */
interface VaultWrap {
  /** Number of the vault's key, from 1. */
  readonly generation: number;
  readonly wrappedKey: Uint8Array<ArrayBuffer>;
}

/** Parameters of a ciphertext stream. Both are in the stream too. */
export interface StreamParameters {
  readonly noncePrefix: Uint8Array<ArrayBuffer>;
  /** The tag of the last segment. */
  readonly authTag: Uint8Array;
}

/** Tink's name of AES-GCM-HKDF streaming AEAD with 256-bit keys, SHA-256 and segments of 1 MiB. */
export const streamAlgorithm = 'AES256_GCM_HKDF_1MB';

const passphraseDerivation = 'PBKDF2';
const vaultDerivation = 'VAULT_KEY';

/** How each derivation is decrypted, for documents that were opened by the other one. */
const waysOut = new Map([
  [passphraseDerivation, 'with a passphrase, not with the keyring: pass its cipher'],
  [
    vaultDerivation,
    'with the keyring, not with a passphrase: unlock the client and pass no cipher',
  ],
]);

/** More would take many seconds, and metadata may come from an attacker. */
const maxIterations = 10_000_000;

/** The fields that say how a document's key is wrapped. */
export interface WrappedKeyMetadata {
  /** `VAULT_KEY` or `PBKDF2`. */
  keyDerivation: string;
  /** PBKDF2 iterations; 1 with `VAULT_KEY`. */
  iterations: number;
  /** Salt of PBKDF2, base64. */
  salt?: string;
  /** Generation of the vault's key, with `VAULT_KEY`. */
  keyGeneration?: number;
  /** The document's own key, wrapped, base64. */
  wrappedKey: string;
}

/** Writes the metadata of a key that is wrapped under one of a passphrase. */
export function writePassphraseWrap({
  salt,
  iterations,
  wrappedKey,
}: PassphraseWrap): WrappedKeyMetadata {
  return {
    keyDerivation: passphraseDerivation,
    iterations,
    salt: toBase64(salt),
    wrappedKey: toBase64(wrappedKey),
  };
}

/** Writes the metadata of a key that is wrapped under one of its vault. */
export function writeVaultWrap({ generation, wrappedKey }: VaultWrap): WrappedKeyMetadata {
  return {
    keyDerivation: vaultDerivation,
    // Clients that know the specification alone expect a number.
    iterations: 1,
    keyGeneration: generation,
    wrappedKey: toBase64(wrappedKey),
  };
}

/** Returns metadata that unwrap the key of a document before its content is encrypted. */
export function metadataOfKey(key: WrappedKeyMetadata): EncryptionMetadata {
  return { algorithm: streamAlgorithm, iv: '', authTag: '', ...key };
}

/** Writes the metadata of a document. */
export function writeMetadata(
  key: WrappedKeyMetadata,
  { noncePrefix, authTag }: StreamParameters,
): EncryptionMetadata {
  return {
    algorithm: streamAlgorithm,
    ...key,
    iv: toBase64(noncePrefix),
    authTag: toBase64(authTag),
  };
}

/**
 * Parses the parameters of a key that is wrapped under one of a passphrase, in metadata from outside.
 *
 * @throws DecryptionError when a parameter is missing or not supported
 */
export function parsePassphraseWrap(metadata: EncryptionMetadata): PassphraseWrap {
  requireDerivation(metadata, passphraseDerivation);
  const { iterations } = metadata;
  if (!isIterations(iterations)) throw invalid('iterations', `is not 1 to ${maxIterations}`);
  const salt = bytesOf(metadata, 'salt', { min: 1, max: 1_024 });
  return { iterations, salt, wrappedKey: wrappedKeyOf(metadata) };
}

/**
 * Parses the parameters of a key that is wrapped under one of its vault, in metadata from outside.
 *
 * @throws DecryptionError when a parameter is missing or not supported
 */
export function parseVaultWrap(metadata: EncryptionMetadata): VaultWrap {
  requireDerivation(metadata, vaultDerivation);
  const generation = metadata.keyGeneration;
  if (!Number.isInteger(generation) || Number(generation) < 1) {
    throw invalid('keyGeneration', 'is not a whole number from 1');
  }
  return { generation: Number(generation), wrappedKey: wrappedKeyOf(metadata) };
}

/** @throws DecryptionError, with the reason `key` for the other derivation that the SDK has */
function requireDerivation(metadata: EncryptionMetadata, expected: string): void {
  if (!metadata) throw new UsageError('The document has no encryptionMetadata');
  if (metadata.keyDerivation === undefined) {
    throw invalid(
      'keyDerivation',
      'is missing; the service returns none for a share of another account',
    );
  }
  if (metadata.keyDerivation === expected) return;
  const wayOut = waysOut.get(metadata.keyDerivation);
  if (!wayOut) throw invalid('keyDerivation', `is not ${expected}`);
  const message = `Cannot decrypt: the document is encrypted ${wayOut}`;
  throw new DecryptionError(message, { reason: 'key' });
}

function wrappedKeyOf(metadata: EncryptionMetadata): Uint8Array<ArrayBuffer> {
  const length = keyLength + overhead;
  return bytesOf(metadata, 'wrappedKey', { min: length, max: length });
}

/**
 * Parses the parameters of a ciphertext stream in metadata from outside.
 *
 * @throws DecryptionError when a parameter is missing or not supported
 */
export function parseStream(metadata: EncryptionMetadata): StreamParameters {
  if (metadata?.algorithm !== streamAlgorithm) {
    throw invalid('algorithm', `is not ${streamAlgorithm}`);
  }
  return {
    noncePrefix: bytesOf(metadata, 'iv', { min: 7, max: 7 }),
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
  // GraphQL returns null for missing fields.
  if ((metadata[field] ?? undefined) === undefined) throw invalid(field, 'is missing');
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
function invalid(field: string, problem: string, cause?: unknown): DecryptionError {
  const message = `Cannot decrypt: encryptionMetadata.${field} ${problem}`;
  return new DecryptionError(message, { reason: 'metadata', cause });
}
