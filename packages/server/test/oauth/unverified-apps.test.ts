import { beforeEach, describe, expect, test } from 'vitest';
import type { OAuthClientRecord } from '../../src/store/rows/oauth/clients.ts';
import {
  authorizationUrl,
  Browser,
  type OAuthServer,
  parameterOf,
  pkce,
  redirectUri,
  sendForm,
  startOAuthServer,
  type Visit,
} from '../support/oauth.ts';
import type { Account } from '../support/server.ts';

// Anyone with an account can register an app. Until an administrator has verified it, it gets nothing unseen.

const second = 1000;

let server: OAuthServer;
let app: OAuthClientRecord;
let verified: OAuthClientRecord;
let ada: Account;
let browser: Browser;

beforeEach(async () => {
  server = await startOAuthServer();
  app = await server.register();
  verified = await server.register({ verified: true });
  ada = await server.signUp('ada@example.com');
  browser = new Browser(server);
});

const open = (parameters = {}, client = app) =>
  browser.open(
    authorizationUrl(server, client, { code_challenge: pkce().challenge, ...parameters }),
  );
const signIn = (page: Visit) => browser.submit(page, { email: ada.email, password: ada.password });

describe('a request that fails before its user has seen a page', () => {
  const failures: readonly [string, object][] = [
    ['prompt=none', { prompt: 'none' }],
    ['a scope that the app does not have', { scope: 'documents:write' }],
    ['another response type', { response_type: 'token' }],
    ['no code challenge', { code_challenge: undefined }],
    ['another prompt', { prompt: 'create' }],
    ['a foreign resource', { resource: 'https://evil.test' }],
  ];

  test.each(failures)('of an unverified app shows an error: %s', async (_name, parameters) => {
    const page = await open(parameters);
    expect(page).toMatchObject({ status: 400, leaves: undefined });
    expect(page.headers.get('location')).toBeNull();
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.html).toContain('Reason for developers');
    expect(page.html).not.toContain('code=');
  });

  test.each(failures)('of a verified app returns to it: %s', async (_name, parameters) => {
    const page = await open({ ...parameters, state: 'a-state' }, verified);
    expect(page.leaves?.href).toMatch(/^https:\/\/app\.example\/callback[?#]error=/);
    expect(page.leaves?.href).toContain('state=a-state');
  });

  test('of an unverified app shows an error also when its user is signed in and has agreed', async () => {
    await browser.submit(await signIn(await open()), {});
    const page = await open({ prompt: 'none' });
    expect(page).toMatchObject({ status: 400, leaves: undefined });
    expect(page.html).toContain('_required</code>');
  });

  test('of an unverified app shows an error also for a pushed request', async () => {
    const pushed = await sendForm(server, '/oauth/par', app, {
      client_id: app.id,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'vaults:read',
      code_challenge: pkce().challenge,
      code_challenge_method: 'S256',
      prompt: 'none',
    });
    const query = new URLSearchParams({ client_id: app.id, request_uri: pushed.body.request_uri });
    const page = await browser.open(`/oauth/authorize?${query}`);
    expect(page).toMatchObject({ status: 400, leaves: undefined });
  });

  test('of an unverified app shows an error to a signed-in user who can give no scope', async () => {
    await browser.submit(await signIn(await open()), {});
    const greedy = await server.register({ scopes: ['admin:*'] });
    const page = await open({ scope: 'admin:*' }, greedy);
    expect(page).toMatchObject({ status: 400, leaves: undefined });
    expect(page.html).toContain('<code>invalid_scope</code>');
    const trusted = await server.register({ scopes: ['admin:*'], verified: true });
    expect(parameterOf(await open({ scope: 'admin:*' }, trusted), 'error')).toBe('invalid_scope');
  });
});

test('an unverified app learns that its user has refused', async () => {
  const refused = await browser.submit(await open(), { cancel: 'yes' });
  expect(parameterOf(refused, 'error')).toBe('access_denied');
});

describe('the first approval of an unverified app', () => {
  const needsPassword = ({ html }: Visit) =>
    html.includes('name="scope"') && html.includes('name="password"');
  const consents = async () => (await ada.call('GET', '/api/v1/consents')).body.data;

  /** Signs the browser in with another app. */
  beforeEach(async () => {
    await browser.submit(await signIn(await open({}, verified)), {});
    expect(await consents()).toHaveLength(1);
    server.clock.advance(second);
  });

  test('needs the password of the signed-in user, and a wrong one or none gives nothing', async () => {
    const page = await open();
    expect(needsPassword(page)).toBe(true);
    for (const fields of [{}, { password: '' }, { password: 'a wrong password' }]) {
      const refused = await browser.submit(page, fields);
      expect(refused.status).toBeGreaterThanOrEqual(400);
      expect(refused.leaves).toBeUndefined();
      expect(refused.html).toContain('The password is wrong.');
      expect(needsPassword(refused)).toBe(true);
    }
    expect(await consents()).toHaveLength(1);
    expect(
      parameterOf(await browser.submit(page, { password: ada.password }), 'code'),
    ).toBeTruthy();
    expect(await consents()).toHaveLength(2);
  });

  test('keeps the chosen permissions on the page after a wrong password', async () => {
    const page = await open({ scope: 'vaults:read vaults:write' });
    const refused = await browser.submit(page, { scope: 'vaults:write', password: 'x' });
    const isChecked = (scope: string) =>
      / checked/.test(
        new RegExp(`<input[^>]*value="${scope}"[^>]*>`).exec(refused.html)?.[0] ?? '',
      );
    expect([isChecked('vaults:read'), isChecked('vaults:write')]).toEqual([false, true]);
  });

  test('counts wrong passwords in the throttle of the login', async () => {
    const page = await open();
    const replies: Visit[] = [];
    for (let sent = 0; sent < 12; sent += 1) {
      replies.push(await browser.submit(page, { password: `wrong ${sent}` }));
    }
    expect(replies.at(-1)).toMatchObject({ status: 429, leaves: undefined });
    expect(replies.at(-1)?.html).toContain('Too many attempts.');
    const right = await browser.submit(page, { password: ada.password });
    expect(right).toMatchObject({ status: 429, leaves: undefined });
    expect(await consents()).toHaveLength(1);
  });

  test('needs no password where the user has just signed in for it', async () => {
    const page = await open({ prompt: 'login' });
    const consent = await signIn(page);
    expect(consent.html).toContain('name="scope"');
    expect(needsPassword(consent)).toBe(false);
    expect(parameterOf(await browser.submit(consent, {}), 'code')).toBeTruthy();
  });

  test('is asked for again for more scopes, after a revocation and for another name, not otherwise', async () => {
    await browser.submit(await open(), { password: ada.password });
    server.clock.advance(second);
    expect(needsPassword(await open({ prompt: 'consent' }))).toBe(false);
    expect(needsPassword(await open({ scope: 'vaults:read vaults:write' }))).toBe(true);

    const owner = await server.signIn({ email: 'owner@example.com', password: ada.password });
    await owner('PUT', `/api/v1/oauth/clients/${app.id}`, { body: { name: 'Another App' } });
    const renamed = await open();
    expect(needsPassword(renamed)).toBe(true);
    server.clock.advance(second);
    await browser.submit(renamed, { password: ada.password });
    server.clock.advance(second);

    const [{ id }] = await consents();
    await ada.call('PUT', `/api/v1/consents/${id}`, { body: { status: 'revoked' } });
    expect(needsPassword(await open())).toBe(true);
  });

  test('needs the password for a device too', async () => {
    const { body: device } = await sendForm(server, '/oauth/device', app, { scope: 'vaults:read' });
    const entry = await browser.open(device.verification_uri);
    const confirmation = await browser.submit(entry, { user_code: device.user_code });
    const consent = await browser.submit(confirmation, { confirm: 'yes' });
    expect(needsPassword(consent)).toBe(true);
    expect((await browser.submit(consent, {})).html).toContain('The password is wrong.');
    const done = await browser.submit(consent, { password: ada.password });
    expect(done.html).toContain('Device connected');
  });

  test('of a verified app needs no password', async () => {
    const other = await server.register({ verified: true });
    const page = await open({}, other);
    expect(page.html).toContain('name="scope"');
    expect(needsPassword(page)).toBe(false);
  });
});

describe('https on this device', () => {
  test.each([
    'https://localhost/callback',
    'https://127.0.0.1:3000/callback',
    'https://127.8.9.10/callback',
    'https://[::1]/callback',
    'https://[::ffff:127.0.0.1]/callback',
    'https://localhost./callback',
    'https://app.localhost/callback',
    'https://0.0.0.0/callback',
  ])('%s is the address of a native app: the user is asked every time', async (uri) => {
    const native = await server.register({ redirectUris: [uri], verified: true });
    const request = { redirect_uri: uri };
    const page = await signIn(await open(request, native));
    expect(page.html).toContain('an app on this device');
    expect(parameterOf(await browser.submit(page, {}), 'code')).toBeTruthy();
    server.clock.advance(second);
    const again = await open(request, native);
    expect(again.leaves).toBeUndefined();
    expect(again.html).toContain('name="scope"');
  });

  test.each(['https://localhost.example/callback', 'https://mylocalhost/callback'])(
    '%s is a web site',
    async (uri) => {
      const web = await server.register({ redirectUris: [uri] });
      const page = await signIn(await open({ redirect_uri: uri }, web));
      expect(page.html).not.toContain('an app on this device');
      await browser.submit(page, {});
      server.clock.advance(second);
      expect(parameterOf(await open({ redirect_uri: uri }, web), 'code')).toBeTruthy();
    },
  );
});
