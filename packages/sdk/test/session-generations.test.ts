import { memoryTokenStore, SessionExpiredError, type Tokens } from '@document-vault/sdk';
import { describe, expect, test, vi } from 'vitest';
import { cheapCipher } from './support/cipher.ts';
import { rejection, sessionClient } from './support/client.ts';
import { HeldClock } from './support/clock.ts';
import { failure, json, vaultBody } from './support/responses.ts';
import { ada, latch, storeOf } from './support/session.ts';
import { until } from './support/until.ts';

const bob = { email: 'bob@example.com', password: 'p' };

/** Creates a service whose first response is `first` and whose tokens contain the user. */
function twoUsers(first: () => Response) {
  const clock = new HeldClock();
  const sent: { authorization: string | undefined; body: string }[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    const body = init.body as string;
    if (url.endsWith('/auth/login')) {
      const { email } = JSON.parse(body);
      return json({ accessToken: email, refreshToken: `r-${email}`, expiresIn: 3_600 });
    }
    if (url.endsWith('/auth/logout')) return new Response(null, { status: 204 });
    sent.push({ authorization: (init.headers as Record<string, string>).authorization, body });
    return sent.length === 1 ? first() : json(vaultBody);
  };
  return { clock, fetch, sent, client: sessionClient({ clock, fetch }) };
}

const unavailable = () => new Response('', { status: 503 });
const throttled = () => failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfter: 1 });

describe('guarantee 6, session: a call belongs to the user for whom it began', () => {
  test.each([
    ['a retry', unavailable],
    ['the rate limit', throttled],
  ])('a call that waits for %s during a login is not sent as the new user', async (_, first) => {
    const { clock, sent, client } = twoUsers(first);
    await client.auth.login(ada);
    const calls = [rejection(client.vaults.create({ name: "Ada's" }))];
    await until(() => sent.length === 1);
    await new Promise(setImmediate);
    // Waits at the gate where the rate limit is closed, and goes out at once where it is not.
    const second = client.vaults.create({ name: "Ada's second" }).catch((error: unknown) => error);
    await new Promise(setImmediate);
    await client.auth.login(bob);
    clock.release();
    await expect(calls[0]).resolves.toBeInstanceOf(SessionExpiredError);
    if (first === throttled) expect(await second).toBeInstanceOf(SessionExpiredError);
    else expect(await second).toEqual(vaultBody);
    expect(sent.every(({ authorization }) => authorization === `Bearer ${ada.email}`)).toBe(true);
    await client.vaults.create({ name: "Bob's" });
    expect(sent.at(-1)?.authorization).toBe(`Bearer ${bob.email}`);
  });

  test('a call that waits during a logout is not sent', async () => {
    const { clock, sent, client } = twoUsers(unavailable);
    await client.auth.login(ada);
    const call = rejection(client.vaults.create({ name: "Ada's" }));
    await until(() => sent.length === 1);
    await client.auth.logout();
    clock.release();
    await expect(call).resolves.toBeInstanceOf(SessionExpiredError);
    expect(sent).toHaveLength(1);
  });

  test.each([
    ['login', bob],
    ['logout', undefined],
  ])('an upload that reads its source during a %s is not sent', async (_, next) => {
    const { sent, client } = twoUsers(() => json(vaultBody));
    await client.auth.login(ada);
    const { open, opened } = latch();
    async function* source() {
      await opened;
      yield new Uint8Array(3);
    }
    const cipher = await cheapCipher('open sesame', { iterations: 1 });
    const options = { vaultId: 'v', cipher, fileName: "Ada's.txt" };
    const upload = rejection(client.documents.upload(source(), options));
    await client.auth.logout();
    if (next) await client.auth.login(next);
    open();
    expect(await upload).toBeInstanceOf(SessionExpiredError);
    expect(sent).toEqual([]);
  });

  test('an anonymous call that waits during a login is sent as the new user', async () => {
    const { clock, sent, client } = twoUsers(unavailable);
    const call = client.vaults.get('1');
    await until(() => sent.length === 1);
    await client.auth.login(ada);
    clock.release();
    await expect(call).resolves.toEqual(vaultBody);
    expect(sent.map(({ authorization }) => authorization)).toEqual([
      undefined,
      `Bearer ${ada.email}`,
    ]);
  });
});

