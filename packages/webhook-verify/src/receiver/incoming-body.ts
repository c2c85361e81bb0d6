import { alreadyRead, chunksTooSmall, overloaded, tooLarge } from './errors.ts';

/**
 * The largest total size of all unverified bodies of this process, in bytes, for any number of
 * connections. A body may exceed it up to its own `maxBodySize`.
 */
const budget = 8_388_608;

/** First allocation for a body of unknown length, in bytes. */
const firstCapacity = 4096;

/**
 * A body of unknown length may have so many chunks of any size. Above it, they must have `minChunkSize`
 * bytes on average: a platform takes as long for a chunk of one byte as for a kilobyte.
 */
const graceChunks = 1024;

const minChunkSize = 24;

/** Bodies that are being received, oldest first. */
const receiving = new Set<IncomingBody>();

/** Complete bodies, with the time at which their verification began. */
const verifying = new Map<IncomingBody, number>();

/**
 * How long a body counts while it is verified, in milliseconds. When a sender disconnects, workerd
 * stops the request's code, which would release the body.
 */
const maxVerificationTime = 60_000;

/** Bytes allocated for all bodies that are being received or verified. */
let occupied = 0;

/** An ArrayBuffer of any runtime. Node 20 lacks `transfer` (ES2024). */
type AnyBuffer = Omit<ArrayBuffer, 'transfer'> & {
  transfer?(newByteLength: number): ArrayBuffer;
};

/**
 * Copies bytes into an allocation of another size. `transfer` frees the old allocation at once. The
 * garbage collector would free it too late during a flood.
 */
function resize(bytes: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  const buffer: AnyBuffer = bytes.buffer;
  if (buffer.transfer !== undefined) return new Uint8Array(buffer.transfer(size));
  const resized = new Uint8Array(size);
  resized.set(bytes.subarray(0, size));
  return resized;
}

/** Whether a value is a Uint8Array. `instanceof` is false for those of other realms. */
export function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]';
}

/**
 * The bytes of one unverified body. Chunks are copied into one buffer and never retained, because a
 * chunk of one byte occupies hundreds of bytes.
 */
export class IncomingBody {
  readonly #maxBodySize: number;
  #declared = 0;
  #buffer = new Uint8Array();
  #length = 0;
  #chunks = 0;
  #evicted = false;

  /** @param maxBodySize the largest accepted body, in bytes */
  constructor(maxBodySize: number) {
    this.#maxBodySize = maxBodySize;
  }

  /**
   * Checks the length that the sender declares. It allocates nothing, because a sender may declare
   * much and send little.
   *
   * @param contentLength the value of `Content-Length`, if there is one
   * @throws WebhookReceiverError `body_too_large`
   */
  declare(contentLength: string | null | undefined): void {
    this.#declared = Number(contentLength);
    if (this.#declared > this.#maxBodySize) throw tooLarge(this.#maxBodySize);
  }

  /**
   * Copies a chunk to the end of the body.
   *
   * @throws WebhookVerificationError `body_not_raw` for a chunk of decoded text
   * @throws WebhookReceiverError `body_too_large`, `chunks_too_small`, or `overloaded` when all bodies together would
   * exceed the budget and this is the oldest one
   */
  add(chunk: unknown): void {
    if (!isBytes(chunk)) throw alreadyRead();
    if (this.#evicted) throw overloaded();
    const length = this.#length + chunk.length;
    if (length > this.#maxBodySize) throw tooLarge(this.#maxBodySize);
    const isChunked = !(this.#declared > 0);
    if (isChunked && ++this.#chunks > graceChunks && length < this.#chunks * minChunkSize) {
      throw chunksTooSmall();
    }
    if (length > this.#buffer.length) this.#grow(length);
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
  }

  /**
   * Returns the complete body. It counts until it is released or discarded.
   *
   * @throws WebhookReceiverError `overloaded`
   */
  bytes(): Uint8Array {
    if (this.#evicted) throw overloaded();
    receiving.delete(this);
    if (this.#length > 0) verifying.set(this, Date.now());
    return this.#buffer.subarray(0, this.#length);
  }

  /** Stops counting a verified body. Its bytes stay valid. */
  release(): void {
    receiving.delete(this);
    verifying.delete(this);
    occupied -= this.#buffer.length;
    this.#buffer = new Uint8Array();
  }

  /** Stops counting a refused body and frees its bytes. */
  discard(): void {
    const buffer = this.#buffer;
    this.release();
    resize(buffer, 0);
  }

  #grow(length: number): void {
    // Doubling copies a byte at most twice and allocates at most three times the received bytes.
    const max = this.#declared >= length ? this.#declared : this.#maxBodySize;
    const capacity = Math.min(max, Math.max(length, 2 * this.#buffer.length, firstCapacity));
    this.#makeRoom(capacity);
    occupied += capacity - this.#buffer.length;
    this.#buffer = resize(this.#buffer, capacity);
    receiving.add(this);
  }

  /**
   * Evicts the oldest bodies until this one can grow. A delivery arrives within moments, so it is
   * younger than the bodies that attackers hold unfinished. If the largest were evicted, many small
   * ones could still keep a delivery out.
   */
  #makeRoom(capacity: number): void {
    const max = Math.max(budget, this.#maxBodySize) - capacity + this.#buffer.length;
    for (const oldest of receiving) {
      if (occupied <= max) return;
      if (oldest === this) throw overloaded();
      oldest.#evicted = true;
      oldest.discard();
    }
    for (const [body, since] of verifying) {
      if (occupied <= max) return;
      if (Date.now() - since < maxVerificationTime) throw overloaded();
      body.release();
    }
  }
}
