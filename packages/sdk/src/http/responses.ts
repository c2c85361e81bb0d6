import {
  ApiError,
  type ApiErrorContext,
  AuthenticationError,
  type ErrorContext,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ValidationError,
  VaultError,
} from '../errors.ts';
import { factsOf } from './operation-facts.ts';

/** Maximum size of a success, in bytes. A document of 32 MiB has 43 MiB as base64. */
export const maxBody = 64 * 1024 * 1024;

/** How much of an error is read, in bytes. */
const maxErrorBody = 64 * 1024;

/** A response whose body has been received completely, unless the caller reads it. */
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

/**
 * Reads a body as text. Of an error it reads the first 64 KiB.
 *
 * @param context - method and path for the error
 * @throws VaultError when the body of a success is too large
 */
export async function readText(response: Response, context: ErrorContext): Promise<string> {
  const { ok, body } = response;
  // A `fetch` of another library may have streams of its own.
  const reader = body?.getReader?.();
  if (!reader) return response.text();
  const decoder = new TextDecoder();
  let left = ok ? maxBody : maxErrorBody;
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    left -= value.length;
    if (left < 0) {
      reader.cancel().catch(() => {});
      if (!ok) return text;
      throw new VaultError('The response is larger than 64 MiB', context);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Whether an object is a page of a list. */
function isPage({ data, pagination }: Record<string, unknown>): boolean {
  return (
    Array.isArray(data) &&
    data.every((item) => item instanceof Object) &&
    pagination instanceof Object
  );
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
export function apiError(
  received: ApiResponse,
  { method, path }: Operation,
  expected = '',
): ApiError {
  const { response, status, attempts } = received;
  const { code, message, details, requestId, timestamp } = received.error;
  const text = message ?? (received.ok ? `expected ${expected}` : response.statusText);
  return new (classOf(status))(
    `${method} ${path}: ${[status, code, text].filter(Boolean).join(' ')}`,
    {
      method,
      path,
      attempts,
      status,
      code,
      details: details ?? {},
      reason: message,
      requestId: requestId ?? response.headers.get('x-request-id') ?? undefined,
      timestamp,
      retryAfterMs: requestedWait(received),
    },
  );
}

/**
 * Returns the body of a response; undefined where the contract has none.
 *
 * @param isList - whether the body must be a page
 * @param id - the id that the body must have, if any
 * @throws ApiError for every other response
 */
export function dataOf(
  received: ApiResponse,
  operation: Operation,
  isList?: boolean,
  id?: unknown,
): unknown {
  const { ok, status, text } = received;
  const { method, path } = operation;
  if (ok && status === 204 && factsOf(method, path).empty) return undefined;
  const data = ok ? jsonObject(text) : undefined;
  if (data && (id ?? data.id) === data.id && (!isList || isPage(data))) return data;
  throw apiError(received, operation, isList ? 'a page' : 'the requested object');
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
