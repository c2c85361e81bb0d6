import { constants } from 'node:crypto';
import type { LookupFunction, Socket } from 'node:net';
import { sign } from '@document-vault/webhook-verify/sign';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import type { Clock } from '../clock.ts';
import { refusedHeader } from '../generated/rules/webhook-headers.ts';
import type { AttemptRecord, QueuedDelivery } from '../store/repositories/deliveries.ts';
import {
  type AddressOptions,
  createAddressRules,
  createGuardedLookup,
  createResolve,
  createTargets,
  LookupError,
  type OpenTarget,
  type Resolve,
} from './targets.ts';

/** The result of an attempt, with the wait that the receiver asked for. */
export interface MadeAttempt extends AttemptRecord {
  /** Milliseconds from `Retry-After` of a 429 or 503. */
  readonly retryAfterMs?: number;
}

/** Makes one POST. Never rejects: every failure is in the result. An abort ends it at once. */
export type Attempt = (delivery: QueuedDelivery, signal: AbortSignal) => Promise<MadeAttempt>;

export interface AttemptOptions extends AddressOptions {
  readonly clock: Clock;
  /** Milliseconds for name lookup, connection, TLS, response head and body together. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  /** Default: the machine's resolver when private addresses are allowed, otherwise its name servers. */
  readonly resolve?: Resolve;
}

/** Bytes of a response body that are stored. */
const keepLimit = 2 * 1024;
/** Milliseconds that an idle connection stays open; shorter than usual for receivers. */
const idleTimeout = 4_000;

/** The error of an aborted attempt. */
const stopped = 'the server was stopped';

/** The reason for closing a connection. One object, because each new one costs a stack trace. */
const unwanted = new Error('the rest of the response is not needed');

interface Response {
  readonly statusCode: number | null;
  readonly body: Buffer;
  /** Milliseconds from `Retry-After`. */
  readonly retryAfterMs?: number | undefined;
  /** Why the response is incomplete; null when enough of it arrived. */
  readonly failure: string | null;
}

export function createAttempt(options: AttemptOptions): Attempt {
  const { clock, timeoutMs, userAgent, resolve = createResolve(options) } = options;
  const rules = createAddressRules(options);
  const targetOf = createTargets(rules);
  const abortsOf = createAborts();
  const agent = new Agent({
    // The deadline fires first. This timeout only cleans up connections that still hang.
    connect: createConnector(createGuardedLookup(rules, resolve), 2 * timeoutMs),
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleTimeout,
    keepAliveMaxTimeout: idleTimeout,
  });

  return async (delivery, signal) => {
    const startedAt = clock.now();
    const start = performance.now();
    const target = signal.aborted ? { refusal: stopped } : targetOf(delivery.url);
    const response =
      target.refusal === undefined
        ? await exchange(agent, requestOf(delivery, target, userAgent), {
            timeoutMs,
            aborts: abortsOf(signal),
          })
        : { statusCode: null, body: Buffer.alloc(0), failure: target.refusal };
    return {
      startedAt,
      statusCode: response.statusCode,
      durationMs: Math.round(performance.now() - start),
      error: response.failure ?? statusError(response.statusCode),
      responseBody:
        response.statusCode === null ? null : storedText(response.body, delivery.headers),
      ...(response.retryAfterMs !== undefined && { retryAfterMs: response.retryAfterMs }),
    };
  };
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
        limitInput(tcp);
        return callback(null, tcp);
      }
      connectTls({ ...target, httpSocket: tcp }, (...[error, socket]) => {
        if (error !== null) return callback(error, null);
        limitInput(socket);
        limitOverhead(socket, tcp);
        callback(null, socket);
      });
    });
  };
}

/**
 * Returns the abort callbacks of a signal. A signal has one listener for all attempts, because adding a
 * listener compares it with all others.
 */
