import { inspect } from 'node:util';
import { DocumentVault } from '@document-vault/sdk';
import {
  beginAuthorization,
  finishAuthorization,
  OAuthError,
  oauthSession,
} from '@document-vault/sdk/oauth';
import { exportJWK, generateKeyPair } from 'jose';
import * as oauth from 'oauth4webapi';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { approve, Browser } from '../../../../test/form-browser.ts';
import { rejection } from '../support/client.ts';
import {
  clientSecret,
  redirectUri,
  scopes,
  startApp,
  startAuthorizedApp,
} from '../support/oauth.ts';
import { datedFetch } from '../support/real-server.ts';
import { hour } from '../support/session.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Begins a sign-in and lets the user agree. */
async function approved({ client, server, user }: Awaited<ReturnType<typeof startApp>>) {
  const { url, pending } = await beginAuthorization(client, { scopes });
  const { leaves } = await approve(new Browser(server), url, user);
  return { url: String(leaves), pending };
}

describe('guarantee 20, OAuth: a sign-in by authorization code', () => {
  test('finishAuthorization signs the client in as the user who agreed', async () => {
    const app = await startApp();
    const returned = await approved(app);
    expect(await finishAuthorization(app.client, returned)).toEqual({ scopes: [...scopes] });
    expect(await app.client.users.me()).toMatchObject({ email: 'ada@example.com' });
    await expect(app.client.vaults.create({ name: 'Taxes' })).rejects.toMatchObject({
      name: 'PermissionError',
    });
    // Tokens, user and call: endpoints are known without a request.
    expect(app.sent).toEqual(['POST /oauth/token', 'GET /api/v1/users/me', 'POST /api/v1/vaults']);
  });

  test('beginAuthorization sends no request, and pending fits one sign-in', async () => {
    const { client, sent, server } = await startApp();
    const [first, second] = await Promise.all([
      beginAuthorization(client, { scopes }),
      beginAuthorization(client, { scopes }),
    ]);
    expect(sent).toEqual([]);
    expect(first.pending).not.toEqual(second.pending);
    const url = new URL(first.url);
    expect(url.origin + url.pathname).toBe(`${server.url}/oauth/authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: expect.any(String),
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'vaults:read users:read',
      state: first.pending.state,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(first.url).not.toContain(first.pending.codeVerifier);
  });

  test('finishAuthorization returns the scopes that the user did not leave out', async () => {
    const { client, server, user } = await startApp();
    const { url, pending } = await beginAuthorization(client, { scopes });
    const browser = new Browser(server);
    const { email, password } = user;
    const page = await browser.submit(await browser.open(url), { email, password });
    const { leaves } = await browser.submit(page, { scope: 'vaults:read' });
    const authorized = await finishAuthorization(client, { url: leaves as URL, pending });
    expect(authorized).toEqual({ scopes: ['vaults:read'] });
  });

  test('a client that must push its requests signs in with requirePar', async () => {
    const registered = { requirePar: true };
    const { client, sent } = await startAuthorizedApp({
      registered,
      session: { requirePar: true },
    });
    await beginAuthorization(client, { scopes });
    expect(sent).toEqual(['POST /oauth/par']);
    expect((await client.vaults.list()).data).toEqual([]);
  });

  test('a public client signs in without a secret', async () => {
    const { client } = await startAuthorizedApp({
      registered: { type: 'public', tokenEndpointAuthMethod: 'none', secretHash: null },
      session: { clientSecret: undefined },
    });
    expect((await client.vaults.list()).data).toEqual([]);
  });

  test('a client with a key pair signs in by private_key_jwt', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const { client } = await startAuthorizedApp({
      registered: {
        tokenEndpointAuthMethod: 'private_key_jwt',
        secretHash: null,
        jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'a', alg: 'ES256' }] },
      },
      session: {
        clientSecret: undefined,
        clientAuthentication: oauth.PrivateKeyJwt({ key: privateKey, kid: 'a' }),
      },
    });
    expect((await client.vaults.list()).data).toEqual([]);
  });

  test('a call that began before a second sign-in rejects instead of being sent as the other user', async () => {
    const app = await startAuthorizedApp();
    const send = datedFetch(app.server);
    const signedIn = Promise.withResolvers<void>();
    const client = app.open({
      async fetch(url, init) {
        if (String(init.body).includes('grant_type=refresh_token')) await signedIn.promise;
        return send(url, init);
      },
    });
    app.server.clock.advance(hour);
    const user = await app.server.signUp('bob@example.com');
    const returned = await approved({ ...app, client, user });
    // The call waits for the refresh that its expired token needs.
    const call = rejection(client.users.me());
    await finishAuthorization(client, returned);
    signedIn.resolve();
    expect(await call).toMatchObject({ name: 'SessionExpiredError' });
    expect(await client.users.me()).toMatchObject({ email: 'bob@example.com' });
  });
});

describe('guarantee 20, OAuth: a sign-in that is refused', () => {
  test('a user who refuses gives an OAuthError with the code access_denied, and no request', async () => {
    const { client, server, user, sent, store } = await startApp();
    const { url, pending } = await beginAuthorization(client, { scopes });
    const browser = new Browser(server);
    const { email, password } = user;
    const page = await browser.submit(await browser.open(url), { email, password });
    const { leaves } = await browser.submit(page, { cancel: 'yes' });
    const error = await rejection(finishAuthorization(client, { url: leaves as URL, pending }));
    expect(error).toBeInstanceOf(OAuthError);
    expect(error).toMatchObject({ name: 'OAuthError', code: 'access_denied' });
    expect(sent).toEqual([]);
    expect(store.get()).toBeUndefined();
  });

  test.each([
    ['the state of another sign-in', 'state', 'another'],
    ['no state', 'state', undefined],
    ['the issuer of another service', 'iss', 'https://evil.example.com'],
    ['no issuer', 'iss', undefined],
  ])(
    'a response with %s is an OAuthError without a code, and no request',
    async (_, name, value) => {
      const app = await startApp();
      const { url, pending } = await approved(app);
      const changed = new URL(url);
      if (value === undefined) changed.searchParams.delete(name);
      else changed.searchParams.set(name, value);
      app.sent.length = 0;
      const error = await rejection(finishAuthorization(app.client, { url: changed, pending }));
      expect(error).toMatchObject({ name: 'OAuthError', message: expect.stringContaining(name) });
      expect(error).not.toHaveProperty('code');
      expect(app.sent).toEqual([]);
    },
  );

  test('a code works once, and for the verifier of its sign-in alone', async () => {
    const app = await startApp();
    const { url, pending } = await approved(app);
    const other = await beginAuthorization(app.client, { scopes });
    const { codeVerifier } = other.pending;
    const invalid = { name: 'OAuthError', code: 'invalid_grant', status: 400 };
    const mixed = { url, pending: { ...pending, codeVerifier } };
    await expect(finishAuthorization(app.client, mixed)).rejects.toMatchObject(invalid);
    const returned = await approved(app);
    await finishAuthorization(app.client, returned);
    await expect(finishAuthorization(app.client, returned)).rejects.toMatchObject(invalid);
  });

  test('a wrong secret is an OAuthError with the code invalid_client that shows no secret', async () => {
    const secret = 'a-wrong-secret-that-no-one-may-see';
    const app = await startApp({ session: { clientSecret: secret } });
    const returned = await approved(app);
    const error = await rejection(finishAuthorization(app.client, returned));
    expect(error).toMatchObject({ name: 'OAuthError', code: 'invalid_client', status: 401 });
    const shown = inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error);
    const code = new URL(returned.url).searchParams.get('code') ?? 'none';
    for (const hidden of [secret, code, returned.pending.codeVerifier]) {
      expect(shown).not.toContain(hidden);
    }
  });

  test('a response without a token type is an OAuthError that shows no token', async () => {
    const token = 'a-token-that-no-one-may-see';
    const body = { access_token: token, refresh_token: token, expires_in: 3_600 };
    const fetch = async () => Response.json(body);
    const app = await startApp({ client: { fetch } });
    const error = await rejection(finishAuthorization(app.client, await approved(app)));
    expect(error).toMatchObject({
      name: 'OAuthError',
      message: expect.stringContaining('invalid'),
    });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(token);
    expect(app.store.get()).toBeUndefined();
  });

  test('a service with OAuth turned off gives a NotFoundError', async () => {
    const { client, server } = await startApp({
      client: {
        fetch: async () => Response.json({ error: { code: 'NOT_FOUND' } }, { status: 404 }),
      },
    });
    const pending = { state: 's', codeVerifier: 'v'.repeat(43) };
    const url = `${redirectUri}?code=c&state=s&iss=${encodeURIComponent(server.url)}`;
    await expect(finishAuthorization(client, { url, pending })).rejects.toMatchObject({
      name: 'NotFoundError',
      path: '/oauth/token',
    });
  });
});

describe('guarantee 20, OAuth: wrong use', () => {
  const baseUrl = 'https://vault.example.com';
  const pending = { state: 's', codeVerifier: 'v' };
  const url = `${redirectUri}?code=c`;

  test.each([
    ['no clientId', { clientId: '' }, 'clientId is missing'],
    ['an empty secret', { clientId: 'a', clientSecret: '' }, 'clientSecret must not be empty'],
  ])('oauthSession with %s throws a UsageError', (_, options, message) => {
    expect(() => oauthSession(options)).toThrow(
      expect.objectContaining({ name: 'UsageError', message }),
    );
  });

  test('oauthSession with a secret in a browser throws a UsageError', () => {
    vi.stubGlobal('document', {});
    expect(() => oauthSession({ clientId: 'a', clientSecret })).toThrow('read in a browser');
    expect(oauthSession({ clientId: 'a' })).toHaveProperty('source');
  });

  test.each([
    ['an API key', { apiKey: `service_sk_${'a'.repeat(40)}` }],
    ['the session of a login', { session: {} }],
  ])('a client with %s is refused with a UsageError', async (_, credentials) => {
    const client = new DocumentVault({ baseUrl, ...credentials });
    const refused = { name: 'UsageError', message: 'client must have a session of oauthSession' };
    await expect(beginAuthorization(client, { scopes })).rejects.toMatchObject(refused);
    await expect(finishAuthorization(client, { url, pending })).rejects.toMatchObject(refused);
  });

  test('an app without a redirectUri, or without pending, gets a UsageError', async () => {
    const session = oauthSession({ clientId: 'a' });
    const without = new DocumentVault({ baseUrl, session });
    const usage = { name: 'UsageError' };
    await expect(beginAuthorization(without, { scopes })).rejects.toMatchObject(usage);
    const client = new DocumentVault({
      baseUrl,
      session: oauthSession({ clientId: 'a', redirectUri }),
    });
    const lost = JSON.parse('null');
    await expect(finishAuthorization(client, { url, pending: lost })).rejects.toMatchObject(usage);
  });

  test('auth.login of an app rejects with a UsageError and sends nothing', async () => {
    const fetch = vi.fn();
    const session = oauthSession({ clientId: 'a', redirectUri });
    const client = new DocumentVault({ baseUrl, session, fetch });
    const refused = client.auth.login({ email: 'ada@example.com', password: 'secret' });
    await expect(refused).rejects.toMatchObject({ name: 'UsageError' });
    expect(fetch).not.toHaveBeenCalled();
  });

  test('a printed session and a printed client show no secret', () => {
    const session = oauthSession({ clientId: 'a', clientSecret });
    const client = new DocumentVault({ baseUrl, session });
    for (const value of [session, client]) {
      const shown = inspect(value, { depth: 9, showHidden: true }) + JSON.stringify(value);
      expect(shown).not.toContain(clientSecret);
    }
  });
});
