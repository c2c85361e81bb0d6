import { SessionExpiredError, UsageError } from '../errors.ts';
import { isBrowser, type SessionOptions, type TokenSource } from '../options.ts';
import { type App, type ClientAuthentication, registerApp, tokensOf, withLibrary } from './app.ts';
import { clientCredentialsGrant } from './client-credentials.ts';
import { OAuthError } from './errors.ts';
import { type TokenService, tokenService } from './token-service.ts';

/** Options of {@link oauthSession}: the app as it is registered, and those of a session. */
export interface OAuthSessionOptions extends Pick<SessionOptions, 'store' | 'onExpired'> {
  /** Id of the app's OAuth client. Not a secret. */
  clientId: string;
  /** Secret of a confidential client, for apps on servers. @default none: a public client */
  clientSecret?: string | undefined;
  /**
   * Another way to authenticate than by `clientSecret`. @default HTTP Basic with `clientSecret`, nothing
   * without
   */
  clientAuthentication?: ClientAuthentication | undefined;
  /** Where users come back to: one of the registered addresses. Needed by {@link beginAuthorization}. */
  redirectUri?: string | undefined;
  /** Pushes authorization requests (RFC 9126), which a client can require. @default false */
  requirePar?: boolean | undefined;
}

/**
 * Creates the session of an app, for the option `session` of a client. The client signs in by
 * {@link finishAuthorization}, {@link finishDeviceAuthorization} or {@link authorizeOwner}, and refreshes
 * the tokens as it does those of a login. `auth.logout` ends the access of this session. `onExpired` is
 * called when the user has taken back the consent, too.
 *
 * @throws {@link UsageError} when an option is invalid, or `clientSecret` is set in a browser
 * @example
 * const session = oauthSession({ clientId, redirectUri: 'https://app.example.com/callback' });
 * const client = new DocumentVault({ baseUrl: 'https://vault.example.com', session });
 */
export function oauthSession(options: OAuthSessionOptions): SessionOptions {
  const { clientId, clientSecret, clientAuthentication, redirectUri, requirePar } = options ?? {};
  if (typeof clientId !== 'string' || clientId === '') throw new UsageError('clientId is missing');
  if (clientSecret === '') throw new UsageError('clientSecret must not be empty');
  if (clientSecret !== undefined && isBrowser()) {
    throw new UsageError('clientSecret can be read in a browser: register a public client');
  }
  const app: App = { clientId, clientSecret, clientAuthentication, redirectUri, requirePar };
  const source = createSource(app);
  registerApp(source, app);
  return { store: options.store, onExpired: options.onExpired, source };
}

function createSource(app: App): TokenSource {
  return {
    async refresh({ refreshToken }, transport, options) {
      const service = tokenService(transport, options);
      if (refreshToken !== '') return refreshed(app, refreshToken, service);
      if (app.ownScopes) return (await clientCredentialsGrant(app, app.ownScopes, service)).data;
      throw new SessionExpiredError('The access has ended: the app has no refresh token');
    },
    logout: ({ accessToken, refreshToken }, transport, callOptions) =>
      withLibrary(
        app,
        tokenService(transport, callOptions),
        async ({ oauth, as, client, auth, options }) => {
          const token = refreshToken || accessToken;
          const response = await oauth.revocationRequest(as, client, auth, token, options);
          await oauth.processRevocationResponse(response);
        },
      ),
  };
}

/** @throws SessionExpiredError when the grant has ended */
function refreshed(app: App, refreshToken: string, service: TokenService) {
  return withLibrary(app, service, async ({ oauth, as, client, auth, options }) => {
    const response = await oauth.refreshTokenGrantRequest(as, client, auth, refreshToken, options);
    const reply = await oauth.processRefreshTokenResponse(as, client, response);
    return tokensOf(reply, refreshToken);
  }).catch((error) => {
    if (!(error instanceof OAuthError) || error.code !== 'invalid_grant') throw error;
    throw new SessionExpiredError('The access of the app has ended', { cause: error });
  });
}
