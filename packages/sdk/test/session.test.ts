import {
  ConnectionError,
  memoryTokenStore,
  RateLimitError,
  ServerError,
  SessionExpiredError,
  type Tokens,
  UsageError,
} from '@document-vault/sdk';
import { describe, expect, test } from 'vitest';
import { keyClient, rejection, sessionClient } from './support/client.ts';
import { JumpingClock } from './support/clock.ts';
import { scriptedFetch } from './support/fetch.ts';
import { failure, json, networkError, vaultBody } from './support/responses.ts';
import { ada, hour, latch, loggedIn, sessionService, storeOf } from './support/session.ts';

describe('guarantee 6, session: login and logout', () => {
  test('calls after login have the access token, and the login itself has no credentials', async () => {
    const { client, state } = sessionService();
    await client.auth.login(ada);
    await client.vaults.get('1');
    const [login, get] = state.sent;
    expect(login?.headers).not.toHaveProperty('authorization');
    expect(login?.body).toBe(JSON.stringify(ada));
    expect(get?.headers.authorization).toBe('Bearer access-1');
    expect(get?.headers).not.toHaveProperty('x-api-key');
  });

  test('calls before login have no credentials', async () => {
    const { client, state } = sessionService();
    const error = await rejection(client.vaults.get('1'));
    expect(error).toBeInstanceOf(SessionExpiredError);
    expect(error).toMatchObject({
      message: 'Not logged in: call auth.login, or set apiKey',
      path: '/api/v1/vaults/{id}',
    });
    expect(state.sent[0]?.headers).not.toHaveProperty('authorization');
  });

  test('logout revokes the refresh token and does not call onExpired', async () => {
    const { client, state, store, onExpired } = await loggedIn();
    await client.auth.logout();
    expect(state.sent[0]).toMatchObject({ body: '{"refreshToken":"refresh-1"}' });
    expect(store.get()).toBeUndefined();
    expect(onExpired).not.toHaveBeenCalled();
    await client.auth.logout();
    expect(state.sent).toHaveLength(1);
  });

  test('logout revokes the refresh token of a store that fails to remove it, and rejects', async () => {
    const { client, state, store } = await loggedIn();
    store.clear = () => {
      throw new Error('The operation is insecure');
    };
    await expect(client.auth.logout()).rejects.toThrow('The operation is insecure');
    expect(state.sent[0]).toMatchObject({ body: '{"refreshToken":"refresh-1"}' });
  });

  test('login on a client with an API key throws a UsageError', async () => {
    await expect(keyClient().auth.login(ada)).rejects.toBeInstanceOf(UsageError);
  });
});

describe('guarantee 6, session: who is signed in', () => {
  const token = (payload: object) =>
    `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.c2ln`;
  const user = { userId: 'u1', email: 'ada@example.com', sessionId: 's1', scopes: ['admin:*'] };

  test('session() reads user and session from the access token without a request', async () => {
    const access = token({ sub: 'u1', email: 'ada@example.com', sid: 's1', scopes: ['admin:*'] });
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const client = sessionClient({ fetch, session: { store: storeOf(access, 'refresh') } });
    expect(await client.auth.session()).toEqual(user);
    expect(sent).toEqual([]);
  });

  test('session() is undefined before a login and after a logout, and calls then throw', async () => {
    const { client } = await loggedIn();
    await client.auth.logout();
    expect(await client.auth.session()).toBeUndefined();
    expect(await rejection(client.vaults.get('1'))).toBeInstanceOf(SessionExpiredError);
    expect(await sessionClient().auth.session()).toBeUndefined();
  });

  test('session() is undefined for a token without a payload and for an API key', async () => {
    const client = sessionClient({ session: { store: storeOf('opaque', 'refresh') } });
    expect(await client.auth.session()).toBeUndefined();
    expect(await keyClient().auth.session()).toBeUndefined();
  });

  test('session() rejects with a VaultError when the store fails', async () => {
    const store = { ...memoryTokenStore(), get: () => Promise.reject(new Error('disk')) };
    const error = await rejection(sessionClient({ session: { store } }).auth.session());
    expect(error).toMatchObject({ name: 'VaultError' });
  });
});

