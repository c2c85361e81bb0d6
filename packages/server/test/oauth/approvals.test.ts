import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OAuthClientRecord } from '../../src/store/rows/oauth/clients.ts';
import {
  approve,
  authorizationUrl,
  Browser,
  getCode,
  type OAuthServer,
  parameterOf,
  pkce,
  redeem,
  redirectUri,
  startOAuthServer,
} from '../support/oauth.ts';
import type { Account } from '../support/server.ts';

// When a user is asked, and what an approval covers.

const second = 1000;
const day = 24 * 60 * 60 * second;

let server: OAuthServer;
let app: OAuthClientRecord;
let ada: Account;
let browser: Browser;
let lines: string[];

beforeEach(async () => {
  lines = [];
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(line) });
  server = await startOAuthServer({ log });
  app = await server.register();
  ada = await server.signUp('ada@example.com');
  browser = new Browser(server);
});

/** A test that expects an error empties the lines. */
afterEach(() => expect(lines).toEqual([]));

const both = 'vaults:read vaults:write';
const isAsked = ({ html }: { readonly html: string }) => html.includes('name="scope"');
const open = (scope = 'vaults:read', parameters = {}) =>
  browser.open(
    authorizationUrl(server, app, { code_challenge: pkce().challenge, scope, ...parameters }),
  );
const agree = async (scope = 'vaults:read', parameters = {}) => {
  const url = authorizationUrl(server, app, {
    code_challenge: pkce().challenge,
    scope,
    ...parameters,
  });
  const visit = await approve(browser, url, ada);
  expect(parameterOf(visit, 'code')).not.toBe('');
};
const consents = async () => (await ada.call('GET', '/api/v1/consents')).body.data;
describe('a user who has approved an app is asked again', () => {
  beforeEach(async () => {
    await agree();
    server.clock.advance(second);
    expect(isAsked(await open())).toBe(false);
  });

  test.each([
    ['name', { name: 'Another App' }],
    ['redirect URIs', { redirectUris: [redirectUri, 'https://other.example/callback'] }],
  ])('after its owner has changed the %s, and not twice', async (_name, fields) => {
    const owner = await server.signIn({ email: 'owner@example.com', password: ada.password });
    const path = `/api/v1/oauth/clients/${app.id}`;
    expect((await owner('PUT', path, { body: fields })).status).toBe(200);
    expect(isAsked(await open())).toBe(true);
    server.clock.advance(second);
    await agree();
    server.clock.advance(second);
    expect(isAsked(await open())).toBe(false);
    const names = (await consents()).map((each: { grantedTo: string }) => each.grantedTo);
    expect(new Set(names).size).toBe('name' in fields ? 2 : 1);
  });

  test('not after its owner has changed something else', async () => {
    const owner = await server.signIn({ email: 'owner@example.com', password: ada.password });
    const body = { scopes: ['vaults:read', 'users:read'] };
    const reply = await owner('PUT', `/api/v1/oauth/clients/${app.id}`, { body });
    expect(reply.status).toBe(200);
    expect(isAsked(await open())).toBe(false);
  });

  test('for more scopes', async () => {
    expect(isAsked(await open(both))).toBe(true);
  });

  test('after the consent was revoked', async () => {
    const [{ id }] = await consents();
    await ada.call('PUT', `/api/v1/consents/${id}`, { body: { status: 'revoked' } });
    expect(isAsked(await open())).toBe(true);
  });
});

test('an approval of fewer scopes is not widened without a page', async () => {
  await agree(both);
  server.clock.advance(second);
  const page = await open(both, { prompt: 'consent' });
  const narrowed = await browser.submit(page, { scope: 'vaults:read' });
  expect(parameterOf(narrowed, 'code')).not.toBe('');
  server.clock.advance(second);
  expect(isAsked(await open('vaults:read'))).toBe(false);
  expect(isAsked(await open(both))).toBe(true);
  expect((await consents()).map((each: { scopes: string[] }) => each.scopes)).toEqual([
    ['vaults:read'],
    ['vaults:read', 'vaults:write'],
  ]);
});

test('agreeing to the same scopes again keeps one consent, with the end that the page shows', async () => {
  await agree();
  const [first] = await consents();
  server.clock.advance(100 * day);
  const page = await open('vaults:read', { prompt: 'consent login' });
  const consentPage = await browser.submit(page, { email: ada.email, password: ada.password });
  const end = new Date(server.clock.now() + 365 * day);
  const shown = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(end);
  expect(consentPage.html).toContain(shown);
  await browser.submit(consentPage, {});
  const fresh = await server.signIn(ada);
  const { body } = await fresh('GET', '/api/v1/consents');
  expect(body.data).toMatchObject([{ id: first.id, expiresAt: end.toISOString() }]);
  const types = (await server.events()).map(({ type }) => type);
  // The event of the first approval is older than events are kept.
  expect(types.filter((type) => type.startsWith('consent.'))).toEqual(['consent.renewed']);
});

