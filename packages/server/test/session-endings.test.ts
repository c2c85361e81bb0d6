import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { userScopes } from '../src/domain/access.ts';
import type { AccessTokens } from '../src/domain/accounts/access-tokens.ts';
import { createAdministration, operator } from '../src/domain/accounts/administration.ts';
import type { ApiKeys } from '../src/domain/accounts/api-keys.ts';
import { actorOf, createAuth } from '../src/domain/accounts/auth.ts';
import { createCurrentUser } from '../src/domain/accounts/current-user.ts';
import type { Passwords } from '../src/domain/accounts/secrets.ts';
import { maxSessions, type RefreshTokens } from '../src/domain/accounts/sessions.ts';
import type { AccountLimits } from '../src/domain/limits/account-limits.ts';
import { createUnitOfWork } from '../src/domain/unit-of-work.ts';
import { createIds } from '../src/lib/ids.ts';
import { Connection } from '../src/store/sqlite/connection.ts';
import { dataFolder, inDatabase } from './support/data-folder.ts';
import { openDatabase, roomy } from './support/delivery/database.ts';
import { refusal } from './support/front-door.ts';
import { beginSending } from './support/held-requests.ts';
import {
  accountsOfEachTest,
  day,
  expectLive,
  idsOf,
  type Login,
  me,
  newPassword,
  sessionsPath as path,
} from './support/logins.ts';
import { testsPostgres } from './support/postgres/databases.ts';
import { newDocument, newVault } from './support/resources.ts';
import { type Caller, startTestServer } from './support/server.ts';

const accounts = accountsOfEachTest();

