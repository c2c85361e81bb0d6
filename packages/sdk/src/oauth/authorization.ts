import type { DocumentVault } from '../client.ts';
import { UsageError } from '../errors.ts';
import type { Scope } from '../generated/types.ts';
import type { CallOptions } from '../options.ts';
import { type App, type Authorized, appOf, signIn, tokensOf, withLibrary } from './app.ts';
import { tokenService } from './token-service.ts';

/** What an app asks its user for. */
export interface AuthorizationRequest {
  /** The scopes that the app needs. Its users can leave out some of them. */
  scopes: readonly Scope[];
}

/** A sign-in that has begun. It is JSON, secret, and fits one sign-in. */
export interface PendingAuthorization {
  /** Proves that the response belongs to this sign-in. */
  state: string;
  /** Proves that the app that exchanges the code has begun the sign-in (RFC 7636). */
  codeVerifier: string;
}

/** The result of {@link beginAuthorization}. */
export interface BegunAuthorization {
  /** Where to send the user. */
  url: string;
  /** What {@link finishAuthorization} needs. */
  pending: PendingAuthorization;
}

/**
 * Begins a sign-in by authorization code with PKCE. Keep `pending` where only this user's browser can
 * read it, such as `sessionStorage` or a session of your server, and send the user to `url`.
 *
 * @throws {@link OAuthError} when the service refuses a pushed request; it reports other refusals to
 * `redirectUri`, or to the user
 * @throws {@link UsageError} when `redirectUri` is missing, or the session of the client is not one of
 * {@link oauthSession}
 * @example
 * const { url, pending } = await beginAuthorization(client, { scopes: ['vaults:read'] });
 * sessionStorage.setItem('pending', JSON.stringify(pending));
 * location.assign(url);
 */
export async function beginAuthorization(
  client: DocumentVault,
  { scopes }: AuthorizationRequest,
  callOptions?: CallOptions,
): Promise<BegunAuthorization> {
  const { app, access } = appOf(client);
  const redirectUri = requireRedirectUri(app);
  return withLibrary(
    app,
    tokenService(access, callOptions),
    async ({ oauth, as, client, auth, options }) => {
      const codeVerifier = oauth.generateRandomCodeVerifier();
      const state = oauth.generateRandomState();
      let parameters: Record<string, string> = {
        response_type: 'code',
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      };
      if (app.requirePar) {
        const response = await oauth.pushedAuthorizationRequest(
          as,
          client,
          auth,
          parameters,
          options,
        );
        const pushed = await oauth.processPushedAuthorizationResponse(as, client, response);
        parameters = { request_uri: pushed.request_uri };
      }
      const query = new URLSearchParams({ client_id: app.clientId, ...parameters });
      return {
        url: `${as.authorization_endpoint}?${query}`,
        pending: { state, codeVerifier },
      };
    },
  );
}

/** How a user came back. */
export interface AuthorizationResponse {
  /** The address that the user came back to, with its query. */
  url: string | URL;
  /** What {@link beginAuthorization} returned. */
  pending: PendingAuthorization;
}

/**
 * Finishes a sign-in: exchanges the code in the address that the user came back to, and starts the
 * session. Later calls of the client are made for this user. Remove the code from the address, and
 * `pending` from its store. A code works once: after a failure, begin again.
 *
 * @returns the scopes that the user has agreed to
 * @throws {@link OAuthError} with the code `access_denied` when the user refused, `invalid_grant` when the
 * code has expired or was used; without a code when the response belongs to another sign-in
 * @throws {@link UsageError} when an argument is missing
 * @example
 * const pending = JSON.parse(sessionStorage.getItem('pending') ?? 'null');
 * const { scopes } = await finishAuthorization(client, { url: location.href, pending });
 * history.replaceState(null, '', location.pathname);
 */
export async function finishAuthorization(
  client: DocumentVault,
  { url, pending }: AuthorizationResponse,
  callOptions?: CallOptions,
): Promise<Authorized> {
  const { app } = appOf(client);
  const redirectUri = requireRedirectUri(app);
  if (!pending?.state || !pending.codeVerifier) {
    throw new UsageError('pending must be what beginAuthorization returned');
  }
  const { state, codeVerifier } = pending;
  const { searchParams } = new URL(url);
  return signIn(
    client,
    (service) =>
      withLibrary(app, service, async ({ oauth, as, client, auth, options }) => {
        const parameters = oauth.validateAuthResponse(as, client, searchParams, state);
        const response = await oauth.authorizationCodeGrantRequest(
          as,
          client,
          auth,
          parameters,
          redirectUri,
          codeVerifier,
          options,
        );
        const reply = await oauth.processAuthorizationCodeResponse(as, client, response);
        return { data: tokensOf(reply), response };
      }),
    callOptions,
  );
}

function requireRedirectUri({ redirectUri }: App): string {
  if (redirectUri) return redirectUri;
  throw new UsageError('redirectUri is missing: set it in oauthSession');
}
