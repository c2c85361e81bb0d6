/** Apps of a real server that sign in by OAuth. */
import { DocumentVault, type DocumentVaultOptions, memoryTokenStore } from '@document-vault/sdk';
import {
  beginAuthorization,
  finishAuthorization,
  type OAuthSessionOptions,
  oauthSession,
} from '@document-vault/sdk/oauth';
import { vi } from 'vitest';
import { approve, Browser } from '../../../../test/form-browser.ts';
import {
  clientSecret,
  type OAuthServer,
  redirectUri,
  startOAuthServer,
} from '../../../server/test/support/oauth.ts';
import { datedFetch } from './real-server.ts';

export { clientSecret, redirectUri };

/** Changes to the app and its client. */
export interface AppOptions {
  readonly session?: Partial<OAuthSessionOptions> | undefined;
  readonly client?: Partial<DocumentVaultOptions> | undefined;
  /** Changes to the registration. */
  readonly registered?: Parameters<OAuthServer['register']>[0] | undefined;
}

export const scopes = ['vaults:read', 'users:read'] as const;

/** Starts a server with a user, and creates a client for an app that no user has approved yet. */
export async function startApp({ session, client: options, registered }: AppOptions = {}) {
  const server = await startOAuthServer();
  const user = await server.signUp('ada@example.com');
  const { id: clientId } = await server.register(registered);
  const store = memoryTokenStore();
  const onExpired = vi.fn();
  const sent: string[] = [];
  const open = (more: Partial<DocumentVaultOptions> = {}) =>
    new DocumentVault({
      baseUrl: server.url,
      clock: { now: () => server.clock.now(), sleep: async () => {} },
      random: () => 0,
      fetch: datedFetch(server),
      onRequest: ({ method, path }) => sent.push(`${method} ${path}`),
      session: oauthSession({ clientId, clientSecret, redirectUri, store, onExpired, ...session }),
      ...options,
      ...more,
    });
  return { server, user, clientId, store, onExpired, sent, client: open(), open };
}

/** Creates an app whose user has agreed. */
export async function startAuthorizedApp(options: AppOptions = {}) {
  const app = await startApp(options);
  const { url, pending } = await beginAuthorization(app.client, { scopes });
  const { leaves } = await approve(new Browser(app.server), url, app.user);
  const authorized = await finishAuthorization(app.client, { url: String(leaves), pending });
  const refreshes = () => app.sent.filter((request) => request === 'POST /oauth/token').length;
  app.sent.length = 0;
  return { ...app, authorized, refreshes };
}
