/** The error catalogue: every code of the service, its status and its default message. */
export const errorCatalogue = {
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
  RANGE_NOT_SATISFIABLE: { status: 416, message: 'The range selects none of the bytes.' },
  RATE_LIMIT_EXCEEDED: { status: 429, message: 'Too many requests. Wait before the next one.' },
  INTERNAL_ERROR: {
    status: 500,
    message: 'Something went wrong on the server. The request id finds it in the log.',
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorCatalogue;

export interface ServiceErrorOptions {
  /** Default: the message of the catalogue. */
  readonly message?: string;
  /** Machine-readable, for example `{ vaultId }`. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Whole seconds until a retry can succeed. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/** An error that the server reports to the caller. Every other error is reported as INTERNAL_ERROR. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, options: ServiceErrorOptions = {}) {
    super(
      options.message ?? errorCatalogue[code].message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.status = errorCatalogue[code].status;
    this.details = options.details ?? {};
    this.retryAfter = options.retryAfter;
  }
}

/** One broken rule: the dotted path of the field, the name of the rule, and a message. */
export interface Violation {
  readonly field: string;
  readonly constraint: string;
  readonly message: string;
}

/** Characters of a sent name or id that an error repeats. */
const maxShownLength = 500;

/** Returns a sent name or id as errors repeat it: a long one is cut, before a character of two halves. */
export function shownName(name: string): string {
  if (name.length <= maxShownLength) return name;
  return `${name.slice(0, maxShownLength).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Creates a VALIDATION_ERROR whose details name the first violation in `field` and `constraint`, and all in `violations`. */
export function validationError(violations: readonly [Violation, ...Violation[]]): ServiceError {
  const [{ field, constraint, message }] = violations;
  return new ServiceError('VALIDATION_ERROR', {
    message,
    details: { field, constraint, violations },
  });
}

/** Creates a VALIDATION_ERROR for a single rule. */
export function violation(field: string, constraint: string, message: string): ServiceError {
  return validationError([{ field, constraint, message }]);
}

/** Creates a NOT_FOUND with the requested id, cut when it is long: `notFound('vault', { vaultId })`. */
export function notFound(resource: string, ids: Record<string, string> = {}): ServiceError {
  const details = Object.fromEntries(
    Object.entries(ids).map(([name, id]) => [name, shownName(id)]),
  );
  return new ServiceError('NOT_FOUND', { message: `There is no such ${resource}.`, details });
}
