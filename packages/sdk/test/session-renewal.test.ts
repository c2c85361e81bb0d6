import { AbortError, SessionExpiredError, UsageError, VaultError } from '@document-vault/sdk';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { keyClient, rejection, sessionClient } from './support/client.ts';
import { scriptedFetch } from './support/fetch.ts';
import { failure, json, vaultBody } from './support/responses.ts';
import { ada, hour, latch, loggedIn, storeOf } from './support/session.ts';
import { until } from './support/until.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('guarantee 6, session: renewal while the old token still works', () => {
  test('calls do not wait for a renewal while their token is valid', async () => {
    const { client, state, store, clock } = await loggedIn();
    const { open, opened } = latch();
    state.beforeRefresh = () => opened;
    clock.advance(hour - 20_000);
    await expect(client.vaults.get('1')).resolves.toEqual(vaultBody);
    await expect(client.vaults.get('2')).resolves.toEqual(vaultBody);
    await until(() => state.refreshes === 1);
    expect(store.get()).toMatchObject({ accessToken: 'access-1' });
    open();
    await until(() => state.generation === 2);
    await new Promise(setImmediate);
    await client.vaults.get('3');
    expect(state.sent.at(-1)?.headers.authorization).toBe('Bearer access-2');
    expect(state.refreshes).toBe(1);
  });

  test('a background renewal that the service rejects ends the session', async () => {
    const { client, state, store, clock, onExpired } = await loggedIn();
    state.refuseRefresh = () => failure(401, 'INVALID_TOKEN');
    clock.advance(hour - 20_000);
    await expect(client.vaults.get('1')).resolves.toEqual(vaultBody);
    await until(() => onExpired.mock.calls.length === 1);
    expect(store.get()).toBeUndefined();
  });

  test('calls wait for the renewal once the service has rejected the token', async () => {
    const { client, state, clock, expireAll } = await loggedIn();
    clock.advance(hour - 20_000);
    expireAll();
    const { open, opened } = latch();
    state.beforeRefresh = () => opened;
    const first = client.vaults.get('1');
    await until(() => state.sent.length === 2);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    const second = client.vaults.get('2');
    await new Promise(setImmediate);
    open();
    await Promise.all([first, second]);
    const tokens = state.sent
      .filter(({ url }) => url.endsWith('/2'))
      .map(({ headers }) => headers.authorization);
    expect(tokens).toEqual(['Bearer access-3']);
  });
});

test('guarantee 6, session: a renewal whose response was lost is retried with the same refresh token', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let refreshes = 0;
  const fetch = (url: string, init: RequestInit): Promise<Response> => {
    if (!url.endsWith('/auth/refresh')) {
      const { authorization } = init.headers as Record<string, string>;
      const renewed = authorization === 'Bearer new';
      return Promise.resolve(renewed ? json(vaultBody) : failure(401, 'EXPIRED_TOKEN'));
    }
    if (refreshes++ === 0) return new Promise(() => {});
    return Promise.resolve(json({ accessToken: 'new', refreshToken: 'r2', expiresIn: 3_600 }));
  };
  const client = sessionClient({ fetch, session: { store: storeOf('old', 'r1') } });
  const call = client.vaults.get('1');
  await vi.advanceTimersByTimeAsync(3_999);
  expect(refreshes).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  await expect(call).resolves.toEqual(vaultBody);
  expect(refreshes).toBe(2);
});

describe('guarantee 6, session: responses that do not end it', () => {
  test.each<[string, () => Response]>([
    ["a proxy's 403", () => new Response('<html>blocked', { status: 403 })],
    ['a 404 during a deployment', () => new Response('<html>', { status: 404 })],
    ['407', () => new Response('', { status: 407 })],
    ['a blocked address', () => failure(403, 'IP_BLOCKED')],
    ['a pair without tokens', () => json({})],
    ['a lifetime that is no number', () => json({ accessToken: 'a', refreshToken: 'r' })],
  ])('%s', async (_, refuse) => {
    const { client, state, expireAll, store, onExpired } = await loggedIn();
    expireAll();
    state.refuseRefresh = refuse;
    const error = await rejection(client.vaults.get('1'));
    expect(error).toBeInstanceOf(VaultError);
    expect(error).not.toBeInstanceOf(SessionExpiredError);
    expect(store.get()).toMatchObject({ accessToken: 'access-1' });
    expect(onExpired).not.toHaveBeenCalled();
  });

  test('the renewal of a suspended account ends the session', async () => {
    const { client, state, expireAll, store } = await loggedIn();
    expireAll();
    state.refuseRefresh = () => failure(403, 'ACCOUNT_SUSPENDED');
    expect(await rejection(client.vaults.get('1'))).toBeInstanceOf(SessionExpiredError);
    expect(store.get()).toBeUndefined();
  });
});

