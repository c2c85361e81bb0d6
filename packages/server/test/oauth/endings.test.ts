import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import type { OAuthClientRecord } from '../../src/store/rows/oauth/clients.ts';
import {
  approve,
  authorizationUrl,
  Browser,
  getCode,
  type OAuthServer,
  pkce,
  redeem,
  refresh,
  sendForm,
  startOAuthServer,
} from '../support/oauth.ts';
import type { Account, Caller } from '../support/server.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

let server: OAuthServer;
let app: OAuthClientRecord;
let ada: Account;

beforeEach(async () => {
  server = await startOAuthServer();
  app = await server.register();
  ada = await server.signUp('ada@example.com');
});

/** Gives the app access and returns its tokens. */
async function getTokens(scope = 'vaults:read') {
  const { body } = await redeem(server, app, await getCode(server, app, ada, { scope }));
  const call: Caller = server.withToken(body.access_token);
  return { call, refreshToken: body.refresh_token as string, accessToken: body.access_token };
}

const status = async (call: Caller) => (await call('GET', '/api/v1/vaults')).status;

describe('lifetimes', () => {
  test('a code ends after 60 s', async () => {
    const early = await getCode(server, app, ada);
    const late = await getCode(server, app, ada);
    server.clock.advance(59 * second);
    expect((await redeem(server, app, early)).status).toBe(200);
    server.clock.advance(2 * second);
    expect(await redeem(server, app, late)).toMatchObject({ body: { error: 'invalid_grant' } });
  });

  test('an access token ends after 1 h', async () => {
    const { call, accessToken } = await getTokens();
    const { iat, exp } = decodeJwt(accessToken);
    expect(Number(exp) - Number(iat)).toBe(3600);
    server.clock.advance(hour - second);
    expect(await status(call)).toBe(200);
    server.clock.advance(2 * second);
    expect(await call('GET', '/api/v1/vaults')).toMatchObject({
      status: 401,
      body: { error: { code: 'EXPIRED_TOKEN' } },
    });
  });

  test('a refresh token ends after 30 d, and each refresh begins anew', async () => {
    const { refreshToken } = await getTokens();
    server.clock.advance(29 * day);
    const next = await refresh(server, app, refreshToken);
    expect(next.status).toBe(200);
    server.clock.advance(29 * day);
    const last = await refresh(server, app, next.body.refresh_token);
    expect(last.status).toBe(200);
    server.clock.advance(30 * day + second);
    expect((await refresh(server, app, last.body.refresh_token)).status).toBe(400);
  });

  test('a pushed request ends after 60 s, and a device code after 10 min', async () => {
    const pushed = await sendForm(server, '/oauth/par', app, {
      client_id: app.id,
      response_type: 'code',
      redirect_uri: app.redirectUris[0],
      scope: 'vaults:read',
      code_challenge: pkce().challenge,
      code_challenge_method: 'S256',
    });
    expect(pushed.status).toBe(201);
    const device = await sendForm(server, '/oauth/device', app, { scope: 'vaults:read' });
    server.clock.advance(61 * second);
    const query = new URLSearchParams({
      client_id: app.id,
      request_uri: pushed.body.request_uri,
    });
    const page = await new Browser(server).open(`/oauth/authorize?${query}`);
    expect(page).toMatchObject({ status: 400, leaves: undefined });
    expect(page.html).toContain('<code>invalid_request_uri</code>');
    server.clock.advance(10 * minute);
    const reply = await sendForm(server, '/oauth/token', app, {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: device.body.device_code,
    });
    expect(reply.body.error).toBe('expired_token');
  });

  test('a request that waits for its user ends after 15 min', async () => {
    const open = async (browser: Browser) =>
      browser.open(authorizationUrl(server, app, { code_challenge: pkce().challenge }));
    const [early, late] = [new Browser(server), new Browser(server)];
    const pages = [await open(early), await open(late)] as const;
    const { email, password } = ada;
    server.clock.advance(15 * minute - second);
    const consent = await early.submit(pages[0], { email, password });
    expect(consent.html).toContain('name="scope"');
    server.clock.advance(second);
    const ended = await late.submit(pages[1], { email, password });
    expect(ended).toMatchObject({ status: 400, leaves: undefined });
    expect(ended.html).toContain('This page has expired.');
    expect((await late.open(pages[1].url)).status).toBe(400);
  });

  test('a consent ends after a year, and its grants with it', async () => {
    let { refreshToken } = await getTokens();
    for (let passed = 0; passed < 350; passed += 25) {
      server.clock.advance(25 * day);
      refreshToken = (await refresh(server, app, refreshToken)).body.refresh_token;
    }
    server.clock.advance(16 * day);
    expect((await refresh(server, app, refreshToken)).status).toBe(400);
  });
});

