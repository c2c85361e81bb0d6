// Generated from openapi/rules/credentials.ts by `npm run generate`. Do not edit.

import { ServiceError } from './errors.ts';

// Which credentials a request has, and the errors of others.

/** The prefix of API keys. */
const keyPrefix = 'service_sk_';

/** The start of every JWT: base64url of `{"`. */
const tokenPrefix = 'eyJ';

/** The credentials that an operation takes. */
interface Taken {
  readonly key: boolean;
  readonly token: boolean;
}

/** The error for a request without credentials. */
export function missingAuth({ key, token }: Taken): ServiceError {
  if (key && token) return new ServiceError('MISSING_AUTH');
  const message = key
    ? 'Send an API key in X-Api-Key. This operation takes no access token.'
    : 'Send an access token in Authorization: Bearer. This operation takes no API key.';
  return new ServiceError('MISSING_AUTH', { message });
}

/** @throws ServiceError INVALID_API_KEY for an access token in the header of API keys */
export function checkedKey(key: string): string {
  if (!key.startsWith(tokenPrefix)) return key;
  throw new ServiceError('INVALID_API_KEY', {
    message: 'X-Api-Key has an access token. Send it in Authorization: Bearer.',
  });
}

/** Returns the token of an `Authorization` header. */
export function bearerToken(authorization: string | null): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

/** @throws ServiceError INVALID_TOKEN for another scheme than Bearer, and for an API key */
export function checkedToken(authorization: string): string {
  const token = bearerToken(authorization);
  if (token === undefined) {
    throw new ServiceError('INVALID_TOKEN', {
      message: 'Authorization must be Bearer, a space and an access token.',
    });
  }
  if (!token.startsWith(keyPrefix)) return token;
  throw new ServiceError('INVALID_TOKEN', {
    message: 'Authorization has an API key. Send it in X-Api-Key.',
  });
}

/**
 * Rejects an API key: the operation needs a signed-in user.
 *
 * @throws ServiceError INSUFFICIENT_PERMISSIONS
 */
export function requireSession({ sessionId }: { readonly sessionId: string | null }): void {
  if (sessionId !== null) return;
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', {
    message: 'An API key cannot do this. Sign in to the vault.',
  });
}

/** The error for a session that was ended, has expired or belonged to a deleted account. */
export function sessionEnded(cause?: unknown): ServiceError {
  return new ServiceError('INVALID_TOKEN', {
    message: 'The session of this token has ended. Sign in again.',
    cause,
  });
}

/** The error for a refresh token that is unknown, has expired or was exchanged before. */
export function invalidRefreshToken(): ServiceError {
  return new ServiceError('INVALID_TOKEN', {
    message: 'The refresh token is not valid. Sign in again.',
  });
}

/** The error for a login. It does not say whether the address has an account. */
export function wrongLogin(): ServiceError {
  return new ServiceError('INVALID_TOKEN', {
    message: 'The email address or the password is wrong.',
  });
}
