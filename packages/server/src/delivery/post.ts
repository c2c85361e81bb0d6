import { constants } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { LookupFunction, Socket } from 'node:net';
import { Agent, buildConnector, type Dispatcher, errors } from 'undici';
import { LookupError } from './targets.ts';

/** A request to a receiver. */
export interface OutgoingPost {
  readonly url: URL;
  /** Names and values in turn. Host, connection and length are added. */
  readonly headers: string[];
  readonly body: Buffer;
}

/** A response, or its beginning. */
export interface ReceivedResponse {
  /** Null when no complete head arrived. */
  readonly statusCode: number | null;
  /** The value of `Retry-After`. */
  readonly retryAfter: string | undefined;
  /** At most 16 KiB. */
  readonly body: Buffer;
  /** Why the response is incomplete, as a short, stable sentence; null when enough of it arrived. */
  readonly failure: string | null;
}

/** Makes one POST. Redirects are not followed. Never rejects. An abort ends it at once. */
export type Post = (request: OutgoingPost, signal: AbortSignal) => Promise<ReceivedResponse>;

/** The error of an aborted attempt. */
export const stopped = 'the server was stopped';

/** Maximum bytes of a body, and of the names and values of a head. */
const maxBytes = 16 * 1024;
/** Milliseconds that an idle connection stays open; shorter than usual for receivers. */
const idleTimeout = 4_000;

export interface PostOptions {
  readonly lookup: LookupFunction;
  /** Milliseconds for name lookup, connection, TLS, response head and body together. */
  readonly timeoutMs: number;
}

