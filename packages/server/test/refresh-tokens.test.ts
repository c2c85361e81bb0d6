import { describe, expect, test } from 'vitest';
import { digest } from '../src/domain/accounts/secrets.ts';
import { createRefreshTokens } from '../src/domain/accounts/sessions.ts';
import type { Clock } from '../src/lib/clock.ts';
import { dataFolder, inDatabase } from './support/data-folder.ts';
import { openDatabase } from './support/delivery/database.ts';
import { comparable, refusal } from './support/front-door.ts';
import { startTestServer, type TestServer } from './support/server.ts';

const day = 24 * 60 * 60 * 1000;

const credentials = { email: 'ada@example.com', password: 'correct horse battery staple' };

/** Starts a server with one account, and returns helpers for its sessions. */
async function start(options: Parameters<typeof startTestServer>[0] = {}) {
  const server = await startTestServer(options);
  await server.signUp(credentials.email);
  return { ...server, ...sessions(server) };
}

function sessions({ anonymous }: Pick<TestServer, 'anonymous'>) {
  const post = (path: string, refreshToken: string) =>
    anonymous('POST', path, { body: { refreshToken } });
  return {
    /** Signs in and returns the refresh token. */
    async login(): Promise<string> {
      const { body } = await anonymous('POST', '/auth/login', { body: credentials });
      return body.refreshToken;
    },
    refresh: (refreshToken: string) => post('/auth/refresh', refreshToken),
    logout: (refreshToken: string) => post('/auth/logout', refreshToken),
    /** Exchanges a token and returns its successor. */
    async successor(refreshToken: string): Promise<string> {
      const { status, body } = await post('/auth/refresh', refreshToken);
      expect(status).toBe(200);
      return body.refreshToken;
    },
  };
}

describe('POST /auth/refresh', () => {
  test('a refresh token is exchanged for a new pair', async () => {
    const { login, refresh, withToken, clock } = await start();
    const first = await login();
    clock.advance(3600 * 1000);
    const { status, body } = await refresh(first);
    expect(status).toBe(200);
    expect(body).toEqual({
      accessToken: expect.any(String),
      refreshToken: expect.stringMatching(/^[\w-]{43}$/),
      expiresIn: 3600,
    });
    expect(body.refreshToken).not.toBe(first);
    const me = await withToken(body.accessToken)('GET', '/api/v1/users/me');
    expect(me).toMatchObject({ status: 200, body: { email: credentials.email } });
  });

  test('the same token returns the same successor for 10 seconds', async () => {
    const { login, successor, refresh, clock } = await start();
    const first = await login();
    const second = await successor(first);
    clock.advance(10_000);
    expect(await successor(first)).toBe(second);
    const third = await successor(second);
    expect(new Set([first, second, third]).size).toBe(3);
    clock.advance(10_001);
    expect((await refresh(third)).status).toBe(200);
  });

  test('concurrent requests with one token return the same successor', async () => {
    const data = await dataFolder();
    const { login, refresh, close } = await start({ data });
    const first = await login();
    const replies = await Promise.all(Array.from({ length: 8 }, () => refresh(first)));
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(replies.map(({ body }) => body.refreshToken)).size).toBe(1);
    await close();
    // The first session is that of the sign-up.
    const inSessions = inDatabase(data, (database) =>
      database.prepare('SELECT COUNT(*) FROM refresh_tokens GROUP BY session_id').pluck().all(),
    );
    expect(inSessions.sort()).toEqual([1, 2]);
  });

  test('a token used again after 10 seconds ends its whole session, and no other', async () => {
    const { login, successor, refresh, clock } = await start();
    const other = await login();
    const first = await login();
    const second = await successor(first);
    clock.advance(5_000);
    const third = await successor(second);
    clock.advance(5_001);

    const reused = await refresh(first);
    expect(reused).toMatchObject(refusal('INVALID_TOKEN'));
    for (const token of [first, second, third]) {
      expect(comparable(await refresh(token))).toEqual(comparable(reused));
    }
    expect((await refresh(other)).status).toBe(200);
  });

  test('a refresh token expires after 30 days', async () => {
    const { login, refresh, clock } = await start();
    const [first, second] = [await login(), await login()];
    clock.advance(30 * day - 1);
    expect((await refresh(first)).status).toBe(200);
    clock.advance(1);
    expect(await refresh(second)).toMatchObject(refusal('INVALID_TOKEN'));
  });

  test('the successor expires 30 days after its own issue', async () => {
    const { login, successor, refresh, clock } = await start();
    const first = await login();
    clock.advance(20 * day);
    const second = await successor(first);
    clock.advance(30 * day - 1);
    expect((await refresh(second)).status).toBe(200);
  });

  test('unknown and malformed tokens return the same INVALID_TOKEN as an expired one', async () => {
    const { login, refresh, clock, anonymous } = await start();
    const old = await login();
    const { body } = await anonymous('POST', '/auth/login', { body: credentials });
    clock.advance(30 * day);
    const refused = await refresh(old);
    expect(refused).toMatchObject(refusal('INVALID_TOKEN', {}));
    const { accessToken } = body;
    for (const token of [
      'x',
      'a'.repeat(43),
      `${old}x`,
      old.slice(1),
      ' ',
      '\u0000',
      accessToken,
    ]) {
      expect(comparable(await refresh(token)), token).toEqual(comparable(refused));
    }
  });

  test('the database contains neither the refresh token nor its successor', async () => {
    const data = await dataFolder();
    const { login, successor, close } = await start({ data });
    const first = await login();
    const second = await successor(first);
    await close();
    const hashes = inDatabase(data, (database) =>
      database.prepare('SELECT hash FROM refresh_tokens').pluck().all(),
    ) as Buffer[];
    expect(hashes).toHaveLength(3);
    for (const token of [first, second]) {
      const bytes = [Buffer.from(token), Buffer.from(token, 'base64url')];
      expect(hashes.some((hash) => bytes.some((plain) => hash.equals(plain)))).toBe(false);
    }
  });

  test('a token and its successor work after a restart', async () => {
    const data = await dataFolder();
    const { login, successor, close } = await start({ data });
    const first = await login();
    const second = await successor(first);
    await close();
    const { successor: later } = sessions(await startTestServer({ data }));
    expect(await later(first)).toBe(second);
    expect(await later(second)).not.toBe(second);
  });
});

