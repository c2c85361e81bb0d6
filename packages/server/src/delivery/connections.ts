import type { Socket } from 'node:net';
import { ResponseReader } from './response-reader.ts';

/** A request, and where it goes. */
export interface OutgoingRequest {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The request line and the header with the empty line after it, one character for each byte. */
  readonly head: string;
  readonly body: Buffer;
}

/** A response, or a part of it. */
export interface ReceivedResponse {
  /** Null when no complete head arrived. */
  readonly statusCode: number | null;
  /** The value of `Retry-After`. */
  readonly retryAfter?: string | undefined;
  readonly body: Buffer;
}

/** Opens a connection. Its socket is ready to send. */
export type Dial = (
  target: Readonly<Record<'protocol' | 'host' | 'hostname' | 'port', string>>,
  onOpen: (...result: [error: null, socket: Socket] | [error: Error, socket: null]) => void,
) => void;

/** Called once. The error says why the response is incomplete. */
export type OnEnd = (response: ReceivedResponse, error?: Error) => void;

/** Milliseconds that an idle connection stays open; shorter than usual for receivers. */
const idleTimeout = 4_000;
/** Milliseconds between two checks of the idle connections. */
const idleInterval = 500;

/** The receiver ended the connection before the response was complete. */
export class CutOffError extends Error {
  override readonly name = 'CutOffError';
}

/** A request that waits for its connection or its response. */
export class Exchange {
  readonly request: OutgoingRequest;
  readonly reader = new ResponseReader();
  readonly #onEnd: OnEnd;
  #connection: Connection | undefined;
  #hasEnded = false;

  constructor(request: OutgoingRequest, onEnd: OnEnd) {
    this.request = request;
    this.#onEnd = onEnd;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  start(connection: Connection): void {
    this.#connection = connection;
    connection.send(this);
  }

  /** Ends the exchange and its connection. */
  cancel(): void {
    this.#connection?.close();
    this.end();
  }

  end(error?: Error): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { statusCode = null, retryAfter, body } = this.reader;
    this.#onEnd({ statusCode, retryAfter, body }, error);
  }
}

/** A connection to a receiver. It carries one exchange at a time. */
class Connection {
  readonly #socket: Socket;
  readonly #onIdle: (connection: Connection) => void;
  #exchange: Exchange | undefined;
  #isOpen = true;
  #idleUntil = Number.POSITIVE_INFINITY;

  constructor(socket: Socket, onIdle: (connection: Connection) => void) {
    this.#socket = socket;
    this.#onIdle = onIdle;
    // The deadline of an attempt keeps the process running. An idle connection does not.
    socket.unref();
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    socket.on('end', () => this.#end());
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new CutOffError()));
  }

  /** Whether it can be used at a time of `performance.now()`. */
  isUsable(now: number): boolean {
    return this.#isOpen && now < this.#idleUntil;
  }

  /** One write for head and body: two would need another call of the system, or two packets. */
  send(exchange: Exchange): void {
    const { head, body } = exchange.request;
    this.#exchange = exchange;
    const bytes = Buffer.allocUnsafe(head.length + body.length);
    bytes.write(head, 0, 'latin1');
    body.copy(bytes, head.length);
    this.#socket.write(bytes);
  }

  close(): void {
    this.#exchange = undefined;
    this.#isOpen = false;
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    const exchange = this.#exchange;
    // Bytes without a request could be taken for the response to the next one.
    if (exchange === undefined) this.close();
    else this.#readInto(exchange, bytes);
  }

  #readInto(exchange: Exchange, bytes: Buffer): void {
    try {
      if (exchange.reader.read(bytes)) this.#complete(exchange);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #complete(exchange: Exchange): void {
    const { keptMs } = exchange.reader;
    this.#exchange = undefined;
    if (keptMs > 0) {
      this.#idleUntil = performance.now() + Math.min(keptMs, idleTimeout);
      this.#onIdle(this);
    } else this.close();
    exchange.end();
  }

  #end(): void {
    const exchange = this.#exchange;
    if (exchange?.reader.end()) this.#complete(exchange);
    else this.#fail(new CutOffError());
  }

  #fail(error: Error): void {
    const exchange = this.#exchange;
    this.close();
    exchange?.end(error);
  }
}

