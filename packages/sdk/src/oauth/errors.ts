import { isVaultError, VaultError } from '../errors.ts';

/** Properties of an {@link OAuthError}. */
export interface OAuthErrorContext {
  /** The code of RFC 6749 or RFC 8628. */
  code?: string | undefined;
  /** HTTP status of the response. */
  status?: number | undefined;
}

/** The service refused a request of OAuth, or its response is invalid. */
export class OAuthError extends VaultError {
  /**
   * The code of RFC 6749 (sections 4.1.2.1 and 5.2) or RFC 8628, such as `access_denied`. Undefined when
   * the response is invalid: changed, of another sign-in, or of another service.
   */
  declare readonly code: string | undefined;
  /** HTTP status of the response; undefined when the code came with a redirect. */
  declare readonly status: number | undefined;

  /**
   * Creates an error, for tests of your error handling.
   *
   * @param message - what went wrong, for people
   */
  constructor(message: string, context: OAuthErrorContext = {}) {
    super(message, context as object);
  }
}

// On the prototype, as of the other errors: it survives minification.
Object.defineProperty(OAuthError.prototype, 'name', { value: 'OAuthError' });

/** What oauth4webapi throws. */
interface LibraryError {
  readonly message: string;
  readonly error?: unknown;
  readonly error_description?: unknown;
  readonly status?: unknown;
}

/**
 * Converts an error of oauth4webapi. Its cause is left out: it may hold tokens.
 *
 * @throws OAuthError, or the error itself when it is one of the SDK
 */
export function throwOAuthError(error: unknown): never {
  if (isVaultError(error)) throw error;
  const { message, error: code, error_description: text, status } = error as LibraryError;
  if (typeof code !== 'string') throw new OAuthError(`The response is invalid: ${message}`);
  throw new OAuthError(text ? `${code}: ${text}` : code, {
    code,
    ...(typeof status === 'number' && { status }),
  });
}
