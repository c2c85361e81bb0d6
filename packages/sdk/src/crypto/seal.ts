import { AbortError, DecryptionError, UsageError } from '../errors.ts';
import type { EncryptionMetadata } from '../generated/types.ts';
import { fromBase64, toBase64 } from './base64.ts';

/** Encrypted content with its metadata. */
export interface EncryptedContent {
  /** The ciphertext without its authentication tag: as long as the plaintext. */
  encryptedData: Uint8Array<ArrayBuffer>;
  /** Parameters for decryption. The passphrase is not among them. */
  encryptionMetadata: EncryptionMetadata;
}

/** Encrypted content with an encrypted name. */
interface EncryptedDocument extends EncryptedContent {
  fileName?: string;
}

/** Encrypted content as the service stores it. */
export interface SealedContent {
  /** The ciphertext in base64 with padding. */
  encryptedData: string;
  /** Parameters for decryption. The passphrase is not among them. */
  encryptionMetadata: EncryptionMetadata;
}

/** Progress of reading and encrypting. */
export interface SealProgress {
  /** The current phase. */
  phase: 'reading' | 'encrypting';
  /** Bytes done in this phase. */
  loaded: number;
  /** Undefined while a source of unknown length is read. */
  total: number | undefined;
}

/** Options of `cipher.seal`. */
export interface SealOptions {
  /** A name to encrypt with the content, of at most 160 bytes of UTF-8. */
  fileName?: string | undefined;
  /** Called with the progress. An error that it throws ends the work. */
  onProgress?: ((progress: SealProgress) => void) | undefined;
  /** Aborts the work with an `AbortError`. */
  signal?: AbortSignal | undefined;
}

/** Encrypts bytes and a name with the same key. */
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
 * @throws AbortError, and UsageError when the type of the source is not supported
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

/**
 * Content of a document to upload. A string is encoded as UTF-8. Of a typed array or `DataView`, only
 * the visible bytes are read.
 */
export type DocumentSource =
  | ArrayBufferView
  | ArrayBufferLike
  | Blob
  | string
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/** Options of reading. */
interface ReadOptions {
  /**
   * Called with the number of bytes; `total` is undefined when the length is unknown. An error that
   * it throws ends the reading.
   */
  onRead: (loaded: number, total: number | undefined) => void;
  signal: AbortSignal | undefined;
}

/**
 * Reads a source to its end. When `signal` is aborted, it cancels a stream and returns the bytes read
 * so far.
 *
 * @throws UsageError for another type, and errors of the source and of `onRead`
 */
async function readSource(
  source: DocumentSource,
  { onRead, signal }: ReadOptions,
): Promise<Uint8Array> {
  const known = bytesAtHand(source);
  if (known) {
    onRead(known.length, known.length);
    return known;
  }
  const total = source instanceof Blob ? source.size : undefined;
  const chunks: Uint8Array[] = [];
  let loaded = 0;
  for await (const chunk of chunksOf(source, signal)) {
    const bytes = bytesOf(chunk);
    if (!bytes) throw new UsageError('The chunks of a stream must be Uint8Array');
    chunks.push(bytes);
    loaded += bytes.length;
    onRead(loaded, total);
  }
  return concatenate(chunks, loaded);
}

function bytesAtHand(source: DocumentSource): Uint8Array | undefined {
  return typeof source === 'string' ? new TextEncoder().encode(source) : bytesOf(source);
}

/** Returns the bytes of a view or buffer, also of another realm or of shared memory. */
function bytesOf(value: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  const isBuffer = /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(value));
  return isBuffer ? new Uint8Array(value as ArrayBufferLike) : undefined;
}

function chunksOf(source: DocumentSource, signal: ReadOptions['signal']): AsyncIterable<unknown> {
  if (source instanceof Blob) return blobChunks(source, signal);
  if (typeof source !== 'object' || source === null) throw notReadable();
  // Not every runtime has async iteration of streams.
  if ('getReader' in source) return streamChunks(source, signal);
  if (Symbol.asyncIterator in source) return source;
  throw notReadable();
}

/** A Blob of jsdom has no `stream`. */
async function* blobChunks(blob: Blob, signal: ReadOptions['signal']): AsyncGenerator<unknown> {
  if ('stream' in blob) yield* streamChunks(blob.stream(), signal);
  else yield (blob as Blob).arrayBuffer();
}

async function* streamChunks(
  stream: ReadableStream<Uint8Array>,
  signal: ReadOptions['signal'],
): AsyncGenerator<unknown> {
  const reader = stream.getReader();
  let ended = false;
  const cancel = () => {
    // Reading has ended: a failure to cancel changes nothing.
    reader.cancel(signal?.reason).catch(() => {});
  };
  signal?.addEventListener('abort', cancel);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      ended = done;
      if (done) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
    if (!ended) cancel();
    reader.releaseLock();
  }
}

function concatenate(chunks: Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

function notReadable(): UsageError {
  return new UsageError('The content must be bytes, a Blob, a string or a stream');
}
