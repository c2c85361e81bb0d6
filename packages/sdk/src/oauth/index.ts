export { isVaultError, SessionExpiredError, UsageError, VaultError } from '../errors.ts';
export type { Authorized, ClientAuthentication } from './app.ts';
export {
  type AuthorizationRequest,
  type AuthorizationResponse,
  type BegunAuthorization,
  beginAuthorization,
  finishAuthorization,
  type PendingAuthorization,
} from './authorization.ts';
export { authorizeOwner } from './client-credentials.ts';
export {
  beginDeviceAuthorization,
  type DeviceAuthorization,
  finishDeviceAuthorization,
} from './device.ts';
export { OAuthError, type OAuthErrorContext } from './errors.ts';
export { type OAuthSessionOptions, oauthSession } from './session.ts';
