import type { Clock } from '../../lib/clock.ts';

/** Bytes of a piece: few enough to be copied in microseconds, and many enough that a part has few pieces. */
const pieceBytes = 64 * 1024;

/** A chunk of this size becomes a piece as it is: copying it would cost more than the memory that it may waste. */
const wholeChunkBytes = 32 * 1024;

/** Whole pieces that wait to be consumed before the connection is paused. */
const maxWaiting = 2;

/**
 * Milliseconds that a consumer waits for a whole piece. A connection to S3 that sends nothing for 30 seconds ends, but a
 * client at the minimum rate takes minutes for a piece.
 */
const maxWait = 10_000;

/** What the stream asks of the connection. */
export interface BodySource {
  /** More bytes can be taken. */
  resume(): void;
  /** Nothing more is needed. */
  stop(): void;
}

interface Waiter {
  readonly resolve: (result: IteratorResult<Buffer, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A body as a stream of pieces, each in memory of its own. Small chunks are copied together, because each takes
 * hundreds of bytes of memory.
 * What is not consumed yet is bounded, if the connection pauses while the stream is full.
 */
export class BodyStream implements AsyncIterableIterator<Buffer, undefined> {
  readonly #source: BodySource;
  readonly #clock: Clock;
  readonly #waiting: Buffer[] = [];
  #piece: Buffer = Buffer.alloc(0);
  /** Bytes in the last, incomplete piece. */
  #filled = 0;
  #hasEnded = false;
  #error: unknown;
  #consumer: Waiter | undefined;
  #cancelWait: () => void = () => undefined;

  constructor(source: BodySource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  get isFull(): boolean {
    return this.#waiting.length >= maxWaiting;
  }

  push(chunk: Buffer): void {
    if (chunk.length >= wholeChunkBytes && chunk.length <= pieceBytes) {
      if (this.#filled > 0) this.#completePiece();
      this.#waiting.push(chunk);
    } else {
      this.#copy(chunk);
    }
    this.#serve();
  }

  #copy(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#piece.length === 0) this.#piece = Buffer.allocUnsafeSlow(pieceBytes);
      const end = Math.min(chunk.length, at + pieceBytes - this.#filled);
      this.#piece.set(chunk.subarray(at, end), this.#filled);
      this.#filled += end - at;
      at = end;
      if (this.#filled === pieceBytes) this.#completePiece();
    }
  }

  end(): void {
    if (this.#filled > 0) this.#completePiece();
    this.#hasEnded = true;
    this.#serve();
  }

  fail(error: unknown): void {
    this.#error ??= error;
    this.#serve();
  }

  next(): Promise<IteratorResult<Buffer, undefined>> {
    return new Promise((resolve, reject) => {
      this.#consumer = { resolve, reject };
      this.#serve();
      if (this.#consumer) this.#wait();
    });
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#hasEnded = true;
    this.#waiting.length = 0;
    this.#piece = Buffer.alloc(0);
    this.#source.stop();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #wait(): void {
    this.#cancelWait = this.#clock.at(this.#clock.now() + maxWait, () => {
      if (this.#filled > 0) this.#completePiece();
      this.#serve();
      if (this.#consumer) this.#wait();
    });
  }

  #completePiece(): void {
    this.#waiting.push(this.#piece.subarray(0, this.#filled));
    this.#piece = Buffer.alloc(0);
    this.#filled = 0;
  }

  /** Gives the consumer the next piece, the end or the error, if it waits for one. */
  #serve(): void {
    const consumer = this.#consumer;
    if (!consumer) return;
    const piece = this.#waiting.shift();
    if (piece === undefined && this.#error === undefined && !this.#hasEnded) return;
    this.#consumer = undefined;
    this.#cancelWait();
    if (piece !== undefined) consumer.resolve({ done: false, value: piece });
    else if (this.#error !== undefined) consumer.reject(this.#error);
    else consumer.resolve({ done: true, value: undefined });
    if (!this.isFull && !this.#hasEnded) this.#source.resume();
  }
}
