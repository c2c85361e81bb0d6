import {
  AbortError,
  AuthenticationError,
  SessionExpiredError,
  type Tokens,
} from '@document-vault/sdk';
import { describe, expect, test, vi } from 'vitest';
import { rejection, sessionClient } from './support/client.ts';
import { scriptedFetch } from './support/fetch.ts';
import { failure, json, vaultBody } from './support/responses.ts';
import { latch, loggedIn, sessionService, storeOf } from './support/session.ts';
import { until } from './support/until.ts';

describe('guarantee 6, session: renewal when a token has expired', () => {
  test('100 parallel calls with an expired token renew it once and are each sent again once', async () => {
    const { client, state, expireAll } = await loggedIn();
    expireAll();
    const calls = Array.from({ length: 100 }, (_, n) => client.vaults.get(`${n}`));
    await expect(Promise.all(calls)).resolves.toHaveLength(100);
    expect(state.refreshes).toBe(1);
    expect(state.sent).toHaveLength(201);
  });

  test('100 calls that are rejected one after another renew the token once', async () => {
    const { state, fetch } = sessionService();
    // Call n hears its refusal n turns later; the renewal is long over for the last ones.
    let turn = 0;
    const staggered = async (url: string, init: RequestInit) => {
      const answer = await fetch(url, init);
      const turns = answer.status === 401 ? turn++ : 0;
      for (let n = 0; n < turns; n++) await new Promise(setImmediate);
      return answer;
    };
    const client = sessionClient({
      fetch: staggered,
      session: { store: storeOf('old', 'refresh-1') },
    });
    const calls = Array.from({ length: 100 }, (_, n) => client.vaults.get(`${n}`));
    await expect(Promise.all(calls)).resolves.toHaveLength(100);
    expect(turn).toBe(100);
    expect(state.refreshes).toBe(1);
  });

  test('a POST is sent again after a renewal with the same Idempotency-Key', async () => {
    const { client, state, expireAll } = await loggedIn();
    expireAll();
    await client.vaults.create({ name: 'Taxes' });
    const [first, , replay] = state.sent;
    expect(replay?.headers.authorization).toBe('Bearer access-3');
    expect(replay?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
  });

  test('a call that is rejected again after a renewal is not sent a third time', async () => {
    const { client, state } = await loggedIn();
    state.generation = 10;
    state.validFrom = 10;
    state.refuseRefresh = () => json({ accessToken: 'stale', refreshToken: 'r', expiresIn: 3_600 });
    const error = await rejection(client.vaults.get('1'));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ code: 'EXPIRED_TOKEN', attempts: 2 });
    expect(state.refreshes).toBe(1);
  });

  test('MISSING_AUTH and INVALID_API_KEY cause no renewal', async () => {
    for (const code of ['MISSING_AUTH', 'INVALID_API_KEY'] as const) {
      const { fetch, sent } = scriptedFetch(() => failure(401, code));
      const client = sessionClient({ fetch, session: { store: storeOf('old', 'refresh-1') } });
      await expect(client.vaults.get('1')).rejects.toMatchObject({ code });
      expect(sent).toHaveLength(1);
    }
  });

  test('a rejected renewal calls onExpired once and clears the store', async () => {
    const { client, state, store, onExpired } = await loggedIn();
    state.answer = () => failure(401, 'INVALID_TOKEN');
    state.refuseRefresh = () => failure(401, 'INVALID_TOKEN');
    const calls = Array.from({ length: 50 }, (_, n) => rejection(client.vaults.get(`${n}`)));
    for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(SessionExpiredError);
    expect(state.refreshes).toBe(1);
    expect(onExpired).toHaveBeenCalledTimes(1);
    expect(store.get()).toBeUndefined();
  });

  test('a call with INVALID_TOKEN is sent again after a successful renewal', async () => {
    const { client, state, onExpired } = await loggedIn();
    const responses = [failure(401, 'INVALID_TOKEN'), json(vaultBody)];
    state.answer = () => responses.shift() ?? json(vaultBody);
    await expect(client.vaults.get('1')).resolves.toEqual(vaultBody);
    expect(state.refreshes).toBe(1);
    expect(onExpired).not.toHaveBeenCalled();
  });

  test('the new tokens are stored before waiting calls continue', async () => {
    const { client, expireAll, store } = await loggedIn();
    expireAll();
    const seen: unknown[] = [];
    const set = vi.spyOn(store, 'set');
    set.mockImplementation(async (tokens) => {
      await new Promise(setImmediate);
      seen.push(tokens.accessToken);
      set.mockRestore();
      store.set(tokens);
    });
    await client.vaults.get('1').then(() => seen.push('woken'));
    expect(seen).toEqual(['access-3', 'woken']);
  });

  test('calls that start during a renewal wait for the new token', async () => {
    const { client, state, expireAll } = await loggedIn();
    expireAll();
    const { open, opened } = latch();
    state.beforeRefresh = () => opened;
    const first = client.vaults.get('1');
    await until(() => state.refreshes === 1);
    const second = client.vaults.get('2');
    await new Promise(setImmediate);
    open();
    await Promise.all([first, second]);
    const tokens = state.sent
      .filter(({ url }) => url.endsWith('/2'))
      .map(({ headers }) => headers.authorization);
    expect(tokens).toEqual(['Bearer access-3']);
  });

  test('an expired token that another tab stores during a renewal is renewed too', async () => {
    const { client, state, store, expireAll } = await loggedIn();
    expireAll();
    const { open, opened } = latch();
    state.beforeRefresh = () => opened;
    const first = client.vaults.get('1');
    await until(() => state.refreshes === 1);
    // Another tab stores a pair whose access token has expired by now, too.
    store.set({ ...(store.get() as Tokens), accessToken: 'other', refreshToken: 'refresh-3' });
    const second = client.vaults.get('2');
    await until(() => state.sent.some(({ url }) => url.endsWith('/2')));
    open();
    await expect(Promise.all([first, second])).resolves.toEqual([vaultBody, vaultBody]);
    expect(state.refreshes).toBe(2);
  });

  test('a renewal continues when the call that started it is aborted', async () => {
    const { client, state, expireAll } = await loggedIn();
    expireAll();
    const { open, opened } = latch();
    state.beforeRefresh = () => opened;
    const controller = new AbortController();
    const first = rejection(client.vaults.get('1', { signal: controller.signal }));
    await until(() => state.refreshes === 1);
    const second = client.vaults.get('2');
    controller.abort();
    await expect(first).resolves.toBeInstanceOf(AbortError);
    expect(state.sent.find(({ url }) => url.endsWith('/refresh'))?.signal.aborted).toBe(false);
    open();
    await expect(second).resolves.toEqual(vaultBody);
    expect(state.refreshes).toBe(1);
  });

  test('a call of one user is not sent again as another user', async () => {
    const { client, state, expireAll } = await loggedIn();
    expireAll();
    const { open, opened } = latch();
    state.beforeRefresh = () => opened;
    const call = rejection(client.vaults.create({ name: "Ada's" }));
    await until(() => state.refreshes === 1);
    await client.auth.login({ email: 'bob@example.com', password: 'p' });
    open();
    await expect(call).resolves.toBeInstanceOf(SessionExpiredError);
    expect(state.sent.filter(({ url }) => url.endsWith('/vaults'))).toHaveLength(1);
  });

  test('a renewal that finishes after logout does not restore the session', async () => {
    const { client, state, expireAll, store, onExpired } = await loggedIn();
    expireAll();
    const { open, opened } = latch();
    state.beforeRefresh = () => opened;
    const call = rejection(client.vaults.get('1'));
    await until(() => state.refreshes === 1);
    await client.auth.logout();
    open();
    await expect(call).resolves.toBeInstanceOf(SessionExpiredError);
    expect(store.get()).toBeUndefined();
    expect(onExpired).not.toHaveBeenCalled();
  });
});
