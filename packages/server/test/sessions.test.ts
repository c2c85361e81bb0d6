import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { AccessTokens } from '../src/domain/access-tokens.ts';
import { createAdministration, operator } from '../src/domain/administration.ts';
import type { ApiKeys } from '../src/domain/api-keys.ts';
import { createAuth } from '../src/domain/auth.ts';
import type { LoginThrottle } from '../src/domain/login-throttle.ts';
import type { Passwords } from '../src/domain/passwords.ts';
import type { RefreshTokens } from '../src/domain/refresh-tokens.ts';
import { createUnitOfWork } from '../src/domain/unit-of-work.ts';
import { createIds } from '../src/ids.ts';
import { Connection } from '../src/store/drivers/sqlite/connection.ts';
import { startWithAdministrator } from './administrator.ts';
import { invalid, missing } from './answers.ts';
import { dataFolder, inDatabase } from './data-folder.ts';
import { openDatabase } from './delivery/database.ts';
import { refusal } from './front-door.ts';
import { ask, refusedWith } from './graphql/asking.ts';
import { newKey } from './resources.ts';
import { type Account, type Caller, startTestServer, type TestServer } from './server.ts';

const path = '/api/v1/auth/sessions';
const me = '/api/v1/users/me';
const newPassword = 'a new and longer passphrase';
const day = 24 * 60 * 60 * 1000;

interface Login {
  readonly id: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly call: Caller;
}

let server: TestServer;
let ada: Account;
let bob: Account;
beforeEach(async () => {
  server = await startTestServer({ enterpriseRequestsPerMinute: 100_000 });
  ada = await server.signUp('ada@example.com');
  bob = await server.signUp('bob@example.com');
});

async function login({ email, password } = ada, userAgent = 'test'): Promise<Login> {
  const { status, body } = await server.anonymous('POST', '/auth/login', {
    body: { email, password },
    headers: { 'user-agent': userAgent },
  });
  expect(status).toBe(200);
  const { accessToken, refreshToken } = body;
  const id = String(decodeJwt(accessToken).sid);
  return { id, accessToken, refreshToken, call: server.withToken(accessToken) };
}

const refresh = (refreshToken: string) =>
  server.anonymous('POST', '/auth/refresh', { body: { refreshToken } });

const idsOf = async (call: Caller) =>
  (await call('GET', path)).body.data.map(({ id }: { id: string }) => id);

/** Requires that the next requests of a session are rejected, over REST and GraphQL. */
async function expectEnded({ call, refreshToken }: Login): Promise<void> {
  const ended = refusal('INVALID_TOKEN', {});
  const read = await call('GET', me);
  expect(read).toMatchObject(ended);
  expect(read.body.error.message).toBe('The session of this token has ended. Sign in again.');
  const body = { name: 'Key', scopes: ['vaults:read'] };
  expect(await call('POST', '/api/v1/api-keys', { body })).toMatchObject(ended);
  expect(await call('GET', path)).toMatchObject(ended);
  expect(await ask(call, '{ me { id } }')).toMatchObject(refusedWith(401, 'INVALID_TOKEN'));
  expect(await refresh(refreshToken)).toMatchObject(refusal('INVALID_TOKEN'));
}

async function expectLive({ call }: Pick<Login, 'call'>): Promise<void> {
  expect(await call('GET', me)).toMatchObject({ status: 200 });
  expect(await ask(call, '{ me { id } }')).toMatchObject({ status: 200 });
}

