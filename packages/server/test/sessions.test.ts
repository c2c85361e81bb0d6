import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { startWithAdministrator } from './support/administrator.ts';
import { invalid, missing } from './support/answers.ts';
import { refusal } from './support/front-door.ts';
import {
  day,
  expectLive,
  idsOf,
  type Login,
  me,
  newPassword,
  sessionsPath as path,
  startWithAccounts,
} from './support/logins.ts';
import { newKey } from './support/resources.ts';
import type { Account } from './support/server.ts';

type Arranged = Awaited<ReturnType<typeof startWithAccounts>>;

let server: Arranged['server'];
let ada: Account;
let bob: Account;
let login: Arranged['login'];
let refresh: Arranged['refresh'];
let expectEnded: Arranged['expectEnded'];
beforeEach(async () => {
  ({ server, ada, bob, login, refresh, expectEnded } = await startWithAccounts());
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
    const [id = ''] = await idsOf(call);
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
