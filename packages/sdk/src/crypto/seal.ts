import { AbortError, DecryptionError } from '../errors.ts';
import { fromBase64, toBase64 } from './base64.ts';
import type { EncryptionMetadata } from './metadata.ts';
import { type DocumentSource, readSource } from './source.ts';

/** Content as the service takes and gives it. */
export interface SealedContent {
  /** The ciphertext in base64 with padding. */
  encryptedData: string;
  encryptionMetadata: EncryptionMetadata;
}

/** How far sealing has come. */
export interface SealProgress {
  phase: 'reading' | 'encrypting';
  /** Bytes done in this phase. */
  loaded: number;
  /** Undefined while reading a source that does not say how long it is. */
  total: number | undefined;
}

/** Options of sealing. */
export interface SealOptions {
  onProgress?: ((progress: SealProgress) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Encrypts bytes. */
type Encrypt = (bytes: Uint8Array) => Promise<{
  encryptedData: Uint8Array;
  encryptionMetadata: EncryptionMetadata;
}>;

/** Decrypts bytes. */
type Decrypt<T> = (encryptedData: Uint8Array, metadata: EncryptionMetadata) => Promise<T>;

/**
 * Reads a source, encrypts it and encodes it for the service; `sizeBytes` is the length of the
 * ciphertext.
 *
 * @throws AbortError, and UsageError when the source is of no known kind
 */
export async function seal(
  encrypt: Encrypt,
  source: DocumentSource,
  { onProgress, signal }: SealOptions = {},
): Promise<SealedContent & { sizeBytes: number }> {
  const report = (phase: SealProgress['phase'], loaded: number, total: number | undefined) => {
    if (signal?.aborted) throw new AbortError('Aborted', { cause: signal.reason });
    onProgress?.({ phase, loaded, total });
  };
  const onRead = (loaded: number, total: number | undefined) => report('reading', loaded, total);
  const bytes = await readSource(source, { onRead, signal });
  report('encrypting', 0, bytes.length);
  const { encryptedData, encryptionMetadata } = await encrypt(bytes);
  report('encrypting', bytes.length, bytes.length);
  const sizeBytes = encryptedData.length;
  return { encryptedData: toBase64(encryptedData), sizeBytes, encryptionMetadata };
}

/**
 * Decodes and decrypts content that came from the service.
 *
 * @throws DecryptionError
 */
export async function unseal<T>(
  decrypt: Decrypt<T>,
  { encryptedData, encryptionMetadata }: SealedContent,
): Promise<T> {
  let bytes: Uint8Array;
  try {
    bytes = fromBase64(encryptedData);
  } catch (cause) {
    throw new DecryptionError('Cannot decrypt: encryptedData is not base64', { cause });
  }
  return decrypt(bytes, encryptionMetadata);
}