export function createPost({ lookup, timeoutMs }: PostOptions): Post {
  const agent = new Agent({
    // The deadline fires first. This timeout only cleans up connections that still hang.
    connect: createConnector(lookup, 2 * timeoutMs),
    keepAliveTimeout: idleTimeout,
    keepAliveMaxTimeout: idleTimeout,
    maxHeaderSize: maxBytes,
    // The deadline covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  return ({ url, headers, body }, signal) =>
    new Promise((resolve) => {
      const response = new PartialResponse();
      let controller: Dispatcher.DispatchController | undefined;
      let hasEnded = false;
      const end = (failure: string | null) => {
        hasEnded = true;
        clearTimeout(deadline);
        signal.removeEventListener('abort', onAbort);
        resolve(response.end(failure));
      };
      const stop = (failure: string) => {
        end(failure);
        controller?.abort(new Error(failure));
      };
      const onAbort = () => stop(stopped);
      const deadline = setTimeout(() => stop(`timeout after ${timeoutMs / 1000} s`), timeoutMs);
      signal.addEventListener('abort', onAbort);
      const target = { origin: url.origin, path: url.pathname + url.search };
      agent.dispatch(
        { ...target, method: 'POST', headers, body },
        {
          onRequestStart(started) {
            controller = started;
            // The connection opened after the deadline: nothing may be sent.
            if (hasEnded) controller.abort(new Error('ended'));
          },
          onResponseStart: (_, statusCode, fields) => response.start(statusCode, fields),
          onResponseData(running, bytes) {
            if (!response.add(bytes)) running.abort(new errors.ResponseExceededMaxSizeError());
          },
          onResponseEnd: () => end(null),
          onResponseError: (_, error) => end(response.failureOf(error)),
        },
      );
    });
}

class PartialResponse {
  #statusCode: number | null = null;
  #retryAfter: string | undefined;
  readonly #pieces: Buffer[] = [];
  #received = 0;

  /** Skips informational responses. */
  start(statusCode: number, headers: IncomingHttpHeaders): void {
    if (statusCode < 200) return;
    this.#statusCode = statusCode;
    this.#retryAfter = headers['retry-after']?.toString().trim();
  }

  /** @returns whether the body is within the limit */
  add(bytes: Buffer): boolean {
    this.#pieces.push(bytes.subarray(0, maxBytes - this.#received));
    this.#received += bytes.length;
    return this.#received <= maxBytes;
  }

  /** Returns null when the status is enough: of an excess, and of a response without body that gives a length. */
  failureOf(error: Error): string | null {
    const failure = describeFailure(error);
    const status = this.#statusCode;
    const hasWrongLength = error instanceof errors.ResponseContentLengthMismatchError;
    const isEmpty = hasWrongLength && (status === 204 || status === 304);
    return isEmpty || (failure === excess && status !== null) ? null : failure;
  }

  end(failure: string | null): ReceivedResponse {
    return {
      statusCode: this.#statusCode,
      retryAfter: this.#retryAfter,
      body: Buffer.concat(this.#pieces),
      failure,
    };
  }
}

/**
 * Opens the TCP connection first, because a TLS socket does not count the bytes below it. Certificates are
 * always verified, even with `NODE_TLS_REJECT_UNAUTHORIZED=0`. Receivers cannot renegotiate: TLS 1.2 lets a
 * server start handshakes without end, thousands a second.
 */
function createConnector(lookup: LookupFunction, timeout: number): buildConnector.connector {
  const connectTcp = buildConnector({ lookup, timeout });
  const connectTls = buildConnector({
    timeout,
    rejectUnauthorized: true,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  });
  return (target, callback) => {
    const isTls = target.protocol === 'https:';
    const port = target.port || (isTls ? '443' : '80');
    connectTcp({ ...target, protocol: 'http:', port }, (...[error, tcp]) => {
      if (error !== null) return callback(error, null);
      if (!isTls) {
        limitReceived(tcp, tcp);
        return callback(null, tcp);
      }
      connectTls({ ...target, httpSocket: tcp }, (...[error, socket]) => {
        if (error !== null) return callback(error, null);
        limitReceived(socket, tcp);
        callback(null, socket);
      });
    });
  };
}

/**
 * Maximum bytes of a connection since the last request. The parser does not count everything, for example
 * the reason phrase or the extension of a chunk. TLS adds headers of records, new keys and session tickets.
 */
const maxReceived = maxBytes + 64 * 1024;
/** Milliseconds between two checks by a timer. Reading TLS records that carry no data emits no event. */
const checkInterval = 50;

/** Closes a connection that receives more than the limit since the last send. */
function limitReceived(socket: Socket, tcp: Socket): void {
  let sent = -1;
  let start = 0;
  const check = () => {
    if (socket.bytesWritten !== sent) {
      sent = socket.bytesWritten;
      start = tcp.bytesRead;
    }
    if (tcp.bytesRead - start > maxReceived) {
      socket.destroy(new errors.ResponseExceededMaxSizeError());
    }
  };
  socket.on('readable', check);
  const timer = setInterval(check, checkInterval).unref();
  socket.once('close', () => clearInterval(timer));
}

const cutOff = 'connection closed before the response was complete';
const excess = 'the head of the response is too large';
const notHttp = 'the response is not valid HTTP';

/** By code. */
const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EPIPE: 'connection reset',
  // undici asserts that a status is at least 100.
  ERR_ASSERTION: notHttp,
  ETIMEDOUT: 'connection timed out',
  UND_ERR_HEADERS_OVERFLOW: excess,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: notHttp,
  UND_ERR_RES_EXCEEDED_MAX_SIZE: excess,
};

/** By the message of undici, which has one code for all of them. */
const socketSentences: Readonly<Record<string, string>> = {
  'bad response': 'the receiver sent 100 Continue, which was not requested',
  'bad upgrade': 'the response changes the protocol, which was not requested',
};

const tlsCodes = /^(CERT_|ERR_SSL_|ERR_TLS_|EPROTO|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Returns a short, stable sentence on why no complete response arrived. */
function describeFailure(error: Error): string {
  if (error instanceof LookupError) return error.message;
  if (error instanceof errors.HTTPParserError) return notHttp;
  if (error instanceof errors.SocketError) return socketSentences[error.message] ?? cutOff;
  const code = codeOf(error);
  if (code === undefined) return 'the request failed';
  const sentence = sentences[code];
  if (sentence !== undefined) return sentence;
  if (tlsCodes.test(code)) return `TLS connection refused (${code})`;
  return `connection failed (${code})`;
}
