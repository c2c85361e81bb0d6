import { fileURLToPath } from 'node:url';
import { DocumentVault, isVaultError, type Scope } from '@document-vault/sdk';
import {
  beginAuthorization,
  finishAuthorization,
  OAuthError,
  oauthSession,
  type PendingAuthorization,
  SessionExpiredError,
} from '@document-vault/sdk/oauth';
import Express, { type NextFunction, type Request, type Response } from 'express';
import { createBrowserCookie } from './browser-cookie.ts';
import { problemPage, vaultsPage, welcomePage } from './pages.ts';
import { createUsers, type SignedInUser } from './users.ts';

/** The app as it is registered at the service. */
export interface AppOptions {
  /** Public address of the service, as its metadata names it. */
  readonly vaultUrl: string;
  /** Public address of this app. `/callback` below it is registered at the service. */
  readonly appUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What the app asks its users for. A user can leave out either. */
const scopes: readonly Scope[] = ['vaults:read', 'users:read'];

/** Time for the pages of the service, in milliseconds. */
const signInTime = 10 * 60_000;

/** Creates the routes of the app. */
export function createApp({ vaultUrl, appUrl, clientId, clientSecret }: AppOptions) {
  const users = createUsers();
  const isSecure = appUrl.startsWith('https:');
  const session = createBrowserCookie({ name: 'session', path: '/', isSecure });
  // Kept in this browser, so that no other site can make it finish a sign-in that it has not begun.
  const pending = createBrowserCookie({ name: 'pending', path: '/callback', isSecure });

  /** Creates the client of one user: it holds the tokens. */
  const connect = (onExpired?: () => void) =>
    new DocumentVault({
      baseUrl: vaultUrl,
      session: oauthSession({
        clientId,
        clientSecret,
        redirectUri: `${appUrl}/callback`,
        onExpired,
      }),
    });

  const app = Express();
  app.disable('x-powered-by');
  app.get('/style.css', (_request, response) =>
    response.sendFile(fileURLToPath(new URL('style.css', import.meta.url))),
  );
  app.use((_request, response, next) => {
    response.set({
      'Cache-Control': 'no-store',
      'Content-Security-Policy': "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
      'Referrer-Policy': 'no-referrer',
    });
    next();
  });

  app.get('/', async (request, response) => {
    const user = users.find(session.read(request));
    response.send(user ? await showVaults(user) : welcomePage());
  });

  app.post('/sign-in', async (_request, response) => {
    const begun = await beginAuthorization(connect(), { scopes });
    pending.write(response, JSON.stringify(begun.pending), signInTime);
    response.redirect(303, begun.url);
  });

  app.get('/callback', async (request, response) => {
    const begun = pending.read(request);
    pending.clear(response);
    if (begun === undefined) {
      response.status(400).send(problemPage('This sign-in was not begun in this browser.'));
      return;
    }
    // The user of this session is known only afterwards.
    let id: string | undefined;
    const client = connect(() => users.remove(id));
    const agreed = await finishAuthorization(client, {
      url: new URL(request.url, appUrl),
      pending: JSON.parse(begun) as PendingAuthorization,
    });
    users.remove(session.read(request));
    // A new id at every sign-in: an id from before could be known to another person.
    id = users.add({ client, scopes: agreed.scopes });
    session.write(response, id);
    // The address with the code must not stay in the history.
    response.redirect(303, '/');
  });

  app.post('/sign-out', async (request, response) => {
    const id = session.read(request);
    const user = users.find(id);
    users.remove(id);
    session.clear(response);
    await user?.client.auth.logout();
    response.redirect(303, '/');
  });

  app.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
    if (!isVaultError(error)) return next(error);
    const [status, message] = explain(error);
    if (status === 401) session.clear(response);
    response.status(status).send(problemPage(message));
  });
  return app;
}

async function showVaults({ client, scopes }: SignedInUser): Promise<string> {
  const name = scopes.includes('users:read') ? (await client.users.me()).name : undefined;
  if (!scopes.includes('vaults:read')) return vaultsPage({ name, vaults: undefined });
  const vaults: string[] = [];
  for await (const vault of client.vaults.list()) vaults.push(vault.name);
  return vaultsPage({ name, vaults });
}

/** Returns the status and the message for a failed call. */
function explain(error: Error): [status: number, message: string] {
  if (error instanceof SessionExpiredError) {
    return [401, 'The access of this app has ended. Sign in again to renew it.'];
  }
  if (error instanceof OAuthError) {
    if (error.code === 'access_denied') return [403, 'You have refused the access.'];
    console.warn(error.message);
    return [400, 'The sign-in did not succeed. Begin again.'];
  }
  console.warn(error.message);
  return [502, 'The vault is not available. Try again later.'];
}
