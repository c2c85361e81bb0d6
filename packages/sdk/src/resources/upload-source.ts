import { segmentBytes } from '../crypto/layout.ts';
import { release } from '../crypto/memory.ts';
import {
  bytesAtHand,
  bytesOf,
  chunksOf,
  type DocumentSource,
  type FileSource,
  isFile,
  readSource,
  requireReadable,
} from '../crypto/seal.ts';
import { type ErrorContext, SourceChangedError, UsageError } from '../errors.ts';
import { withDeadline } from '../http/deadline.ts';
import type { UploadOptions } from './content.ts';

/**
 * Up to this size, a content is sent as JSON in one request, in bytes. It is the size of a part, which is sent
 * and confirmed as a whole too, and needs two more requests.
 */
export const maxInline = 8 * 1024 * 1024;

/** Maximum size of a stream without `size`, in bytes. It is read into memory first. */
const maxBuffered = 32 * 1024 * 1024;

/** A source of known size that is read piece by piece, or at once by a cipher. */
export interface UploadSource {
  /** What a cipher reads at once. */
  readonly content: DocumentSource;
  /** Whether it was a stream that has been read into memory. */
  readonly isBuffered: boolean;
  /** Bytes of the source. */
  readonly size: number;
  /** When a file was last changed, in milliseconds since the epoch. */
  readonly lastModified: number | undefined;
  /** Whether every piece can be read again, in any order. Otherwise they are read once, in order. */
  readonly rereadable: boolean;
  /**
   * Reads the bytes from `start` up to `end`, at most a segment. They are valid until the next read.
   *
   * @throws UsageError when the source has fewer bytes than its size
   */
  read(start: number, end: number): Promise<Uint8Array>;
  /**
   * Checks that the source ends here.
   *
   * @throws UsageError when it has more bytes, and SourceChangedError when a file was changed
   */
  finish(): Promise<void>;
  /** Cancels a stream that is not read to its end. */
  close(reason?: unknown): void;
}

/**
 * Opens a source. Reads a stream into memory when it is small or its size is unknown.
 *
 * @throws UsageError when the type is not supported or the size is missing or wrong
 */
export async function openSource(
  given: DocumentSource,
  options: Pick<UploadOptions, 'size' | 'signal' | 'onProgress'>,
  context?: ErrorContext,
): Promise<UploadSource> {
  requireReadable(given);
  const { size = 0 } = options;
  const bytes = bytesAtHand(given);
  if (bytes) return sized(bytesSource(bytes), options);
  if (given instanceof Blob) return sized(blobSource(given), options);
  if (isFile(given)) return sized(await fileSource(given), options);
  if (size > maxInline) return streamSource(given, size);
  const buffered = bytesSource(await readStream(given, options, context));
  return sized({ ...buffered, isBuffered: true }, options);
}

function readStream(
  stream: DocumentSource,
  { size, signal, onProgress }: Pick<UploadOptions, 'size' | 'signal' | 'onProgress'>,
  context: ErrorContext | undefined,
): Promise<Uint8Array> {
  const onRead = async (loaded: number) => {
    if (loaded > maxBuffered) {
      throw new UsageError('A stream above 32 MiB needs its size: pass the option size');
    }
    await onProgress?.({ phase: 'reading', loaded, total: size });
  };
  return withDeadline({ signal, context }, (ended) =>
    readSource(stream, { onRead, signal: ended }),
  );
}

/** @throws UsageError when a given size is not the size of the source */
function sized(
  source: UploadSource,
  { size }: { readonly size?: number | undefined },
): UploadSource {
  if ((size ?? source.size) === source.size) return source;
  throw new UsageError(`size is ${size}, but the source has ${source.size} bytes`);
}

/** A source whose pieces can be read in any order. */
function rereadable(
  source: Pick<UploadSource, 'content' | 'size' | 'lastModified' | 'read'>,
): UploadSource {
  const finish = async () => {};
  return { isBuffered: false, rereadable: true, finish, close: () => {}, ...source };
}

function bytesSource(content: Uint8Array): UploadSource {
  const read = async (start: number, end: number) => content.subarray(start, end);
  return rereadable({ content, size: content.length, lastModified: undefined, read });
}

function blobSource(blob: Blob & { lastModified?: number }): UploadSource {
  const { size, lastModified } = blob;
  let bytes = new Uint8Array();
  const read = async (start: number, end: number) => {
    release(bytes);
    try {
      bytes = new Uint8Array(await blob.slice(start, end).arrayBuffer());
      return bytes;
    } catch (cause) {
      const { name, message } = Object(cause) as Partial<Error>;
      // Browsers refuse to read a file that was changed, moved or deleted after it was chosen. Memory can run out, too.
      if (name !== 'NotReadableError' && name !== 'NotFoundError') throw cause;
      throw new SourceChangedError(`The file can no longer be read: ${message}`, { cause });
    }
  };
  return rereadable({ content: blob, size, lastModified, read });
}

async function fileSource(file: FileSource): Promise<UploadSource> {
  const { size, mtimeMs } = await file.stat();
  const buffer = new Uint8Array(Math.min(segmentBytes, size));
  const changed = () => new SourceChangedError('The file was changed while it was uploaded');
  return {
    // The caller has opened it, and closes it.
    ...rereadable({ content: file, size, lastModified: Math.floor(mtimeMs), read }),
    async finish() {
      const now = await file.stat();
      if (now.size !== size || now.mtimeMs !== mtimeMs) throw changed();
    },
  };

  async function read(start: number, end: number): Promise<Uint8Array> {
    const piece = buffer.subarray(0, end - start);
    for (let filled = 0; filled < piece.length; ) {
      const { bytesRead } = await file.read(piece, filled, piece.length - filled, start + filled);
      if (bytesRead === 0) throw changed();
      filled += bytesRead;
    }
    return piece;
  }
}

/** Collects the chunks of a stream into pieces. It holds one chunk beyond the piece. */
function streamSource(content: DocumentSource, size: number): UploadSource {
  const reading = new AbortController();
  const chunks = chunksOf(content, reading.signal)[Symbol.asyncIterator]();
  const buffer = new Uint8Array(Math.min(segmentBytes, size));
  let rest: Uint8Array = new Uint8Array();
  let position = 0;
  const next = async (): Promise<boolean> => {
    const { done, value } = await chunks.next();
    if (done) return false;
    const bytes = bytesOf(value);
    if (!bytes) throw new UsageError('The chunks of a stream must be Uint8Array');
    rest = bytes;
    return true;
  };
  return {
    content,
    isBuffered: false,
    size,
    lastModified: undefined,
    rereadable: false,
    async read(start, end) {
      const piece = buffer.subarray(0, end - start);
      for (let filled = 0; filled < piece.length; ) {
        if (rest.length === 0 && !(await next())) {
          throw new UsageError(`size is ${size}, but the source has ${position} bytes`);
        }
        const taken = rest.subarray(0, piece.length - filled);
        piece.set(taken, filled);
        rest = rest.subarray(taken.length);
        filled += taken.length;
        position += taken.length;
      }
      return piece;
    },
    async finish() {
      do
        if (rest.length > 0)
          throw new UsageError(`The source has more bytes than its size, ${size}`);
      while (await next());
    },
    close(reason) {
      reading.abort(reason);
      // The upload has ended: a failure to close changes nothing.
      Promise.resolve(chunks.return?.()).catch(() => {});
    },
  };
}
