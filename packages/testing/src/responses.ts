import type { Tier, User } from '@document-vault/sdk';
import type { ServiceError } from './generated/rules/errors.ts';
import { rateLimitHeaders, type WindowState } from './generated/rules/limits.ts';
import { unsatisfiedRange } from './generated/rules/ranges.ts';
import { type State, timestamp } from './state.ts';

/** Length of the windows, in milliseconds. */
const windows = { hour: 3_600_000, minute: 60_000 } as const;
type Window = keyof typeof windows;

/** The windows that a request counts in. */
export type CountedWindows = readonly Window[];

/** Requests per window. */
const limits: Readonly<Record<Tier, Readonly<Record<Window, number>>>> = {
  free: { hour: 1_000, minute: 10 },
  paid: { hour: 10_000, minute: 100 },
  enterprise: { hour: 100_000, minute: 1_000 },
};

/** The state of the rate limit, by the hour. */
type RateLimit = Parameters<typeof rateLimitHeaders>[0];

/**
 * Counts a request of an account or of the address.
 *
 * @param counted - the windows that it counts in
 */
export function countRequest(
  { tables, now }: State,
  user: User | undefined,
  counted: CountedWindows,
): RateLimit {
  const { id, tier } = user ?? { id: 'address', tier: 'enterprise' as const };
  const count = (window: Window): WindowState => {
    const start = Math.floor(now() / windows[window]);
    const key = `${id} ${window} ${start}`;
    const used = (tables.usage.get(key) ?? 0) + Number(counted.includes(window));
    tables.usage.set(key, used);
    const limit = limits[tier][window];
    const remaining = Math.max(0, limit - used);
    return { limit, remaining, resetAt: (start + 1) * windows[window] };
  };
  return { tier, ...count('hour'), minute: count('minute') };
}

/** Properties of every response. */
export interface ResponseContext {
  readonly requestId: string;
  readonly rateLimit: RateLimit;
}

function headersOf(state: State, { requestId, rateLimit }: ResponseContext): Headers {
  const limit = rateLimitHeaders(rateLimit, state.now());
  const headers = new Headers();
  for (let at = 0; at < limit.length; at += 2) headers.set(limit[at] ?? '', limit[at + 1] ?? '');
  headers.set('x-request-id', requestId);
  headers.set('access-control-allow-origin', '*');
  headers.set('access-control-expose-headers', '*');
  // Clients measure the clock of the service by it.
  headers.set('date', new Date(state.now()).toUTCString());
  return headers;
}

interface ReplyOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** @default none */
  readonly body?: Uint8Array<ArrayBuffer>;
  /** Whether the request counts towards the rate limit. @default true */
  readonly isCounted?: boolean;
}

/** A success that is not the JSON of its operation. */
export class Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | null;
  readonly isCounted: boolean;

  constructor(status: number, { headers = {}, body, isCounted = true }: ReplyOptions) {
    this.status = status;
    this.headers = headers;
    this.body = body ?? null;
    this.isCounted = isCounted;
  }
}

/** Makes a success; without a body, 204. */
export function success(
  state: State,
  context: ResponseContext,
  result: { readonly status: number; readonly body: unknown; readonly replayed: boolean },
): Response {
  const headers = headersOf(state, context);
  if (result.replayed) headers.set('idempotency-replayed', 'true');
  if (result.body instanceof Reply) {
    const { status, body } = result.body;
    for (const [name, value] of Object.entries(result.body.headers)) headers.set(name, value);
    return new Response(body, { status, headers });
  }
  const { status } = result;
  if (status === 204) return new Response(null, { status, headers });
  headers.set('content-type', 'application/json; charset=utf-8');
  return new Response(JSON.stringify(result.body), { status, headers });
}

/** Makes an error response. */
export function failed(
  state: State,
  context: ResponseContext,
  { error, replayed = false }: { readonly error: ServiceError; readonly replayed?: boolean },
): Response {
  const { code, status, message, details, retryAfter } = error;
  const { rateLimit, requestId } = context;
  const headers = headersOf(state, { requestId, rateLimit: limitOf(state, rateLimit, retryAfter) });
  headers.set('content-type', 'application/json; charset=utf-8');
  if (replayed) headers.set('idempotency-replayed', 'true');
  if (retryAfter !== undefined) headers.set('retry-after', String(retryAfter));
  if (code === 'RANGE_NOT_SATISFIABLE') {
    headers.set('accept-ranges', 'bytes');
    headers.set('content-range', unsatisfiedRange(Number(details.sizeBytes ?? 0)));
  }
  const body = {
    code,
    message,
    details,
    requestId,
    timestamp: timestamp(state.now()),
    ...(retryAfter !== undefined && { retryAfter }),
  };
  return new Response(JSON.stringify({ error: body }), { status, headers });
}

/** An error that asks for a wait has exceeded both windows. */
function limitOf({ now }: State, limit: RateLimit, retryAfter: number | undefined): RateLimit {
  if (retryAfter === undefined) return limit;
  const full = { remaining: 0, resetAt: now() + retryAfter * 1_000 };
  return { ...limit, ...full, minute: { ...limit.minute, ...full } };
}
