import type { ErrorCode, ErrorDetails } from './generated/types.ts';

/** The call that an error ended, and the original error, if there is one. */
export type ErrorContext = Partial<Pick<VaultError, 'method' | 'path' | 'attempts' | 'cause'>>;

/** Properties of an {@link ApiError}. */
export type ApiErrorContext = ErrorContext &
  Pick<ApiError, 'status' | 'code' | 'details'> &
  Partial<Pick<ApiError, 'reason' | 'requestId' | 'timestamp' | 'retryAfterMs'>>;

/** Shared by every copy of this module: ESM, CJS and other versions. */
const brand = Symbol.for('@document-vault/sdk/VaultError');

/**
 * Whether `value` is an error of this SDK, also of another copy of the package.
 *
 * @example
 * if (isVaultError(error)) console.log(error.name, error.message);
 */
export function isVaultError(value: unknown): value is VaultError {
  return typeof value === 'object' && value !== null && brand in value;
}

/** The base class of every error that the SDK throws. Distinguish them by `instanceof` or `name`. */
export class VaultError extends Error {
  /** HTTP method of the failed request; undefined when no request was sent. */
  declare readonly method: string | undefined;
  /** Path template of the operation, such as `/api/v1/vaults/{id}`, without values. */
  declare readonly path: string | undefined;
  /** How many requests were sent; undefined when the error is not of a request. */
  declare readonly attempts: number | undefined;

  /**
   * Creates an error, for tests of your error handling.
   *
   * @param message - what went wrong, for people; never a key, token, passphrase or plaintext
   */
  constructor(message: string, { cause, ...context }: ErrorContext = {}) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, context);
  }

  /** Returns name, message and properties without stack and cause, for structured logs. */
  toJSON(): object {
    const { name, message } = this;
    return { ...this, name, message };
  }
}

/** The service responded with an error, or the response is not the service's. */
export class ApiError extends VaultError {
  /** HTTP status of the response. */
  declare readonly status: number;
  /** Error code of the service; undefined when the response is not the service's. */
  declare readonly code: ErrorCode | undefined;
  /** Further facts about the error; empty when there are none. */
  declare readonly details: ErrorDetails;
  /**
   * The sentence of the service alone, fit for users. `message` also has method, path, status and code.
   * Undefined when the response is not the service's.
   */
  declare readonly reason: string | undefined;
  /** Id of the request, for support and logs. */
  declare readonly requestId: string | undefined;
  /** When the error occurred, by the service's clock (ISO 8601). */
  declare readonly timestamp: string | undefined;
  /** How long the service asks to wait before the next call, in milliseconds. */
  declare readonly retryAfterMs: number | undefined;

  /**
   * Creates an error, for tests of your error handling.
   *
   * @param message - the message of the service
   */
  constructor(message: string, context: ApiErrorContext) {
    super(message, context);
  }
}

/** 400: the request is invalid. `details.field` and `details.constraint` name the first violation. */
export class ValidationError extends ApiError {}

/** 401: the credentials are missing or invalid. */
export class AuthenticationError extends ApiError {}

/** 403: a scope or role is missing, the account is suspended, or the address is blocked. */
export class PermissionError extends ApiError {}

/**
 * 404: the resource does not exist, or belongs to another account. A deletion whose first response
 * was lost is repeated and can end with this error although it succeeded: `attempts` is then above 1.
 */
export class NotFoundError extends ApiError {}

/** 429: too many requests, and the wait exceeds `maxRetryAfter` or `totalTimeout`. See `retryAfterMs`. */
export class RateLimitError extends ApiError {}

/** 5xx: the service or a proxy failed, also on every retry. */
export class ServerError extends ApiError {}

/** No response: no connection, a lost connection, an unknown host name, a refused redirect. */
export class ConnectionError extends VaultError {}

/** No response within `timeout`, or no success within `totalTimeout`. */
export class TimeoutError extends VaultError {}

