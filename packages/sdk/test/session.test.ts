import {
  AbortError,
  AuthenticationError,
  ConnectionError,
  localStorageTokenStore,
  memoryTokenStore,
  RateLimitError,
  ServerError,
  SessionExpiredError,
  type Tokens,
  UsageError,
} from '@document-vault/sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { failure, json, networkError, vaultBody } from './support/answers.ts';
import { keyClient, rejection, sessionClient } from './support/client.ts';
import { JumpingClock } from './support/clock.ts';
import { scriptedFetch } from './support/fetch.ts';
import { ada, hour, latch, loggedIn, sessionService, storeOf } from './support/session.ts';
import { until } from './support/until.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('transport, session: login and logout', () => {
  it('sends the access token after the login, and no credentials with it', async () => {
    const { vault, state } = sessionService();
    await vault.auth.login(ada);
    await vault.vaults.get('1');
    const [login, get] = state.sent;
    expect(login?.headers).not.toHaveProperty('authorization');
    expect(login?.body).toBe(JSON.stringify(ada));
    expect(get?.headers.authorization).toBe('Bearer access-1');
    expect(get?.headers).not.toHaveProperty('x-api-key');
  });

  it('sends no credentials before the login', async () => {
    const { vault, state } = sessionService();
    await expect(vault.vaults.get('1')).rejects.toMatchObject({ code: 'MISSING_AUTH' });
    expect(state.sent[0]?.headers).not.toHaveProperty('authorization');
  });

  it('revokes the refresh token at logout and calls nobody expired', async () => {
    const { vault, state, store, onExpired } = await loggedIn();
    await vault.auth.logout();
    expect(state.sent[0]).toMatchObject({ body: '{"refreshToken":"refresh-1"}' });
    expect(store.get()).toBeUndefined();
    expect(onExpired).not.toHaveBeenCalled();
    await vault.auth.logout();
    expect(state.sent).toHaveLength(1);
  });

  it('refuses to log in a client that has an API key', async () => {
    await expect(keyClient().auth.login(ada)).rejects.toBeInstanceOf(UsageError);
  });
});