test('a user who has set a later end gets a second consent, and the first one keeps its end', async () => {
  await agree();
  const [first] = await consents();
  const later = new Date(server.clock.now() + 1000 * day).toISOString();
  const put = await ada.call('PUT', `/api/v1/consents/${first.id}`, { body: { expiresAt: later } });
  expect(put.status).toBe(200);
  server.clock.advance(second);
  await browser.submit(await open('vaults:read', { prompt: 'consent' }), {});
  const all = await consents();
  expect(all).toHaveLength(2);
  expect(all.map((each: { expiresAt: string }) => each.expiresAt)).toContain(later);
});

test('an approval whose grant cannot be stored leaves no consent and no event', async () => {
  const page = await browser.submit(await open(), { email: ada.email, password: ada.password });
  await server.settled();
  const { transaction } = server.store;
  const failing: typeof transaction = (change, ...rest) =>
    transaction.call(
      server.store,
      (tx) => {
        const insert = () => Promise.reject(new Error('the disk is full'));
        const oauthGrants = { value: { ...tx.oauthGrants, insert } };
        return change(Object.create(tx, { oauthGrants }));
      },
      ...rest,
    ) as ReturnType<typeof change>;
  Object.assign(server.store, { transaction: failing });
  const failed = await browser.submit(page, {});
  Object.assign(server.store, { transaction });
  expect(failed).toMatchObject({ status: 500, leaves: undefined });
  expect(lines.splice(0).join()).toContain('the disk is full');
  const granted = async () =>
    (await server.events()).filter(({ type }) => type === 'consent.granted').length;
  expect(await consents()).toEqual([]);
  expect(await granted()).toBe(0);
  expect(parameterOf(await browser.submit(page, {}), 'code')).not.toBe('');
  expect(await consents()).toHaveLength(1);
  expect(await granted()).toBe(1);
});

describe('the consent form', () => {
  test('gives nothing without its token, with the token of another request, or from another site', async () => {
    const other = await browser.submit(await open(), { email: ada.email, password: ada.password });
    const page = await open();
    expect(isAsked(page)).toBe(true);
    const csrfOf = ({ html }: { readonly html: string }) =>
      /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
    expect(csrfOf(page)).not.toBe(csrfOf(other));
    for (const csrf of ['', 'x', csrfOf(other)]) {
      const refused = await browser.submit(page, { csrf });
      expect(refused).toMatchObject({ status: 403, leaves: undefined });
    }
    const body = new URLSearchParams({ csrf: csrfOf(page), scope: 'vaults:read' });
    for (const headers of [
      { origin: 'https://evil.test' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const refused = await browser.post(page.url, body, headers);
      expect(refused).toMatchObject({ status: 403, leaves: undefined });
    }
    expect(await consents()).toEqual([]);
    const { password } = ada;
    expect(parameterOf(await browser.submit(page, { password }), 'code')).not.toBe('');
  });

  test.each([
    ['name', { name: 'Another App' }],
    ['redirect URIs', { redirectUris: [redirectUri, 'https://other.example/callback'] }],
  ])('gives nothing when the app has another %s than its page showed', async (_name, fields) => {
    const page = await browser.submit(await open(), { email: ada.email, password: ada.password });
    expect(isAsked(page)).toBe(true);
    server.clock.advance(second);
    const owner = await server.signIn({ email: 'owner@example.com', password: ada.password });
    await owner('PUT', `/api/v1/oauth/clients/${app.id}`, { body: fields });
    const refused = await browser.submit(page, {});
    expect(refused).toMatchObject({ status: 400, leaves: undefined });
    expect(refused.html).toContain('This page has expired.');
    expect(await consents()).toEqual([]);
    await agree();
    expect(await consents()).toHaveLength(1);
  });

  test('is not shown for a redirect that the app has removed since its request', async () => {
    const signIn = await open();
    const owner = await server.signIn({ email: 'owner@example.com', password: ada.password });
    const body = { redirectUris: ['https://other.example/callback'] };
    await owner('PUT', `/api/v1/oauth/clients/${app.id}`, { body });
    const refused = await browser.submit(signIn, { email: ada.email, password: ada.password });
    expect(refused).toMatchObject({ status: 400, leaves: undefined });
    expect(refused.html).toContain('This page has expired.');
  });

  test('gives no scope that the app did not ask for', async () => {
    const signIn = await open('vaults:read');
    const page = await browser.submit(signIn, { email: ada.email, password: ada.password });
    await browser.submit(page, { scope: ['vaults:read', 'vaults:write', 'admin:*'] });
    expect(await consents()).toMatchObject([{ scopes: ['vaults:read'] }]);
  });
});

test('GET /oauth/userinfo needs users:read', async () => {
  const userinfo = async (scope: string) => {
    const code = await getCode(server, app, ada, { scope });
    const { body } = await redeem(server, app, code);
    const response = await fetch(`${server.url}/oauth/userinfo`, {
      headers: { authorization: `Bearer ${body.access_token}` },
    });
    return { status: response.status, body: await response.json() };
  };
  expect(await userinfo('users:read')).toMatchObject({ status: 200, body: { email: ada.email } });
  const refused = await userinfo('vaults:read');
  expect(refused).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
  expect(JSON.stringify(refused.body)).not.toContain(ada.email);
});
