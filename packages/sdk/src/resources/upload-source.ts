import { segmentBytes } from '../crypto/layout.ts';
import { release } from '../crypto/memory.ts';
import {
  bytesAtHand,
  bytesOf,
  chunksOf,
  type DocumentSource,
  type FileSource,
  isFile,
  requireReadable,
} from '../crypto/seal.ts';
import { SourceChangedError, UsageError } from '../errors.ts';

/** A source of known size that is read piece by piece. */
export interface UploadSource {
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
  /** Closes a stream that is not read to its end. */
  close(): void;
}

/**
 * Opens a source.
 *
 * @param size - bytes of a stream
 * @throws UsageError when the type is not supported or the size is missing or wrong
 */
export async function openSource(
  source: DocumentSource,
  size: number | undefined,
  signal: AbortSignal,
): Promise<UploadSource> {
  requireReadable(source);
  if (isFile(source)) return fileSource(source, size);
  const bytes = bytesAtHand(source);
  const known = bytes?.length ?? (source instanceof Blob ? source.size : undefined);
  if (known !== undefined) requireSize(size, known);
  if (bytes) return sourceOf(bytes.length, async (start, end) => bytes.subarray(start, end));
  if (source instanceof Blob) return blobSource(source);
  if (size === undefined) throw new UsageError('A stream needs its size');
  return streamSource(chunksOf(source, signal), size);
}

/** @throws UsageError when a given size is not the size of the source */
export function requireSize(given: number | undefined, size: number): void {
  if ((given ?? size) === size) return;
  throw new UsageError(`size is ${given}, but the source has ${size} bytes`);
}

function sourceOf(
  size: number,
  read: UploadSource['read'],
  lastModified?: number | undefined,
): UploadSource {
  return { size, lastModified, rereadable: true, read, finish: async () => {}, close: () => {} };
}

function blobSource(blob: Blob & { lastModified?: number }): UploadSource {
  let bytes = new Uint8Array();
  const read = async (start: number, end: number) => {
    release(bytes);
    try {
      bytes = new Uint8Array(await blob.slice(start, end).arrayBuffer());
      return bytes;
    } catch (cause) {
      // Browsers refuse to read a file that was changed, moved or deleted after it was chosen.
      throw new SourceChangedError('The file can no longer be read', { cause });
    }
  };
  return sourceOf(blob.size, read, blob.lastModified);
}

async function fileSource(file: FileSource, given: number | undefined): Promise<UploadSource> {
  const { size, mtimeMs } = await file.stat();
  requireSize(given, size);
  const buffer = new Uint8Array(Math.min(segmentBytes, size));
  const changed = () => new SourceChangedError('The file was changed while it was uploaded');
  return {
    size,
    lastModified: Math.floor(mtimeMs),
    rereadable: true,
    async read(start, end) {
      const piece = buffer.subarray(0, end - start);
      for (let filled = 0; filled < piece.length; ) {
        const { bytesRead } = await file.read(piece, filled, piece.length - filled, start + filled);
        if (bytesRead === 0) throw changed();
        filled += bytesRead;
      }
      return piece;
    },
    async finish() {
      const now = await file.stat();
      if (now.size !== size || now.mtimeMs !== mtimeMs) throw changed();
    },
    // The caller has opened it.
    close: () => {},
  };
}

/** Collects the chunks of a stream into pieces. It holds one chunk beyond the piece. */
function streamSource(stream: AsyncIterable<unknown>, size: number): UploadSource {
  const chunks = stream[Symbol.asyncIterator]();
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
    close() {
      // The upload has ended: a failure to close changes nothing.
      Promise.resolve(chunks.return?.()).catch(() => {});
    },
  };
}
