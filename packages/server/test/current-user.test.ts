import { beforeEach, describe, expect, test } from 'vitest';
import { owaspCost } from '../src/domain/accounts/secrets.ts';
import { dataFolder, inDatabase } from './support/data-folder.ts';
import { comparable, refusal } from './support/front-door.ts';
import { invalid } from './support/replies.ts';
import { newKey } from './support/resources.ts';
import { type Account, type Reply, startTestServer, type TestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

const path = '/api/v1/users/me';
const newPassword = 'a new and longer passphrase';

let server: TestServer;
let ada: Account;
let webhook: Awaited<ReturnType<typeof listen>>;
beforeEach(async () => {
  server = await startTestServer();
  ada = await server.signUp('ada@example.com');
  await server.signUp('bob@example.com');
  webhook = await listen({ server, call: ada.call });
  server.clock.advance(1000);
});

/** The user without its usage, as in events. */
function userOf({ body: { usage: _, ...user } }: Reply) {
  return user;
}

const change = (body: unknown) => ada.call('PUT', path, { body });

const login = (email: string, password: string) =>
  server.anonymous('POST', '/auth/login', { body: { email, password } });

/** Logs in and returns the refresh token. */
async function session(): Promise<string> {
  return (await login(ada.email, ada.password)).body.refreshToken;
}

const refresh = (refreshToken: string) =>
  server.anonymous('POST', '/auth/refresh', { body: { refreshToken } });

describe('PUT /users/me', () => {
  test('returns 200 with the changed fields and emits user.updated with changes and previous values', async () => {
    const before = (await ada.call('GET', path)).body;
    const rows: [object, object, string[], object][] = [
      [{ name: '  Ada B. ' }, { name: 'Ada B.' }, ['name'], { name: 'Test User' }],
      [
        { name: 'Ada', email: 'Ada.Berger@example.com', currentPassword: ada.password },
        { name: 'Ada', email: 'Ada.Berger@example.com' },
        ['name', 'email'],
        { name: 'Ada B.', email: 'ada@example.com' },
      ],
      [
        { email: 'ada.berger@example.com', name: 'Ada', currentPassword: ada.password },
        { email: 'ada.berger@example.com' },
        ['email'],
        { email: 'Ada.Berger@example.com' },
      ],
    ];
    for (const [body, expected, changes, previous] of rows) {
      server.clock.advance(1000);
      const now = new Date(server.clock.now()).toISOString();
      const reply = await change(body);
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual({ ...before, ...reply.body, ...expected, updatedAt: now });
      expect((await ada.call('GET', path)).body).toEqual(reply.body);
      const events = await webhook.events();
      expect(events).toMatchObject([
        {
          type: 'user.updated',
          context: { userId: ada.userId, requestId: reply.headers.get('x-request-id') },
        },
      ]);
      expect(events[0].data).toEqual({ object: userOf(reply), changes, previous });
    }
    expect((await login('ada.berger@example.com', ada.password)).status).toBe(200);
    expect(await login('ada@example.com', ada.password)).toMatchObject(refusal('INVALID_TOKEN'));
  });

  test('with unchanged values returns 200 and emits no event', async () => {
    const before = await ada.call('GET', path);
    const { email, password } = ada;
    for (const body of [
      { name: 'Test User' },
      { email, name: 'Test User', currentPassword: password },
      { password, currentPassword: password },
      { currentPassword: password },
    ]) {
      const reply = await change(body);
      expect(reply, JSON.stringify(body)).toMatchObject({ status: 200, body: before.body });
    }
    expect(await webhook.events()).toEqual([]);
  });

  test('with an invalid field returns 400 and changes no field', async () => {
    const before = await ada.call('GET', path);
    for (const [body, field, constraint] of [
      [{}, 'body', 'minProperties'],
      [{ name: ' ' }, 'name', 'minLength'],
      [{ name: 'x'.repeat(121) }, 'name', 'maxLength'],
      [{ name: null }, 'name', 'type'],
      [{ email: 'no address', currentPassword: ada.password }, 'email', 'format'],
      [{ name: 'New', email: 'BOB@example.com', currentPassword: ada.password }, 'email', 'unique'],
      [{ email: 'new@example.com' }, 'currentPassword', 'dependentRequired'],
      [{ email: 'new@example.com', currentPassword: 'wrong' }, 'currentPassword', 'match'],
      [{ revokeApiKeys: true, currentPassword: ada.password }, 'password', 'dependentRequired'],
      [{ revokeApiKeys: 'yes' }, 'revokeApiKeys', 'type'],
      [{ password: newPassword }, 'currentPassword', 'dependentRequired'],
      [{ password: 'eleven char', currentPassword: ada.password }, 'password', 'minLength'],
      [{ password: newPassword, currentPassword: 'wrong' }, 'currentPassword', 'match'],
      [{ name: 'New', currentPassword: 'wrong' }, 'currentPassword', 'match'],
      [{ role: 'admin' }, 'role', 'additionalProperties'],
      [{ tier: 'enterprise' }, 'tier', 'additionalProperties'],
      [{ status: 'active' }, 'status', 'additionalProperties'],
      [{ passwordHash: 'x' }, 'passwordHash', 'additionalProperties'],
    ] as const) {
      const reply = await change(body);
      expect(reply, JSON.stringify(body)).toMatchObject(invalid(field, constraint));
    }
    expect((await ada.call('GET', path)).body).toEqual(before.body);
    expect(await webhook.events()).toEqual([]);
    expect((await login(ada.email, ada.password)).status).toBe(200);
  });

  test('by two accounts to the same email at once returns 200 and 400', async () => {
    const bob = await server.signIn({ email: 'bob@example.com', password: ada.password });
    const replies = await Promise.all(
      [ada.call, bob].map((call) =>
        call('PUT', path, {
          body: { email: 'new@example.com', currentPassword: ada.password },
        }),
      ),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  test('with an API key needs users:write', async () => {
    const { key } = await newKey(ada.call, ['users:write']);
    const call = server.withKey(key);
    expect((await call('PUT', path, { body: { name: 'By a key' } })).status).toBe(200);
    expect(await call('GET', path)).toMatchObject(refusal('INSUFFICIENT_PERMISSIONS'));
  });
});

describe('PUT /users/me with a new password', () => {
  const body = () => ({ password: newPassword, currentPassword: ada.password });

  test('invalidates the old password and emits user.updated without the passwords', async () => {
    const reply = await change({ ...body(), name: 'Ada' });
    expect(reply.status).toBe(200);
    const events = await webhook.events();
    expect(events).toMatchObject([{ type: 'user.updated' }]);
    expect(events[0].data).toEqual({
      object: userOf(reply),
      changes: ['name', 'password'],
      previous: { name: 'Test User' },
    });
    const wrong = await login(ada.email, ada.password);
    expect(wrong).toMatchObject(refusal('INVALID_TOKEN'));
    expect(comparable(await login('unknown@example.com', 'x'))).toEqual(comparable(wrong));
    expect((await login(ada.email, newPassword)).status).toBe(200);
  });

  test('emits user.updated with empty previous values when only the password changes', async () => {
    await change(body());
    const [event] = await webhook.events();
    expect(event.data).toMatchObject({ changes: ['password'] });
    expect(event.data.previous).toEqual({});
    expect(JSON.stringify(event)).not.toMatch(/argon2|passphrase|correct horse/);
  });

  test('ends the other sessions of the account, and keeps its own session and API keys', async () => {
    const { key } = await newKey(ada.call, ['users:read']);
    const sessions = [await session(), await session()];
    const rotated = (await refresh(sessions[0] ?? '')).body.refreshToken;
    const bobs = (await login('bob@example.com', ada.password)).body.refreshToken;
    expect((await change(body())).status).toBe(200);
    for (const token of [...sessions, rotated]) {
      expect(await refresh(token)).toMatchObject(refusal('INVALID_TOKEN'));
    }
    expect((await refresh(bobs)).status).toBe(200);
    expect((await server.withKey(key)('GET', path)).status).toBe(200);
    expect((await ada.call('GET', path)).status).toBe(200);
    server.clock.advance(3600_000);
    expect(await ada.call('GET', path)).toMatchObject(refusal('EXPIRED_TOKEN'));
  });

  test('keeps other sessions when it is rejected or equals the current password', async () => {
    const token = await session();
    await change({ password: newPassword, currentPassword: 'wrong' });
    await change({ password: ada.password, currentPassword: ada.password });
    expect((await refresh(token)).status).toBe(200);
  });

  test('sent twice at once returns 200 and 400, and invalidates concurrent logins', async () => {
    const passwords = [newPassword, 'a different passphrase'];
    const replies = await Promise.all([
      ...passwords.map((password) => change({ password, currentPassword: ada.password })),
      ...passwords.map(() => login(ada.email, ada.password)),
    ]);
    expect(
      replies
        .slice(0, 2)
        .map(({ status }) => status)
        .toSorted(),
    ).toEqual([200, 400]);
    expect(replies.find(({ status }) => status === 400)).toMatchObject(
      invalid('currentPassword', 'match'),
    );
    for (const { status, body } of replies.slice(2)) {
      if (status === 200) expect((await refresh(body.refreshToken)).status).toBe(401);
      else expect(status).toBe(401);
    }
  });
});

test('PUT /users/me stores a new password as an argon2id hash only', async () => {
  const data = await dataFolder();
  const first = await startTestServer({ data, passwordCost: owaspCost });
  const { call, email, password } = await first.signUp('carl@example.com');
  const body = { password: newPassword, currentPassword: password };
  expect((await call('PUT', path, { body })).status).toBe(200);
  await first.close();
  const [hash, bodies] = inDatabase(data, (database) => [
    database.prepare('SELECT password_hash FROM users WHERE email = ?').pluck().get(email),
    database.prepare('SELECT body FROM events').pluck().all().join('\n'),
  ]);
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(bodies).toContain('user.updated');
  for (const secret of [String(hash), 'argon2', newPassword, password]) {
    expect(bodies).not.toContain(secret);
  }
});
