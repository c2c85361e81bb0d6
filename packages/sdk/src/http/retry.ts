import type { RetryEvent } from '../options.ts';

/** How an attempt ended without an answer. `unsent`: it certainly never reached the server. */
export type Failure = 'network' | 'unsent' | 'timeout';

/** How an attempt ended: with an answer of this status, or without one. */
export type Ending = { status: number } | { status?: never; failure: Failure };

/** What a retry event calls an ending. */
export function reasonOf(ending: Ending): RetryEvent['reason'] {
  if (ending.status === undefined) return ending.failure === 'timeout' ? 'timeout' : 'network';
  return ending.status === 401 ? 'expired-token' : 'status';
}

/** Statuses that another attempt may mend. */
const passing = [408, 429, 500, 502, 503, 504];

/**
 * Whether another attempt can help and can do no harm.
 *
 * @param repeatable - whether doing the work twice is the same as doing it once. Without that, only
 *   work that was certainly not done is repeated: refused by the rate limit, or never sent.
 */
export function isRetried(ending: Ending, repeatable: boolean): boolean {
  if (ending.status === undefined) return repeatable || ending.failure === 'unsent';
  return ending.status === 429 || (repeatable && passing.includes(ending.status));
}

const base = 500;
const cap = 8_000;

/**
 * Full jitter with a floor: somewhere from half the base to the exponential ceiling.
 *
 * @param retry - 0 for the first retry
 * @param random - from 0 up to, not including, 1
 * @returns milliseconds
 */
export function backoff(retry: number, random: number): number {
  const ceiling = Math.min(cap, base * 2 ** retry);
  return base / 2 + random * (ceiling - base / 2);
}

/** Where an answer says how long to wait. */
export interface WaitHints {
  status: number;
  headers: Headers;
  /** `error.retryAfter` of the body, in seconds. */
  retryAfter?: unknown;
}

/**
 * How long an answer asks to wait, in milliseconds: the longer of `Retry-After` (RFC 9110, section
 * 10.2.3) and the body's `retryAfter`; a 429 without both, until the rate limit's window ends.
 * Undefined when the answer asks nothing that can be understood.
 *
 * @param now - milliseconds since the epoch, used when the answer has no `Date`
 */
export function askedWait(hints: WaitHints, now: number): number | undefined {
  const { status, headers, retryAfter } = hints;
  const header = (name: string) => headers.get(name) ?? '';
  const serverNow = Date.parse(header('date')) || now;
  const after = header('retry-after');
  const said = [seconds(retryAfter), seconds(after), httpDate(after) - serverNow];
  const asked = said.filter((wait) => !Number.isNaN(wait));
  // Every answer says when the window ends; only a refusal by the limit means it.
  if (asked.length === 0 && status === 429) {
    const reset = seconds(header('x-ratelimit-reset')) || Date.parse(header('x-rate-limit-reset'));
    asked.push(reset - serverNow);
  }
  const wait = Math.max(0, ...asked);
  return asked.length === 0 || Number.isNaN(wait) ? undefined : wait;
}

/** A date of HTTP begins with the day of the week; `Date.parse` alone takes numbers for years. */
function httpDate(text: string): number {
  return /^[A-Z]/i.test(text) ? Date.parse(text) : Number.NaN;
}

/** Seconds in milliseconds. `Number` alone takes an empty text for 0. */
function seconds(value: unknown): number {
  const text = typeof value === 'number' ? String(value) : value;
  const isNumber = typeof text === 'string' && /^\d+(\.\d+)?$/.test(text);
  return isNumber ? Number(text) * 1_000 : Number.NaN;
}