describe('an access token from before', () => {
  /** What ends the session `ended`, done by the session `other` of the same account or by anyone. */
  const acts: Record<string, (sessions: { ended: Login; other: Login }) => Promise<unknown>> = {
    'POST /auth/logout': async ({ ended: { refreshToken } }) => {
      const body = { refreshToken };
      expect(await server.anonymous('POST', '/auth/logout', { body })).toMatchObject({
        status: 204,
      });
    },
    'a new password': async ({ other }) => {
      const body = { password: newPassword, currentPassword: ada.password };
      expect(await other.call('PUT', me, { body })).toMatchObject({ status: 200 });
    },
    'the reuse of an old refresh token': async ({ ended: { refreshToken } }) => {
      expect((await refresh(refreshToken)).status).toBe(200);
      server.clock.advance(10_001);
      expect(await refresh(refreshToken)).toMatchObject(refusal('INVALID_TOKEN'));
    },
    'DELETE /auth/sessions/{id} by another session': async ({ ended, other }) => {
      expect(await other.call('DELETE', `${path}/${ended.id}`)).toMatchObject({ status: 204 });
    },
    'DELETE /auth/sessions/{id} by itself': async ({ ended }) => {
      expect(await ended.call('DELETE', `${path}/${ended.id}`)).toMatchObject({ status: 204 });
    },
    'DELETE /auth/sessions by another session': async ({ other }) => {
      expect(await other.call('DELETE', path)).toMatchObject({ status: 204 });
    },
  };

  for (const [name, act] of Object.entries(acts)) {
    test(`${name} makes it invalid at the next request and leaves other sessions valid`, async () => {
      const sessions = { ended: await login(), other: await login() };
      // Requests before the end fill the cache of credentials.
      await expectLive(sessions.ended);
      await act(sessions);
      await expectEnded(sessions.ended);
      await expectLive(sessions.other);
      await expectLive(bob);
      expect((await refresh(sessions.other.refreshToken)).status).toBe(200);
    });
  }

  test('deletion of the account makes it invalid at the next request', async () => {
    const session = await login();
    await expectLive(session);
    const { password } = ada;
    expect(await ada.call('DELETE', me, { body: { password } })).toMatchObject({ status: 204 });
    await expectEnded(session);
    await expectLive(bob);
  });

  test('expiry of its session without a refresh makes it expire too', async () => {
    const session = await login();
    server.clock.advance(30 * day);
    expect(await session.call('GET', me)).toMatchObject(refusal('EXPIRED_TOKEN'));
    expect(await idsOf((await login()).call)).toHaveLength(1);
  });
});

describe('GET /auth/sessions', () => {
  test('returns when and where each session was used, newest first, and marks the current one', async () => {
    const first = await login(ada, 'Firefox');
    server.clock.advance(1000);
    const second = await login(ada, 'x'.repeat(600));
    const at = (milliseconds: number) => new Date(server.clock.now() + milliseconds).toISOString();
    const { status, body } = await first.call('GET', `${path}?pageSize=2`);
    expect(status).toBe(200);
    expect(body.data).toEqual([
      {
        id: second.id,
        createdAt: at(0),
        lastUsedAt: at(0),
        expiresAt: at(30 * day),
        ipAddress: '127.0.0.1',
        userAgent: 'x'.repeat(512),
        current: false,
      },
      {
        id: first.id,
        createdAt: at(-1000),
        lastUsedAt: at(-1000),
        expiresAt: at(30 * day - 1000),
        ipAddress: '127.0.0.1',
        userAgent: 'Firefox',
        current: true,
      },
    ]);
    // The third session is that of the sign-up.
    expect(body.pagination).toMatchObject({ totalCount: 3, totalPages: 2, hasNextPage: true });
    const ascending = (await first.call('GET', `${path}?sortOrder=asc`)).body.data;
    expect(ascending.map(({ id }: Login) => id).slice(1)).toEqual([first.id, second.id]);
  });

  test('notes a use at most once a minute, with the agent of that use', async () => {
    const { call, id } = await login(ada, 'Firefox');
    const began = server.clock.now();
    const session = async () => {
      const { data } = (await ada.call('GET', path)).body;
      return data.find((one: Login) => one.id === id);
    };
    server.clock.advance(59_999);
    await call('GET', me, { headers: { 'user-agent': 'Edge' } });
    const early = new Date(began).toISOString();
    expect(await session()).toMatchObject({ lastUsedAt: early, userAgent: 'Firefox' });
    server.clock.advance(1);
    await Promise.all(
      Array.from({ length: 8 }, () => call('GET', me, { headers: { 'user-agent': 'Edge' } })),
    );
    const late = new Date(server.clock.now()).toISOString();
    expect(await session()).toMatchObject({
      lastUsedAt: late,
      userAgent: 'Edge',
      createdAt: early,
    });
  });

  test('moves the end of a session with each refresh, and keeps its id', async () => {
    const session = await login();
    server.clock.advance(29 * day);
    const { body } = await refresh(session.refreshToken);
    expect(decodeJwt(body.accessToken).sid).toBe(session.id);
    server.clock.advance(2 * day);
    const again = await login();
    expect(await idsOf(again.call)).toEqual([again.id, session.id]);
  });

  test('lists neither ended nor expired sessions, nor those of another account', async () => {
    const [first, second] = [await login(), await login()];
    await first.call('DELETE', `${path}/${second.id}`);
    expect(await idsOf(first.call)).toHaveLength(2);
    expect(await idsOf(bob.call)).toHaveLength(1);
    server.clock.advance(30 * day);
    const last = await login();
    expect(await idsOf(last.call)).toEqual([last.id]);
  });

  test('takes no API key, and says so', async () => {
    const { key } = await newKey(ada.call, ['users:read', 'users:write']);
    const { id } = await login();
    for (const call of [server.withKey(key), server.developer]) {
      for (const [method, target] of [
        ['GET', path],
        ['DELETE', path],
        ['DELETE', `${path}/${id}`],
      ] as const) {
        const refused = await call(method, target);
        expect(refused).toMatchObject(refusal('MISSING_AUTH'));
        expect(refused.body.error.message).toContain('takes no API key');
      }
    }
    expect(await idsOf(ada.call)).toHaveLength(2);
  });
});

