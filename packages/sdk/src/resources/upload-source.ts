import { bytesAtHand, bytesOf, chunksOf, type DocumentSource } from '../crypto/seal.ts';
import { SourceChangedError, UsageError } from '../errors.ts';

/** A source of known size that is read piece by piece. */
export interface UploadSource {
  /** Bytes of the source. */
  readonly size: number;
  /** When a `File` was last changed, in milliseconds since the epoch. */
  readonly lastModified: number | undefined;
  /** Whether every piece can be read again, in any order. Otherwise they are read once, in order. */
  readonly rereadable: boolean;
  /**
   * Reads the bytes from `start` up to `end`.
   *
   * @throws UsageError when the source has fewer bytes than its size
   */
  read(start: number, end: number): Promise<Uint8Array>;
  /**
   * Checks that the source ends here.
   *
   * @throws UsageError when it has more bytes
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
export function openSource(
  source: DocumentSource,
  size: number | undefined,
  signal: AbortSignal,
): UploadSource {
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
  const read = async (start: number, end: number) => {
    try {
      return new Uint8Array(await blob.slice(start, end).arrayBuffer());
    } catch (cause) {
      // Browsers refuse to read a file that was changed, moved or deleted after it was chosen.
      throw new SourceChangedError('The file can no longer be read', { cause });
    }
  };
  return sourceOf(blob.size, read, blob.lastModified);
}

/** Collects the chunks of a stream into pieces. It holds one chunk beyond the piece. */
function streamSource(stream: AsyncIterable<unknown>, size: number): UploadSource {
  const chunks = stream[Symbol.asyncIterator]();
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
      const piece = new Uint8Array(end - start);
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
