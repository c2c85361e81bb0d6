import { UsageError } from '../errors.ts';

/**
 * Where the content of a document comes from. A string is encoded as UTF-8; of a typed array or
 * `DataView`, the bytes it shows are taken.
 */
export type DocumentSource =
  | ArrayBufferView
  | ArrayBufferLike
  | Blob
  | string
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/** How the reading is watched and ended. */
export interface ReadOptions {
  /**
   * Is told how many bytes are read; `total` is undefined when the source does not say. What it
   * throws ends the reading.
   */
  onRead: (loaded: number, total: number | undefined) => void;
  signal: AbortSignal | undefined;
}

/**
 * Reads a source to its end. Once `signal` is aborted a stream is cancelled, and what was read so
 * far is answered.
 *
 * @throws UsageError when it is none of the kinds, and whatever source and `onRead` throw
 */
export async function readSource(
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
    if (!bytes) throw new UsageError('A stream must be one of Uint8Array');
    chunks.push(bytes);
    loaded += bytes.length;
    onRead(loaded, total);
  }
  return concatenate(chunks, loaded);
}

function bytesAtHand(source: DocumentSource): Uint8Array | undefined {
  return typeof source === 'string' ? new TextEncoder().encode(source) : bytesOf(source);
}

/** The bytes of a view or buffer, also of another window or of memory that threads share. */
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
  // Not every platform can iterate its streams.
  if ('getReader' in source) return streamChunks(source, signal);
  if (Symbol.asyncIterator in source) return source;
  throw notReadable();
}

/** In the DOM of jsdom, where apps are tested, a Blob has no stream. */
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
    // A stream that fails to end has nothing to say to anybody.
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
