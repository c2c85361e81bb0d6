import { type ApiError, isVaultError } from '../errors.ts';
import type { ErrorCode, ErrorDetails } from '../generated/types.ts';
import { type ApiResponse, errorBody, jsonObject } from '../http/responses.ts';

/** One error of a response. */
export interface GraphqlFailure {
  /** What went wrong, for people. */
  message: string;
  /** Error code of the service, as in REST. */
  code: ErrorCode | undefined;
  /** Further facts about the error, as in REST; empty when there are none. */
  details: ErrorDetails;
  /** The field that failed, such as `['a', 'documents', 0]`; undefined for the whole operation. */
  fieldPath: (string | number)[] | undefined;
}

/** An {@link ApiError} of GraphQL. Its code, status and details are those of the first of its `errors`. */
export interface GraphqlError extends ApiError {
  /** The field that failed; undefined when the whole operation failed. */
  readonly fieldPath: (string | number)[] | undefined;
  /** Every error of the response; at least one. */
  readonly errors: GraphqlFailure[];
}

/**
 * Whether `value` is an error of GraphQL, also of another copy of the package.
 *
 * @example
 * if (isGraphqlError(error)) console.log(error.code, error.fieldPath);
 */
export function isGraphqlError(value: unknown): value is GraphqlError {
  return isVaultError(value) && 'errors' in value;
}

/** Not a property of the error: results may be secret, and errors are logged. */
const partialResults = new WeakMap<object, unknown>();

/**
 * Returns the fields that did not fail; in a mutation, the changes that were made. Undefined when the
 * whole operation failed.
 *
 * @example
 * if (isGraphqlError(error)) console.log(partialData(error)?.me);
 */
export function partialData(error: unknown): Record<string, unknown> | undefined {
  const data = typeof error === 'object' && error !== null && partialResults.get(error);
  return data ? (data as Record<string, unknown>) : undefined;
}

/** Status of each code in REST. */
const statuses: Readonly<Record<ErrorCode, number>> = {
  VALIDATION_ERROR: 400,
  INVALID_API_KEY: 401,
  EXPIRED_TOKEN: 401,
  INVALID_TOKEN: 401,
  MISSING_AUTH: 401,
  INSUFFICIENT_PERMISSIONS: 403,
  ACCOUNT_SUSPENDED: 403,
  IP_BLOCKED: 403,
  NOT_FOUND: 404,
  RANGE_NOT_SATISFIABLE: 416,
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
};

/**
 * Makes the error of a response with errors, or of one that is not GraphQL's. Class and status are
 * those of REST for the same cause, also when GraphQL responds 200.
 *
 * @param makeError - makes the error of a response, by the client's own classes
 * @param variables - the error must not quote them
 */
export function failureOf(
  makeError: (received: ApiResponse) => ApiError,
  received: ApiResponse,
  variables: unknown,
): ApiError {
  const { data, ...content } = jsonObject(received.text) ?? {};
  const redacted: Record<string, unknown> = withoutVariables(content, variables);
  const text = JSON.stringify(redacted);
  const errors = Array.isArray(redacted.errors) ? redacted.errors.map(toFailure) : [];
  const [first] = errors;
  if (!first) return makeError({ ...received, error: errorBody(text) });
  const status = (received.ok && first.code && statuses[first.code]) || received.status;
  const error = makeError({ ...received, status, error: errorBody(text) });
  if (data) partialResults.set(error, data);
  return Object.assign(error, { fieldPath: first.fieldPath, errors });
}

function toFailure(value: unknown): GraphqlFailure {
  const { message, path, extensions } = objectOf(value);
  const { code, details } = objectOf(extensions);
  return {
    message: String(message),
    code: typeof code === 'string' ? (code as ErrorCode) : undefined,
    details: objectOf(details),
    fieldPath: Array.isArray(path) ? path : undefined,
  };
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Replaces a message that quotes a variable. */
const replacement = 'a value was refused (it is not shown here)';

/** Shorter texts occur in messages by chance. */
const shortest = 4;

/** Only this many characters are searched for: a message may quote only the beginning. */
const longest = 16;

/**
 * Replaces every `message` in `content` that quotes a text or a number of the variables. Field,
 * constraint and code stay.
 */
function withoutVariables<T>(content: T, variables: unknown): T {
  const quotes = [...textsOf(variables)].flatMap((text) => {
    const start = text.slice(0, longest);
    return [start, JSON.stringify(start).slice(1, -1)];
  });
  return quotes.length === 0 ? content : (cleaned(content, quotes) as T);
}

function* textsOf(value: unknown): Iterable<string> {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) yield* textsOf(part);
  } else if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value);
    if (text.length >= shortest) yield text;
  }
}

function cleaned(value: unknown, quotes: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((part) => cleaned(part, quotes));
  const entries = Object.entries(value).map(([name, part]) => {
    const shows = name === 'message' && quotes.some((quote) => String(part).includes(quote));
    return [name, shows ? replacement : cleaned(part, quotes)];
  });
  return Object.fromEntries(entries);
}
