import { beforeEach, describe, expect, test } from 'vitest';
import type { OAuthClientRecord } from '../../src/store/rows/oauth/clients.ts';
import {
  authorizationUrl,
  Browser,
  type OAuthServer,
  parameterOf,
  pkce,
  sendForm,
  startOAuthServer,
  type Visit,
} from '../support/oauth.ts';
import type { Account } from '../support/server.ts';

// How long a browser stays signed in on the pages, and what ends it.

const second = 1000;
const hour = 60 * 60 * second;

let server: OAuthServer;
let app: OAuthClientRecord;
let ada: Account;
let bob: Account;
let browser: Browser;

beforeEach(async () => {
  server = await startOAuthServer();
  app = await server.register({ verified: true });
  ada = await server.signUp('ada@example.com');
  bob = await server.signUp('bob@example.com');
  browser = new Browser(server);
});

const open = (parameters = {}) =>
  browser.open(authorizationUrl(server, app, { code_challenge: pkce().challenge, ...parameters }));
const signIn = (page: Visit, { email, password }: Account) =>
  browser.submit(page, { email, password });
const approve = async () => {
  const visit = await browser.submit(await signIn(await open(), ada), {});
  expect(parameterOf(visit, 'code')).toBeTruthy();
};
const isSignedIn = async () => !(await open()).html.includes('type="password"');
const logIn = async ({ email, password }: Account) =>
  (await server.anonymous('POST', '/auth/login', { body: { email, password } })).body;

test('the cookie of a sign-in ends with the browser: it has no expiry', async () => {
  const page = await signIn(await open(), ada);
  await browser.submit(page, {});
  const cookies = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const url = authorizationUrl(server, app, { code_challenge: pkce().challenge });
  const reply = await fetch(url, { redirect: 'manual', headers: { cookie: cookies } });
  const lines = reply.headers.getSetCookie().filter((line) => line.startsWith('vault_sign_in'));
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line).not.toMatch(/expires=|max-age=/i);
});

test('a sign-in ends 8 h after it, however often it is used', async () => {
  await approve();
  for (let passed = 1; passed < 8; passed += 1) {
    server.clock.advance(hour);
    expect(await isSignedIn()).toBe(true);
  }
  server.clock.advance(hour - second);
  expect(await isSignedIn()).toBe(true);
  server.clock.advance(second);
  expect(await isSignedIn()).toBe(false);
});

test('the list of sessions shows the end of a sign-in', async () => {
  await approve();
  const { body } = await ada.call('GET', '/api/v1/auth/sessions');
  const ends = body.data.map((each: { expiresAt: string }) => each.expiresAt);
  expect(ends).toContain(new Date(server.clock.now() + 8 * hour).toISOString());
});

describe('a sign-in ends with', () => {
  beforeEach(approve);

  test('the logout of a session of the same account, and not with that of another one', async () => {
    const [ofAda, ofBob] = [await logIn(ada), await logIn(bob)];
    await server.anonymous('POST', '/auth/logout', { body: { refreshToken: ofBob.refreshToken } });
    expect(await isSignedIn()).toBe(true);
    await server.anonymous('POST', '/auth/logout', { body: { refreshToken: ofAda.refreshToken } });
    expect(await isSignedIn()).toBe(false);
    // Other sessions with tokens go on.
    expect((await ada.call('GET', '/api/v1/vaults')).status).toBe(200);
  });

  test('the end of the session of the caller, and not with that of another one', async () => {
    const other = await logIn(ada);
    const { body } = await ada.call('GET', '/api/v1/auth/sessions');
    const own = body.data.find(({ current }: { current: boolean }) => current);
    const idOf = (token: string) =>
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid;
    await ada.call('DELETE', `/api/v1/auth/sessions/${idOf(other.accessToken)}`);
    expect(await isSignedIn()).toBe(true);
    expect((await ada.call('DELETE', `/api/v1/auth/sessions/${own.id}`)).status).toBe(204);
    expect(await isSignedIn()).toBe(false);
  });

  test('the end of all other sessions', async () => {
    expect((await ada.call('DELETE', '/api/v1/auth/sessions')).status).toBe(204);
    expect(await isSignedIn()).toBe(false);
  });

  test('a new password', async () => {
    const body = { password: 'a long new password', currentPassword: ada.password };
    expect((await ada.call('PUT', '/api/v1/users/me', { body })).status).toBe(200);
    expect(await isSignedIn()).toBe(false);
  });
});

describe('the button "Sign out" of the page of consent', () => {
  test('ends the sign-in and its session, and another account can continue the request', async () => {
    await approve();
    server.clock.advance(second);
    const page = await open({ prompt: 'consent' });
    expect(page.html).toContain('Not you?');
    const out = await browser.submit(page, { 'sign-out': 'yes' });
    expect(out).toMatchObject({ status: 200, leaves: undefined });
    expect(out.html).toContain('type="password"');
    expect(out.html).not.toContain(ada.email);
    expect(await isSignedIn()).toBe(false);
    const { body } = await ada.call('GET', '/api/v1/auth/sessions');
    expect(body.pagination.totalCount).toBe(1);

    const consent = await signIn(out, bob);
    expect(consent.html).toContain(bob.email);
    expect(parameterOf(await browser.submit(consent, {}), 'code')).toBeTruthy();
    expect((await bob.call('GET', '/api/v1/consents')).body.data).toHaveLength(1);
    expect((await ada.call('GET', '/api/v1/consents')).body.data).toHaveLength(1);
  });

  test('is followed by a page that can refuse the request, also after a reload', async () => {
    const page = await signIn(await open(), ada);
    const out = await browser.submit(page, { 'sign-out': 'yes' });
    const again = await browser.open(out.url);
    expect(again.html).toContain('type="password"');
    expect(parameterOf(await browser.submit(again, { cancel: 'yes' }), 'error')).toBe(
      'access_denied',
    );
  });

  test('gives nothing to the earlier page of consent', async () => {
    const page = await signIn(await open(), ada);
    await browser.submit(page, { 'sign-out': 'yes' });
    const stale = await browser.submit(page, {});
    expect(stale.leaves).toBeUndefined();
    expect((await ada.call('GET', '/api/v1/consents')).body.data).toEqual([]);
  });

  test('needs the token of its form', async () => {
    const page = await signIn(await open(), ada);
    const forged = await browser.submit(page, { 'sign-out': 'yes', csrf: 'x' });
    expect(forged.status).toBe(403);
    expect((await browser.submit(page, {})).leaves?.searchParams.get('code')).toBeTruthy();
  });

  test('asks again for the sign-in of a device', async () => {
    const { body: device } = await sendForm(server, '/oauth/device', app, { scope: 'vaults:read' });
    const entry = await browser.open(device.verification_uri);
    const confirmation = await browser.submit(entry, { user_code: device.user_code });
    const consent = await signIn(await browser.submit(confirmation, { confirm: 'yes' }), ada);
    const out = await browser.submit(consent, { 'sign-out': 'yes' });
    const done = await browser.submit(await signIn(out, bob), {});
    expect(done.html).toContain('Device connected');
    expect((await bob.call('GET', '/api/v1/consents')).body.data).toHaveLength(1);
  });
});