describe('transport, session: renewal when a token has expired', () => {
  it('renews once for 100 parallel calls, and replays each once', async () => {
    const { vault, state, expireAll } = await loggedIn();
    expireAll();
    const calls = Array.from({ length: 100 }, (_, n) => vault.vaults.get(`${n}`));
    await expect(Promise.all(calls)).resolves.toHaveLength(100);
    expect(state.refreshes).toBe(1);
    expect(state.sent).toHaveLength(201);
  });

  it('renews once for 100 calls whose refusals come in one after the other', async () => {
    const { state, fetch } = sessionService();
    // Call n hears its refusal n turns later; the renewal is long over for the last ones.
    let turn = 0;
    const staggered = async (url: string, init: RequestInit) => {
      const answer = await fetch(url, init);
      const turns = answer.status === 401 ? turn++ : 0;
      for (let n = 0; n < turns; n++) await new Promise(setImmediate);
      return answer;
    };
    const vault = sessionClient({
      fetch: staggered,
      session: { store: storeOf('old', 'refresh-1') },
    });
    const calls = Array.from({ length: 100 }, (_, n) => vault.vaults.get(`${n}`));
    await expect(Promise.all(calls)).resolves.toHaveLength(100);
    expect(turn).toBe(100);
    expect(state.refreshes).toBe(1);
  });

  it('replays a POST under the same Idempotency-Key', async () => {
    const { vault, state, expireAll } = await loggedIn();
    expireAll();
    await vault.vaults.create({ name: 'Taxes' });
    const [first, , replay] = state.sent;
    expect(replay?.headers.authorization).toBe('Bearer access-3');
    expect(replay?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
  });

  it('replays once, not again', async () => {
    const { vault, state } = await loggedIn();
    state.generation = 10;
    state.validFrom = 10;
    state.refuseRefresh = () => json({ accessToken: 'stale', refreshToken: 'r', expiresIn: 3_600 });
    const error = await rejection(vault.vaults.get('1'));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ code: 'EXPIRED_TOKEN', attempts: 2 });
    expect(state.refreshes).toBe(1);
  });

  it('does not renew for any other 401', async () => {
    const { fetch, sent } = scriptedFetch(() => failure(401, 'INVALID_TOKEN'));
    const vault = sessionClient({ fetch, session: { store: storeOf('old', 'refresh-1') } });
    await expect(vault.vaults.get('1')).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
    expect(sent).toHaveLength(1);
  });

  it('has stored the new pair before anybody is woken', async () => {
    const { vault, expireAll, store } = await loggedIn();
    expireAll();
    const seen: unknown[] = [];
    const set = vi.spyOn(store, 'set');
    set.mockImplementation(async (tokens) => {
      await new Promise(setImmediate);
      seen.push(tokens.accessToken);
      set.mockRestore();
      store.set(tokens);
    });
    await vault.vaults.get('1').then(() => seen.push('woken'));
    expect(seen).toEqual(['access-3', 'woken']);
  });

  it('spares calls that come during it a refusal', async () => {
    const { vault, state, expireAll } = await loggedIn();
    expireAll();
    const { open, opened } = latch();
    state.beforeRefresh = () => opened;
    const first = vault.vaults.get('1');
    await until(() => state.refreshes === 1);
    const second = vault.vaults.get('2');
    await new Promise(setImmediate);
    open();
    await Promise.all([first, second]);
    const tokens = state.sent
      .filter(({ url }) => url.endsWith('/2'))
      .map(({ headers }) => headers.authorization);
    expect(tokens).toEqual(['Bearer access-3']);
  });

  it('happens again for a token that came from elsewhere during it', async () => {
    const { vault, state, store, expireAll } = await loggedIn();
    expireAll();
    const { open, opened } = latch();
    state.beforeRefresh = () => opened;
    const first = vault.vaults.get('1');
    await until(() => state.refreshes === 1);
    // Another tab stores a pair whose access token has expired by now, too.
    store.set({ ...(store.get() as Tokens), accessToken: 'other', refreshToken: 'refresh-3' });
    const second = vault.vaults.get('2');
    await until(() => state.sent.some(({ url }) => url.endsWith('/2')));
    open();
    await expect(Promise.all([first, second])).resolves.toEqual([vaultBody, vaultBody]);
    expect(state.refreshes).toBe(2);
  });

  it('is not aborted by the caller that began it', async () => {
    const { vault, state, expireAll } = await loggedIn();
    expireAll();
    const { open, opened } = latch();
    state.beforeRefresh = () => opened;
    const controller = new AbortController();
    const first = rejection(vault.vaults.get('1', { signal: controller.signal }));
    await until(() => state.refreshes === 1);
    const second = vault.vaults.get('2');
    controller.abort();
    await expect(first).resolves.toBeInstanceOf(AbortError);
    expect(state.sent.find(({ url }) => url.endsWith('/refresh'))?.signal.aborted).toBe(false);
    open();
    await expect(second).resolves.toEqual(vaultBody);
    expect(state.refreshes).toBe(1);
  });

  it('never replays a call of one user as another', async () => {
    const { vault, state, expireAll } = await loggedIn();
    expireAll();
    const { open, opened } = latch();
    state.beforeRefresh = () => opened;
    const call = rejection(vault.vaults.create({ name: "Ada's" }));
    await until(() => state.refreshes === 1);
    await vault.auth.login({ email: 'bob@example.com', password: 'p' });
    open();
    await expect(call).resolves.toBeInstanceOf(SessionExpiredError);
    expect(state.sent.filter(({ url }) => url.endsWith('/vaults'))).toHaveLength(1);
  });

  it('does not bring back a session that was logged out meanwhile', async () => {
    const { vault, state, expireAll, store, onExpired } = await loggedIn();
    expireAll();
    const { open, opened } = latch();
    state.beforeRefresh = () => opened;
    const call = rejection(vault.vaults.get('1'));
    await until(() => state.refreshes === 1);
    await vault.auth.logout();
    open();
    await expect(call).resolves.toBeInstanceOf(SessionExpiredError);
    expect(store.get()).toBeUndefined();
    expect(onExpired).not.toHaveBeenCalled();
  });
});

describe('transport, session: the end', () => {
  it('clears the session, tells once, and throws to all who waited', async () => {
    const { vault, state, expireAll, store, onExpired } = await loggedIn();
    expireAll();
    state.refuseRefresh = () => failure(401, 'INVALID_TOKEN');
    const calls = Array.from({ length: 10 }, () => rejection(vault.vaults.get('1')));
    for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(SessionExpiredError);
    expect(state.refreshes).toBe(1);
    expect(onExpired).toHaveBeenCalledTimes(1);
    expect(store.get()).toBeUndefined();
  });

  it('tells once, also when a refusal comes in after the end', async () => {
    const { vault, state, expireAll, onExpired } = await loggedIn();
    expireAll();
    state.refuseRefresh = () => failure(401, 'INVALID_TOKEN');
    const { open, opened } = latch();
    state.beforeAnswer = async (url) => {
      if (url.endsWith('/late')) await opened;
    };
    const late = rejection(vault.vaults.get('late'));
    await rejection(vault.vaults.get('1'));
    open();
    await expect(late).resolves.toBeInstanceOf(SessionExpiredError);
    expect(onExpired).toHaveBeenCalledTimes(1);
  });

  it('is there when the store holds a token that no header can carry', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const vault = sessionClient({ fetch, session: { store: storeOf('a\nb', 'refresh-1') } });
    await expect(vault.vaults.get('1')).rejects.toBeInstanceOf(SessionExpiredError);
    expect(sent).toHaveLength(0);
  });

  it('tells again after the next session has ended too', async () => {
    const { vault, state, expireAll, onExpired } = await loggedIn();
    for (let n = 0; n < 2; n++) {
      expireAll();
      state.refuseRefresh = () => failure(401, 'INVALID_TOKEN');
      await rejection(vault.vaults.get('1'));
      await vault.auth.login(ada);
    }
    expect(onExpired).toHaveBeenCalledTimes(2);
  });

  it.each([
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
    const { vault, state, expireAll, store, onExpired } = await loggedIn();
    expireAll();
    state.refuseRefresh = refuse;
    await expect(vault.vaults.get('1')).rejects.toBeInstanceOf(errorClass);
    expect(store.get()).toMatchObject({ accessToken: 'access-1' });
    expect(onExpired).not.toHaveBeenCalled();
  });

  it('finds a session gone that another tab has ended', async () => {
    const { vault, store, expireAll, onExpired, state } = await loggedIn();
    expireAll();
    state.beforeAnswer = async () => store.clear();
    await expect(vault.vaults.get('1')).rejects.toBeInstanceOf(SessionExpiredError);
    expect(onExpired).toHaveBeenCalledTimes(1);
    expect(state.refreshes).toBe(0);
  });
});

