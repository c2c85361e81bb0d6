import { type DocumentVaultOptions, memoryTokenStore, type Tokens } from '@document-vault/sdk';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../server/test/support/server.ts';
import { sessionClient } from './support/client.ts';
import { JumpingClock } from './support/clock.ts';
import { vaultBody } from './support/responses.ts';
import { ada, hour, sessionService } from './support/session.ts';

/** A service whose clock is `skew` ahead of the client's, and clients on one store. */
function skewedService(skew: number) {
  const clock = new JumpingClock();
  const { state, fetch } = sessionService(clock);
  const store = memoryTokenStore();
  const dated = async (url: string, init: RequestInit) => {
    const answer = await fetch(url, init);
    answer.headers.set('date', new Date(clock.now() + skew).toUTCString());
    return answer;
  };
  const open = (options: Partial<DocumentVaultOptions> = {}) =>
    sessionClient({ clock, session: { store }, fetch: dated, ...options });
  return { clock, state, store, dated, open };
}

const skews: [string, number][] = [
  ['an hour behind', -hour],
  ['as that of the client', 0],
  ['an hour ahead', hour],
];

describe('guarantee 10: the token expires by the clock of the server', () => {
  test.each(skews)('a token is renewed by a server clock that is %s', async (_, skew) => {
    const { clock, state, store, open } = skewedService(skew);
    const client = open();
    await client.auth.login(ada);
    expect((store.get() as Tokens).expiresAt).toBe(clock.now() + skew + hour);
    clock.advance(hour - 31_000);
    await client.vaults.get('1');
    expect(state.refreshes).toBe(0);
    clock.advance(31_000);
    await client.vaults.get('1');
    expect(state.refreshes).toBe(1);
    expect(state.sent.at(-1)?.headers.authorization).toBe('Bearer access-2');
    expect(state.sent.filter(({ url }) => url.endsWith('/1'))).toHaveLength(2);
  });

  test.each(skews)('a stored token is renewed by a server clock that is %s', async (_, skew) => {
    const { clock, state, open } = skewedService(skew);
    await open().auth.login(ada);
    clock.advance(hour / 2);
    await open().vaults.get('1');
    expect(state.refreshes).toBe(0);
    clock.advance(hour / 2);
    await open().vaults.get('1');
    expect(state.refreshes).toBe(1);
    expect(state.sent.filter(({ url }) => url.endsWith('/1'))).toHaveLength(2);
  });

  test('a slow response body does not change the measured clock', async () => {
    const { clock, state, dated, open } = skewedService(0);
    const client = open({
      fetch: async (url, init) => {
        const answer = await dated(url, init);
        if (!url.endsWith('/slow')) return answer;
        const source: UnderlyingDefaultSource<Uint8Array> = {
          pull(controller) {
            clock.advance(hour - 60_000);
            controller.enqueue(Buffer.from(JSON.stringify(vaultBody)));
            controller.close();
          },
        };
        // Begins when it is read.
        const body = new ReadableStream(source, { highWaterMark: 0 });
        return new Response(body, { headers: answer.headers });
      },
    });
    await client.auth.login(ada);
    await client.vaults.get('slow');
    clock.advance(61_000);
    await client.vaults.get('1');
    expect(state.refreshes).toBe(1);
    expect(state.sent.filter(({ url }) => url.endsWith('/1'))).toHaveLength(1);
  });

  test.each(skews)(
    'a token is renewed by the clock of a real server that is %s',
    async (_, skew) => {
      const server = await startTestServer();
      const { email, password } = await server.signUp('ada@example.com');
      const sent: string[] = [];
      const client = { now: () => server.clock.now() - skew, sleep: async () => {} };
      const store = memoryTokenStore();
      const open = () =>
        sessionClient({
          baseUrl: server.url,
          clock: client,
          session: { store },
          fetch: async (url, init) => {
            const answer = await fetch(url, init);
            const headers = new Headers(answer.headers);
            // Node sets the Date of responses by the clock of the machine.
            headers.set('date', new Date(server.clock.now()).toUTCString());
            const { status } = answer;
            sent.push(`${new URL(url).pathname} ${status}`);
            return new Response(await answer.text(), { status, headers });
          },
        });
      await open().auth.login({ email, password });
      server.clock.advance(hour / 2);
      await open().users.me();
      server.clock.advance(hour / 2);
      await open().users.me();
      expect(sent).toEqual([
        '/auth/login 200',
        '/api/v1/users/me 200',
        '/auth/refresh 200',
        '/api/v1/users/me 200',
      ]);
    },
  );
});
