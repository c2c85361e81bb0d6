/** Decrypts contents of any size as they are read. */
import type { Decipher } from '../crypto/cipher.ts';
import type { Decryptor, StoredDocument } from '../crypto/decryptor.ts';
import { type ByteRange, segmentBytes } from '../crypto/layout.ts';
import { release } from '../crypto/memory.ts';
import {
  ConnectionError,
  DecryptionError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UsageError,
} from '../errors.ts';
import type { ChunkSource } from '../http/byte-stream.ts';
import type { RemoteContent } from '../http/remote-content.ts';
import type { ContentRange } from './content.ts';

/** Opens a range of a ciphertext. Its chunks are read once, and each is valid until the next one. */
export async function openCiphertext(
  content: RemoteContent,
  range: ByteRange,
  signal: AbortSignal,
): Promise<ChunkSource> {
  const { response, chunks } = await content.open(range, signal);
  // The chunks of a response that a program made may be its own memory.
  return response.type === 'default' ? chunks : releasing(chunks);
}

/** Frees each chunk when the next one is requested, for a reader that copies what it needs. */
export function releasing(chunks: ChunkSource): ChunkSource {
  return async function* (signal) {
    for await (const chunk of chunks(signal)) {
      yield chunk;
      // A part of a buffer may share it with the next chunk.
      if (chunk.length === chunk.buffer.byteLength) release(chunk);
    }
  };
}

/** A document whose content is decrypted while it is read. */
export class ContentReader {
  readonly #ciphertext: RemoteContent;
  /** Has name, type and size of the content. */
  readonly decryptor: Decryptor;
  /** The first segment of the ciphertext, which has been read for the description in it. */
  readonly #first: Uint8Array<ArrayBuffer>;

  private constructor(
    ciphertext: RemoteContent,
    decryptor: Decryptor,
    first: Uint8Array<ArrayBuffer>,
  ) {
    this.#ciphertext = ciphertext;
    this.decryptor = decryptor;
    this.#first = first;
  }

  /**
   * Reads and decrypts the first segment.
   *
   * @param document - under the id that the caller asked for
   * @throws DecryptionError, and the errors of reading
   */
  static async open(
    ciphertext: RemoteContent,
    { cipher, document }: { cipher: Decipher; document: StoredDocument },
    signal: AbortSignal,
  ): Promise<ContentReader> {
    const end = Math.min(segmentBytes, document.sizeBytes);
    const chunks = await openCiphertext(ciphertext, { start: 0, end }, signal);
    const first = await collect(chunks(signal), end);
    return new ContentReader(ciphertext, await cipher.decryptor(document, first), first);
  }

  /** Returns the plaintext of a range, segment by segment. It requests the segments of the range only. */
  read({ start, end }: ByteRange): ChunkSource {
    return (signal) => this.#plaintext(start, end, signal);
  }

  async *#plaintext(
    start: number,
    end: number,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    if (start === end) return;
    const { decryptor } = this;
    let segment = decryptor.segmentAt(start);
    const last = decryptor.segmentAt(end - 1);
    const reader = new SegmentReader((from, ended) => this.#segments(from, last, ended), signal);
    try {
      for (let ciphertext = await reader.read(segment); ciphertext; ) {
        const content = decryptor.contentOf(segment);
        const decrypting = decryptor.segment(segment, ciphertext);
        segment++;
        // The bytes are copied by now.
        reader.readAhead();
        const plain = await decrypting;
        const from = Math.max(0, start - content.start);
        const bytes = plain.subarray(from, end - content.start);
        reader.isPaused = true;
        if (bytes.length > 0) yield bytes;
        reader.isPaused = false;
        ciphertext = await reader.read(segment);
      }
    } finally {
      reader.close();
    }
    // A shorter content can end between two segments.
    if (segment <= last) throw new DecryptionError('Cannot decrypt: the content was cut off');
  }