describe('the access of an app ends at the next request', () => {
  test('when the user revokes the consent, which cannot be renewed', async () => {
    const first = await getTokens();
    const second = await getTokens();
    const { body } = await ada.call('GET', '/api/v1/consents');
    const path = `/api/v1/consents/${body.data[0].id}`;
    const revoked = await ada.call('PUT', path, { body: { status: 'revoked', reason: 'enough' } });
    expect(revoked.status).toBe(200);
    for (const { call, refreshToken } of [first, second]) {
      expect(await status(call)).toBe(401);
      expect((await refresh(server, app, refreshToken)).status).toBe(400);
    }
    const renewed = await ada.call('PUT', path, { body: { status: 'granted' } });
    expect(renewed).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } });
    expect((await server.events()).map(({ type }) => type)).toContain('consent.revoked');
  });

  test('when the client is disabled', async () => {
    const { call, refreshToken } = await getTokens();
    const credentials = await sendForm(server, '/oauth/token', app, {
      grant_type: 'client_credentials',
      scope: 'vaults:read',
    });
    const asOwner = server.withToken(credentials.body.access_token);
    expect(await status(asOwner)).toBe(200);
    await server.store.transaction((tx) => tx.oauthClients.save({ ...app, disabled: true }));
    expect(await status(call)).toBe(401);
    expect(await status(asOwner)).toBe(401);
    expect((await refresh(server, app, refreshToken)).status).toBe(401);
  });

  test('when the client loses a scope, for that scope', async () => {
    const { call } = await getTokens('vaults:read vaults:write');
    await server.store.transaction((tx) =>
      tx.oauthClients.save({ ...app, scopes: ['vaults:read'] }),
    );
    expect(await status(call)).toBe(200);
    const reply = await call('POST', '/api/v1/vaults', { body: { name: 'Letters' } });
    expect(reply.status).toBe(403);
  });

  test('when a new password comes with revokeApiKeys, and not without', async () => {
    const { call } = await getTokens();
    const change = (password: string, currentPassword: string, revokeApiKeys: boolean) =>
      ada.call('PUT', '/api/v1/users/me', { body: { password, currentPassword, revokeApiKeys } });
    expect((await change('a long new password', ada.password, false)).status).toBe(200);
    expect(await status(call)).toBe(200);
    const again = await change('another long password', 'a long new password', true);
    expect(again.status).toBe(200);
    expect(await status(call)).toBe(401);
    const next = await server.signIn({ ...ada, password: 'another long password' });
    const reason = 'All access of the account was revoked.';
    const { data: consents } = (await next('GET', '/api/v1/consents')).body;
    expect(consents).toMatchObject([{ status: 'revoked', revocationReason: reason }]);
    const { data: events } = (await next('GET', '/api/v1/events?type=consent.revoked')).body;
    expect(events).toMatchObject([{ data: { object: { id: consents[0].id, reason } } }]);
  });

  test('when the account is suspended', async () => {
    const { call } = await getTokens();
    await server.store.transaction(async (tx) => {
      const user = await tx.users.find(ada.userId);
      if (user) await tx.users.save({ ...user, status: 'suspended' });
    });
    expect(await status(call)).toBe(403);
  });

  test('when the account is deleted', async () => {
    const { call } = await getTokens();
    const { password } = ada;
    expect((await ada.call('DELETE', '/api/v1/users/me', { body: { password } })).status).toBe(204);
    expect(await status(call)).toBe(401);
  });
});

test('a sign-in of the pages is a session, and ends like one', async () => {
  const browser = new Browser(server);
  const url = authorizationUrl(server, app, { code_challenge: pkce().challenge });
  await approve(browser, url, ada);
  const { body } = await ada.call('GET', '/api/v1/auth/sessions');
  expect(body.pagination.totalCount).toBe(2);
  expect((await ada.call('DELETE', '/api/v1/auth/sessions')).status).toBe(204);
  expect((await browser.open(url)).html).toContain('type="password"');
  const logins = (await server.events()).filter(({ type }) => type === 'user.login');
  expect(logins.length).toBeGreaterThanOrEqual(2);
});

describe('an app is refused', () => {
  test.each([
    ['GET', '/api/v1/api-keys'],
    ['POST', '/api/v1/api-keys', { name: 'x', scopes: ['vaults:read'] }],
    ['GET', '/api/v1/auth/sessions'],
    ['DELETE', '/api/v1/auth/sessions'],
    ['GET', '/api/v1/oauth/clients'],
    ['DELETE', '/api/v1/users/me', { password: 'x' }],
    ['PUT', '/api/v1/users/me', { email: 'new@example.com', currentPassword: 'x' }],
    ['PUT', '/api/v1/users/me', { password: 'a long new password', currentPassword: 'x' }],
  ])('%s %s', async (method, path, body?: object) => {
    app = await server.register({ scopes: ['users:read', 'users:write', 'vaults:read'] });
    const { call } = await getTokens('users:read users:write');
    const reply = await call(method, path, { ...(body && { body }) });
    expect(reply).toMatchObject({
      status: 403,
      body: { error: { code: 'INSUFFICIENT_PERMISSIONS' } },
    });
    const renamed = await call('PUT', '/api/v1/users/me', { body: { name: 'Ada' } });
    expect(renamed.status).toBe(200);
  });

  test('a mutation of GraphQL without its scope', async () => {
    const { call } = await getTokens('vaults:read');
    const query = 'mutation { createVault(input: { name: "x" }) { id } }';
    const { body } = await call('POST', '/graphql', { body: { query } });
    expect(body.errors[0].extensions.code).toBe('INSUFFICIENT_PERMISSIONS');
    const read = await call('POST', '/graphql', { body: { query: '{ vaults { data { id } } }' } });
    expect(read.body.data).toEqual({ vaults: { data: [] } });
  });

  test('admin:* for a user who is no administrator', async () => {
    app = await server.register({ scopes: ['admin:*', 'vaults:read'] });
    const { accessToken } = await getTokens('admin:* vaults:read');
    expect(decodeJwt(accessToken).scope).toBe('vaults:read');
  });
});