describe('guarantee 6, session: unusable tokens', () => {
  test('an unusable stored token ends the session and calls onExpired once', async () => {
    const store = storeOf('a\nb', 'refresh-1');
    const onExpired = vi.fn();
    const fetch = vi.fn(async () => failure(401, 'MISSING_AUTH'));
    const client = sessionClient({ fetch, session: { store, onExpired } });
    const calls = [1, 2, 3].map((n) => rejection(client.vaults.get(`${n}`)));
    for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(SessionExpiredError);
    expect(store.get()).toBeUndefined();
    expect(onExpired).toHaveBeenCalledTimes(1);
    expect(fetch).not.toHaveBeenCalled();
  });

  test('a login that returns unusable tokens rejects and keeps the previous session', async () => {
    const { client, state, store } = await loggedIn();
    state.answerLogin = () => json({ accessToken: 'a' });
    expect(await rejection(client.auth.login(ada))).toBeInstanceOf(VaultError);
    expect(store.get()).toMatchObject({ accessToken: 'access-1' });
    await expect(client.vaults.get('1')).resolves.toEqual(vaultBody);
  });
});

describe('session: auth.refresh', () => {
  test('refresh returns the new tokens and stores them', async () => {
    const { client, store, state } = await loggedIn();
    const tokens = await client.auth.refresh();
    expect(tokens).toEqual({
      accessToken: 'access-2',
      refreshToken: 'refresh-2',
      expiresIn: 3_600,
    });
    expect(store.get()).toMatchObject(tokens);
    await client.vaults.get('1');
    expect(state.sent.at(-1)?.headers.authorization).toBe('Bearer access-2');
  });

  test('refresh and calls with an expired token share one renewal', async () => {
    const { client, state, expireAll } = await loggedIn();
    expireAll();
    const calls = [client.auth.refresh(), client.vaults.get('1'), client.auth.refresh()];
    await Promise.all(calls);
    expect(state.refreshes).toBe(1);
  });

  test('a renewal continues when one of its waiting callers is aborted', async () => {
    const { client, store, state } = await loggedIn();
    const { open, opened } = latch();
    state.beforeRefresh = () => opened;
    const controller = new AbortController();
    const left = client.auth.refresh({ signal: controller.signal });
    const stayed = client.auth.refresh();
    await until(() => state.refreshes === 1);
    controller.abort();
    const error = await rejection(left);
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({ method: 'POST', path: '/auth/refresh' });
    open();
    await stayed;
    expect(store.get()).toMatchObject({ accessToken: 'access-2' });
  });

  test('refresh that the service rejects ends the session', async () => {
    const { client, state, store, onExpired } = await loggedIn();
    state.refuseRefresh = () => failure(401, 'INVALID_TOKEN');
    expect(await rejection(client.auth.refresh())).toBeInstanceOf(SessionExpiredError);
    expect(store.get()).toBeUndefined();
    expect(onExpired).toHaveBeenCalledOnce();
  });

  test('refresh without a session throws a UsageError', async () => {
    const { fetch, sent } = scriptedFetch(() => json({}));
    const withoutSession = sessionClient({ fetch }).auth.refresh();
    expect(await rejection(withoutSession)).toBeInstanceOf(SessionExpiredError);
    expect(await rejection(keyClient({ fetch }).auth.refresh())).toBeInstanceOf(UsageError);
    expect(sent).toEqual([]);
  });
});
