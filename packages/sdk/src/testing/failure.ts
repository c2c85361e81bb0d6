import type { ErrorCode, Violation } from '../generated/types.ts';

/** The error catalogue: the status of each code and the sentence of the service. */
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

interface FailureFacts {
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Whole seconds. */
  readonly retryAfter?: number;
}

/** What a request is answered with when it fails. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, { message, details = {}, retryAfter }: FailureFacts = {}) {
    super(message ?? catalogue[code].message);
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
  }
}

/** VALIDATION_ERROR that names the first violation, and all of them. */
export function invalid(violations: readonly [Violation, ...Violation[]]): Failure {
  const [{ field, constraint, message }] = violations;
  return new Failure('VALIDATION_ERROR', { message, details: { field, constraint, violations } });
}

/** VALIDATION_ERROR for a single rule. */
export function violation(field: string, constraint: string, message: string): Failure {
  return invalid([{ field, constraint, message }]);
}

/** NOT_FOUND with the id that was asked for: `notFound('vault', { vaultId })`. */
export function notFound(resource: string, details: Record<string, string> = {}): Failure {
  return new Failure('NOT_FOUND', { message: `There is no such ${resource}.`, details });
}