describe('transport, session: renewal before a token expires', () => {
  it('renews shortly before, once for all, without a refusal', async () => {
    const { vault, state, clock } = await loggedIn();
    clock.advance(hour - 29_000);
    await Promise.all(Array.from({ length: 10 }, () => vault.vaults.get('1')));
    expect(state.refreshes).toBe(1);
    expect(state.sent).toHaveLength(11);
  });

  it('does not renew earlier', async () => {
    const { vault, state, clock } = await loggedIn();
    clock.advance(hour - 31_000);
    await vault.vaults.get('1');
    expect(state.refreshes).toBe(0);
  });

  it('goes on with the old token while that still works and the renewal fails', async () => {
    const { vault, state, clock } = await loggedIn();
    state.refuseRefresh = () => failure(500, 'INTERNAL_ERROR');
    clock.advance(hour - 20_000);
    await expect(vault.vaults.get('1')).resolves.toEqual(vaultBody);
  });

  it("tells the time by the server's clock", async () => {
    const local = new JumpingClock();
    const serverTime = () => new Date(local.now() + 5 * hour).toUTCString();
    const service = sessionService(local);
    const store = memoryTokenStore();
    const vault = sessionClient({
      clock: local,
      session: { store },
      fetch: async (url, init) => {
        const answer = await service.fetch(url, init);
        answer.headers.set('date', serverTime());
        return answer;
      },
    });
    await vault.auth.login(ada);
    expect((store.get() as Tokens).expiresAt).toBe(local.now() + 6 * hour);
    await vault.vaults.get('1');
    expect(service.state.refreshes).toBe(0);
    local.advance(hour);
    await vault.vaults.get('1');
    expect(service.state.refreshes).toBe(1);
  });
});

describe('transport, session: several tabs', () => {
  /** Two clients on one store, as two tabs have it, and a service that lets a token be used once. */
  function twoTabs(store: ReturnType<typeof memoryTokenStore>) {
    const service = sessionService();
    const tab = () => sessionClient({ fetch: service.fetch, session: { store } });
    return { ...service, tabs: [tab(), tab()] as const };
  }

  it('renews once under the lock, and the other reads the store again inside', async () => {
    let queue: Promise<unknown> = Promise.resolve();
    const names: string[] = [];
    const request = (name: string, work: () => Promise<unknown>) => {
      names.push(name);
      queue = queue.then(work, work);
      return queue;
    };
    vi.stubGlobal('navigator', { locks: { request } });
    const memory = memoryTokenStore();
    const { tabs, state } = twoTabs({ ...memory, lockName: 'tabs' } as typeof memory);
    await tabs[0].auth.login(ada);
    state.generation = 2;
    state.validFrom = 2;
    memory.set({ ...(memory.get() as Tokens), refreshToken: 'refresh-2' });
    await Promise.all(tabs.map((tab) => tab.vaults.get('1')));
    expect(names).toEqual(['tabs', 'tabs']);
    expect(state.refreshes).toBe(1);
  });

  it('keeps the tokens in localStorage under a name that is also the lock', async () => {
    const entries = new Map<string, string>();
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => entries.get(key) ?? null,
      setItem: (key: string, value: string) => entries.set(key, value),
      removeItem: (key: string) => entries.delete(key),
    });
    const store = localStorageTokenStore('my-app');
    expect(store.lockName).toBe('my-app');
    expect(store.get()).toBeUndefined();
    const tokens = { accessToken: 'a', refreshToken: 'r', expiresIn: 3_600, expiresAt: 17 };
    store.set(tokens);
    expect(localStorageTokenStore('my-app').get()).toEqual(tokens);
    entries.set('my-app', 'not JSON');
    expect(store.get()).toBeUndefined();
    store.clear();
    expect(entries.size).toBe(0);
  });
});
