import { type ApiError, type ErrorCode, type ErrorDetails, isVaultError } from '../errors.ts';
import { jsonObject } from '../http/answer.ts';
import type { Answer } from '../http/exchange.ts';
import { withoutVariables } from './redaction.ts';

/** One error of an answer. */
export interface GraphqlFailure {
  /** What went wrong, for people. */
  message: string;
  /** The service's name for the error, as in REST. */
  code: ErrorCode | undefined;
  /** What else the service says about it, as in REST; empty when it says nothing. */
  details: ErrorDetails;
  /** The field that failed, such as `['a', 'documents', 0]`; undefined for the whole operation. */
  fieldPath: (string | number)[] | undefined;
}

/** An {@link ApiError} that GraphQL answered: it tells of the first of its `errors`. */
export interface GraphqlError extends ApiError {
  /** The field that failed; undefined when the operation was refused as a whole. */
  readonly fieldPath: (string | number)[] | undefined;
  /** Every error of the answer; at least one. */
  readonly errors: GraphqlFailure[];
}

/** Whether `value` is an error that GraphQL answered, also of another copy of this package. */
export function isGraphqlError(value: unknown): value is GraphqlError {
  return isVaultError(value) && 'errors' in value;
}

/** Beside the errors, not in them: results may be secret, and errors are logged. */
const partialResults = new WeakMap<object, unknown>();

/**
 * What was answered beside an error: the fields that did not fail, in a mutation what was done.
 * Undefined when the operation was refused as a whole.
 */
export function partialData(error: unknown): Record<string, unknown> | undefined {
  const data = typeof error === 'object' && error !== null && partialResults.get(error);
  return data ? (data as Record<string, unknown>) : undefined;
}

/** The statuses by which REST answers these codes. */
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
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
};

/**
 * The error of an answer that has errors, or is none of GraphQL: of the class and status that REST
 * has for the same cause, even where GraphQL answers 200.
 *
 * @param makeError - makes the error of a response, by the client's own classes
 * @param variables - what no message of the error may quote
 */
export function failureOf(
  makeError: (answer: Answer) => ApiError,
  answer: Answer,
  variables: unknown,
): ApiError {
  const { data, ...content } = jsonObject(answer.text) ?? {};
  const said: Record<string, unknown> = withoutVariables(content, variables);
  const text = JSON.stringify(said);
  const errors = Array.isArray(said.errors) ? said.errors.map(toFailure) : [];
  const [first] = errors;
  if (!first) return makeError({ ...answer, text });
  const status = (answer.ok && first.code && statuses[first.code]) || answer.status;
  const error = makeError({ ...answer, status, text });
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
