import type { DocumentVault } from '../client.ts';
import { loadCode, UsageError } from '../errors.ts';
import type { Scope, TokenPair } from '../generated/types.ts';
import { accessOf, type ClientAccess } from '../http/access.ts';
import type { CallOptions, TokenSource } from '../options.ts';
import { throwOAuthError } from './errors.ts';
import { type TokenService, tokenService } from './token-service.ts';

/**
 * Authenticates an OAuth client: adds credentials to a request. `ClientSecretPost` and `PrivateKeyJwt` of
 * oauth4webapi make one.
 */
export type ClientAuthentication = (
  server: { issuer: string; token_endpoint?: string },
  client: { client_id: string },
  body: URLSearchParams,
  headers: Headers,
) => void | Promise<void>;

/** An application as it is registered at the service. */
export interface App {
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly clientAuthentication: ClientAuthentication | undefined;
  readonly redirectUri: string | undefined;
  readonly requirePar: boolean | undefined;
  /** The scopes of the last client credentials grant: such tokens are requested again, not refreshed. */
  ownScopes?: readonly Scope[];
}

/** The app of each token source. A source that is printed shows no secret. */
const apps = new WeakMap<TokenSource, App>();

/** Remembers the app of a token source. */
export function registerApp(source: TokenSource, app: App): void {
  apps.set(source, app);
}

/**
 * Returns the app of a client, and the access to its transport.
 *
 * @throws UsageError when the session of the client is not one of `oauthSession`
 */
export function appOf(client: DocumentVault): { readonly app: App; readonly access: ClientAccess } {
  const access = accessOf(client);
  const { source } = access.settings.session ?? {};
  const app = source && apps.get(source);
  if (app) return { app, access };
  throw new UsageError('client must have a session of oauthSession');
}

/** The functions of oauth4webapi. */
type Library = typeof import('oauth4webapi');

/** What every request of oauth4webapi takes. */
interface Parties {
  readonly oauth: Library;
  readonly as: {
    issuer: string;
    authorization_endpoint: string;
    token_endpoint: string;
  };
  readonly client: { client_id: string };
  readonly auth: ClientAuthentication;
  readonly options: ReturnType<typeof requestOptions>;
}

/** A response with the tokens in it. */
interface TokenReply {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  readonly expires_in?: number | undefined;
  readonly scope?: string | undefined;
}

/** The tokens of an app, with the scopes that its user agreed to. */
export interface AppTokens extends TokenPair {
  readonly scopes: Scope[];
}

/**
 * Runs requests of oauth4webapi. The library is loaded by the first one: apps that are signed in do without.
 * The endpoints are those of the service, so that no request has to discover them.
 *
 * @throws OAuthError
 */
export async function withLibrary<T>(
  app: App,
  service: Pick<TokenService, 'baseUrl' | 'fetch'>,
  work: (parties: Parties) => Promise<T>,
): Promise<T> {
  const { clientId, clientSecret, clientAuthentication } = app;
  const { baseUrl } = service;
  const oauth = await loadCode(() => import('oauth4webapi'));
  const ofSecret = () =>
    clientSecret === undefined ? oauth.None() : oauth.ClientSecretBasic(clientSecret);
  const as = {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/oauth/token`,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    pushed_authorization_request_endpoint: `${baseUrl}/oauth/par`,
    device_authorization_endpoint: `${baseUrl}/oauth/device`,
    authorization_response_iss_parameter_supported: true,
  };
  return work({
    oauth,
    as,
    client: { client_id: clientId },
    auth: clientAuthentication ?? ofSecret(),
    options: requestOptions(oauth, service),
  }).catch(throwOAuthError);
}

/** The client refuses `http:` by itself, other than to the loopback interface. */
function requestOptions(oauth: Library, service: Pick<TokenService, 'fetch'>) {
  return { [oauth.customFetch]: service.fetch, [oauth.allowInsecureRequests]: true };
}

/** Converts the response of the token endpoint. Without a refresh token, the given one stays. */
export function tokensOf(reply: TokenReply, refreshToken = ''): AppTokens {
  const { access_token, refresh_token, expires_in, scope = '' } = reply;
  return {
    accessToken: access_token,
    refreshToken: refresh_token ?? refreshToken,
    // RFC 6749 only recommends to send it. An app then learns of the end by a 401.
    expiresIn: expires_in ?? 3_600,
    scopes: scope.split(' ').filter(Boolean) as Scope[],
  };
}

/** What a user has agreed to. */
export interface Authorized {
  /** The scopes of the app's tokens: a user can leave out some of those that it asked for. */
  scopes: Scope[];
}

/** Starts a session of the client with the tokens of a grant. */
export async function signIn(
  client: DocumentVault,
  grant: (service: TokenService) => Promise<{ data: AppTokens; response: Response }>,
  options: CallOptions | undefined,
): Promise<Authorized> {
  const { access } = appOf(client);
  if (!access.startSession) {
    throw new UsageError(
      'A client with apiKey or accessToken has no session: pass oauthSession to sign in',
    );
  }
  let scopes: Scope[] = [];
  await access.startSession(async () => {
    const result = await grant(tokenService(access, options));
    scopes = result.data.scopes;
    return result;
  });
  return { scopes };
}
