/** Bytes of a ciphertext segment, of the first one with the stream header in front of it. */
export const segmentBytes = 2 ** 20;

/** The stream header: its length in one byte, the salt, the nonce prefix. */
export const streamHeaderBytes = 40;

const tagBytes = 16;
const plainBytes = segmentBytes - tagBytes;

/** Bytes from `start` up to `end`, without `end`. */
export interface ByteRange {
  /** Offset of the first byte. */
  start: number;
  /** Offset after the last byte. */
  end: number;
}

/** Where the segments of a content lie. Offsets of the content do not count its description. */
export class Layout {
  /** Bytes of the ciphertext stream. */
  readonly sizeBytes: number;
  /** Number of segments, at least 1. */
  readonly segments: number;
  readonly #size: number;
  /** Bytes in front of the content when tags are not counted. */
  readonly #before: number;

  /**
   * @param description - bytes of the encoded description
   * @param size - bytes of the content
   */
  constructor(description: number, size: number) {
    this.#size = size;
    this.#before = streamHeaderBytes + description;
    const length = this.#before + size;
    this.segments = Math.ceil(length / plainBytes);
    this.sizeBytes = length + this.segments * tagBytes;
  }

  /** Returns the bytes of the content that a segment contains. */
  contentOf(segment: number): ByteRange {
    const start = Math.max(0, segment * plainBytes - this.#before);
    return { start, end: Math.min(this.#size, (segment + 1) * plainBytes - this.#before) };
  }

  /** Returns the bytes of the ciphertext stream that a segment takes. */
  ciphertextOf(segment: number): ByteRange {
    const start = segment * segmentBytes;
    return { start, end: Math.min(start + segmentBytes, this.sizeBytes) };
  }

  /** Returns the segment that contains a byte of the content. */
  segmentAt(offset: number): number {
    return Math.floor((offset + this.#before) / plainBytes);
  }

  /** Whether a segment is the last one. */
  isLast(segment: number): boolean {
    return segment === this.segments - 1;
  }
}