/** The connections to one origin. */
class Origin {
  readonly idle: Connection[] = [];
  /** Connections whose exchange ended in this turn of the event loop. */
  ended: Connection[] = [];
  /** How many connections become idle soon. */
  resting = 0;
  /** Exchanges that get one of these. */
  waiting: Exchange[] = [];

  get isUnused(): boolean {
    return this.idle.length + this.resting + this.waiting.length === 0;
  }
}

/**
 * HTTP/1.1 over kept connections, for deliveries alone. An attempt took 1.5 times the processor time with the requests
 * of undici: it validates each request again, keeps timers for each connection, and visits connections to find an idle
 * one. It still opens the connections.
 */
export class Connections {
  readonly #dial: Dial;
  readonly #origins = new Map<string, Origin>();
  #sweeping: NodeJS.Timeout | undefined;

  constructor(dial: Dial) {
    this.#dial = dial;
  }

  /** Sends a request over an idle connection, or a new one. */
  send(exchange: Exchange): void {
    const origin = this.#originOf(exchange.request.origin);
    const connection = takeUsable(origin.idle);
    if (connection !== undefined) exchange.start(connection);
    else if (origin.resting > origin.waiting.length) origin.waiting.push(exchange);
    else this.#connect(exchange);
  }

  #connect(exchange: Exchange): void {
    const { origin } = exchange.request;
    const { protocol, host, hostname, port } = new URL(origin);
    const address = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    this.#dial({ protocol, host, hostname: address, port }, (...[error, socket]) => {
      if (error !== null) return exchange.end(error);
      const connection = new Connection(socket, (ended) => this.#rest(ended, origin));
      // It opened after the deadline: nothing may be sent.
      if (exchange.hasEnded) connection.close();
      else exchange.start(connection);
    });
  }

  /**
   * Waits until all sockets were read once more: bytes that a receiver sent behind its response close the
   * connection, so that they are not taken for the response to the next request.
   */
  #rest(connection: Connection, name: string): void {
    const origin = this.#originOf(name);
    origin.resting += 1;
    origin.ended.push(connection);
    if (origin.ended.length > 1) return;
    setImmediate(() => {
      const connections = origin.ended;
      origin.ended = [];
      setImmediate(() => this.#reuse(origin, connections));
    });
  }

  #reuse(origin: Origin, connections: readonly Connection[]): void {
    origin.resting -= connections.length;
    origin.idle.push(...connections);
    const { waiting } = origin;
    origin.waiting = [];
    for (const exchange of waiting) if (!exchange.hasEnded) this.send(exchange);
  }

  #originOf(name: string): Origin {
    const origin = this.#origins.get(name) ?? new Origin();
    this.#origins.set(name, origin);
    this.#sweeping ??= setInterval(() => this.#sweep(), idleInterval).unref();
    return origin;
  }

  /** Closes connections that were idle for too long. */
  #sweep(): void {
    const now = performance.now();
    for (const [name, origin] of this.#origins) {
      const usable = origin.idle.filter((connection) => connection.isUsable(now));
      for (const connection of origin.idle) if (!connection.isUsable(now)) connection.close();
      origin.idle.splice(0, origin.idle.length, ...usable);
      if (origin.isUnused) this.#origins.delete(name);
    }
    if (this.#origins.size > 0) return;
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
  }
}

/** The one that was used last: the others become superfluous and are closed. */
function takeUsable(idle: Connection[]): Connection | undefined {
  const now = performance.now();
  for (let connection = idle.pop(); connection !== undefined; connection = idle.pop()) {
    if (connection.isUsable(now)) return connection;
    connection.close();
  }
  return undefined;
}