describe('DELETE /auth/sessions/{id}', () => {
  test('of another account, of an ended session and of an unknown id return 404', async () => {
    const theirs = await login(bob);
    const ended = await login();
    await ended.call('DELETE', `${path}/${ended.id}`);
    for (const id of [theirs.id, ended.id, 'unknown']) {
      expect(await ada.call('DELETE', `${path}/${id}`)).toMatchObject(missing({ id }));
    }
    await expectLive(theirs);
  });

  test('of another account returns 404 to an administrator too', async () => {
    const { admin, signUp } = await startWithAdministrator();
    const { call } = await signUp('carl@example.com');
    const [id] = await idsOf(call);
    expect(await admin('DELETE', `${path}/${id}`)).toMatchObject(missing({ id }));
    expect(await idsOf(admin)).not.toContain(id);
    await expectLive({ call });
  });
});

describe('PUT /users/me', () => {
  test('with a new e-mail address and without currentPassword returns 400, by session and by API key', async () => {
    const { key } = await newKey(ada.call, ['users:read', 'users:write']);
    const email = 'taken@over.example';
    for (const call of [ada.call, server.withKey(key)]) {
      const change = (body: object) => call('PUT', me, { body });
      expect(await change({ email })).toMatchObject(
        invalid('currentPassword', 'dependentRequired'),
      );
      const wrong = await change({ email, currentPassword: 'wrong' });
      expect(wrong).toMatchObject(invalid('currentPassword', 'match'));
      expect((await call('GET', me)).body.email).toBe(ada.email);
    }
    const body = { email, currentPassword: ada.password };
    expect(await server.withKey(key)('PUT', me, { body })).toMatchObject({ status: 200 });
  });

  test('with a new password by API key ends every session and keeps the keys', async () => {
    const { key } = await newKey(ada.call, ['users:read', 'users:write']);
    const session = await login();
    const body = { password: newPassword, currentPassword: ada.password };
    expect(await server.withKey(key)('PUT', me, { body })).toMatchObject({ status: 200 });
    await expectEnded(session);
    expect(await ada.call('GET', me)).toMatchObject(refusal('INVALID_TOKEN'));
    expect((await server.withKey(key)('GET', me)).status).toBe(200);
  });

  test("with revokeApiKeys revokes every key of the account at once, the caller's included", async () => {
    const keys = [await newKey(ada.call, ['users:write']), await newKey(ada.call, ['users:read'])];
    const { key: bobs } = await newKey(bob.call, ['users:read']);
    const change = (body: object) => server.withKey(keys[0].key)('PUT', me, { body });
    const refused = await change({
      password: newPassword,
      currentPassword: 'wrong',
      revokeApiKeys: true,
    });
    expect(refused).toMatchObject(invalid('currentPassword', 'match'));
    expect((await server.withKey(keys[1].key)('GET', me)).status).toBe(200);

    const made = await change({
      password: newPassword,
      currentPassword: ada.password,
      revokeApiKeys: true,
    });
    expect(made.status).toBe(200);
    for (const { key } of keys) {
      expect(await server.withKey(key)('GET', me)).toMatchObject(refusal('INVALID_API_KEY'));
    }
    expect((await server.withKey(bobs)('GET', me)).status).toBe(200);
    const again = await login({ ...ada, password: newPassword });
    expect((await again.call('GET', '/api/v1/api-keys')).body.data).toEqual([]);
  });

  test('with revokeApiKeys that is rejected for its address revokes nothing', async () => {
    const { key } = await newKey(ada.call, ['users:read']);
    const { password: currentPassword } = ada;
    const changes = { email: bob.email, password: newPassword, currentPassword };
    const body = { ...changes, revokeApiKeys: true };
    expect(await ada.call('PUT', me, { body })).toMatchObject(invalid('email', 'unique'));
    expect((await server.withKey(key)('GET', me)).status).toBe(200);
    await login();
  });
});

