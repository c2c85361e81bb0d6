import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { free } from '../../buffers.ts';
import type { Clock } from '../../clock.ts';
import { type ServiceError, violation } from '../../errors.ts';
import { BodyStream } from './body-stream.ts';
import type { GentleEnding } from './gentle-ending.ts';
import type { ReadBrake } from './read-brake.ts';

/** Bytes that are kept of a body before its operation asks for it. */
const aheadBytes = 64 * 1024;

/** Up to here, discarding the rest of a body costs less than a new connection. */
const discardedBytes = 64 * 1024;

/** Memory above this is given back before it is collected. */
const largeBytes = 1024 * 1024;

/** After so many small chunks, other connections are served. Node takes microseconds for each. */
const chunksPerTurn = 256;
const smallChunkBytes = 256;

/**
 * A chunked body of more chunks than this is refused when they have fewer bytes than `minChunkBytes` on
 * average. Node takes a microsecond for each chunk, as long as for a kilobyte in one piece. Clients that write
 * a small body byte by byte, or a large one field by field, stay within these limits.
 */
const graceChunks = 1_024;
const minChunkBytes = 24;

/** The memory that a body of unknown length may use. */
export interface Room {
  /** Undefined: granted. Otherwise resolves when it is granted, or rejects with its error. */
  grow(bytes: number): Promise<void> | undefined;
}

/** A request whose body arrives. */
export interface Arrival {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Content-Length; undefined for a chunked body. */
  readonly declared: number | undefined;
  readonly clock: Clock;
  readonly brake: ReadBrake;
  readonly ending: GentleEnding;
}

interface Collector {
  readonly limit: number;
  readonly room: Room;
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
  readonly #brake: ReadBrake;
  readonly #ending: GentleEnding;
  #bytes: Buffer = noBytes;
  #length = 0;
  #hasEnded = false;
  #isDiscarding = false;
  #isPaused = false;
  /** Node resumes the connection after each chunk. It would read up to 2 MiB more in the same turn of the event loop. */
  readonly #keepPaused = () => this.#socket.pause();
  #isGrowing = false;
  #chunks = 0;
  #smallChunks = 0;
  #refusal: ServiceError | undefined;
  #awaitsContinue: boolean;
  #collector: Collector | undefined;
  #stream: BodyStream | undefined;

  constructor({ req, res, declared, clock, brake, ending }: Arrival) {
    this.#req = req;
    this.#res = res;
    this.#socket = req.socket;
    this.#clock = clock;
    this.#brake = brake;
    this.#ending = ending;
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
    return !this.#isPaused && isRead;
  }

  /**
   * Resolves with the whole body. First asks for it, when the client expects that.
   *
   * @throws ServiceError VALIDATION_ERROR for a body above `limit` bytes, one that ends early or one in
   *   many tiny chunks, and what `room` rejects with
   */
  collect(limit: number, room: Room): Promise<Buffer> {
    return new Promise<Buffer>((resolve, reject) => {
      this.#collector = { limit, room, resolve, reject };
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
    if (this.#req.complete && !this.#refusal) {
      // The socket may have been paused early, although the whole body was read by then.
      this.#resume();
      return true;
    }
    // Node calls this after the last response. Its own method would close with unread bytes: the kernel
    // then resets the connection, and the client may lose the response.
    this.#socket.destroySoon = () => {
      this.#endPause();
      this.#ending.end(this.#socket);
    };
    const missing = (this.declared ?? Infinity) - this.#received;
    if (missing <= discardedBytes && !this.#awaitsContinue) {
      this.#resume();
      return true;
    }
    this.#pause();
    return false;
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
    if (this.#hasTinyChunks()) {
      this.#refusal = tinyChunks();
      stopBody(this.#socket);
      this.#fail(this.#refusal);
      return;
    }
    if (chunk.length < smallChunkBytes) this.#yieldAfterMany();
    if (this.#isDiscarding) return;
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

  /** Node reads a busy connection many times in a row. It stops when paused, and resumes by itself. */
  #yieldAfterMany(): void {
    this.#brake.count(this.#socket);
    this.#smallChunks += 1;
    if (this.#smallChunks % chunksPerTurn === 0) this.#socket.pause();
  }

  #hasRoom(length: number): boolean {
    const capacity = this.#bytes.length;
    if (length <= capacity) return true;
    const { limit = Infinity, room } = this.#collector ?? {};
    if (length > limit) {
      this.#fail(tooLarge(limit));
      return false;
    }
    // What has been read while more room is waited for: bounded, since the connection is paused.
    const wanted = this.#isGrowing ? length + aheadBytes : Math.max(length, 2 * capacity, 1024);
    const bytes = Math.min(wanted, limit, this.declared ?? Infinity);
    const pending = this.#isGrowing ? undefined : room?.grow(bytes);
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
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#socket.pause();
    this.#socket.on('resume', this.#keepPaused);
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#endPause();
    this.#socket.resume();
  }

  #endPause(): void {
    this.#isPaused = false;
    this.#socket.off('resume', this.#keepPaused);
  }
}

/**
 * Stops the body of a request in the middle of a packet, which can contain ten thousand more chunks. A
 * parser without its function for bodies passes them in a twentieth of the time. Node uses a parser for
 * later connections, so it gets the function back.
 */
function stopBody(socket: Socket & { parser?: Record<number, unknown> | null }): void {
  const { parser } = socket;
  if (!parser) return;
  const [key, onBody] = Object.entries(parser).find(([, value]) => isBodyFunction(value)) ?? [];
  if (key === undefined) return;
  parser[Number(key)] = undefined;
  socket.once('close', () => {
    parser[Number(key)] = onBody;
  });
}

function isBodyFunction(value: unknown): boolean {
  return typeof value === 'function' && value.name === 'parserOnBody';
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