describe('access token of an ended session', () => {
  /** Ways to end the session `ended`, by the session `other` of the same account or by any client. */
  const endings: Record<string, (sessions: { ended: Login; other: Login }) => Promise<unknown>> = {
    'POST /auth/logout': async ({ ended: { refreshToken } }) => {
      const body = { refreshToken };
      expect(await accounts.server.anonymous('POST', '/auth/logout', { body })).toMatchObject({
        status: 204,
      });
    },
    'a new password': async ({ other }) => {
      const body = { password: newPassword, currentPassword: accounts.ada.password };
      expect(await other.call('PUT', me, { body })).toMatchObject({ status: 200 });
    },
    'the reuse of an old refresh token': async ({ ended: { refreshToken } }) => {
      expect((await accounts.refresh(refreshToken)).status).toBe(200);
      accounts.server.clock.advance(10_001);
      expect(await accounts.refresh(refreshToken)).toMatchObject(refusal('INVALID_TOKEN'));
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

  for (const [name, act] of Object.entries(endings)) {
    test(`${name} makes the token invalid at the next request and leaves other sessions valid`, async () => {
      const sessions = { ended: await accounts.login(), other: await accounts.login() };
      // Requests before the end fill the cache of credentials.
      await expectLive(sessions.ended);
      await act(sessions);
      await accounts.expectEnded(sessions.ended);
      await expectLive(sessions.other);
      await expectLive(accounts.bob);
      expect((await accounts.refresh(sessions.other.refreshToken)).status).toBe(200);
    });
  }

  test('deletion of the account makes the token invalid at the next request', async () => {
    const session = await accounts.login();
    await expectLive(session);
    const { password } = accounts.ada;
    expect(await accounts.ada.call('DELETE', me, { body: { password } })).toMatchObject({
      status: 204,
    });
    await accounts.expectEnded(session);
    await expectLive(accounts.bob);
  });

  test('expiry of the session returns EXPIRED_TOKEN', async () => {
    const session = await accounts.login();
    accounts.server.clock.advance(30 * day);
    expect(await session.call('GET', me)).toMatchObject(refusal('EXPIRED_TOKEN'));
    expect(await idsOf((await accounts.login()).call)).toHaveLength(1);
  });
});

describe('request whose credentials end while it is being sent', () => {
  test('POST /api-keys returns INVALID_TOKEN and creates no key', async () => {
    const session = await accounts.login();
    const headers = { authorization: `Bearer ${session.accessToken}` };
    const creation = {
      path: '/api/v1/api-keys',
      body: { name: 'Late', scopes: ['vaults:read'] },
    };
    const late = [
      await beginSending(accounts.server, headers, creation),
      await beginSending(accounts.server, { ...headers, 'idempotency-key': 'late' }, creation),
    ];
    expect(await accounts.ada.call('DELETE', path)).toMatchObject({ status: 204 });
    for (const send of late)
      expect(await send()).toMatchObject({ error: { code: 'INVALID_TOKEN' } });
    expect((await accounts.ada.call('GET', '/api/v1/api-keys')).body.data).toEqual([]);
    const again = { body: creation.body, headers: { 'idempotency-key': 'late' } };
    expect(await accounts.ada.call('POST', creation.path, again)).toMatchObject({ status: 201 });
  });

  test('REST and GraphQL requests return INVALID_TOKEN or INVALID_API_KEY and change nothing', async () => {
    const vault = await newVault(accounts.ada.call);
    const document = await newDocument(accounts.ada.call, vault.id);
    const webhook = {
      url: 'https://thief.example',
      events: ['user.login'],
      secret: 's'.repeat(32),
    };
    const requests = [
      { path: '/api/v1/webhooks', body: webhook },
      { path: `/api/v1/documents/${document.id}/share`, body: { access: 'anyone' } },
      { path: '/api/v1/vaults', body: { name: 'Late' } },
      { method: 'PUT', path: `/api/v1/vaults/${vault.id}`, body: { name: 'Late' } },
      { method: 'PUT', path: me, body: { name: 'Late' } },
      { path: '/graphql', body: { query: '{ me { email } }' } },
      {
        path: '/graphql',
        body: { query: 'mutation { createVault(input: {name: "Late"}) { id } }' },
      },
    ];
    const session = await accounts.login();
    const { body: created } = await accounts.ada.call('POST', '/api/v1/api-keys', {
      body: { name: 'Stolen', scopes: userScopes },
    });
    const late = [];
    for (const sent of requests) {
      const bearer = { authorization: `Bearer ${session.accessToken}` };
      late.push({
        sent,
        code: 'INVALID_TOKEN',
        send: await beginSending(accounts.server, bearer, sent),
      });
      const apiKey = { 'x-api-key': created.key };
      late.push({
        sent,
        code: 'INVALID_API_KEY',
        send: await beginSending(accounts.server, apiKey, sent),
      });
    }
    expect(await accounts.ada.call('DELETE', path)).toMatchObject({ status: 204 });
    expect(await accounts.ada.call('DELETE', `/api/v1/api-keys/${created.keyId}`)).toMatchObject({
      status: 204,
    });
    const codes = [];
    for (const { sent, send } of late) {
      const reply = (await send()) as {
        error?: { code: string };
        errors?: { extensions: { code: string } }[];
      };
      const code = reply.error?.code ?? reply.errors?.[0]?.extensions.code ?? 'done';
      codes.push({ sent, code });
    }
    expect(codes).toEqual(late.map(({ sent, code }) => ({ sent, code })));
    expect((await accounts.ada.call('GET', '/api/v1/webhooks')).body.data).toEqual([]);
    expect(
      (await accounts.ada.call('GET', `/api/v1/documents/${document.id}/shares`)).body.data,
    ).toEqual([]);
    const vaults = (await accounts.ada.call('GET', '/api/v1/vaults')).body.data;
    expect(vaults.map(({ name }: { name: string }) => name)).toEqual([vault.name]);
  });

  test('POST retry-failed returns INVALID_TOKEN and retries nothing', async () => {
    const { server, ada } = accounts;
    const session = await accounts.login();
    const body = { url: 'https://ada.example', events: ['user.login'], secret: 's'.repeat(32) };
    const { id } = (await ada.call('POST', '/api/v1/webhooks', { body })).body;
    const delay = server.fault('delay', { operations: 'retryFailedDeliveries', milliseconds: 1 });
    const late = session.call('POST', `/api/v1/webhooks/${id}/deliveries/retry-failed`);
    await expect.poll(() => delay.calls).toBe(1);
    expect(await ada.call('DELETE', path)).toMatchObject({ status: 204 });
    server.clock.advance(1);
    expect(await late).toMatchObject(refusal('INVALID_TOKEN'));
  });

  test('DELETE /auth/sessions of two sessions at once ends exactly one', async () => {
    const sessions = [await accounts.login(), await accounts.login()] as const;
    const replies = await Promise.all(sessions.map(({ call }) => call('DELETE', path)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([204, 401]);
    const winner = sessions[replies[0]?.status === 204 ? 0 : 1];
    await expectLive(winner);
    expect(await idsOf(winner.call)).toEqual([winner.id]);
  });
});

test('parallel requests succeed before their session ends and fail after it', async () => {
  const session = await accounts.login();
  const other = await accounts.login();
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
  await accounts.expectEnded(session);
  await expectLive(other);
  for (const status of statuses) expect([200, 201, 401]).toContain(status);
  expect(after.length).toBeGreaterThan(0);
  expect(new Set(after)).toEqual(new Set([401]));
});

test('an ended session stays ended after a restart, and is removed at its expiry', async () => {
  const data = await dataFolder();
  const first = await startTestServer({ data });
  const { call } = await first.signUp('carl@example.com');
  const credentials = { email: 'carl@example.com', password: accounts.ada.password };
  const { body } = await first.anonymous('POST', '/auth/login', { body: credentials });
  expect((await call('DELETE', path)).status).toBe(204);
  await first.close();
  const { clock } = first;
  const port = Number(new URL(first.url).port);
  const second = await startTestServer({ data, clock, port });
  expect(await second.withToken(body.accessToken)('GET', me)).toMatchObject(
    refusal('INVALID_TOKEN'),
  );
  // The first sweep has ended, so that the next one sees the later time.
  await second.settled();
  clock.advance(30 * day + 60_000);
  await second.settled();
  await second.close();
  const rows = inDatabase(data, (database) =>
    database.prepare('SELECT COUNT(*) FROM sessions').pluck().get(),
  );
  expect(rows).toBe(0);
});

// PostgreSQL has no cache of sessions: another process could have ended one.
test.skipIf(testsPostgres)(
  'an authenticated request reads session and account in one statement, and in none until the next commit',
  async () => {
    const { call } = await accounts.login();
    // The first sweep commits too, which empties the cache.
    await accounts.server.settled();
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
  },
);

test('suspending, resuming and deleting an account in a running server applies from the next request', async () => {
  const { store, clock, close } = await openDatabase();
  const ids = createIds(clock);
  const work = createUnitOfWork({
    store,
    clock,
    ids,
    webhookDeliveries: roomy,
    onDeliveries: () => undefined,
  });
  const user = (await store.users.findByEmail('test@example.com')) ?? expect.fail();
  const anonymous = { userId: null, requestId: 'req_1', ipAddress: '::1', userAgent: null };
  const now = clock.now();
  const times = { createdAt: now, lastUsedAt: now, expiresAt: now + day };
  const session = { id: 'session', userId: user.id, ipAddress: '::1', userAgent: null, ...times };
  await store.transaction((tx) => tx.sessions.insert(session, maxSessions));
  const claims = { userId: user.id, sessionId: 'session', scopes: ['vaults:read'] };
  const auth = createAuth({
    store,
    work,
    clock,
    ids,
    accessTokens: { verify: async () => claims } as unknown as AccessTokens,
    issuer: () => '',
    checkPassword: async () => expect.fail(),
    refreshTokens: {} as RefreshTokens,
    log: { error: (facts) => expect.fail(JSON.stringify(facts)) },
  });
  const administration = createAdministration({
    store,
    work,
    clock,
    apiKeys: {} as ApiKeys,
    passwords: {} as Passwords,
  });
  const status = async () => (await auth.authenticateToken(anonymous, 'token')).status;
  expect(await status()).toBe('active');
  for (const next of ['suspended', 'active'] as const) {
    await administration.updateUser(operator, user.id, { status: next });
    expect(await status()).toBe(next);
  }
  await administration.removeUser(operator, user.id);
  await expect(status()).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
  await close();
});

test('deletion of an account fails when its session ended during the password check', async () => {
  const { store, clock, close } = await openDatabase();
  const work = createUnitOfWork({
    store,
    clock,
    ids: createIds(clock),
    webhookDeliveries: roomy,
    onDeliveries: () => undefined,
  });
  const user = (await store.users.findByEmail('test@example.com')) ?? expect.fail();
  const now = clock.now();
  const times = { createdAt: now, lastUsedAt: now, expiresAt: now + day };
  const use = { userId: user.id, ipAddress: '::1', userAgent: null, ...times };
  await store.transaction(async (tx) => {
    for (const id of ['thief', 'owner']) await tx.sessions.insert({ id, ...use }, maxSessions);
  });
  const currentUser = createCurrentUser({
    store,
    work,
    clock,
    passwords: {} as Passwords,
    async prove() {
      await store.transaction((tx) => tx.sessions.end('thief', now));
      return user.passwordHash;
    },
    accountLimits: {} as AccountLimits,
  });
  const anonymous = { userId: null, requestId: 'req_1', ipAddress: '::1', userAgent: null };
  const credentials = { scopes: ['users:write'], keyId: null, sessionId: 'thief' };
  const actor = actorOf(anonymous, { ...user, userId: user.id }, credentials);
  const removal = currentUser.remove(actor, { password: 'known to the thief' });
  await expect(removal).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
  expect(await store.sessions.find('owner')).toMatchObject({ endedAt: null });
  await close();
});
