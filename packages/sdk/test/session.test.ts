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
  test('sends the access token after the login, and no credentials with it', async () => {
    const { client, state } = sessionService();
    await client.auth.login(ada);
    await client.vaults.get('1');
    const [login, get] = state.sent;
    expect(login?.headers).not.toHaveProperty('authorization');
    expect(login?.body).toBe(JSON.stringify(ada));
    expect(get?.headers.authorization).toBe('Bearer access-1');
    expect(get?.headers).not.toHaveProperty('x-api-key');
  });

  test('sends no credentials before the login', async () => {
    const { client, state } = sessionService();
    await expect(client.vaults.get('1')).rejects.toMatchObject({ code: 'MISSING_AUTH' });
    expect(state.sent[0]?.headers).not.toHaveProperty('authorization');
  });

  test('revokes the refresh token at logout and calls nobody expired', async () => {
    const { client, state, store, onExpired } = await loggedIn();
    await client.auth.logout();
    expect(state.sent[0]).toMatchObject({ body: '{"refreshToken":"refresh-1"}' });
    expect(store.get()).toBeUndefined();
    expect(onExpired).not.toHaveBeenCalled();
    await client.auth.logout();
    expect(state.sent).toHaveLength(1);
  });

  test('refuses to log in a client that has an API key', async () => {
    await expect(keyClient().auth.login(ada)).rejects.toBeInstanceOf(UsageError);
  });
});

describe('guarantee 6, session: the end', () => {
  test('clears the session, tells once, and throws to all who waited', async () => {
    const { client, state, expireAll, store, onExpired } = await loggedIn();
    expireAll();
    state.refuseRefresh = () => failure(401, 'INVALID_TOKEN');
    const calls = Array.from({ length: 10 }, () => rejection(client.vaults.get('1')));
    for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(SessionExpiredError);
    expect(state.refreshes).toBe(1);
    expect(onExpired).toHaveBeenCalledTimes(1);
    expect(store.get()).toBeUndefined();
  });

  test('tells once, also when a refusal comes in after the end', async () => {
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

  test('is there when the store holds a token that no header can carry', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const client = sessionClient({ fetch, session: { store: storeOf('a\nb', 'refresh-1') } });
    await expect(client.vaults.get('1')).rejects.toBeInstanceOf(SessionExpiredError);
    expect(sent).toHaveLength(0);
  });

  test('tells again after the next session has ended too', async () => {
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

  test('finds a session gone that another tab has ended', async () => {
    const { client, store, expireAll, onExpired, state } = await loggedIn();
    expireAll();
    state.beforeAnswer = async () => store.clear();
    await expect(client.vaults.get('1')).rejects.toBeInstanceOf(SessionExpiredError);
    expect(onExpired).toHaveBeenCalledTimes(1);
    expect(state.refreshes).toBe(0);
  });
});

describe('guarantee 6, session: renewal before a token expires', () => {
  test('renews shortly before, once for all, without a refusal', async () => {
    const { client, state, clock } = await loggedIn();
    clock.advance(hour - 29_000);
    await Promise.all(Array.from({ length: 10 }, () => client.vaults.get('1')));
    expect(state.refreshes).toBe(1);
    expect(state.sent).toHaveLength(11);
  });

  test('does not renew earlier', async () => {
    const { client, state, clock } = await loggedIn();
    clock.advance(hour - 31_000);
    await client.vaults.get('1');
    expect(state.refreshes).toBe(0);
  });

  test('goes on with the old token while that still works and the renewal fails', async () => {
    const { client, state, clock } = await loggedIn();
    state.refuseRefresh = () => failure(500, 'INTERNAL_ERROR');
    clock.advance(hour - 20_000);
    await expect(client.vaults.get('1')).resolves.toEqual(vaultBody);
  });

  test("tells the time by the server's clock", async () => {
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
