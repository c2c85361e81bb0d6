import { beforeEach, describe, expect, test } from 'vitest';
import type { OAuthClientRecord } from '../../src/store/rows/oauth/clients.ts';
import {
  authorizationUrl,
  Browser,
  type OAuthServer,
  parameterOf,
  pkce,
  redeem,
  redirectUri,
  startOAuthServer,
  type Visit,
} from '../support/oauth.ts';
import type { Account } from '../support/server.ts';

// One browser with several pages of the same server.

let server: OAuthServer;
let app: OAuthClientRecord;
let ada: Account;
let bob: Account;
let browser: Browser;
const { challenge, verifier } = pkce();

beforeEach(async () => {
  server = await startOAuthServer();
  app = await server.register();
  ada = await server.signUp('ada@example.com');
  bob = await server.signUp('bob@example.com');
  browser = new Browser(server);
});

const open = (parameters = {}) =>
  browser.open(authorizationUrl(server, app, { code_challenge: challenge, ...parameters }));

const signIn = (page: Visit, { email, password }: Account) =>
  browser.submit(page, { email, password });

/** Returns the account that a code gives access to. */
async function holderOf(visit: Visit): Promise<string> {
  const code = { code: parameterOf(visit, 'code'), verifier };
  const { body } = await redeem(server, app, code);
  const reply = await server.withToken(body.access_token)('GET', '/api/v1/consents');
  expect(reply.status).toBe(403);
  return JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString()).sub;
}

describe('two pages that wait for a sign-in', () => {
  test('both lead to a code when the same account signs in on both', async () => {
    const [first, second] = [await open(), await open()];
    const consents = [await signIn(first, ada), await signIn(second, ada)];
    for (const consent of consents) {
      expect(consent.html).toContain('name="scope"');
      expect(await holderOf(await browser.submit(consent, {}))).toBe(ada.userId);
    }
    // One sign-in of the pages beside the session of the test.
    const { body } = await ada.call('GET', '/api/v1/auth/sessions');
    expect(body.pagination.totalCount).toBe(2);
  });

  test('the account that signs in last is signed in, and the page of the other one says so', async () => {
    const [first, second] = [await open(), await open()];
    const consentOfAda = await signIn(first, ada);
    const consentOfBob = await signIn(second, bob);
    expect(consentOfBob.html).toContain(bob.email);
    expect(await holderOf(await browser.submit(consentOfBob, {}))).toBe(bob.userId);
    const ended = await browser.submit(consentOfAda, {});
    expect(ended).toMatchObject({ status: 400, leaves: undefined });
    expect(ended.html).toContain('This page has expired.');
    expect((await ada.call('GET', '/api/v1/consents')).body.data).toEqual([]);
    const { body } = await ada.call('GET', '/api/v1/auth/sessions');
    expect(body.pagination.totalCount).toBe(1);
  });

  test.each([
    ['the same account', () => [ada, ada]],
    ['two accounts', () => [ada, bob]],
  ])('no request fails when %s signs in on both at once', async (_name, accounts) => {
    const pages = [await open(), await open()];
    const users = accounts();
    const results = await Promise.all(
      pages.map((page, index) => signIn(page, users[index] as Account)),
    );
    for (const { status } of results) expect([200, 400]).toContain(status);
    expect(results.some(({ html }) => html.includes('name="scope"'))).toBe(true);
    for (const { html, status } of results) {
      expect(html).toContain(status === 200 ? 'name="scope"' : 'This page has expired.');
      expect(html).not.toContain('<script');
    }
  });
});

test('a signed-in browser opens two pages at once, and both lead to a code', async () => {
  await browser.submit(await signIn(await open(), ada), {});
  const visits = await Promise.all([open(), open(), open()]);
  for (const visit of visits) {
    expect(visit.leaves?.href).toContain(`${redirectUri}?code=`);
    expect(await holderOf(visit)).toBe(ada.userId);
  }
  expect(parameterOf(await open(), 'code')).not.toBe('');
});

test('the id of a sign-in before an approval works for 10 s more', async () => {
  await browser.submit(await signIn(await open(), ada), {});
  const cookieOf = () =>
    browser.cookies
      .filter(({ name }) => name.startsWith('vault_sign_in'))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  const earlier = cookieOf();
  await open();
  expect(cookieOf()).not.toBe(earlier);
  const url = authorizationUrl(server, app, { code_challenge: challenge });
  const isSignedIn = async () => {
    const started = await fetch(url, { redirect: 'manual', headers: { cookie: earlier } });
    const request = started.headers.getSetCookie().map((line) => line.split(';')[0]);
    const cookie = [earlier, ...request].join('; ');
    const page = await fetch(started.headers.get('location') ?? '', {
      redirect: 'manual',
      headers: { cookie },
    });
    return !(await page.text()).includes('type="password"');
  };
  server.clock.advance(9_000);
  expect(await isSignedIn()).toBe(true);
  server.clock.advance(2_000);
  expect(await isSignedIn()).toBe(false);
});

test('a page that signs in again replaces the sign-in of another account', async () => {
  await browser.submit(await signIn(await open(), ada), {});
  const consent = await signIn(await open({ prompt: 'login' }), bob);
  expect(consent.html).toContain(bob.email);
  expect(await holderOf(await browser.submit(consent, {}))).toBe(bob.userId);
  const { body } = await ada.call('GET', '/api/v1/auth/sessions');
  expect(body.pagination.totalCount).toBe(1);
  expect((await bob.call('GET', '/api/v1/auth/sessions')).body.pagination.totalCount).toBe(2);
});

test('a page that signs in again with the same account keeps its session', async () => {
  await browser.submit(await signIn(await open(), ada), {});
  const visit = await signIn(await open({ prompt: 'login' }), ada);
  expect(await holderOf(visit)).toBe(ada.userId);
  const { body } = await ada.call('GET', '/api/v1/auth/sessions');
  expect(body.pagination.totalCount).toBe(2);
});
