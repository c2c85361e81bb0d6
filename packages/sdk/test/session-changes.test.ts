import { memoryTokenStore, type SignedIn } from '@document-vault/sdk';
import { cookieTokenStore, localStorageTokenStore } from '@document-vault/sdk/stores';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { sessionClient } from './support/client.ts';
import { startWithUser } from './support/real-server.ts';
import { hour } from './support/session.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A user of a real server, and the sessions that `onChange` received. */
async function observed(store = memoryTokenStore()) {
  const started = await startWithUser();
  const changes: (SignedIn | undefined)[] = [];
  const onChange = (session: SignedIn | undefined) => changes.push(session);
  const client = started.open({ session: { store, onChange } });
  return { ...started, store, changes, client };
}

/** A localStorage that sends its events to the other tabs, as browsers do. */
function stubStorage() {
  const entries = new Map<string, string>();
  const listeners: ((event: { key: string | null }) => void)[] = [];
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => entries.set(key, value),
    removeItem: (key: string) => entries.delete(key),
  });
  vi.stubGlobal('addEventListener', (_: string, listener: (typeof listeners)[number]) =>
    listeners.push(listener),
  );
  const changed = async (key: string | null) => {
    for (const listener of listeners) listener({ key });
    await new Promise(setImmediate);
  };
  return { entries, listeners, changed };
}

describe('guarantee 6, session: onChange', () => {
  test('receives the user after a login and undefined after a logout, and nothing for a refresh', async () => {
    const { client, changes, user, server } = await observed();
    await client.auth.login(user);
    expect(changes).toEqual([await client.auth.session()]);
    expect(changes[0]?.email).toBe(user.email);
    server.clock.advance(hour);
    await client.users.me();
    await client.auth.refresh();
    expect(changes).toHaveLength(1);
    await client.auth.logout();
    expect(changes.slice(1)).toEqual([undefined]);
  });

  test('receives undefined once when the service has ended the session', async () => {
    const { client, changes, user, open } = await observed();
    await client.auth.login(user);
    const other = open();
    await other.auth.login(user);
    await other.auth.sessions.deleteOthers();
    const calls = Array.from({ length: 5 }, () => client.users.me());
    const results = await Promise.allSettled(calls);
    expect(results.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    expect(changes).toHaveLength(2);
    expect(changes[1]).toBeUndefined();
  });

  test('receives logins and logouts of another tab, but no refresh of it', async () => {
    const { changed } = stubStorage();
    const { changes, user, open, server } = await observed(localStorageTokenStore());
    const tab = open({ session: { store: localStorageTokenStore() } });
    await tab.auth.login(user);
    await changed('document-vault');
    server.clock.advance(hour);
    await tab.auth.refresh();
    await changed('document-vault');
    await changed('another-app');
    expect(changes.map((session) => session?.email)).toEqual([user.email]);
    await tab.auth.logout();
    await changed(null);
    expect(changes.slice(1)).toEqual([undefined]);
  });

  test('a client without onChange subscribes to nothing', () => {
    const { listeners } = stubStorage();
    sessionClient({ session: { store: localStorageTokenStore() } });
    expect(listeners).toHaveLength(0);
  });

  test('an onChange that throws is logged and changes nothing', async () => {
    const { open, user } = await observed();
    const warn = vi.fn();
    const onChange = () => {
      throw new Error('no store');
    };
    const logger = { debug: () => {}, warn };
    await open({ logger, session: { onChange } }).auth.login(user);
    expect(warn).toHaveBeenCalledWith({ err: new Error('no store') }, 'onChange failed');
  });
});

describe('guarantee 6, session: cookies', () => {
  /** The cookies of one request, as SvelteKit has them, or as Next.js has them. */
  function requestWith(cookie: string | undefined, isNext: boolean) {
    const set: { name: string; value: string; attributes: object }[] = [];
    const get = () => {
      if (cookie === undefined) return undefined;
      return isNext ? { value: cookie } : cookie;
    };
    const cookies = {
      get,
      set: (name: string, value: string, attributes: object) =>
        set.push({ name, value, attributes }),
    };
    return { cookies, set };
  }

  test.each([
    ['SvelteKit', false],
    ['Next.js', true],
  ])(
    '10 parallel requests of one cookie in %s go on with the same new tokens',
    async (_, isNext) => {
      const { server, user, open } = await startWithUser();
      const begin = requestWith(undefined, isNext);
      await open({ session: { store: cookieTokenStore(begin.cookies) } }).auth.login(user);
      const cookie = begin.set[0]?.value ?? '';
      expect(begin.set[0]?.attributes).toEqual({
        httpOnly: true,
        secure: true,
        sameSite: 'lax',
        path: '/',
        maxAge: 2_592_000,
      });
      expect(cookie).toMatch(/^[\w-]{1,3900}$/);
      server.clock.advance(hour);
      const requests = Array.from({ length: 10 }, () => requestWith(cookie, isNext));
      const names = await Promise.all(
        requests.map(async ({ cookies }) => {
          const client = open({ session: { store: cookieTokenStore(cookies) } });
          return (await client.users.me()).email;
        }),
      );
      expect(new Set(names)).toEqual(new Set([user.email]));
      const stored = requests.map(({ set }) =>
        cookieTokenStore(requestWith(set[0]?.value, isNext).cookies).get(),
      );
      const refreshTokens = await Promise.all(
        stored.map(async (tokens) => (await tokens)?.refreshToken),
      );
      expect(new Set(refreshTokens).size).toBe(1);
      server.clock.advance(hour);
      const next = requestWith(requests[9]?.set[0]?.value, isNext);
      await open({ session: { store: cookieTokenStore(next.cookies) } }).users.me();
      expect(next.set).toHaveLength(1);
    },
  );

  test('a logout removes the cookie, and a cookie of another program is no session', async () => {
    const { user, open } = await startWithUser();
    const { cookies, set } = requestWith('not ours', false);
    const store = cookieTokenStore(cookies, 'session');
    expect(store.get()).toBeUndefined();
    const client = open({ session: { store } });
    await client.auth.login(user);
    await client.auth.logout();
    expect(set.map(({ name, value }) => [name, value !== ''])).toEqual([
      ['session', true],
      ['session', false],
    ]);
    expect(set[1]?.attributes).toMatchObject({ maxAge: 0, path: '/' });
    expect(store.get()).toBeUndefined();
  });
});
