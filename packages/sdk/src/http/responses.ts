import {
  ApiError,
  type ApiErrorContext,
  AuthenticationError,
  asVaultError,
  type ErrorContext,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ValidationError,
} from '../errors.ts';

/** A response whose body has been received completely. */
export interface ApiResponse {
  readonly response: Response;
  readonly status: number;
  readonly ok: boolean;
  readonly text: string;
  /** The error in the body; empty for a success and for bodies that are not the service's. */
  readonly error: ErrorBody;
  /** When it was received, by the client's clock. */
  readonly receivedAt: number;
  /** How many requests were sent to get it. */
  readonly attempts: number;
}

/** The rate limit of the account: its requests in the current hour. */
export interface RateLimit {
  /** Requests per hour that the tier allows. */
  limit: number;
  /** Requests left in the current hour. */
  remaining: number;
  /** When the current hour ends. */
  resetAt: Date;
  /** `free`, `paid` or `enterprise`. */
  tier: string | undefined;
}

/** A result with its response. */
export interface ApiResult<T> {
  /** What the method returns without `withResponse()`. */
  data: T;
  /** The response. Its body has been read. */
  response: Response;
  /** Id of the request, for support and logs. */
  requestId: string | undefined;
  /** Undefined when the response has no rate-limit headers. */
  rateLimit: RateLimit | undefined;
}

/** A promise of a result. */
export interface ApiPromise<T> extends Promise<T> {
  /**
   * Resolves to the result with its response, request id and rate limit; sends no other request.
   *
   * @example
   * const { data, requestId, rateLimit } = await client.vaults.get(vault.id).withResponse();
   */
  withResponse(): Promise<ApiResult<T>>;
}

/** A result and its response, before {@link ApiPromise} takes them apart. */
export interface RawResult<T> {
  readonly data: T;
  readonly response: Response;
}

/** Starts `work` and returns its {@link ApiPromise}, which only rejects with errors of the SDK. */
export function apiPromise<T>(
  work: () => Promise<RawResult<T>>,
  context?: ErrorContext,
): ApiPromise<T> {
  const raw = work();
  const fail = (error: unknown): never => {
    throw asVaultError(error, context);
  };
  const data = raw.then((result) => result.data, fail) as ApiPromise<T>;
  data.withResponse = () => {
    // The caller handles the rejection of the promise that is returned.
    data.catch(() => {});
    return raw.then(toResult, fail);
  };
  return data;
}

function toResult<T>({ data, response }: RawResult<T>): ApiResult<T> {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  return { data, response, requestId, rateLimit: rateLimitOf(response.headers) };
}

/** Reads either of the contract's two spellings. */
function rateLimitOf(headers: Headers): RateLimit | undefined {
  const read = (name: string) =>
    headers.get(`x-ratelimit-${name}`) ?? headers.get(`x-rate-limit-${name}`);
  const reset = read('reset');
  if (reset === null) return undefined;
  return {
    limit: Number(read('limit')),
    remaining: Number(read('remaining')),
    resetAt: new Date(/^\d+$/.test(reset) ? Number(reset) * 1_000 : reset),
    tier: read('tier') ?? undefined,
  };
}

/** Parses a body; undefined when it is not a JSON object. */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text);
    return value instanceof Object ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The properties of an error in a body. None of them is validated. */
type ErrorBody = Partial<ApiErrorContext> & { message?: string; retryAfter?: number };

/** An error of GraphQL. None of its properties is validated. */
interface GraphqlError {
  readonly message: string;
  readonly extensions?: ErrorBody;
}

/** Reads the error in a body, of GraphQL the first one. */
export function errorBody(text: string): ErrorBody {
  const { error, errors }: { error?: ErrorBody; errors?: GraphqlError[] } = jsonObject(text) ?? {};
  const first = errors?.[0];
  if (error instanceof Object) return error;
  return first instanceof Object ? { ...first.extensions, message: first.message } : {};
}

function classOf(status: number): typeof ApiError {
  if (status >= 500) return ServerError;
  const classes: Record<number, typeof ApiError> = {
    400: ValidationError,
    401: AuthenticationError,
    403: PermissionError,
    404: NotFoundError,
    429: RateLimitError,
  };
  return classes[status] ?? ApiError;
}

/** Method and path template of an operation. */
export interface Operation {
  method: string;
  path: string;
}

/** Creates the error for a response. The body may be of any kind. */
export function apiError(received: ApiResponse, { method, path }: Operation): ApiError {
  const { response, status, attempts } = received;
  const { code, message, details, requestId, timestamp } = received.error;
  const text = message ?? (received.ok ? 'the body is not of the service' : response.statusText);
  return new (classOf(status))(
    `${method} ${path}: ${[status, code, text].filter(Boolean).join(' ')}`,
    {
      method,
      path,
      attempts,
      status,
      code,
      details: details ?? {},
      requestId: requestId ?? response.headers.get('x-request-id') ?? undefined,
      timestamp,
      retryAfterMs: requestedWait(received),
    },
  );
}

/**
 * Returns the body of a response; undefined where the contract has none.
 *
 * @throws ApiError for every other response
 */
export function dataOf(received: ApiResponse, operation: Operation): unknown {
  const { ok, status, text } = received;
  const { method, path } = operation;
  const isEmpty = status === 204 && (method === 'DELETE' || path === '/auth/logout');
  const data = isEmpty ? undefined : jsonObject(text);
  if (!ok || (data === undefined && !isEmpty)) throw apiError(received, operation);
  return data;
}

/**
 * Returns how long the service asks to wait, in milliseconds: the longer of `Retry-After` (RFC 9110,
 * section 10.2.3) and the body's `retryAfter`; for a 429 without both, the rest of the rate limit's
 * window. Undefined when it asks for nothing that can be parsed.
 */
export function requestedWait({
  response: { headers },
  status,
  error,
  receivedAt,
}: Pick<ApiResponse, 'response' | 'status' | 'error' | 'receivedAt'>): number | undefined {
  const header = (name: string) => headers.get(name) ?? '';
  const serverNow = Date.parse(header('date')) || receivedAt;
  const after = header('retry-after');
  const waits = [seconds(error.retryAfter), seconds(after), httpDate(after) - serverNow];
  let wait = Math.max(...waits.filter(Number.isFinite));
  // Every response has the end of the window; only a 429 means to wait for it.
  if (wait === -Infinity && status === 429) {
    const reset = seconds(header('x-ratelimit-reset')) || Date.parse(header('x-rate-limit-reset'));
    wait = reset - serverNow;
  }
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}

/** An HTTP date begins with the day of the week. `Date.parse` alone would read `5` as a year. */
function httpDate(text: string): number {
  return /^[A-Z]/i.test(text) ? Date.parse(text) : Number.NaN;
}

/** Converts seconds to milliseconds. `Number` alone would read an empty text as 0. */
function seconds(value: unknown): number {
  // As JSON, a list of one number does not look like a number.
  return /^"?\d+(\.\d+)?"?$/.test(JSON.stringify(value)) ? Number(value) * 1_000 : Number.NaN;
}