function createAborts(): (signal: AbortSignal) => Set<() => void> {
  const known = new WeakMap<AbortSignal, Set<() => void>>();
  return (signal) => {
    const found = known.get(signal);
    if (found !== undefined) return found;
    const aborts = new Set<() => void>();
    signal.addEventListener('abort', () => {
      for (const abort of aborts) abort();
    });
    known.set(signal, aborts);
    return aborts;
  };
}

function requestOf(
  delivery: QueuedDelivery,
  { origin, path }: OpenTarget,
  userAgent: string,
): Dispatcher.DispatchOptions {
  const body = Buffer.from(delivery.body);
  return {
    origin,
    path,
    method: 'POST',
    headers: headersOf(delivery, sign(body, delivery.secret), userAgent),
    body,
  };
}

/** Names and values in turn. The webhook's own headers can replace only `User-Agent`. */
function headersOf(delivery: QueuedDelivery, signature: string, userAgent: string): string[] {
  const own = Object.entries(delivery.headers).filter(
    ([name, value]) => refusedHeader(name, value) === undefined,
  );
  const named = own.some(([name]) => name.toLowerCase() === 'user-agent');
  return [
    ...['Content-Type', 'application/json'],
    ...['X-Service-Signature', signature],
    ...['X-Service-Event-Id', delivery.eventId],
    ...['X-Service-Event-Type', delivery.eventType],
    ...['X-Service-Delivery-Id', delivery.id],
    ...(delivery.test ? ['X-Service-Test', 'true'] : []),
    ...['Accept-Encoding', 'identity'],
    ...(named ? [] : ['User-Agent', userAgent]),
    ...own.flat(),
  ];
}