describe('guarantee 6, session: a login or logout during a renewal', () => {
  test.each(['login', 'logout'])(
    'a %s at any time during a renewal determines the stored tokens',
    async (action) => {
      for (let ticks = 0; ticks < 80; ticks++) {
        const { open, opened } = latch();
        let refreshing = false;
        // Responds within microtasks, so that the action can occur between any two of them.
        const fetch = async (url: string, init: RequestInit) => {
          const pair = (name: string) => ({
            accessToken: name,
            refreshToken: name,
            expiresIn: 3_600,
          });
          if (url.endsWith('/auth/login')) return json(pair('bob'));
          if (url.endsWith('/auth/logout')) return new Response(null, { status: 204 });
          if (url.endsWith('/auth/refresh')) {
            refreshing = true;
            await opened;
            return json(pair('ada2'));
          }
          const { authorization } = init.headers as Record<string, string>;
          return authorization === 'Bearer ada' ? failure(401, 'EXPIRED_TOKEN') : json(vaultBody);
        };
        const store = storeOf('ada', 'ada');
        const client = sessionClient({ fetch, session: { store } });
        const call = client.vaults.get('1').catch(() => {});
        await until(() => refreshing);
        open();
        for (let tick = 0; tick < ticks; tick++) await null;
        await (action === 'login' ? client.auth.login(bob) : client.auth.logout());
        await call;
        await new Promise(setImmediate);
        const tokens = store.get() as Tokens | undefined;
        expect(tokens?.accessToken).toBe(action === 'login' ? 'bob' : undefined);
      }
    },
  );
});

describe('guarantee 6, session: a slow store', () => {
  /** A client of ada, whose store takes in nothing more until it is released. */
  async function slowStore() {
    const { sent, client: _, ...service } = twoUsers(() => json(vaultBody));
    const memory = memoryTokenStore();
    const { open: release, opened: released } = latch();
    let slow = false;
    const taken = async () => (slow ? released : undefined);
    const store = {
      get: () => memory.get(),
      // Slower than the other: what is begun first does not end first by itself.
      set: async (tokens: Tokens) => {
        await taken();
        await new Promise(setImmediate);
        memory.set(tokens);
      },
      clear: () => taken().then(() => memory.clear()),
    };
    const onExpired = vi.fn();
    const client = sessionClient({ ...service, session: { store, onExpired } });
    await client.auth.login(ada);
    slow = true;
    return { sent, client, memory, release, onExpired };
  }

  test('a call during a slow store write of a login is not sent as the previous user', async () => {
    const { sent, client, release } = await slowStore();
    const login = client.auth.login(bob);
    await new Promise(setImmediate);
    const call = client.vaults.create({ name: "Bob's" });
    await new Promise(setImmediate);
    expect(sent).toHaveLength(0);
    release();
    await Promise.all([login, call]);
    expect(sent.map(({ authorization }) => authorization)).toEqual([`Bearer ${bob.email}`]);
  });

  test('a call during a slow logout is sent without credentials', async () => {
    const { sent, client, release } = await slowStore();
    const logout = client.auth.logout();
    const call = client.vaults.get('1');
    await new Promise(setImmediate);
    release();
    await Promise.all([logout, call]);
    expect(sent.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  test('a logout during a slow store read causes no renewal and does not call onExpired', async () => {
    const { sent, client, release, onExpired } = await slowStore();
    const logout = client.auth.logout();
    const refresh = rejection(client.auth.refresh());
    await new Promise(setImmediate);
    release();
    await logout;
    expect(await refresh).toBeInstanceOf(SessionExpiredError);
    expect(sent).toEqual([]);
    expect(onExpired).not.toHaveBeenCalled();
  });

  test('a logout during a slow store write of a login leaves the store empty', async () => {
    const { client, memory, release } = await slowStore();
    const login = client.auth.login(bob);
    await new Promise(setImmediate);
    const logout = client.auth.logout();
    await new Promise(setImmediate);
    release();
    await Promise.all([login, logout]);
    expect(memory.get()).toBeUndefined();
  });
});
