import { AbortError, UsageError } from '../errors.ts';
import { toBase64 } from './base64.ts';
import type { SealedFields } from './encryptor.ts';
import { segmentBytes } from './layout.ts';
import { release } from './memory.ts';

/** What a content is. It is sealed together with the content. */
export interface ContentDescription {
  /** Id of the document: a UUIDv7. The content can be decrypted under this id only. @default a new one */
  id?: string | undefined;
  /** Name of the document. Required unless the source is a `File`. @default the name of the `File` */
  fileName?: string | undefined;
  /**
   * Media type. Parameters are removed, and a `charset` is sealed with the content. Any other text than
   * `type/subtype` becomes `application/octet-stream`.
   * @default the type of a `Blob`, `text/plain` for a string, else `application/octet-stream`
   */
  mimeType?: string | undefined;
  /** Also encrypts the name for the service. It then has at most 160 bytes of UTF-8. @default false */
  encryptFileName?: boolean | undefined;
}

/** An encrypted document with its content as bytes. */
export interface EncryptedContent extends SealedFields {
  /** The ciphertext stream. */
  encryptedData: Uint8Array<ArrayBuffer>;
}

/** An encrypted document as the service stores it, for `documents.create`. */
export interface SealedContent extends SealedFields {
  /** The ciphertext stream in base64 with padding. */
  encryptedData: string;
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
export interface SealOptions extends ContentDescription {
  /** Called with the progress. The work waits for a returned promise. An error ends the work. */
  onProgress?: ((progress: SealProgress) => void) | undefined;
  /** Aborts the work with an `AbortError`. */
  signal?: AbortSignal | undefined;
}

/**
 * Returns name and type of a source, as the options or the source itself give them.
 *
 * @throws UsageError without a name
 */
export function describe(
  source: unknown,
  options: ContentDescription,
): ContentDescription & { fileName: string; mimeType: string } {
  const { name, type }: { name?: unknown; type: string } =
    source instanceof Blob ? source : { type: typeof source === 'string' ? 'text/plain' : '' };
  const fileName = options.fileName ?? name;
  if (typeof fileName !== 'string') {
    throw new UsageError('fileName is required unless you pass a File');
  }
  const isText = /^text\//i.test(options.mimeType ?? '');
  if (typeof source === 'string' && !isText && isPath(source)) throw pathGiven();
  const given = options.mimeType ?? type;
  // A string is encoded as UTF-8, also when its type names another charset.
  const mimeType = typeof source === 'string' ? given.replace(/;.*/s, '') : given;
  return { ...options, fileName, mimeType };
}

/** Whether a text is one line like `./big.bin`, `C:\\data\\big.bin` or `big.bin`. */
function isPath(text: string): boolean {
  if (text.length > 1_024 || /[\r\n]/.test(text)) return false;
  return /^(file:|(\.{0,2}|~|[a-z]:)[\\/]).|^[\w.-]+([\\/][\w.-]+)*\.(?=\w*[a-z])\w{1,5}$/i.test(
    text,
  );
}

function pathGiven(): UsageError {
  return new UsageError(
    'The string looks like a path, but it would be uploaded itself: pass the file, in Node ' +
      "await openAsBlob(path) of node:fs; for a text, pass mimeType: 'text/plain'",
  );
}

/**
 * Reads the source of `cipher.seal`.
 *
 * @param encrypt - encrypts the bytes that were read
 * @throws AbortError, and UsageError when the type of the source is not supported
 */
export async function sealSource(
  encrypt: (bytes: Uint8Array) => Promise<EncryptedContent>,
  source: DocumentSource,
  { onProgress, signal }: SealOptions,
): Promise<SealedContent> {
  const report = async (
    phase: SealProgress['phase'],
    loaded: number,
    total: number | undefined,
  ) => {
    if (signal?.aborted) throw new AbortError('Aborted', { cause: signal.reason });
    await onProgress?.({ phase, loaded, total });
  };
  const onRead = (loaded: number, total: number | undefined) => report('reading', loaded, total);
  const bytes = await readSource(source, { onRead, signal });
  await report('encrypting', 0, bytes.length);
  const { encryptedData, ...fields } = await encrypt(bytes);
  await report('encrypting', bytes.length, bytes.length);
  const base64 = toBase64(encryptedData);
  release(encryptedData);
  return { ...fields, encryptedData: base64 };
}

/**
 * Content of a document to upload. A string is encoded as UTF-8: it is no path. Of a typed array or `DataView`, only
 * the visible bytes are read.
 */
export type DocumentSource =
  | ArrayBufferView
  | ArrayBufferLike
  | Blob
  | FileSource
  | string
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/**
 * An open file, as `open` of `node:fs/promises` returns it. It is read from its beginning, and left open: the caller
 * closes it.
 */
export interface FileSource {
  /** Returns the size in bytes, and the time of the last change in milliseconds since the epoch. */
  stat(): Promise<{ readonly size: number; readonly mtimeMs: number }>;
  /** Reads at most `length` bytes, from `position` of the file on, into `buffer` from `offset` on. */
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
}

/** Options of reading. */
interface ReadOptions {
  /**
   * Called with the number of bytes; `total` is undefined when the length is unknown. The reading waits for the
   * promise, and an error ends it.
   */
  onRead: (loaded: number, total: number | undefined) => Promise<void>;
  signal: AbortSignal | undefined;
}

/**
 * Reads a source to its end. When `signal` is aborted, it cancels a stream and returns the bytes read
 * so far.
 *
 * @throws UsageError for another type, and errors of the source and of `onRead`
 */
export async function readSource(
  source: DocumentSource,
  { onRead, signal }: ReadOptions,
): Promise<Uint8Array> {
  const known = bytesAtHand(source);
  if (known) {
    await onRead(known.length, known.length);
    return known;
  }
  const total = await sizeOf(source);
  const chunks: Uint8Array[] = [];
  let loaded = 0;
  for await (const chunk of chunksOf(source, signal)) {
    const bytes = bytesOf(chunk);
    if (!bytes) throw new UsageError('The chunks of a stream must be Uint8Array');
    chunks.push(bytes);
    loaded += bytes.length;
    await onRead(loaded, total);
  }
  return concatenate(chunks, loaded);
}

/** Undefined for a stream. */
async function sizeOf(source: DocumentSource): Promise<number | undefined> {
  if (isFile(source)) return (await source.stat()).size;
  return source instanceof Blob ? source.size : undefined;
}

/** Returns the bytes of a source that is in memory. */
export function bytesAtHand(source: DocumentSource): Uint8Array | undefined {
  return typeof source === 'string' ? new TextEncoder().encode(source) : bytesOf(source);
}

/** Returns the bytes of a view or buffer, also of another realm or of shared memory. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  const isBuffer = /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(value));
  return isBuffer ? new Uint8Array(value as ArrayBufferLike) : undefined;
}

/** Returns the chunks of a stream, Blob or open file. When `signal` is aborted, they end. */
export function chunksOf(
  source: DocumentSource,
  signal: ReadOptions['signal'],
): AsyncIterable<unknown> {
  requireReadable(source);
  if (source instanceof Blob) return blobChunks(source, signal);
  if (isFile(source)) return fileChunks(source);
  if (typeof source !== 'object' || source === null) throw notReadable();
  // Not every runtime has async iteration of streams.
  if ('getReader' in source) return streamChunks(source, signal);
  if (Symbol.asyncIterator in source) return source;
  throw notReadable();
}

/** Whether a source is an open file. No stream has both methods. */
export function isFile(source: DocumentSource): source is FileSource {
  const { stat, read } = Object(source) as Partial<FileSource>;
  return typeof stat === 'function' && typeof read === 'function';
}

async function* fileChunks(file: FileSource): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    const chunk = new Uint8Array(segmentBytes);
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return;
    yield chunk.subarray(0, bytesRead);
    position += bytesRead;
  }
}

/**
 * Refuses a source that would be read as empty, or not at all, and names the cause.
 *
 * @throws UsageError
 */
export function requireReadable(source: DocumentSource): void {
  if (source instanceof Blob && !('stream' in source) && !('arrayBuffer' in source)) {
    throw new UsageError(
      'This Blob has neither stream() nor arrayBuffer(), as in React Native: read the file and pass its bytes',
    );
  }
  const { readableDidRead, destroyed } = Object(source) as {
    readableDidRead?: true;
    destroyed?: true;
  };
  if (!readableDidRead && !destroyed && !wasRead(source)) return;
  throw new UsageError('The stream was read already, or is being read: pass one that is unread');
}

function wasRead(source: DocumentSource): boolean {
  if (!(source instanceof ReadableStream)) return false;
  try {
    // `Response` refuses a stream that was read or is locked. No property shows it.
    new Response(source);
    return false;
  } catch {
    return true;
  }
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
  return new UsageError('The content must be bytes, a Blob, an open file, a string or a stream');
}