describe('a request that began before its session ended', () => {
  /** Sends all but the last byte of a request, and returns a function that sends it. */
  async function beginPost(headers: Readonly<Record<string, string>>) {
    const body = JSON.stringify({ name: 'Late', scopes: ['vaults:read'] });
    const sending = request(`${server.url}/api/v1/api-keys`, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': String(body.length),
      },
    });
    await new Promise((resolve) => sending.write(body.slice(0, -1), resolve));
    // Authentication ends before the body is read.
    await server.anonymous('GET', '/openapi/v1.json');
    return async () => {
      const response = once(sending, 'response') as Promise<[IncomingMessage]>;
      sending.end(body.slice(-1));
      return json((await response)[0]);
    };
  }

  test('creates no API key', async () => {
    const session = await login();
    const headers = { authorization: `Bearer ${session.accessToken}` };
    const late = [
      await beginPost(headers),
      await beginPost({ ...headers, 'idempotency-key': 'late' }),
    ];
    expect(await ada.call('DELETE', path)).toMatchObject({ status: 204 });
    for (const send of late)
      expect(await send()).toMatchObject({ error: { code: 'INVALID_TOKEN' } });
    expect((await ada.call('GET', '/api/v1/api-keys')).body.data).toEqual([]);
  });

  test('cannot end the session that ended it', async () => {
    const sessions = [await login(), await login()] as const;
    const answers = await Promise.all(sessions.map(({ call }) => call('DELETE', path)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 401]);
    const winner = sessions[answers[0]?.status === 204 ? 0 : 1];
    await expectLive(winner);
    expect(await idsOf(winner.call)).toEqual([winner.id]);
  });
});

test('parallel requests succeed before their session ends and fail after it', async () => {
  const session = await login();
  const other = await login();
  let ended = false;
  const after: number[] = [];
  const statuses = new Set<number>();
  const client = async (call: Caller, number: number) => {
    for (let round = 0; round < 12; round += 1) {
      const startedAfter = ended;
      // Writes between reads clear the cache of credentials.
      const { status } =
        number % 4 === 0
          ? await call('POST', '/api/v1/vaults', { body: { name: 'Busy' } })
          : await call('GET', me);
      statuses.add(status);
      if (startedAfter && call === session.call) after.push(status);
    }
  };
  const clients = Array.from({ length: 16 }, (_, number) => client(session.call, number));
  const others = Promise.all(Array.from({ length: 4 }, () => client(other.call, 0)));
  await other.call('GET', me);
  expect((await other.call('DELETE', `${path}/${session.id}`)).status).toBe(204);
  ended = true;
  await Promise.all(clients);
  await others;
  await expectEnded(session);
  await expectLive(other);
  for (const status of statuses) expect([200, 201, 401]).toContain(status);
  expect(after.length).toBeGreaterThan(0);
  expect(new Set(after)).toEqual(new Set([401]));
});