/** Sends a request and reads the beginning of the response. Redirects are not followed. */
function exchange(
  agent: Agent,
  request: Dispatcher.DispatchOptions,
  { timeoutMs, aborts }: { timeoutMs: number; aborts: Set<() => void> },
): Promise<Response> {
  return new Promise((resolve) => {
    let connection: Dispatcher.DispatchController | undefined;
    let statusCode: number | null = null;
    let retryAfterMs: number | undefined;
    const chunks: Buffer[] = [];
    let ended = false;

    function end(failure: string | null): void {
      if (ended) return;
      ended = true;
      clearTimeout(deadline);
      aborts.delete(onAbort);
      resolve({ statusCode, body: Buffer.concat(chunks), failure, retryAfterMs });
      connection?.abort(unwanted);
    }
    const onAbort = () => end(stopped);
    const deadline = setTimeout(() => end(`timeout after ${timeoutMs / 1000} s`), timeoutMs);
    aborts.add(onAbort);

    agent.dispatch(request, {
      onRequestStart(controller) {
        connection = controller;
        // The connection opened after the deadline: nothing may be sent.
        if (ended) controller.abort(unwanted);
      },
      onResponseStart(_controller, status, headers) {
        if (status >= 200) statusCode = status;
        if (status === 429 || status === 503) retryAfterMs = readRetryAfter(headers['retry-after']);
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd: () => end(null),
      // The status of an oversized response is enough.
      onResponseError: (_controller, error) =>
        end(error instanceof ExcessError && statusCode !== null ? null : describeFailure(error)),
    });
  });
}

/** Parses seconds or a date (RFC 9110, section 10.2.3). */
function readRetryAfter(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string') return undefined;
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return wait > 0 ? wait : undefined;
}

function statusError(statusCode: number | null): string | null {
  if (statusCode === null || (statusCode >= 200 && statusCode < 300)) return null;
  if (statusCode < 400) return `status ${statusCode}, redirects are not followed`;
  return `status ${statusCode}`;
}

/** Shorter words of a header value are no credentials, and may stand in a response by chance. */
const minMasked = 8;

/**
 * Returns the beginning of a response body. Masks what it repeats of the webhook's own headers: they are
 * often credentials, but the body is stored unsealed and shown to callers that may not see headers.
 */
function storedText(body: Buffer, headers: Readonly<Record<string, string>>): string {
  const words = Object.values(headers)
    .flatMap((value) => value.split(/\s+/))
    .filter((word) => word.length >= minMasked)
    .toSorted((a, b) => b.length - a.length);
  if (words.length === 0) return toText(body.subarray(0, keepLimit));
  let text = toText(body);
  for (const word of words) text = text.replaceAll(word, '***');
  return toText(Buffer.from(text).subarray(0, keepLimit));
}

/** Replaces NUL, which not every database stores as text. Drops a character that is cut off at the end. */
function toText(bytes: Buffer): string {
  if (bytes.length === 0) return '';
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD');
}

/** A receiver sent more than the limit; the connection is closed. */
export class ExcessError extends Error {
  override readonly name = 'ExcessError';
}

/**
 * Maximum bytes of a response, head and body together. They are counted on the connection: no parser
 * counts line ends before the head, informational responses or chunk extensions, and a parser that
 * received 64 KiB at once continues to their end beyond its own limits.
 */
const maxBytes = 16 * 1024;

/**
 * Closes a connection that receives more than the limit since the last send. Call it before the parser
 * is attached, because it shortens the input of the parser.
 */
export function limitInput(socket: Socket): void {
  let sent = -1;
  let start = 0;
  socket.on('readable', () => {
    if (socket.bytesWritten !== sent) {
      sent = socket.bytesWritten;
      start = socket.bytesRead - socket.readableLength;
    }
    const excess = socket.bytesRead - start - maxBytes;
    if (excess <= 0) return;
    const wanted: Buffer | undefined = socket.read()?.subarray(0, -excess);
    if (wanted !== undefined && wanted.length > 0) socket.unshift(wanted);
    // The parser first reads the allowed bytes.
    setImmediate(() => socket.destroy(new ExcessError()));
  });
}

/** Maximum bytes that TLS adds to a response, for headers of records, new keys and session tickets. */
const maxOverhead = 64 * 1024;
/** Milliseconds between two checks of the overhead. Reading records that carry no data emits no event. */
const overheadInterval = 50;

/** Closes a TLS connection that receives more overhead than the limit since the last send. */
function limitOverhead(socket: Socket, tcp: Socket): void {
  let sent = -1;
  let start = 0;
  const check = setInterval(() => {
    const overhead = tcp.bytesRead - socket.bytesRead;
    if (socket.bytesWritten !== sent) {
      sent = socket.bytesWritten;
      start = overhead;
    }
    if (overhead - start > maxOverhead) socket.destroy(new ExcessError());
  }, overheadInterval);
  check.unref();
  socket.once('close', () => clearInterval(check));
}

const notHttp = 'the response is not valid HTTP';
const tooLargeHead = 'the head of the response is too large';

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EPIPE: 'connection reset',
  // undici asserts properties of a response, for example a three-digit status of at least 100.
  ERR_ASSERTION: notHttp,
  ETIMEDOUT: 'connection timed out',
  UND_ERR_HEADERS_OVERFLOW: tooLargeHead,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'connection closed before the response was complete',
  UND_ERR_SOCKET: 'connection closed before the response was complete',
};

/** Messages of undici for responses that it rejects under the code of other errors. */
const rejectedResponses: Readonly<Record<string, string>> = {
  'bad response': 'the response has status 100, which was not requested',
  'bad upgrade': 'the response changes the protocol, which was not requested',
};

const tlsCodes = /^(CERT_|ERR_SSL_|ERR_TLS_|EPROTO|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Returns a short, stable sentence on why no complete response arrived. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'the request failed';
  if (error instanceof LookupError) return error.message;
  if (error instanceof ExcessError) return tooLargeHead;
  if (error.name === 'HTTPParserError') return notHttp;
  const code = codeOf(error);
  if (code === undefined) return 'the request failed';
  const sentence = rejectedResponses[error.message] ?? sentences[code];
  if (sentence !== undefined) return sentence;
  if (tlsCodes.test(code)) return `TLS connection refused (${code})`;
  return `connection failed (${code})`;
}
