import type { DocumentVault, Tokens } from '@document-vault/sdk';
import { describe, expect, test, vi } from 'vitest';
import { rejection } from '../support/client.ts';
import { startApp, startAuthorizedApp } from '../support/oauth.ts';
import { hour } from '../support/session.ts';

const month = 31 * 24 * hour;
const ten = (client: DocumentVault) => Array.from({ length: 10 }, () => client.users.me());

/** Sends the first requests to a path into the void, after the server has served them. */
function losing(path: string, times = 1) {
  let left = times;
  return async (url: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    if (!url.endsWith(path) || left-- <= 0) return response;
    throw new TypeError('fetch failed');
  };
}

/** Responds to a path in the place of the server. */
function answering(path: string, answer: () => Response) {
  return async (url: string, init: RequestInit) =>
    url.endsWith(path) ? answer() : fetch(url, init);
}

describe('guarantee 20, OAuth: the session of an app', () => {
  test('10 calls with an expired token refresh it once at /oauth/token', async () => {
    const { server, client, store, refreshes, sent } = await startAuthorizedApp();
    const before = store.get() as Tokens;
    server.clock.advance(hour);
    expect(await Promise.all(ten(client))).toHaveLength(10);
    expect(refreshes()).toBe(1);
    expect(sent).not.toContain('POST /auth/refresh');
    const after = store.get() as Tokens;
    expect(after.refreshToken).not.toBe(before.refreshToken);
    expect(after.accessToken).not.toBe(before.accessToken);
  });

  test('a refresh whose response is lost is repeated and gets the same tokens', async () => {
    const app = await startAuthorizedApp();
    const client = app.open({ fetch: losing('/oauth/token') });
    app.server.clock.advance(hour);
    expect(await client.users.me()).toMatchObject({ email: 'ada@example.com' });
    expect(app.refreshes()).toBe(2);
    app.server.clock.advance(hour);
    await client.users.me();
    expect(app.onExpired).not.toHaveBeenCalled();
  });

  test('two clients of one store refresh its token once under a lock', async () => {
    const locks = { request: vi.fn((_name: string, work: () => Promise<void>) => serial(work)) };
    let last: Promise<unknown> = Promise.resolve();
    const serial = (work: () => Promise<void>) => {
      last = last.then(work, work);
      return last;
    };
    vi.stubGlobal('navigator', { locks });
    const app = await startAuthorizedApp();
    Object.assign(app.store, { lockName: 'app' });
    const other = app.open();
    app.server.clock.advance(hour);
    await Promise.all([app.client.users.me(), other.users.me()]);
    expect(app.refreshes()).toBe(1);
    expect(locks.request.mock.calls.map(([name]) => name)).toEqual(['app', 'app']);
    vi.unstubAllGlobals();
  });

  test('a revoked consent ends the session at the next call, and calls onExpired once', async () => {
    const { user, client, store, onExpired } = await startAuthorizedApp();
    await client.users.me();
    const { body } = await user.call('GET', '/api/v1/consents');
    const [consent] = body.data;
    const revoked = { body: { status: 'revoked' } };
    expect((await user.call('PUT', `/api/v1/consents/${consent.id}`, revoked)).status).toBe(200);
    const refused = await Promise.all(ten(client).map(rejection));
    for (const error of refused) expect(error).toMatchObject({ name: 'SessionExpiredError' });
    expect(onExpired).toHaveBeenCalledTimes(1);
    expect(store.get()).toBeUndefined();
  });

  test('a refresh token that has expired ends the session', async () => {
    const { server, client, onExpired } = await startAuthorizedApp();
    server.clock.advance(month);
    expect(await rejection(client.users.me())).toMatchObject({
      name: 'SessionExpiredError',
      cause: { name: 'SessionExpiredError', cause: { name: 'OAuthError', code: 'invalid_grant' } },
    });
    expect(onExpired).toHaveBeenCalledTimes(1);
  });

  test.each<[string, () => Response, object]>([
    ['429', () => new Response('{"error":"x"}', { status: 429 }), { name: 'RateLimitError' }],
    ['503', () => new Response('{"error":"x"}', { status: 503 }), { name: 'ServerError' }],
    [
      'a page of a proxy',
      () => new Response('<html>', { status: 403 }),
      { name: 'PermissionError' },
    ],
    [
      'invalid_client',
      () => Response.json({ error: 'invalid_client' }, { status: 401 }),
      { name: 'OAuthError', code: 'invalid_client', status: 401 },
    ],
    [
      'a lost connection',
      () => {
        throw new TypeError('fetch failed');
      },
      { name: 'ConnectionError' },
    ],
  ])('a refresh that ends with %s keeps the session', async (_, answer, error) => {
    const app = await startAuthorizedApp();
    const kept = app.store.get();
    app.server.clock.advance(hour);
    const failing = app.open({ fetch: answering('/oauth/token', answer), maxRetryAfter: 0 });
    expect(await rejection(failing.users.me())).toMatchObject(error);
    expect(app.onExpired).not.toHaveBeenCalled();
    expect(app.store.get()).toEqual(kept);
    expect(await app.open().users.me()).toMatchObject({ email: 'ada@example.com' });
  });

  test('logout revokes the grant and clears the store; the consent stays', async () => {
    const { server, user, client, store, sent, onExpired } = await startAuthorizedApp();
    const { accessToken } = store.get() as Tokens;
    await client.auth.logout();
    expect(sent).toEqual(['POST /oauth/revoke']);
    expect(store.get()).toBeUndefined();
    expect(onExpired).not.toHaveBeenCalled();
    expect((await server.withToken(accessToken)('GET', '/api/v1/users/me')).status).toBe(401);
    const { body } = await user.call('GET', '/api/v1/consents');
    expect(body.data).toMatchObject([{ status: 'granted' }]);
    expect(await rejection(client.users.me())).toMatchObject({ name: 'SessionExpiredError' });
  });

  test('an app without the refresh grant works until its token expires', async () => {
    const registered = { grantTypes: ['authorization_code'] as const };
    const { server, client, store, refreshes, onExpired } = await startAuthorizedApp({
      registered: { grantTypes: [...registered.grantTypes] },
    });
    expect(store.get()).toMatchObject({ refreshToken: '' });
    await client.users.me();
    server.clock.advance(hour);
    expect(await rejection(client.users.me())).toMatchObject({ name: 'SessionExpiredError' });
    expect(refreshes()).toBe(0);
    expect(onExpired).toHaveBeenCalledTimes(1);
  });

  test('auth.refresh returns new tokens, and auth.session returns undefined for an app', async () => {
    const { client, store } = await startAuthorizedApp();
    const before = store.get() as Tokens;
    const { accessToken } = await client.auth.refresh();
    expect(accessToken).not.toBe(before.accessToken);
    expect(await client.auth.session()).toBeUndefined();
  });

  test('a call before the sign-in rejects with a SessionExpiredError', async () => {
    const { client } = await startApp();
    expect(await rejection(client.users.me())).toMatchObject({ name: 'SessionExpiredError' });
  });

  test('hooks and headers of the app receive no secret', async () => {
    const seen: string[] = [];
    const app = await startAuthorizedApp();
    const client = app.open({
      onRequest: (event) => seen.push(JSON.stringify(event)),
      onResponse: (event) => seen.push(JSON.stringify(event)),
      logger: {
        debug: (...line) => seen.push(JSON.stringify(line)),
        warn: (...line) => seen.push(JSON.stringify(line)),
      },
    });
    const { accessToken, refreshToken } = app.store.get() as Tokens;
    await client.auth.refresh();
    expect(seen.join()).toContain('/oauth/token');
    for (const secret of [accessToken, refreshToken, 'Basic ']) {
      expect(seen.join()).not.toContain(secret);
    }
  });
});
