import { refusedHeader } from '../generated/rules/webhook-headers.ts';
import type { Clock } from '../lib/clock.ts';
import type { AttemptRecord, QueuedDelivery } from '../store/rows/webhooks/deliveries.ts';
import { createPost, type OutgoingPost, stopped } from './post.ts';
import { secretsOf, serviceSignature, standardHeaders } from './signatures.ts';
import {
  type AddressOptions,
  createAddressRules,
  createGuardedLookup,
  createResolve,
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

export function createAttempt(options: AttemptOptions): Attempt {
  const { clock, timeoutMs, userAgent, resolve = createResolve(options) } = options;
  const rules = createAddressRules(options);
  const post = createPost({ lookup: createGuardedLookup(rules, resolve), timeoutMs });

  return async (delivery, signal) => {
    const startedAt = clock.now();
    const start = performance.now();
    const refusal = signal.aborted ? stopped : rules.refusedUrl(delivery.url);
    const { statusCode, retryAfter, body, failure } =
      refusal === undefined
        ? await post(requestOf(delivery, startedAt, userAgent), signal)
        : { statusCode: null, body: Buffer.alloc(0), failure: refusal };
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

function requestOf(delivery: QueuedDelivery, startedAt: number, userAgent: string): OutgoingPost {
  const body = Buffer.from(delivery.body);
  const { eventId } = delivery;
  const secrets = secretsOf(delivery, startedAt);
  const own = ownHeaders(delivery.headers);
  const hasUserAgent = own.some(([name]) => name.toLowerCase() === 'user-agent');
  const headers = [
    ['Content-Type', 'application/json'],
    ['X-Service-Signature', serviceSignature(body, secrets.ofAttempt)],
    ...standardHeaders({ eventId, startedAt, body }, secrets.all),
    ['X-Service-Event-Id', eventId],
    ['X-Service-Event-Type', delivery.eventType],
    ['X-Service-Delivery-Id', delivery.id],
    ...(delivery.test ? [['X-Service-Test', 'true']] : []),
    ...(delivery.traceparent === null ? [] : [['traceparent', delivery.traceparent]]),
    ...(delivery.tracestate === null ? [] : [['tracestate', delivery.tracestate]]),
    ['Accept-Encoding', 'identity'],
    ...(hasUserAgent ? [] : [['User-Agent', userAgent]]),
    ...own,
  ];
  return { url: new URL(delivery.url), headers: headers.flat(), body };
}

/** Returns the valid headers of a webhook. They can replace only `User-Agent`. */
function ownHeaders(headers: Readonly<Record<string, string>>): [name: string, value: string][] {
  return Object.entries(headers).filter(
    ([name, value]) => refusedHeader(name, value) === undefined,
  );
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