  /** Yields whole segments of the ciphertext. Each is valid until the next one is requested. */
  async *#segments(
    first: number,
    last: number,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void> {
    if (first === 0) yield this.#first;
    const from = Math.max(1, first);
    if (last < from) return;
    const { start } = this.decryptor.ciphertextOf(from);
    const { end } = this.decryptor.ciphertextOf(last);
    const chunks = await openCiphertext(this.#ciphertext, { start, end }, signal);
    yield* inSegments(chunks(signal), end - start);
  }
}

/** Opens the segments from a number on. Each is valid until the next one is requested. */
type SegmentSource = (from: number, signal: AbortSignal) => AsyncGenerator<Uint8Array, void>;

/** Reads segments in order, the next one while its caller decrypts the one before. */
class SegmentReader {
  readonly #open: SegmentSource;
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;
  readonly #onAbort = () => this.#ended.abort(this.#signal.reason);
  #segments: AsyncGenerator<Uint8Array, void> | undefined;
  /** The segment that is read ahead. */
  #next: Promise<IteratorResult<Uint8Array, void>> | undefined;
  /** Whether the consumer has got the last segment and has not asked for the next one. */
  isPaused = false;
  #failedInPause = false;

  constructor(open: SegmentSource, signal: AbortSignal) {
    this.#open = open;
    this.#signal = signal;
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort);
  }

  /** Returns the next segment, whose number the caller knows; undefined after the last one. */
  async read(segment: number): Promise<Uint8Array | undefined> {
    const ahead = this.#next;
    this.#next = undefined;
    if (ahead) {
      try {
        return segmentOf(await ahead);
      } catch (error) {
        const canReopen = this.#failedInPause && isTemporary(error);
        if (!canReopen || this.#ended.signal.aborted) throw error;
        // The download failed while the consumer paused. The consumer waits now, so it is opened again.
        this.#segments = undefined;
      }
    }
    this.#segments ??= this.#open(segment, this.#ended.signal);
    return segmentOf(await this.#segments.next());
  }

  readAhead(): void {
    this.#failedInPause = false;
    this.#next = this.#segments?.next();
    this.#next?.catch(() => {
      this.#failedInPause = this.isPaused;
    });
  }

  /** Ends what is being read. */
  close(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#ended.abort();
    this.#segments?.return().catch(() => {});
  }
}

function isTemporary(error: unknown): boolean {
  return [ConnectionError, TimeoutError, ServerError, RateLimitError].some(
    (type) => error instanceof type,
  );
}

function segmentOf({ done, value }: IteratorResult<Uint8Array, void>): Uint8Array | undefined {
  return done ? undefined : value;
}

/** Joins chunks into segments; the last one may be shorter. */
async function* inSegments(
  chunks: AsyncIterable<Uint8Array>,
  length: number,
): AsyncGenerator<Uint8Array, void> {
  const segment = new Uint8Array(Math.min(segmentBytes, length));
  let filled = 0;
  for await (const chunk of chunks) {
    for (let rest = chunk; rest.length > 0; ) {
      const taken = rest.subarray(0, segment.length - filled);
      segment.set(taken, filled);
      filled += taken.length;
      rest = rest.subarray(taken.length);
      if (filled < segment.length) continue;
      filled = 0;
      yield segment;
    }
  }
  // A segment that was cut off does not decrypt.
  if (filled > 0) yield segment.subarray(0, filled);
}

/** Joins chunks of a known length. */
export async function collect(
  chunks: AsyncIterable<Uint8Array>,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  for await (const chunk of chunks) {
    bytes.set(chunk, filled);
    filled += chunk.length;
  }
  return bytes.subarray(0, filled);
}

/**
 * Returns the bytes of a range, as `Blob.slice` does: a negative position counts from the end, positions beyond the
 * content mean its ends, and a range that ends before its start is empty.
 *
 * @param size - bytes of the whole content
 */
export function boundedRange(range: ContentRange | undefined, size: number): ByteRange {
  const { start = 0, end = size } = range ?? {};
  const within = (at: number) => (at < 0 ? Math.max(size + at, 0) : Math.min(at, size));
  const first = within(start);
  return { start: first, end: Math.max(first, within(end)) };
}

/** @throws UsageError unless the positions of a range are whole numbers */
export function requireRange(range: ContentRange | undefined): void {
  const { start = 0, end = 0 } = range ?? {};
  if ([start, end].every((at) => Math.round(at) === at)) return;
  throw new UsageError('range needs whole numbers as start and end');
}
