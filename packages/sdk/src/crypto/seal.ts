import { AbortError, DecryptionError } from '../errors.ts';
import { fromBase64, toBase64 } from './base64.ts';
import type { EncryptionMetadata } from './metadata.ts';
import { type DocumentSource, readSource } from './source.ts';

/** Encrypted content and what decrypting it needs besides the passphrase. */
export interface EncryptedContent {
  /** The ciphertext without its authentication tag: exactly as long as the plaintext. */
  encryptedData: Uint8Array<ArrayBuffer>;
  /** What decrypting it needs besides the passphrase. */
  encryptionMetadata: EncryptionMetadata;
}

/** The same with a name that was encrypted with it. */
interface EncryptedDocument extends EncryptedContent {
  fileName?: string;
}

/** Content as the service takes and gives it. */
export interface SealedContent {
  /** The ciphertext in base64 with padding. */
  encryptedData: string;
  /** What decrypting it needs besides the passphrase. */
  encryptionMetadata: EncryptionMetadata;
}

/** How far sealing has come. */
export interface SealProgress {
  /** What is being done. */
  phase: 'reading' | 'encrypting';
  /** Bytes done in this phase. */
  loaded: number;
  /** Undefined while reading a source that does not say how long it is. */
  total: number | undefined;
}

/** Options of sealing. */
export interface SealOptions {
  /** A name to encrypt with the content, of at most 160 bytes of UTF-8. */
  fileName?: string | undefined;
  /** Is told how far it has come. What it throws ends the work. */
  onProgress?: ((progress: SealProgress) => void) | undefined;
  /** Ends the work with an `AbortError`. */
  signal?: AbortSignal | undefined;
}

/** Encrypts bytes, and a name under the same key. */
type Encrypt = (bytes: Uint8Array, fileName: string | undefined) => Promise<EncryptedDocument>;

/** Decrypts bytes. */
type Decrypt = (
  encryptedData: Uint8Array,
  metadata: EncryptionMetadata,
) => Promise<Uint8Array<ArrayBuffer>>;

/**
 * Reads a source, encrypts it and encodes it for the service; `sizeBytes` is the length of the
 * ciphertext.
 *
 * @throws AbortError, and UsageError when the source is of no known kind
 */
export async function seal(
  encrypt: Encrypt,
  source: DocumentSource,
  { fileName, onProgress, signal }: SealOptions = {},
): Promise<SealedContent & { sizeBytes: number; fileName?: string }> {
  const report = (phase: SealProgress['phase'], loaded: number, total: number | undefined) => {
    if (signal?.aborted) throw new AbortError('Aborted', { cause: signal.reason });
    onProgress?.({ phase, loaded, total });
  };
  const onRead = (loaded: number, total: number | undefined) => report('reading', loaded, total);
  const bytes = await readSource(source, { onRead, signal });
  report('encrypting', 0, bytes.length);
  const { encryptedData, ...described } = await encrypt(bytes, fileName);
  report('encrypting', bytes.length, bytes.length);
  const sizeBytes = encryptedData.length;
  return { ...described, encryptedData: toBase64(encryptedData), sizeBytes };
}

/**
 * Decodes and decrypts content that came from the service.
 *
 * @throws DecryptionError
 */
export async function unseal(
  decrypt: Decrypt,
  { encryptedData, encryptionMetadata }: SealedContent,
): Promise<Uint8Array<ArrayBuffer>> {
  let bytes: Uint8Array;
  try {
    bytes = fromBase64(encryptedData);
  } catch (cause) {
    throw new DecryptionError('Cannot decrypt: encryptedData is not base64', { cause });
  }
  return decrypt(bytes, encryptionMetadata);
}