describe('guarantee 6, session: the end', () => {
  test('a rejected renewal clears the store, calls onExpired once and rejects all waiting calls', async () => {
    const { client, state, expireAll, store, onExpired } = await loggedIn();
    expireAll();
    state.refuseRefresh = () => failure(401, 'INVALID_TOKEN');
    const calls = Array.from({ length: 10 }, () => rejection(client.vaults.get('1')));
    for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(SessionExpiredError);
    expect(state.refreshes).toBe(1);
    expect(onExpired).toHaveBeenCalledTimes(1);
    expect(store.get()).toBeUndefined();
  });

  test('a late 401 after the end of the session does not call onExpired again', async () => {
    const { client, state, expireAll, onExpired } = await loggedIn();
    expireAll();
    state.refuseRefresh = () => failure(401, 'INVALID_TOKEN');
    const { open, opened } = latch();
    state.beforeAnswer = async (url) => {
      if (url.endsWith('/late')) await opened;
    };
    const late = rejection(client.vaults.get('late'));
    await rejection(client.vaults.get('1'));
    open();
    await expect(late).resolves.toBeInstanceOf(SessionExpiredError);
    expect(onExpired).toHaveBeenCalledTimes(1);
  });

  test('a stored token with characters that headers reject ends the session', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const client = sessionClient({ fetch, session: { store: storeOf('a\nb', 'refresh-1') } });
    await expect(client.vaults.get('1')).rejects.toBeInstanceOf(SessionExpiredError);
    expect(sent).toHaveLength(0);
  });

  test('onExpired is called again when the next session ends', async () => {
    const { client, state, expireAll, onExpired } = await loggedIn();
    for (let n = 0; n < 2; n++) {
      expireAll();
      state.refuseRefresh = () => failure(401, 'INVALID_TOKEN');
      await rejection(client.vaults.get('1'));
      await client.auth.login(ada);
    }
    expect(onExpired).toHaveBeenCalledTimes(2);
  });

  test.each([
    ['429', () => failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfter: 3_600 }), RateLimitError],
    ['500', () => failure(500, 'INTERNAL_ERROR'), ServerError],
    [
      'a network failure',
      () => {
        throw networkError('ECONNRESET');
      },
      ConnectionError,
    ],
  ])('keeps the session after %s', async (_, refuse, errorClass) => {
    const { client, state, expireAll, store, onExpired } = await loggedIn();
    expireAll();
    state.refuseRefresh = refuse;
    await expect(client.vaults.get('1')).rejects.toBeInstanceOf(errorClass);
    expect(store.get()).toMatchObject({ accessToken: 'access-1' });
    expect(onExpired).not.toHaveBeenCalled();
  });

  test('a call after another tab has cleared the store ends the session', async () => {
    const { client, store, expireAll, onExpired, state } = await loggedIn();
    expireAll();
    state.beforeAnswer = async () => store.clear();
    await expect(client.vaults.get('1')).rejects.toBeInstanceOf(SessionExpiredError);
    expect(onExpired).toHaveBeenCalledTimes(1);
    expect(state.refreshes).toBe(0);
  });
});

describe('guarantee 6, session: renewal before a token expires', () => {
  test('a token is renewed once shortly before it expires, without a 401', async () => {
    const { client, state, clock } = await loggedIn();
    clock.advance(hour - 29_000);
    await Promise.all(Array.from({ length: 10 }, () => client.vaults.get('1')));
    expect(state.refreshes).toBe(1);
    expect(state.sent).toHaveLength(11);
  });

  test('a token with enough lifetime is not renewed', async () => {
    const { client, state, clock } = await loggedIn();
    clock.advance(hour - 31_000);
    await client.vaults.get('1');
    expect(state.refreshes).toBe(0);
  });

  test('calls use the current token while it is valid and its renewal fails', async () => {
    const { client, state, clock } = await loggedIn();
    state.refuseRefresh = () => failure(500, 'INTERNAL_ERROR');
    clock.advance(hour - 20_000);
    await expect(client.vaults.get('1')).resolves.toEqual(vaultBody);
  });

  test('the expiry of a token is compared with the clock of the server', async () => {
    const local = new JumpingClock();
    const serverTime = () => new Date(local.now() + 5 * hour).toUTCString();
    const service = sessionService(local);
    const store = memoryTokenStore();
    const client = sessionClient({
      clock: local,
      session: { store },
      fetch: async (url, init) => {
        const answer = await service.fetch(url, init);
        answer.headers.set('date', serverTime());
        return answer;
      },
    });
    await client.auth.login(ada);
    expect((store.get() as Tokens).expiresAt).toBe(local.now() + 6 * hour);
    await client.vaults.get('1');
    expect(service.state.refreshes).toBe(0);
    local.advance(hour);
    await client.vaults.get('1');
    expect(service.state.refreshes).toBe(1);
  });
});
