import { constants } from 'node:crypto';
import type { LookupFunction, Socket } from 'node:net';
import { sign } from '@document-vault/webhook-verify/sign';
import { buildConnector } from 'undici';
import type { Clock } from '../clock.ts';
import { refusedHeader } from '../generated/rules/webhook-headers.ts';
import type { AttemptRecord, QueuedDelivery } from '../store/repositories/deliveries.ts';
import {
  Connections,
  CutOffError,
  Exchange,
  type OutgoingRequest,
  type ReceivedResponse,
} from './connections.ts';
import { ExcessError, ResponseError } from './response-reader.ts';
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
/** The error of an aborted attempt. */
const stopped = 'the server was stopped';

interface Response extends ReceivedResponse {
  /** Why the response is incomplete; null when enough of it arrived. */
  readonly failure: string | null;
}

export function createAttempt(options: AttemptOptions): Attempt {
  const { clock, timeoutMs, userAgent, resolve = createResolve(options) } = options;
  const rules = createAddressRules(options);
  const targetOf = createTargets(rules);
  const abortsOf = createAborts();
  // The deadline fires first. This timeout only cleans up connections that still hang.
  const connector = createConnector(createGuardedLookup(rules, resolve), 2 * timeoutMs);
  const connections = new Connections(connector);

  return async (delivery, signal) => {
    const startedAt = clock.now();
    const start = performance.now();
    const target = signal.aborted ? { refusal: stopped } : targetOf(delivery.url);
    const response =
      target.refusal === undefined
        ? await exchange(connections, requestOf(delivery, target, userAgent), {
            timeoutMs,
            aborts: abortsOf(signal),
          })
        : { statusCode: null, body: Buffer.alloc(0), failure: target.refusal };
    const { statusCode, retryAfter, body, failure } = response;
    const retryAfterMs =
      statusCode === 429 || statusCode === 503 ? readRetryAfter(retryAfter) : undefined;
    return {
      startedAt,
      statusCode,
      durationMs: Math.round(performance.now() - start),
      error: failure ?? statusError(statusCode),
      responseBody: statusCode === null ? null : storedText(body, delivery.headers),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
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
      if (!isTls) return callback(null, tcp);
      connectTls({ ...target, httpSocket: tcp }, (...[error, socket]) => {
        if (error !== null) return callback(error, null);
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
): OutgoingRequest {
  const body = Buffer.from(delivery.body);
  const own = ownHeaders(delivery.headers);
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${origin.slice(origin.indexOf('//') + 2)}`,
    'Connection: keep-alive',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `X-Service-Signature: ${sign(body, delivery.secret)}`,
    `X-Service-Event-Id: ${delivery.eventId}`,
    `X-Service-Event-Type: ${delivery.eventType}`,
    `X-Service-Delivery-Id: ${delivery.id}`,
    ...(delivery.test ? ['X-Service-Test: true'] : []),
    ...(delivery.traceparent === null ? [] : [`traceparent: ${delivery.traceparent}`]),
    ...(delivery.tracestate === null ? [] : [`tracestate: ${delivery.tracestate}`]),
    'Accept-Encoding: identity',
    ...(own.hasUserAgent ? [] : [`User-Agent: ${userAgent}`]),
    ...own.lines,
  ];
  return { origin, head: `${head.join('\r\n')}\r\n\r\n`, body };
}

/** Returns the lines of a webhook's own headers. They can replace only `User-Agent`. */
function ownHeaders(headers: Readonly<Record<string, string>>) {
  const own = Object.entries(headers).filter(
    ([name, value]) => refusedHeader(name, value) === undefined,
  );
  return {
    lines: own.map(([name, value]) => `${name}: ${value}`),
    hasUserAgent: own.some(([name]) => name.toLowerCase() === 'user-agent'),
  };
}

/** Sends a request and reads the beginning of the response. Redirects are not followed. */
function exchange(
  connections: Connections,
  request: OutgoingRequest,
  { timeoutMs, aborts }: { timeoutMs: number; aborts: Set<() => void> },
): Promise<Response> {
  return new Promise((resolve) => {
    let failure: string | null = null;
    const running = new Exchange(request, (response, error) => {
      clearTimeout(deadline);
      aborts.delete(onAbort);
      // The status of an oversized response is enough.
      const isEnough = error instanceof ExcessError && response.statusCode !== null;
      if (error !== undefined && !isEnough) failure = describeFailure(error);
      resolve({ ...response, failure });
    });
    const stop = (reason: string) => {
      failure = reason;
      running.cancel();
    };
    const onAbort = () => stop(stopped);
    const deadline = setTimeout(() => stop(`timeout after ${timeoutMs / 1000} s`), timeoutMs);
    aborts.add(onAbort);
    connections.send(running);
  });
}

/** Parses seconds or a date (RFC 9110, section 10.2.3). */
function readRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
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

const cutOff = 'connection closed before the response was complete';

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EPIPE: 'connection reset',
  ETIMEDOUT: 'connection timed out',
};

const tlsCodes = /^(CERT_|ERR_SSL_|ERR_TLS_|EPROTO|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Returns a short, stable sentence on why no complete response arrived. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'the request failed';
  if (error instanceof LookupError || error instanceof ResponseError) return error.message;
  if (error instanceof ExcessError) return 'the head of the response is too large';
  if (error instanceof CutOffError) return cutOff;
  const code = codeOf(error);
  if (code === undefined) return 'the request failed';
  const sentence = sentences[code];
  if (sentence !== undefined) return sentence;
  if (tlsCodes.test(code)) return `TLS connection refused (${code})`;
  return `connection failed (${code})`;
}
