import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ServiceError, violation } from '../../generated/rules/errors.ts';
import { free } from '../../lib/buffers.ts';
import type { Clock } from '../../lib/clock.ts';
import { largeBytes, type MemoryGrant } from './admission.ts';
import { BodyStream } from './body-stream.ts';
import { holdPaused, type NetworkPause } from './network-pause.ts';
import { endRefused } from './refused.ts';

/** Bytes that are kept of a body before its operation asks for it. */
const aheadBytes = 64 * 1024;

/** Up to here, discarding the rest of a body costs less than a new connection. */
const discardedBytes = 64 * 1024;

/** Bytes of a refused body that are discarded while the client reads its response. Further ones stay in the buffers of the network. */
const maxRefusedBytes = 4 * 1024 * 1024;

/** Smaller chunks are counted for their network. */
const smallChunkBytes = 256;

/**
 * A chunked body of more chunks than this is refused when they have fewer bytes than `minChunkBytes` on
 * average. Node takes a microsecond for each chunk, as long as for a kilobyte in one piece. Clients that write
 * a small body byte by byte, or a large one field by field, stay within these limits.
 */
const graceChunks = 1_024;
const minChunkBytes = 24;

/** A request whose body arrives. */
export interface Arrival {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Content-Length; undefined for a chunked body. */
  readonly declared: number | undefined;
  readonly clock: Clock;
  readonly networkPause: NetworkPause;
}

interface Collector {
  readonly limit: number;
  readonly memoryGrant: MemoryGrant;
  readonly resolve: (body: Buffer) => void;
  readonly reject: (error: unknown) => void;
}

const noBytes = Buffer.alloc(0);

/**
 * The body of a request while it arrives. Its bytes are copied into one buffer, because Node keeps several
 * hundred bytes of memory for a chunk of one byte. Must be made in the turn of the event loop in which the
 * request arrives, before its first chunk.
 */
export class IncomingBody {
  /** Content-Length; undefined for a chunked body. */
  readonly declared: number | undefined;
  #received = 0;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #networkPause: NetworkPause;
  #bytes: Buffer = noBytes;
  #length = 0;
  #hasEnded = false;
  #isDiscarding = false;
  /** Resumes the connection; undefined while it is read. */
  #resumeSocket: (() => void) | undefined;
  #isGrowing = false;
  #chunks = 0;
  #refusal: ServiceError | undefined;
  /** Bytes up to which a refused body is discarded; undefined for other bodies. */
  #discardedUpTo: number | undefined;
  #awaitsContinue: boolean;
  #collector: Collector | undefined;
  #stream: BodyStream | undefined;

