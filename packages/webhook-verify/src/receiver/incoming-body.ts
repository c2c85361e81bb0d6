import { alreadyRead, overloaded, tooLarge } from './errors.ts';

/**
 * Bytes that all unverified bodies of this process may occupy together, for any number of connections.
 * A body whose limit is larger may occupy its limit.
 */
const budget = 8_388_608;

/** First allocation for a body of unknown length, in bytes. */
const firstCapacity = 4096;

/** Bodies that are still being received, in the order of their arrival. */
const receiving = new Set<IncomingBody>();

/** Bodies that have arrived as a whole, with the time at which their verification began. */
const verifying = new Map<IncomingBody, number>();

/**
 * How long a body is counted while it is verified, in milliseconds. When a sender disconnects, workerd
 * never runs the rest of the request's code, which would release the body.
 */
const longestVerification = 60_000;

/** Bytes allocated for all bodies, those whose signature is being verified included. */
let occupied = 0;

/** An ArrayBuffer of any runtime: `transfer` is ES2024, which Node 20 lacks. */
type AnyBuffer = Omit<ArrayBuffer, 'transfer'> & {
  transfer?(newByteLength: number): ArrayBuffer;
};

/**
 * Copies bytes into an allocation of another size. The former allocation is freed at once where the
 * runtime can: left to the garbage collector, it would occupy memory while a flood goes on.
 */
function resize(bytes: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  const buffer: AnyBuffer = bytes.buffer;
  if (buffer.transfer !== undefined) return new Uint8Array(buffer.transfer(size));
  const resized = new Uint8Array(size);
  resized.set(bytes.subarray(0, size));
  return resized;
}

/** Whether a value is a Uint8Array, of any realm: `instanceof` knows those of its own realm only. */
export function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]';
}

/**
 * The bytes of one unverified body. Chunks are copied into one buffer and never retained, because a
 * chunk of one byte occupies hundreds of bytes.
 */
export class IncomingBody {
  readonly #limit: number;
  #declared = 0;
  #buffer = new Uint8Array();
  #length = 0;
  #evicted = false;

  /** @param limit the largest body that is accepted, in bytes */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Announces the length that the sender declares. Nothing is allocated for it: a sender that
   * declares much and sends little occupies little.
   *
   * @param contentLength the value of `Content-Length`; `undefined` or `null` without one
   * @throws WebhookReceiverError `body_too_large`
   */
  declare(contentLength: string | null | undefined): void {
    this.#declared = Number(contentLength);
    if (this.#declared > this.#limit) throw tooLarge(this.#limit);
  }

  /**
   * Copies a chunk to the end of the body.
   *
   * @throws WebhookVerificationError `body_not_raw` for a chunk that is decoded text
   * @throws WebhookReceiverError `body_too_large`, or `overloaded` when all bodies together would
   * occupy more than the budget and no older one is being received
   */
  add(chunk: unknown): void {
    if (!isBytes(chunk)) throw alreadyRead();
    if (this.#evicted) throw overloaded();
    const length = this.#length + chunk.length;
    if (length > this.#limit) throw tooLarge(this.#limit);
    if (length > this.#buffer.length) this.#grow(length);
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
  }

  /**
   * Ends the body. It stays in the budget until it is released or discarded.
   *
   * @throws WebhookReceiverError `overloaded`
   */
  bytes(): Uint8Array {
    if (this.#evicted) throw overloaded();
    receiving.delete(this);
    if (this.#length > 0) verifying.set(this, Date.now());
    return this.#buffer.subarray(0, this.#length);
  }

  /** Takes a verified body out of the budget; its bytes stay. */
  release(): void {
    receiving.delete(this);
    verifying.delete(this);
    occupied -= this.#buffer.length;
    this.#buffer = new Uint8Array();
  }

  /** Takes a refused body out of the budget and frees its bytes. */
  discard(): void {
    const buffer = this.#buffer;
    this.release();
    resize(buffer, 0);
  }

  #grow(length: number): void {
    // Doubling copies every byte at most twice, and occupies at most three times the bytes received.
    const most = this.#declared >= length ? this.#declared : this.#limit;
    const capacity = Math.min(most, Math.max(length, 2 * this.#buffer.length, firstCapacity));
    this.#makeRoom(capacity);
    occupied += capacity - this.#buffer.length;
    this.#buffer = resize(this.#buffer, capacity);
    receiving.add(this);
  }

  /**
   * Evicts the oldest bodies until this one can grow. A delivery arrives within moments, so it is
   * younger than bodies that attackers hold unfinished. Evicting the largest would keep a delivery
   * out behind many small ones.
   */
  #makeRoom(capacity: number): void {
    const most = Math.max(budget, this.#limit) - capacity + this.#buffer.length;
    for (const oldest of receiving) {
      if (occupied <= most) return;
      if (oldest === this) throw overloaded();
      oldest.#evicted = true;
      oldest.discard();
    }
    for (const [body, since] of verifying) {
      if (occupied <= most) return;
      if (Date.now() - since < longestVerification) throw overloaded();
      body.release();
    }
  }
}