/** The caller's signal aborted the call; `cause` is the signal's reason. */
export class AbortError extends VaultError {}

/** The session has ended: the user must log in again. */
export class SessionExpiredError extends VaultError {}

/**
 * Why a document or its key cannot be decrypted:
 * - `key`: the secret, the cipher or the key of a link does not fit, the wrapped key is that of another document, or
 *   the key of the vault was lost when the keyring was replaced. With a link, a changed beginning of the content looks
 *   the same.
 * - `keys`: the keyring or the keys of a vault were changed, or belong to another account or vault. Do not trust the
 *   service.
 * - `document`: the service returned another document.
 * - `content`: the content was changed, cut off or reordered.
 * - `size`: the service reports another size than the sealed one.
 * - `name`: the name was changed, replaced by a plain one, or is not a file name.
 * - `metadata`: the encryption metadata is invalid or not supported.
 * - `checkpoint`: the checkpoint of an upload to resume was changed.
 */
export type DecryptionReason =
  | 'key'
  | 'keys'
  | 'document'
  | 'content'
  | 'size'
  | 'name'
  | 'metadata'
  | 'checkpoint';

/** Properties of a {@link DecryptionError}. The default of `reason` is `content`. */
export type DecryptionErrorContext = ErrorContext & Partial<Pick<DecryptionError, 'reason'>>;

/** Decryption failed. `reason` distinguishes a wrong key from content that was tampered with. */
export class DecryptionError extends VaultError {
  /** Why the document cannot be decrypted. */
  declare readonly reason: DecryptionReason;

  /**
   * Creates an error, for tests of your error handling.
   *
   * @param message - what went wrong, for people
   */
  constructor(message: string, { reason = 'content', ...context }: DecryptionErrorContext = {}) {
    super(message, { ...context, reason } as ErrorContext);
  }
}

/**
 * The source of an upload returned other bytes than before. Nothing of it was sent: two contents under
 * one key and nonce would reveal both. Start a new upload.
 */
export class SourceChangedError extends VaultError {}

/**
 * Code that is loaded on demand is missing. In a browser, the usual cause is a new version of the app, whose files
 * have replaced those of the open page: tell the user to reload it. In Node, a package is not installed.
 */
export class CodeLoadError extends VaultError {}

/** The client has no keys for a call. Ask the user for a secret of the keyring, and call `client.unlock`. */
export class LockedError extends VaultError {}

/** An option or argument is invalid. Nothing was sent. */
export class UsageError extends VaultError {}

/** A name on the prototype survives minification and appears in stack traces. */
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
  SourceChangedError,
  CodeLoadError,
  LockedError,
  UsageError,
};
for (const [name, { prototype }] of Object.entries(named)) {
  Object.defineProperty(prototype, 'name', { value: name });
}
Object.defineProperty(VaultError.prototype, brand, { value: true });

/** Whether a value is an error. In Jest, those of `fetch` have another realm's class. */
export function isError(value: unknown): value is Error {
  return typeof (value as Partial<Error> | null | undefined)?.message === 'string';
}

/** Returns an error of the SDK unchanged and wraps any other value. */
export function asVaultError(error: unknown, context?: ErrorContext): VaultError {
  if (isVaultError(error)) return error;
  const reason = isError(error) ? error.message : error;
  return new VaultError(`Unexpected failure: ${reason}`, { ...context, cause: error });
}

/**
 * Loads code on demand.
 *
 * @throws CodeLoadError
 */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const reason = isError(cause) ? cause.message : cause;
    throw new CodeLoadError(`Code could not be loaded: ${reason}. In a browser, reload the page`, {
      cause,
    });
  }
}

/** Returns a handler of rejections that throws {@link asVaultError}. */
export function rethrow(context?: ErrorContext): (error: unknown) => never {
  return (error) => {
    throw asVaultError(error, context);
  };
}
