import {
  type DocumentVault,
  memoryTokenStore,
  SessionExpiredError,
  type Tokens,
} from '@document-vault/sdk';
import { describe, expect, test, vi } from 'vitest';
import { rejection } from './support/client.ts';
import { startWithUser } from './support/real-server.ts';
import { hour } from './support/session.ts';

/** A user who is logged in, whose access token the server calls expired, unknown to the client. */
async function expiredSession() {
  const started = await startWithUser();
  const store = memoryTokenStore();
  const onExpired = vi.fn();
  const client = started.open({ session: { store, onExpired } });
  await client.auth.login(started.user);
  const issued = store.get() as Tokens;
  started.server.clock.advance(hour);
  started.sent.length = 0;
  started.statuses.length = 0;
  return { ...started, store, onExpired, client, issued };
}

const hundred = (client: DocumentVault) => Array.from({ length: 100 }, () => client.users.me());

describe('guarantee 6: the session with the real server', () => {
  test('100 parallel calls with an expired token renew it once', async () => {
    const { client, refreshes, statuses, store, issued } = await expiredSession();
    await expect(Promise.all(hundred(client))).resolves.toHaveLength(100);
    expect(refreshes()).toBe(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(100);
    expect(statuses.filter((status) => status === 200)).toHaveLength(101);
    expect((store.get() as Tokens).refreshToken).not.toBe(issued.refreshToken);
  });

  test('100 calls that are rejected one after another renew the token once', async () => {
    const { open, store, refreshes, statuses } = await expiredSession();
    // Refusal n is heard when n calls are through: the renewal is long over for the last ones.
    let refused = 0;
    let through = 0;
    const staggered = async (url: string, init: RequestInit) => {
      const answer = await fetch(url, init);
      if (answer.status !== 401) return answer;
      const order = refused++;
      await expect.poll(() => through, { interval: 1 }).toBeGreaterThanOrEqual(order);
      return answer;
    };
    const client = open({ fetch: staggered, session: { store } });
    const calls = hundred(client).map((call) => call.then(() => through++));
    await expect(Promise.all(calls)).resolves.toHaveLength(100);
    expect(refused).toBe(100);
    expect(refreshes()).toBe(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(100);
  });

  test('the session continues when the response of its renewal is lost', async () => {
    const { server, client, refreshes, onExpired } = await expiredSession();
    server.fault('networkError', { operations: 'refresh', when: 'after' });
    await expect(client.users.me()).resolves.toMatchObject({ email: 'ada@example.com' });
    expect(refreshes()).toBe(2);
    server.clock.advance(hour);
    await client.users.me();
    expect(onExpired).not.toHaveBeenCalled();
  });

  test('the session continues when two tabs without a lock renew within the grace period', async () => {
    const { server, open, client, store, issued, refreshes } = await expiredSession();
    const other = memoryTokenStore();
    other.set(issued);
    const tab = open({ session: { store: other } });
    await Promise.all([client.users.me(), tab.users.me()]);
    expect(refreshes()).toBe(2);
    expect((other.get() as Tokens).refreshToken).toBe((store.get() as Tokens).refreshToken);
    server.clock.advance(hour);
    await client.users.me();
  });

  test('two tabs with a Web Lock renew the token once', async () => {
    const { open, store, refreshes, statuses } = await expiredSession();
    const shared = { ...store, lockName: 'two-tabs-of-one-user' };
    const tabs = [1, 2].map(() => open({ session: { store: shared } }));
    await Promise.all(tabs.map((tab) => tab.users.me()));
    expect(refreshes()).toBe(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(2);
  });

  test('100 parallel calls after a remote logout call onExpired once', async () => {
    const { open, client, user, store, onExpired, refreshes } = await expiredSession();
    await client.users.me();
    const other = open({ session: { store: memoryTokenStore() } });
    await other.auth.login(user);
    await other.auth.sessions.deleteOthers();
    const before = refreshes();
    const errors = await Promise.all(hundred(client).map((call) => rejection(call)));
    for (const error of errors) expect(error).toBeInstanceOf(SessionExpiredError);
    expect(refreshes()).toBe(before + 1);
    expect(onExpired).toHaveBeenCalledTimes(1);
    expect(store.get()).toBeUndefined();
    const { data } = await other.auth.sessions.list();
    expect(data).toMatchObject([{ current: true }]);
  });

  test('reuse of a stolen refresh token ends the session and calls onExpired once', async () => {
    const { server, open, client, store, issued, onExpired, refreshes } = await expiredSession();
    const thief = memoryTokenStore();
    thief.set(issued);
    await open({ session: { store: thief } }).users.me();
    server.clock.advance(11_000);
    const calls = Array.from({ length: 10 }, () => rejection(client.users.me()));
    for (const error of await Promise.all(calls)) {
      expect(error).toBeInstanceOf(SessionExpiredError);
    }
    expect(refreshes()).toBe(2);
    expect(onExpired).toHaveBeenCalledTimes(1);
    expect(store.get()).toBeUndefined();
  });

  test('the session continues after an error, a lost connection or a 429 of a renewal', async () => {
    const { server, client, store, issued, onExpired } = await expiredSession();
    for (const [kind, options, name] of [
      ['error', { times: 3 }, 'ServerError'],
      ['networkError', { times: 3 }, 'ConnectionError'],
      ['rateLimit', { retryAfter: 900 }, 'RateLimitError'],
    ] as const) {
      server.fault(kind, { operations: 'refresh', ...options });
      await expect(client.users.me()).rejects.toMatchObject({ name, path: '/auth/refresh' });
      expect(store.get()).toEqual(issued);
    }
    expect(onExpired).not.toHaveBeenCalled();
  });
});