test('an ended session stays ended over a restart, and is removed once it would have expired', async () => {
  const data = await dataFolder();
  const first = await startTestServer({ data });
  const { call } = await first.signUp('carl@example.com');
  const credentials = { email: 'carl@example.com', password: ada.password };
  const { body } = await first.anonymous('POST', '/auth/login', { body: credentials });
  expect((await call('DELETE', path)).status).toBe(204);
  await first.close();
  const { clock } = first;
  const port = Number(new URL(first.url).port);
  const second = await startTestServer({ data, clock, port });
  expect(await second.withToken(body.accessToken)('GET', me)).toMatchObject(
    refusal('INVALID_TOKEN'),
  );
  clock.advance(30 * day + 60_000);
  await second.settled();
  await second.close();
  const rows = inDatabase(data, (database) =>
    database.prepare('SELECT COUNT(*) FROM sessions').pluck().get(),
  );
  expect(rows).toBe(0);
});

test('session and account are read in one statement, and in none until the next commit', async () => {
  const { call } = await login();
  await call('GET', me);
  const reads = ['get', 'all', 'run'] as const;
  const spies = reads.map((method) => vi.spyOn(Connection.prototype, method));
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  /** The statements about sessions and accounts that `work` runs. */
  const statementsOf = async (work: () => Promise<unknown>) => {
    for (const spy of spies) spy.mockClear();
    await work();
    const texts = spies.flatMap(({ mock }) => mock.calls.map(([sql]) => sql));
    return texts.filter((sql) => /\b(sessions|users)\b/.test(sql));
  };
  expect(await statementsOf(() => call('GET', '/api/v1/vaults'))).toHaveLength(0);
  await call('POST', '/api/v1/vaults', { body: { name: 'Commit' } });
  expect(await statementsOf(() => call('GET', '/api/v1/vaults'))).toHaveLength(1);
  expect(await statementsOf(() => call('GET', '/api/v1/vaults'))).toHaveLength(0);
});

test('suspending, resuming and deleting an account while the server runs act at the next request', async () => {
  const { store, clock, close } = await openDatabase();
  const ids = createIds(clock);
  const work = createUnitOfWork({ store, clock, ids, onDeliveries: () => undefined });
  const user = (await store.users.findByEmail('test@example.com')) ?? expect.fail();
  const visitor = { userId: null, requestId: 'req_1', ipAddress: '::1', userAgent: null };
  const now = clock.now();
  const times = { createdAt: now, lastUsedAt: now, expiresAt: now + day };
  const session = { id: 'session', userId: user.id, ipAddress: '::1', userAgent: null, ...times };
  await store.transaction((tx) => tx.sessions.insert(session));
  const claims = { userId: user.id, sessionId: 'session', scopes: ['vaults:read'] };
  const auth = createAuth({
    store,
    work,
    clock,
    ids,
    accessTokens: { verify: async () => claims } as unknown as AccessTokens,
    passwords: {} as Passwords,
    loginThrottle: {} as LoginThrottle,
    refreshTokens: {} as RefreshTokens,
    log: { error: (facts) => expect.fail(JSON.stringify(facts)) },
  });
  const administration = createAdministration({ store, work, clock, apiKeys: {} as ApiKeys });
  const status = async () => (await auth.authenticateToken(visitor, 'token')).status;
  expect(await status()).toBe('active');
  for (const next of ['suspended', 'active'] as const) {
    await administration.setStanding(operator, user.id, { status: next });
    expect(await status()).toBe(next);
  }
  await administration.removeUser(operator, user.id);
  await expect(status()).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
  await close();
});