  constructor({ req, res, declared, clock, networkPause }: Arrival) {
    this.#req = req;
    this.#res = res;
    this.#socket = req.socket;
    this.#clock = clock;
    this.#networkPause = networkPause;
    this.declared = declared;
    this.#awaitsContinue = req.headers.expect !== undefined;
    req.on('data', (chunk: Buffer) => this.#take(chunk));
    req.once('end', () => this.#end());
    req.once('close', () => {
      if (!req.complete) this.#fail(endedEarly());
    });
  }

  /** Bytes that have arrived, discarded ones too. */
  get received(): number {
    return this.#received;
  }

  /** Whether nothing more arrives. */
  get isOver(): boolean {
    return this.#req.complete || this.#socket.destroyed;
  }

  /** Whether more may arrive, and no operation has asked for it. */
  get isUnclaimed(): boolean {
    return !this.#isDiscarding && !this.isOver;
  }

  /** Whether the server waits for the client, and not the client for the server. */
  get isAwaited(): boolean {
    const isRead =
      this.#isDiscarding || this.#collector !== undefined || this.#stream !== undefined;
    return this.#resumeSocket === undefined && isRead;
  }

  /**
   * Resolves with the whole body. First asks for it, when the client expects that.
   *
   * @throws ServiceError VALIDATION_ERROR for a body above `limit` bytes, one that ends early or one in
   *   many tiny chunks, and what `memoryGrant` rejects with
   */
  collect(limit: number, memoryGrant: MemoryGrant): Promise<Buffer> {
    return new Promise<Buffer>((resolve, reject) => {
      this.#collector = { limit, memoryGrant, resolve, reject };
      if (this.#refusal) this.#fail(this.#refusal);
      else if (this.#length > limit) this.#fail(tooLarge(limit));
      else if (this.#hasEnded || this.#length === this.declared) this.#resolve();
      else if (this.#socket.destroyed) this.#fail(endedEarly());
      else this.#askForMore();
    });
  }

  /**
   * Returns the body as a stream, which reads no faster than it is consumed. First asks for it, when the client
   * expects that. The stream fails with a VALIDATION_ERROR for a body that ends early or in many tiny chunks.
   */
  stream(): AsyncIterable<Buffer> {
    const source = {
      resume: () => this.#resume(),
      stop: () => {
        this.#isDiscarding = true;
      },
    };
    const stream = new BodyStream(source, this.#clock);
    this.#stream = stream;
    stream.push(this.#bytes.subarray(0, this.#length));
    this.#bytes = noBytes;
    this.#length = 0;
    if (this.#refusal) stream.fail(this.#refusal);
    else if (this.#hasEnded || this.#received === this.declared) this.#endStream();
    else if (this.#socket.destroyed) stream.fail(endedEarly());
    else this.#requestRest();
    return stream;
  }

  /** Leaves the client waiting, with its bytes unread, until `pending` settles. */
  async waitUnread<T>(pending: Promise<T>): Promise<T> {
    this.#pause();
    try {
      return await pending;
    } finally {
      this.#resume();
    }
  }

  /**
   * Ends the reading of the body when the response is ready: the rest of it is not needed.
   *
   * @returns whether the connection can serve another request. Otherwise it ends with the response.
   */
  finish(): boolean {
    this.#isDiscarding = true;
    this.#drop();
    const missing = this.#req.complete ? 0 : (this.declared ?? Infinity) - this.#received;
    const canServeAnother = missing <= discardedBytes && !this.#awaitsContinue && !this.#refusal;
    if (canServeAnother) this.#resume();
    else this.#discardedUpTo = this.#refusal ? 0 : this.#received + maxRefusedBytes;
    return canServeAnother;
  }

  /** Ends the response, and with it the connection if it cannot serve another request. */
  end(bytes?: string | Buffer): void {
    if (this.#discardedUpTo === undefined) {
      this.#res.end(bytes);
      return;
    }
    endRefused(this.#res, bytes);
    if (this.#received < this.#discardedUpTo) this.#resume();
  }

  /** Ends the connection: the rest of the body is not waited for. */
  abort(): void {
    this.#socket.destroy();
  }

  #askForMore(): void {
    if (this.declared !== undefined) this.#reallocate(this.declared);
    this.#requestRest();
  }

  #requestRest(): void {
    if (this.#awaitsContinue) this.#res.writeContinue();
    this.#awaitsContinue = false;
    this.#resume();
  }

  #take(chunk: Buffer): void {
    this.#received += chunk.length;
    this.#chunks += 1;
    if (chunk.length < smallChunkBytes) this.#networkPause.count(this.#socket);
    if (!this.#refusal && this.#hasTinyChunks()) {
      this.#refusal = tinyChunks();
      this.#discardedUpTo &&= 0;
      this.#pause();
      this.#fail(this.#refusal);
    }
    if (this.#isDiscarding) {
      if (this.#received > (this.#discardedUpTo ?? Infinity)) this.#pause();
      return;
    }
    if (this.#stream) {
      this.#passOn(chunk, this.#stream);
      return;
    }
    const length = this.#length + chunk.length;
    if (this.#length === 0 && length === this.declared) this.#bytes = chunk;
    else if (this.#hasRoom(length)) chunk.copy(this.#bytes, this.#length);
    else return;
    this.#length = length;
    if (this.#collector === undefined) {
      if (length >= aheadBytes) this.#pause();
    } else if (length === this.declared) {
      this.#resolve();
    }
  }

  #passOn(chunk: Buffer, stream: BodyStream): void {
    stream.push(chunk);
    if (this.#received === this.declared) this.#endStream();
    else if (stream.isFull) this.#pause();
  }

  /** A body of known length is whole before Node reports its end. */
  #endStream(): void {
    this.#isDiscarding = true;
    this.#stream?.end();
  }

  #hasTinyChunks(): boolean {
    const isChunked = this.declared === undefined;
    return isChunked && this.#chunks > graceChunks && this.#received < this.#chunks * minChunkBytes;
  }

  #hasRoom(length: number): boolean {
    const capacity = this.#bytes.length;
    if (length <= capacity) return true;
    const { limit = Infinity, memoryGrant } = this.#collector ?? {};
    if (length > limit) {
      this.#fail(tooLarge(limit));
      return false;
    }
    // What has been read while more room is waited for: bounded, since the connection is paused.
    const wanted = this.#isGrowing ? length + aheadBytes : Math.max(length, 2 * capacity, 1024);
    const bytes = Math.min(wanted, limit, this.declared ?? Infinity);
    const pending = this.#isGrowing ? undefined : memoryGrant?.grow(bytes);
    if (pending) this.#waitForRoom(pending);
    this.#reallocate(pending ? length : bytes);
    return true;
  }

  #waitForRoom(pending: Promise<void>): void {
    this.#isGrowing = true;
    this.waitUnread(pending).then(
      () => {
        this.#isGrowing = false;
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #reallocate(capacity: number): void {
    const bytes = Buffer.allocUnsafeSlow(capacity);
    this.#bytes.copy(bytes, 0, 0, this.#length);
    this.#drop();
    this.#bytes = bytes;
  }

  #end(): void {
    this.#hasEnded = true;
    if (this.#stream) this.#endStream();
    else if (this.#collector) this.#resolve();
  }

  #resolve(): void {
    const body = this.#bytes.subarray(0, this.#length);
    this.#bytes = noBytes;
    this.#isDiscarding = true;
    this.#collector?.resolve(body);
  }

  #fail(error: unknown): void {
    this.#drop();
    this.#isDiscarding = true;
    this.#collector?.reject(error);
    this.#stream?.fail(error);
  }

  #drop(): void {
    if (this.#bytes.length > largeBytes) free(this.#bytes);
    this.#bytes = noBytes;
  }

  /** Pauses the connection and not the request, which would keep each chunk that Node has already read. */
  #pause(): void {
    this.#resumeSocket ??= holdPaused(this.#socket);
  }

  #resume(): void {
    this.#resumeSocket?.();
    this.#resumeSocket = undefined;
  }
}

export function tooLarge(limit: number): ServiceError {
  return violation('body', 'maxBytes', `The request body must be at most ${limit} bytes.`);
}

function tinyChunks(): ServiceError {
  const message = `A chunked request body of more than ${graceChunks} chunks must have at least ${minChunkBytes} bytes per chunk on average.`;
  return violation('body', 'chunkSize', message);
}

function endedEarly(): ServiceError {
  return violation('body', 'contentLength', 'The request body ended before its length.');
}
