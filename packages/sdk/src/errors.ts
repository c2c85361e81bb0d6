/** How the service names what went wrong. */
export type ErrorCode =
  | 'INVALID_API_KEY'
  | 'EXPIRED_TOKEN'
  | 'INVALID_TOKEN'
  | 'MISSING_AUTH'
  | 'INSUFFICIENT_PERMISSIONS'
  | 'ACCOUNT_SUSPENDED'
  | 'IP_BLOCKED'
  | 'NOT_FOUND'
  | 'VALIDATION_ERROR'
  | 'RATE_LIMIT_EXCEEDED'
  | 'INTERNAL_ERROR';

/** One property of a request that was refused. */
export interface Violation {
  /** Dotted path of the property, such as `encryptionMetadata.iv`. */
  field: string;
  /** The JSON Schema keyword that failed, or a word of the contract such as `unique`. */
  constraint: string;
  /** What is wrong, for people. */
  message: string;
}

/** What else the service says about an error; which properties there are depends on the code. */
export interface ErrorDetails {
  /** The first property that was refused (`VALIDATION_ERROR`). */
  field?: string;
  /** What that property failed (`VALIDATION_ERROR`). */
  constraint?: string;
  /** All that was refused (`VALIDATION_ERROR`). */
  violations?: Violation[];
  /** The limit that was reached, as `usage` of `users.me()` names it (`accountRows`, `accountQuota`). */
  resource?: string;
  [name: string]: unknown;
}

/** What every error of the SDK can say about the call it ended. */
export interface ErrorFacts {
  /** HTTP method of the call, if there was one. */
  method?: string | undefined;
  /** Path template of the operation, such as `/api/v1/vaults/{id}`: never with the values in it. */
  path?: string | undefined;
  /** How many requests were sent. */
  attempts?: number | undefined;
  /** The error underneath, if there is one. */
  cause?: unknown;
}

/** What an {@link ApiError} says beyond {@link ErrorFacts}. */
export interface ApiErrorFacts extends ErrorFacts {
  /** HTTP status of the answer. */
  status: number;
  /** The service's name for the error. */
  code: ErrorCode | undefined;
  /** What else the service says about it. */
  details: ErrorDetails;
  /** Id of the request. */
  requestId?: string | undefined;
  /** When it happened, by the service's clock (ISO 8601). */
  timestamp?: string | undefined;
  /** How long the service asks to wait, in milliseconds. */
  retryAfterMs?: number | undefined;
}

/** Shared by every copy of this module (ESM and CJS, or two versions side by side). */
const brand = Symbol.for('@document-vault/sdk/VaultError');

/** Whether `value` is an error of this SDK, also of another copy of it. */
export function isVaultError(value: unknown): value is VaultError {
  return typeof value === 'object' && value !== null && brand in value;
}

/** The base of every error the SDK throws. Tell them apart by `instanceof` or by `name`. */
export class VaultError extends Error {
  /** HTTP method of the request that failed; undefined when none did. */
  declare readonly method: string | undefined;
  /** Path template of the operation, such as `/api/v1/vaults/{id}`: never with the values in it. */
  declare readonly path: string | undefined;
  /** How many requests were sent; undefined when none failed. */
  declare readonly attempts: number | undefined;

  /**
   * The SDK makes its errors; make one yourself to test how yours are handled.
   *
   * @param message - what went wrong, for people; never a key, token, passphrase or plaintext
   */
  constructor(message: string, { cause, ...facts }: ErrorFacts = {}) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, facts);
  }

  /** For structured logs: name, message and facts, without stack and cause. */
  toJSON(): object {
    const { name, message } = this;
    return { ...this, name, message };
  }
}

/** The service answered with an error, or with something that is not an answer of the service. */
export class ApiError extends VaultError {
  /** HTTP status of the answer. */
  declare readonly status: number;
  /** The service's name for the error; undefined when the answer was not the service's own. */
  declare readonly code: ErrorCode | undefined;
  /** What else the service says about it; empty when it says nothing. */
  declare readonly details: ErrorDetails;
  /** Id of the request, for support and logs. */
  declare readonly requestId: string | undefined;
  /** When the error happened, by the service's clock (ISO 8601). */
  declare readonly timestamp: string | undefined;
  /** How long the service asks to wait before the next call, in milliseconds. */
  declare readonly retryAfterMs: number | undefined;

  /**
   * The SDK makes its errors; make one yourself to test how yours are handled.
   *
   * @param message - the service's sentence
   */
  constructor(message: string, facts: ApiErrorFacts) {
    super(message, facts);
  }
}

/** 400: the request failed validation; `details.field` and `details.constraint` say where. */
export class ValidationError extends ApiError {}

/** 401: no credentials, or credentials that are not valid. */
export class AuthenticationError extends ApiError {}

/** 403: the credentials are valid and not enough, or the account or address is shut out. */
export class PermissionError extends ApiError {}

/**
 * 404: the resource does not exist, or belongs to somebody else. A deletion whose first answer was
 * lost is repeated, and may end with this although it happened: `attempts` is then above 1.
 */
export class NotFoundError extends ApiError {}

/** 429: too many requests, and waiting would take longer than allowed; see `retryAfterMs`. */
export class RateLimitError extends ApiError {}

/** 5xx: the service or something in front of it failed, after every retry. */
export class ServerError extends ApiError {}

/** No answer: no connection, a lost connection, a name that does not resolve, a refused redirect. */
export class ConnectionError extends VaultError {}

/** No answer within `timeout`, or no success within `totalTimeout`. */
export class TimeoutError extends VaultError {}

/** The caller's signal ended the call; `cause` is the signal's reason. */
export class AbortError extends VaultError {}

/** The session has ended and cannot be renewed: the user must log in again. */
export class SessionExpiredError extends VaultError {}

/** The content could not be decrypted: wrong passphrase, damaged content, or metadata not usable. */
export class DecryptionError extends VaultError {}

/** The options or the arguments are wrong. Nothing was sent. */
export class UsageError extends VaultError {}

/** On the prototype a name survives minification and stands in the stack trace. */
const named = {
  VaultError,
  ApiError,
  ValidationError,
  AuthenticationError,
  PermissionError,
  NotFoundError,
  RateLimitError,
  ServerError,
  ConnectionError,
  TimeoutError,
  AbortError,
  SessionExpiredError,
  DecryptionError,
  UsageError,
};
for (const [name, { prototype }] of Object.entries(named)) {
  Object.defineProperty(prototype, 'name', { value: name });
}
Object.defineProperty(VaultError.prototype, brand, { value: true });

/** Leaves an error of the SDK as it is and wraps anything else, so that nothing else is thrown. */
export function asVaultError(error: unknown, facts?: ErrorFacts): VaultError {
  if (isVaultError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new VaultError(`Unexpected failure: ${message}`, { ...facts, cause: error });
}
