import { memoryTokenStore, SessionExpiredError, type Tokens } from '@document-vault/sdk';
import { localStorageTokenStore } from '@document-vault/sdk/stores';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { rejection, sessionClient } from './support/client.ts';
import { ada, sessionService } from './support/session.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('guarantee 6, session: several tabs', () => {
  /** Two clients on one store, as two tabs have it, and a service that lets a token be used once. */
  function twoTabs(store: ReturnType<typeof memoryTokenStore>) {
    const service = sessionService();
    const tab = () => sessionClient({ fetch: service.fetch, session: { store } });
    return { ...service, tabs: [tab(), tab()] as const };
  }

  test('two tabs with a lock renew once, and the second reads the store again', async () => {
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

  test('a logout in one tab calls onExpired once in the others, which send no request', async () => {
    const store = memoryTokenStore();
    const { fetch, state } = sessionService();
    const onExpired = vi.fn();
    const first = sessionClient({ fetch, session: { store } });
    const second = sessionClient({ fetch, session: { store, onExpired } });
    await first.auth.login(ada);
    await second.vaults.get('1');
    await first.auth.logout();
    const sent = state.sent.length;
    const calls = [rejection(second.vaults.get('1')), rejection(second.vaults.get('2'))];
    for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(SessionExpiredError);
    expect(state.sent).toHaveLength(sent);
    expect(onExpired).toHaveBeenCalledTimes(1);
    await second.auth.login(ada);
    await second.vaults.get('1');
  });

  test('localStorageTokenStore uses its key for the entry and the lock', async () => {
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
