import {
  ApiError,
  type ApiErrorFacts,
  AuthenticationError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ValidationError,
} from '../errors.ts';
import type { Answer } from './exchange.ts';
import { askedWait } from './retry.ts';

/** The body as an object, or undefined when it is not JSON or no object. */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What the service says about an error. */
type ErrorBody = Partial<ApiErrorFacts> & { message?: string; retryAfter?: number };

/** The service's error in a body, the first one of GraphQL's; empty when there is none. */
export function errorBody(text: string): ErrorBody {
  const { error, errors } = jsonObject(text) ?? {};
  const said = error ?? (Array.isArray(errors) && errors[0]);
  if (typeof said !== 'object' || said === null) return {};
  return error ? said : { ...said.extensions, message: said.message };
}

/** How long an answer asks to wait, in milliseconds. */
export function waitOf({ response, status, text, receivedAt }: Answer): number | undefined {
  const { headers } = response;
  return askedWait({ status, headers, retryAfter: errorBody(text).retryAfter }, receivedAt);
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

/** Which call an answer is of. */
interface CallFacts {
  method: string;
  /** Path template. */
  path: string;
}

/** Makes the error that an answer stands for, whatever its body is. */
export function apiError(answer: Answer, facts: CallFacts): ApiError {
  const { response, status, attempts } = answer;
  const { method, path } = facts;
  const { code, message, details, requestId, timestamp } = errorBody(answer.text);
  const said = message ?? (answer.ok ? "the body is not the service's" : response.statusText);
  return new (classOf(status))(
    `${method} ${path}: ${[status, code, said].filter(Boolean).join(' ')}`,
    {
      method,
      path,
      attempts,
      status,
      code,
      details: details ?? {},
      requestId: requestId ?? response.headers.get('x-request-id') ?? undefined,
      timestamp,
      retryAfterMs: waitOf(answer),
    },
  );
}

/**
 * What an answer says: its body, or undefined where the contract has none.
 *
 * @throws ApiError for every other answer
 */
export function dataOf(answer: Answer, facts: CallFacts): unknown {
  const { ok, status, text } = answer;
  const isEmpty = status === 204 && (facts.method === 'DELETE' || facts.path === '/auth/logout');
  const data = isEmpty ? undefined : jsonObject(text);
  if (!ok || (data === undefined && !isEmpty)) throw apiError(answer, facts);
  return data;
}
