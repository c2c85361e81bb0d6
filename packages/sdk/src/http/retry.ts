import { ConnectionError, isError, isVaultError, TimeoutError, VaultError } from '../errors.ts';
import { type TimeLimit, timeLeft } from './deadline.ts';

/** Why an attempt got no response. `unsent`: it certainly never reached the server. */
export type Failure = 'network' | 'unsent' | 'timeout';

/** How an attempt ended: with a response of this status, or without one. */
export type Outcome =
  | { readonly status: number; readonly error?: { readonly code?: string | undefined } }
  | { readonly status?: never; readonly error?: VaultError; readonly failure: Failure };

/** Input of the decision whether an attempt is repeated. */
export interface Attempt {
  readonly outcome: Outcome;
  readonly call: TimeLimit & {
    /**
     * Whether repeating the work does no harm. Otherwise a call is repeated only when the work was
     * certainly not done: never sent, or refused by the rate limit.
     */
    readonly idempotent: boolean;
    readonly retries: number;
    readonly maxRetries: number;
    readonly maxRetryAfter: number;
    /** Until then, attempts at an unreachable service are repeated more often than `maxRetries`. */
    readonly reconnectUntil?: number | undefined;
  };
  /** Whether the session can still replace the token of this call. */
  readonly refreshable: boolean;
  /** The wait before another attempt, in milliseconds. */
  readonly delayMs: number;
  /** Whether the service asked for this wait. */
  readonly requested: boolean;
}

/** Statuses of failures that may be temporary. Cloudflare responds with 520 to 524 for its origin. */
const retryable = /^(408|429|50[0234]|52[0-4])$/;

/** Decides what follows an attempt without success: its failure, a token refresh, or a retry. */
export function decide(attempt: Attempt): 'fail' | 'refresh' | 'retry' {
  const { outcome, call, refreshable, delayMs } = attempt;
  // INVALID_TOKEN: the service has ended the session. The refresh fails and ends it here, too.
  if (
    refreshable &&
    outcome.status === 401 &&
    /^(EXPIRED|INVALID)_TOKEN$/.test(outcome.error?.code ?? '')
  )
    return 'refresh';
  const mayRetry = call.retries < call.maxRetries || reconnects(attempt);
  if (!mayRetry || !shouldRetry(attempt) || delayMs >= timeLeft(call)) return 'fail';
  const limited = attempt.requested || outcome.status === 429;
  return limited && delayMs > call.maxRetryAfter ? 'fail' : 'retry';
}

/** A restarting server is unreachable for longer than the usual retries last. */
function reconnects({ call, delayMs }: Attempt): boolean {
  const { clock, maxRetries, reconnectUntil = 0 } = call;
  return maxRetries > 0 && clock.now() + delayMs < reconnectUntil;
}

/** Whether the service was unreachable: for the client, or for the proxy that responded. */
export function isUnreachable(outcome: Outcome): boolean {
  if (outcome.status === undefined) return outcome.failure !== 'timeout';
  return /^5(0[234]|2[0-4])$/.test(String(outcome.status));
}

function shouldRetry({ outcome, call: { idempotent } }: Attempt): boolean {
  if (outcome.status === undefined) return idempotent || outcome.failure === 'unsent';
  return outcome.status === 429 || (idempotent && retryable.test(String(outcome.status)));
}

const base = 500;
const cap = 8_000;

/**
 * Exponential backoff with full jitter and a floor: between half the base and the ceiling.
 *
 * @param retry - 0 for the first retry
 * @param random - from 0 up to, not including, 1
 * @returns milliseconds
 */
export function backoff(retry: number, random: number): number {
  const ceiling = Math.min(cap, base * 2 ** retry);
  return base / 2 + random * (ceiling - base / 2);
}

/** An attempt that got no response. */
export interface TransportError {
  readonly response?: never;
  readonly status?: never;
  readonly ok?: never;
  readonly failure: Failure;
  readonly error: VaultError;
}

/** Error codes of Node, Deno and Bun for a connection that was never established. */
const unsentCode =
  /^(E(CONNREFUSED|NOTFOUND|AI_AGAIN|(HOST|NET)UNREACH)|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/;

/** Other error codes of the network. `ERR_*` are errors of the program. */
const networkCode = /^(E(?!RR_)[A-Z]+|UND_ERR_(SOCKET|\w+_TIMEOUT)|Connection[A-Z]\w+)$/;

/**
 * Network errors of runtimes without error codes: Chromium, Firefox, Safari, undici, Deno, workerd.
 * workerd calls a host name that does not resolve an internal error.
 */
const networkMessage =
  /^(failed to fetch|(load|fetch) failed|terminated|error (sending request|reading a body)|connection (closed|reset|error)|(the )?(network|internet) ?(error|request failed|connection)|internal error; reference)/i;

/** Undefined when the error is not of the network: a bug, which a retry would not fix. */
function failureOf({ message }: Error, code: string): Failure | undefined {
  if (unsentCode.test(code)) return 'unsent';
  return networkCode.test(code) || networkMessage.test(message) ? 'network' : undefined;
}

/** The request that failed. */
interface FailedRequest {
  readonly url: string;
  readonly context: { readonly method: string; readonly path: string };
}

/**
 * Classifies what `fetch` rejected with. Some runtimes put the URL into their messages, so it is
 * replaced by the path template. Where the URL holds a secret of a share, message and cause are left out:
 * they may quote the URL of a redirect.
 *
 * @throws VaultError when a retry cannot help
 */
export function transportError(thrown: unknown, { url, context }: FailedRequest): TransportError {
  if (thrown instanceof TimeoutError) return { failure: 'timeout', error: thrown };
  if (isVaultError(thrown)) throw thrown;
  const { method, path } = context;
  const error = isError(thrown) ? thrown : new Error('fetch rejected');
  const code = codeOf(error);
  const failure = failureOf(error, code);
  const secret = isSecret(path);
  const message = code || (secret ? 'fetch failed' : error.message.replaceAll(url, path));
  const place = failure ? `connection to ${new URL(url).host} failed: ` : '';
  const named = new (failure ? ConnectionError : VaultError)(
    `${method} ${path}: ${place}${message}`,
    {
      ...context,
      cause: secret ? undefined : thrown,
    },
  );
  if (failure) return { failure, error: named };
  throw named;
}

/** Whether the URL of an operation holds a secret of a share. */
function isSecret(path: string): boolean {
  return /{t(oken|icket)}/.test(path);
}

/**
 * Makes the error for a redirect, which is never followed. It names the target without its query. When the URL of
 * the operation holds a secret, it names the origin alone.
 */
export function redirectError(
  { status, headers }: Response,
  { url, context }: FailedRequest,
): ConnectionError {
  const { method, path } = context;
  const location = headers.get('location');
  // Browsers hide a redirect behind the status 0.
  let what = 'redirect';
  if (location !== null && URL.canParse(location, url)) {
    const { origin, protocol, pathname } = new URL(location, url);
    const target = /^http/.test(protocol) ? origin : protocol;
    what = `redirect (${status}) to ${target}${isSecret(path) ? '' : pathname}`;
  }
  return new ConnectionError(
    `${method} ${path}: refused a ${what}: set baseUrl to the final address`,
    { ...context },
  );
}

/** The runtime's code of an error or of its cause; empty without one. */
function codeOf(error: Error): string {
  for (const value of [error, error.cause]) {
    const code = (value as { code?: unknown } | undefined)?.code;
    if (typeof code === 'string') return code;
  }
  return '';
}
