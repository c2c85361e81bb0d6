import type { ErrorCode, Tier, User, Violation } from '../generated/types.ts';
import { type State, timestamp } from './state.ts';

/** The error catalogue: status and message of each code. */
export const catalogue: Readonly<Record<ErrorCode, { status: number; message: string }>> = {
  INVALID_API_KEY: { status: 401, message: 'The API key is not valid.' },
  EXPIRED_TOKEN: {
    status: 401,
    message: 'The access token has expired. Refresh it and try again.',
  },
  INVALID_TOKEN: { status: 401, message: 'The token is not valid.' },
  MISSING_AUTH: {
    status: 401,
    message: 'Send an API key in X-Api-Key or an access token in Authorization: Bearer.',
  },
  INSUFFICIENT_PERMISSIONS: {
    status: 403,
    message: 'These credentials lack the scope that this operation needs.',
  },
  ACCOUNT_SUSPENDED: { status: 403, message: 'This account is suspended.' },
  IP_BLOCKED: { status: 403, message: 'Requests from this address are blocked.' },
  NOT_FOUND: { status: 404, message: 'There is no such resource.' },
  VALIDATION_ERROR: { status: 400, message: 'The request is not valid.' },
  RATE_LIMIT_EXCEEDED: { status: 429, message: 'Too many requests. Wait before the next one.' },
  INTERNAL_ERROR: {
    status: 500,
    message: 'Something went wrong on the server. The request id finds it in the log.',
  },
};

interface FailureContext {
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Whole seconds. */
  readonly retryAfter?: number;
}

/** The error of a request. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, { message, details = {}, retryAfter }: FailureContext = {}) {
    super(message ?? catalogue[code].message);
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
  }
}

/** VALIDATION_ERROR with the first violation and the list of all. */
export function invalid(violations: readonly [Violation, ...Violation[]]): Failure {
  const [{ field, constraint, message }] = violations;
  return new Failure('VALIDATION_ERROR', { message, details: { field, constraint, violations } });
}

/** VALIDATION_ERROR for a single rule. */
export function violation(field: string, constraint: string, message: string): Failure {
  return invalid([{ field, constraint, message }]);
}

/** NOT_FOUND with the requested id: `notFound('vault', { vaultId })`. */
export function notFound(resource: string, details: Record<string, string> = {}): Failure {
  return new Failure('NOT_FOUND', { message: `There is no such ${resource}.`, details });
}

/** Length of the windows, in milliseconds. */
const windows = { hour: 3_600_000, minute: 60_000 } as const;
type Window = keyof typeof windows;

/** Requests per window. */
const limits: Readonly<Record<Tier, Readonly<Record<Window, number>>>> = {
  free: { hour: 1_000, minute: 10 },
  paid: { hour: 10_000, minute: 100 },
  enterprise: { hour: 100_000, minute: 1_000 },
};

/** Counts a request of an account or of the address, and returns the rate-limit headers. */
export function countRequest({ tables, now }: State, user: User | undefined): Headers {
  const { id, tier } = user ?? { id: 'address', tier: 'enterprise' as const };
  const count = (window: Window): WindowState => {
    const start = Math.floor(now() / windows[window]);
    const key = `${id} ${window} ${start}`;
    const used = (tables.usage.get(key) ?? 0) + 1;
    tables.usage.set(key, used);
    const remaining = Math.max(0, limits[tier][window] - used);
    return { remaining, resetAt: (start + 1) * windows[window] };
  };
  return rateLimitHeaders({ tier, ...count('hour'), minute: count('minute') });
}

interface WindowState {
  readonly remaining: number;
  /** Epoch milliseconds. */
  readonly resetAt: number;
}

/** The rate limit of the hour in both spellings, and of the minute. */
export function rateLimitHeaders({
  minute,
  ...state
}: WindowState & { readonly tier: Tier; readonly minute: WindowState }): Headers {
  const limit = String(limits[state.tier].hour);
  const remaining = String(state.remaining);
  return new Headers({
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': String(Math.ceil(state.resetAt / 1_000)),
    'x-ratelimit-tier': state.tier,
    'x-rate-limit-limit': limit,
    'x-rate-limit-remaining': remaining,
    'x-rate-limit-reset': timestamp(Math.ceil(state.resetAt / 1_000) * 1_000),
    'x-ratelimit-minute-limit': String(limits[state.tier].minute),
    'x-ratelimit-minute-remaining': String(minute.remaining),
    'x-ratelimit-minute-reset': String(Math.ceil(minute.resetAt / 1_000)),
  });
}

/** Properties of every response. */
export interface ResponseContext {
  readonly requestId: string;
  /** The rate limit, in both spellings. */
  readonly rateLimit: Headers;
}

function headersOf(state: State, { requestId, rateLimit }: ResponseContext): Headers {
  const headers = new Headers(rateLimit);
  headers.set('x-request-id', requestId);
  headers.set('access-control-allow-origin', '*');
  headers.set('access-control-expose-headers', '*');
  // Clients measure the clock of the service by it.
  headers.set('date', new Date(state.now()).toUTCString());
  return headers;
}

/** Makes a success; without a body, 204. */
export function success(
  state: State,
  facts: ResponseContext,
  result: { readonly status: number; readonly body: unknown; readonly replayed: boolean },
): Response {
  const headers = headersOf(state, facts);
  if (result.replayed) headers.set('idempotency-replayed', 'true');
  const { status } = result;
  if (status === 204) return new Response(null, { status, headers });
  headers.set('content-type', 'application/json; charset=utf-8');
  return new Response(JSON.stringify(result.body), { status, headers });
}

/** Makes an error response. */
export function failed(
  state: State,
  facts: ResponseContext,
  { failure, replayed = false }: { readonly failure: Failure; readonly replayed?: boolean },
): Response {
  const { code, message, details, retryAfter } = failure;
  const { rateLimit, requestId } = facts;
  const headers = headersOf(state, { ...facts, rateLimit: limitOf(state, rateLimit, retryAfter) });
  headers.set('content-type', 'application/json; charset=utf-8');
  if (replayed) headers.set('idempotency-replayed', 'true');
  if (retryAfter !== undefined) headers.set('retry-after', String(retryAfter));
  const error = {
    code,
    message,
    details,
    requestId,
    timestamp: timestamp(state.now()),
    ...(retryAfter !== undefined && { retryAfter }),
  };
  return new Response(JSON.stringify({ error }), { status: catalogue[code].status, headers });
}

/** The headers of an exceeded rate limit. */
function limitOf({ now }: State, rateLimit: Headers, retryAfter: number | undefined): Headers {
  if (retryAfter === undefined) return rateLimit;
  const name = rateLimit.get('x-ratelimit-tier');
  const tier = name === 'free' || name === 'paid' ? name : 'enterprise';
  const full = { remaining: 0, resetAt: now() + retryAfter * 1_000 };
  return rateLimitHeaders({ tier, ...full, minute: full });
}
