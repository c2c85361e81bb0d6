import type { DocumentVault } from '../client.ts';
import type { Scope } from '../generated/types.ts';
import type { CallOptions } from '../options.ts';
import { type App, type Authorized, appOf, signIn, tokensOf, withLibrary } from './app.ts';
import type { TokenService } from './token-service.ts';

/**
 * Signs in as the owner of the OAuth client, by client credentials (RFC 6749, section 4.4): for programs
 * on servers that work for the account that registered them. The client requests new tokens by itself
 * before they expire. Call it at every start of the program.
 *
 * @throws {@link OAuthError} with the code `invalid_client` for a wrong id or secret, `invalid_scope` for
 * a scope that the client does not have, `unauthorized_client` when it may not use this grant
 * @throws {@link UsageError} when the session of the client is not one of {@link oauthSession}
 * @example
 * await authorizeOwner(client, { scopes: ['vaults:read'] });
 */
export async function authorizeOwner(
  client: DocumentVault,
  { scopes }: { scopes: readonly Scope[] },
  options?: CallOptions,
): Promise<Authorized> {
  const { app } = appOf(client);
  return signIn(
    client,
    async (service) => {
      const granted = await clientCredentialsGrant(app, scopes, service);
      app.ownScopes = scopes;
      return granted;
    },
    options,
  );
}

/** Requests tokens for the owner of a client. */
export function clientCredentialsGrant(app: App, scopes: readonly Scope[], service: TokenService) {
  return withLibrary(app, service, async ({ oauth, as, client, auth, options }) => {
    const parameters = { scope: scopes.join(' ') };
    const response = await oauth.clientCredentialsGrantRequest(
      as,
      client,
      auth,
      parameters,
      options,
    );
    const reply = await oauth.processClientCredentialsResponse(as, client, response);
    return { data: tokensOf(reply), response };
  });
}
