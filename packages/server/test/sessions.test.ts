import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { startWithAdministrator } from './support/administrator.ts';
import { dataFolder, inDatabase } from './support/data-folder.ts';
import { refusal } from './support/front-door.ts';
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
import { invalid, missing } from './support/replies.ts';
import { newKey } from './support/resources.ts';
import { startTestServer } from './support/server.ts';

const accounts = accountsOfEachTest();

test('a login above 500 sessions ends the oldest one', async () => {
  const data = await dataFolder();
  const first = await startTestServer({ data });
  const { clock } = first;
  const { email, password, userId } = await first.signUp('carl@example.com');
  await first.close();
  inDatabase(data, (database) =>
    database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 499)
      INSERT INTO sessions (id, user_id, created_at, last_used_at, expires_at, ip_address)
      SELECT 's' || i, '${userId}', ${clock.now()} - i, ${clock.now()} + i, 9e15, '127.0.0.1' FROM n`),
  );
  clock.advance(1_000);
  const server = await startTestServer({ data, clock });
  const login = () => server.anonymous('POST', '/auth/login', { body: { email, password } });
  const live = () =>
    inDatabase(data, (database) =>
      database
        .prepare('SELECT id FROM sessions WHERE user_id = ? AND ended_at IS NULL')
        .pluck()
        .all(userId),
    );
  expect(live()).toHaveLength(500);
  const { body } = await login();
  expect(live()).toHaveLength(500);
  expect(live()).not.toContain('s499');
  expect(live()).toContain('s498');
  expect((await server.withToken(body.accessToken)('GET', me)).status).toBe(200);
  await login();
  expect(live()).toHaveLength(500);
  expect(live()).not.toContain('s498');
});

describe('GET /auth/sessions', () => {
  test('returns when and where each session was used, newest first, and marks the current one', async () => {
    const first = await accounts.login(accounts.ada, 'Firefox');
    accounts.server.clock.advance(1000);
    const second = await accounts.login(accounts.ada, 'x'.repeat(600));
    const at = (milliseconds: number) =>
      new Date(accounts.server.clock.now() + milliseconds).toISOString();
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

  test('updates lastUsedAt and userAgent at most once a minute', async () => {
    const { call, id } = await accounts.login(accounts.ada, 'Firefox');
    const began = accounts.server.clock.now();
    const session = async () => {
      const { data } = (await accounts.ada.call('GET', path)).body;
      return data.find((one: Login) => one.id === id);
    };
    accounts.server.clock.advance(59_999);
    await call('GET', me, { headers: { 'user-agent': 'Edge' } });
    const early = new Date(began).toISOString();
    expect(await session()).toMatchObject({ lastUsedAt: early, userAgent: 'Firefox' });
    accounts.server.clock.advance(1);
    await Promise.all(
      Array.from({ length: 8 }, () => call('GET', me, { headers: { 'user-agent': 'Edge' } })),
    );
    const late = new Date(accounts.server.clock.now()).toISOString();
    expect(await session()).toMatchObject({
      lastUsedAt: late,
      userAgent: 'Edge',
      createdAt: early,
    });
  });

  test('a refresh extends expiresAt of its session and keeps its id', async () => {
    const session = await accounts.login();
    accounts.server.clock.advance(29 * day);
    const { body } = await accounts.refresh(session.refreshToken);
    expect(decodeJwt(body.accessToken).sid).toBe(session.id);
    accounts.server.clock.advance(2 * day);
    const again = await accounts.login();
    expect(await idsOf(again.call)).toEqual([again.id, session.id]);
  });

  test('returns no ended or expired sessions and none of another account', async () => {
    const [first, second] = [await accounts.login(), await accounts.login()];
    await first.call('DELETE', `${path}/${second.id}`);
    expect(await idsOf(first.call)).toHaveLength(2);
    expect(await idsOf(accounts.bob.call)).toHaveLength(1);
    accounts.server.clock.advance(30 * day);
    const last = await accounts.login();
    expect(await idsOf(last.call)).toEqual([last.id]);
  });

  test('an API key returns 401 MISSING_AUTH with a message that names API keys', async () => {
    const { key } = await newKey(accounts.ada.call, ['users:read', 'users:write']);
    const { id } = await accounts.login();
    for (const call of [accounts.server.withKey(key), accounts.server.developer]) {
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
    expect(await idsOf(accounts.ada.call)).toHaveLength(2);
  });
});

describe('DELETE /auth/sessions/{id}', () => {
  test('a session of another account, an ended session and an unknown id return 404', async () => {
    const theirs = await accounts.login(accounts.bob);
    const ended = await accounts.login();
    await ended.call('DELETE', `${path}/${ended.id}`);
    for (const id of [theirs.id, ended.id, 'unknown']) {
      expect(await accounts.ada.call('DELETE', `${path}/${id}`)).toMatchObject(missing({ id }));
    }
    await expectLive(theirs);
  });

  test('a session of another account returns 404 to an administrator too', async () => {
    const { admin, signUp } = await startWithAdministrator();
    const { call } = await signUp('carl@example.com');
    const [id = ''] = await idsOf(call);
    expect(await admin('DELETE', `${path}/${id}`)).toMatchObject(missing({ id }));
    expect(await idsOf(admin)).not.toContain(id);
    await expectLive({ call });
  });
});

describe('PUT /users/me', () => {
  test('a new email address without currentPassword returns 400, by session and by API key', async () => {
    const { key } = await newKey(accounts.ada.call, ['users:read', 'users:write']);
    const email = 'taken@over.example';
    for (const call of [accounts.ada.call, accounts.server.withKey(key)]) {
      const change = (body: object) => call('PUT', me, { body });
      expect(await change({ email })).toMatchObject(
        invalid('currentPassword', 'dependentRequired'),
      );
      const wrong = await change({ email, currentPassword: 'wrong' });
      expect(wrong).toMatchObject(invalid('currentPassword', 'match'));
      expect((await call('GET', me)).body.email).toBe(accounts.ada.email);
    }
    const body = { email, currentPassword: accounts.ada.password };
    expect(await accounts.server.withKey(key)('PUT', me, { body })).toMatchObject({ status: 200 });
  });

  test('a new password by API key ends every session and keeps the keys', async () => {
    const { key } = await newKey(accounts.ada.call, ['users:read', 'users:write']);
    const session = await accounts.login();
    const body = { password: newPassword, currentPassword: accounts.ada.password };
    expect(await accounts.server.withKey(key)('PUT', me, { body })).toMatchObject({ status: 200 });
    await accounts.expectEnded(session);
    expect(await accounts.ada.call('GET', me)).toMatchObject(refusal('INVALID_TOKEN'));
    expect((await accounts.server.withKey(key)('GET', me)).status).toBe(200);
  });

  test("revokeApiKeys revokes every key of the account at once, the caller's included", async () => {
    const keys = [
      await newKey(accounts.ada.call, ['users:write']),
      await newKey(accounts.ada.call, ['users:read']),
    ];
    const { key: bobs } = await newKey(accounts.bob.call, ['users:read']);
    const change = (body: object) => accounts.server.withKey(keys[0].key)('PUT', me, { body });
    const refused = await change({
      password: newPassword,
      currentPassword: 'wrong',
      revokeApiKeys: true,
    });
    expect(refused).toMatchObject(invalid('currentPassword', 'match'));
    expect((await accounts.server.withKey(keys[1].key)('GET', me)).status).toBe(200);

    const made = await change({
      password: newPassword,
      currentPassword: accounts.ada.password,
      revokeApiKeys: true,
    });
    expect(made.status).toBe(200);
    for (const { key } of keys) {
      expect(await accounts.server.withKey(key)('GET', me)).toMatchObject(
        refusal('INVALID_API_KEY'),
      );
    }
    expect((await accounts.server.withKey(bobs)('GET', me)).status).toBe(200);
    const again = await accounts.login({ ...accounts.ada, password: newPassword });
    expect((await again.call('GET', '/api/v1/api-keys')).body.data).toEqual([]);
  });

  test('revokeApiKeys in a change rejected for its address revokes no key', async () => {
    const { key } = await newKey(accounts.ada.call, ['users:read']);
    const { password: currentPassword } = accounts.ada;
    const changes = { email: accounts.bob.email, password: newPassword, currentPassword };
    const body = { ...changes, revokeApiKeys: true };
    expect(await accounts.ada.call('PUT', me, { body })).toMatchObject(invalid('email', 'unique'));
    expect((await accounts.server.withKey(key)('GET', me)).status).toBe(200);
    await accounts.login();
  });
});
