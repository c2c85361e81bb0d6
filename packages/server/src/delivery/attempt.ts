import type { LookupFunction, Socket } from 'node:net';
import { sign } from '@document-vault/webhook-verify/sign';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import type { Clock } from '../clock.ts';
import { refusedHeader } from '../domain/webhooks/webhooks.ts';
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

/** How an attempt went, and what the receiver has asked for. */
export interface MadeAttempt extends AttemptRecord {
  /** Milliseconds from `Retry-After` of a 429 or 503. */
  readonly retryAfterMs?: number;
}

/** One POST. It never rejects: whatever happens is in the record. An abort ends it at once. */
export type Attempt = (delivery: QueuedDelivery, signal: AbortSignal) => Promise<MadeAttempt>;

export interface AttemptOptions extends AddressOptions {
  readonly clock: Clock;
  /** Milliseconds for name lookup, connection, TLS, head and body together. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  /** Default: the machine's resolver where private addresses are open, its name servers elsewhere. */
  readonly resolve?: Resolve;
}

/** Bytes of an answer's body that are kept. */
const keepLimit = 2 * 1024;
/** Milliseconds that an idle connection is kept, less than receivers usually do. */
const idleTimeout = 4_000;

/** Why an attempt has ended that was aborted. */
const stopped = 'the server was stopped';

/** Why a connection is cut. One for all, since each would cost a stack trace. */
const unwanted = new Error('the rest of the answer is not wanted');

interface Answer {
  readonly statusCode: number | null;
  readonly body: Buffer;
  /** Milliseconds from `Retry-After`. */
  readonly retryAfterMs?: number | undefined;
  /** Why the answer is not complete; null when it is, as far as it was wanted. */
  readonly failure: string | null;
}

export function createAttempt(options: AttemptOptions): Attempt {
  const { clock, timeoutMs, userAgent, resolve = createResolve(options) } = options;
  const rules = createAddressRules(options);
  const targetOf = createTargets(rules);
  const abortsOf = createAborts();
  const agent = new Agent({
    // The deadline answers first; this only clears away what still hangs behind it.
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
    const answer =
      target.refusal === undefined
        ? await exchange(agent, requestOf(delivery, target, userAgent), {
            timeoutMs,
            aborts: abortsOf(signal),
          })
        : { statusCode: null, body: Buffer.alloc(0), failure: target.refusal };
    return {
      startedAt,
      statusCode: answer.statusCode,
      durationMs: Math.round(performance.now() - start),
      error: answer.failure ?? refusedStatus(answer.statusCode),
      responseBody: answer.statusCode === null ? null : toText(answer.body),
      ...(answer.retryAfterMs !== undefined && { retryAfterMs: answer.retryAfterMs }),
    };
  };
}

/** How receivers are connected to. Certificates are verified whatever the environment says. */
function createConnector(lookup: LookupFunction, timeout: number): buildConnector.connector {
  const connect = buildConnector({ lookup, timeout, rejectUnauthorized: true });
  return (target, callback) =>
    connect(target, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      limitInput(socket);
      callback(null, socket);
    });
}

/**
 * What is to be told of an abort, by signal. A signal gets one listener for all its attempts, because
 * with each new one it looks through those that it has.
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

/** Names and values in turn. Of ours, the webhook's own headers can replace `User-Agent` alone. */
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
    ...['Accept-Encoding', 'identity'],
    ...(named ? [] : ['User-Agent', userAgent]),
    ...own.flat(),
  ];
}

/** Sends a request and reads the beginning of its answer. Redirects are answers like any other. */
function exchange(
  agent: Agent,
  request: Dispatcher.DispatchOptions,
  { timeoutMs, aborts }: { timeoutMs: number; aborts: Set<() => void> },
): Promise<Answer> {
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
        // Connected only after the end: nothing must be sent.
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
      // Of a long answer, the head is what counts.
      onResponseError: (_controller, error) =>
        end(error instanceof ExcessError && statusCode !== null ? null : describeFailure(error)),
    });
  });
}

/** RFC 9110, section 10.2.3: seconds, or a date by the machine's clock. */
function readRetryAfter(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string') return undefined;
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return wait > 0 ? wait : undefined;
}

function refusedStatus(statusCode: number | null): string | null {
  if (statusCode === null || (statusCode >= 200 && statusCode < 300)) return null;
  if (statusCode < 400) return `status ${statusCode}, redirects are not followed`;
  return `status ${statusCode}`;
}

/** NUL is not text to every database. A character cut off at the end is left out. */
function toText(body: Buffer): string {
  if (body.length === 0) return '';
  return new TextDecoder()
    .decode(body.subarray(0, keepLimit), { stream: true })
    .replaceAll('\0', '\uFFFD');
}

/** A receiver sends more than is read of any answer; the connection is cut. */
export class ExcessError extends Error {
  override readonly name = 'ExcessError';
}

/**
 * Bytes of an answer that are read, head and body together. They are counted on the connection, since
 * no parser counts line ends before the head, informational answers or the extensions of chunks, and
 * one that has 64 KiB at once goes on to their end after its own limits.
 */
const mostBytes = 16 * 1024;

/**
 * Cuts a connection over which more comes in after what was last sent than is read of an answer.
 * The parser has to be attached after this: what it gets was shortened here.
 */
export function limitInput(socket: Socket): void {
  let sent = -1;
  let start = 0;
  socket.on('readable', () => {
    if (socket.bytesWritten !== sent) {
      sent = socket.bytesWritten;
      start = socket.bytesRead - socket.readableLength;
    }
    const excess = socket.bytesRead - start - mostBytes;
    if (excess <= 0) return;
    const wanted: Buffer | undefined = socket.read()?.subarray(0, -excess);
    if (wanted !== undefined && wanted.length > 0) socket.unshift(wanted);
    // The parser comes first, with what it may have.
    setImmediate(() => socket.destroy(new ExcessError()));
  });
}

const notHttp = 'the answer is not valid HTTP';
const tooLargeHead = 'the head of the answer is too large';

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EPIPE: 'connection reset',
  // The client asserts what an answer must be, a status of three digits from 100 for example.
  ERR_ASSERTION: notHttp,
  ETIMEDOUT: 'connection timed out',
  UND_ERR_HEADERS_OVERFLOW: tooLargeHead,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'connection closed before the answer was complete',
  UND_ERR_SOCKET: 'connection closed before the answer was complete',
};

/** What the client says of answers that it does not go along with, under one code with the rest. */
const refusedAnswers: Readonly<Record<string, string>> = {
  'bad response': 'status 100, which was not asked for',
  'bad upgrade': 'a change of protocol, which was not asked for',
};

const tlsCodes = /^(CERT_|ERR_SSL_|ERR_TLS_|EPROTO|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A short, stable sentence on why no complete answer came. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'the request failed';
  if (error instanceof LookupError) return error.message;
  if (error instanceof ExcessError) return tooLargeHead;
  if (error.name === 'HTTPParserError') return notHttp;
  const code = codeOf(error);
  if (code === undefined) return 'the request failed';
  const sentence = refusedAnswers[error.message] ?? sentences[code];
  if (sentence !== undefined) return sentence;
  if (tlsCodes.test(code)) return `TLS connection refused (${code})`;
  return `connection failed (${code})`;
}