describe('POST /auth/logout', () => {
  test('every token of the session returns INVALID_TOKEN, and other sessions remain', async () => {
    const { login, logout, successor, refresh } = await start();
    const other = await login();
    const first = await login();
    const second = await successor(first);
    const reply = await logout(second);
    expect(reply).toMatchObject({ status: 204, body: undefined });
    for (const token of [first, second]) {
      expect(await refresh(token)).toMatchObject(refusal('INVALID_TOKEN'));
    }
    expect((await refresh(other)).status).toBe(200);
  });

  test('the token before the current one ends the session too', async () => {
    const { login, logout, successor, refresh } = await start();
    const first = await login();
    const second = await successor(first);
    expect((await logout(first)).status).toBe(204);
    expect(await refresh(second)).toMatchObject(refusal('INVALID_TOKEN'));
  });

  test('an invalid token returns 204 too', async () => {
    const { login, logout } = await start();
    const first = await login();
    await logout(first);
    for (const token of [first, 'rubbish']) expect((await logout(token)).status).toBe(204);
  });
});

test('a session expires with its newest refresh token, also when the clock moves during the exchange', async () => {
  const { store, clock, close } = await openDatabase();
  const user = (await store.users.findByEmail('test@example.com')) ?? expect.fail();
  const ticking: Clock = {
    at: (time, run) => clock.at(time, run),
    now() {
      clock.advance(1);
      return clock.now();
    },
  };
  const tokens = createRefreshTokens({ store, clock: ticking });
  const anonymous = { userId: null, requestId: 'req_1', ipAddress: '::1', userAgent: null };
  const session = { id: 'session', userId: user.id };
  const expiries = async (token: string) => [
    (await store.sessions.find(session.id))?.expiresAt,
    (await store.refreshTokens.find(digest(token)))?.expiresAt,
  ];
  const first = await store.transaction((tx) => tokens.start(tx, session, anonymous));
  const [started, firstEnds] = await expiries(first);
  expect(firstEnds).toBe(started);
  const { token } = await tokens.rotate(anonymous, first, () => undefined);
  const [extended, nextEnds] = await expiries(token);
  expect(nextEnds).toBe(extended);
  expect(Number(extended)).toBeGreaterThan(Number(started));
  await close();
});
