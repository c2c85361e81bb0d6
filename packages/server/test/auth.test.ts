import { describe, expect, test } from 'vitest';
import { owaspCost } from '../src/domain/accounts/secrets.ts';
import { dataFolder, inDatabase } from './support/data-folder.ts';
import { comparable, refusal } from './support/front-door.ts';
import { startTestServer } from './support/server.ts';

const password = 'correct horse battery staple';
const account = { email: 'ada@example.com', password, name: 'Ada Berger' };

describe('POST /auth/register', () => {
  test('returns 201 with the account and emits user.created', async () => {
    const data = await dataFolder();
    const { anonymous, clock, close } = await startTestServer({ data });
    const now = new Date(clock.now()).toISOString();
    const reply = await anonymous('POST', '/auth/register', {
      body: { ...account, name: '  Ada Berger ' },
    });
    expect(reply.status).toBe(201);
    const { id, instanceId } = reply.body;
    expect(reply.body).toEqual({
      id,
      email: 'ada@example.com',
      name: 'Ada Berger',
      role: 'user',
      tier: 'enterprise',
      status: 'active',
      instanceId,
      createdAt: now,
      updatedAt: now,
    });
    await close();

    const events = inDatabase(data, (database) =>
      database.prepare(`SELECT type, body FROM events WHERE user_id = ?`).all(id),
    ) as { type: string; body: string }[];
    expect(events.map(({ type }) => type)).toEqual(['user.created']);
    expect(JSON.parse(events[0]?.body ?? '')).toMatchObject({
      type: 'user.created',
      timestamp: now,
      data: { object: reply.body },
      context: { userId: id, instanceId, requestId: reply.headers.get('x-request-id') },
    });
  });

  test('stores the password as an argon2id hash only', async () => {
    const data = await dataFolder();
    const { anonymous, close } = await startTestServer({ data, passwordCost: owaspCost });
    await anonymous('POST', '/auth/register', { body: account });
    await close();
    const hash = inDatabase(data, (database) =>
      database
        .prepare('SELECT password_hash FROM users WHERE email = ?')
        .pluck()
        .get(account.email),
    );
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(hash).not.toContain(password);
  });

  test('for a registered email in any letter case returns 400 unique, also concurrently', async () => {
    const { anonymous } = await startTestServer();
    const register = (email: string) =>
      anonymous('POST', '/auth/register', { body: { ...account, email } });
    const replies = await Promise.all(
      ['Ada@example.com', 'ada@example.com', 'ADA@EXAMPLE.COM'].map(register),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    for (const reply of [
      ...replies.filter(({ status }) => status === 400),
      await register('aDa@Example.Com'),
    ]) {
      expect(reply).toMatchObject(
        refusal('VALIDATION_ERROR', { field: 'email', constraint: 'unique' }),
      );
    }
    expect((await register('ada@example.org')).status).toBe(201);
  });

  test('with registration closed returns 403 and creates no account', async () => {
    const {
      anonymous,
      signIn,
      account: developer,
    } = await startTestServer({
      registration: 'closed',
    });
    const reply = await anonymous('POST', '/auth/register', { body: account });
    expect(reply).toMatchObject(refusal('INSUFFICIENT_PERMISSIONS'));
    const { email } = account;
    const attempt = await anonymous('POST', '/auth/login', { body: { email, password } });
    expect(attempt).toMatchObject(refusal('INVALID_TOKEN'));
    const call = await signIn({ email: '', password: '', ...developer });
    expect((await call('GET', '/api/v1/users/me')).status).toBe(200);
  });

  test('with invalid fields returns 400 with field and constraint', async () => {
    const { anonymous } = await startTestServer();
    for (const [field, value, constraint] of [
      ['email', 'no address', 'format'],
      ['email', `${'a'.repeat(250)}@b.example`, 'maxLength'],
      ['password', 'eleven char', 'minLength'],
      ['password', 'x'.repeat(1025), 'maxLength'],
      ['name', ' \t ', 'minLength'],
      ['role', 'admin', 'additionalProperties'],
      ['tier', 'enterprise', 'additionalProperties'],
    ] as const) {
      const body = { ...account, [field]: value };
      const reply = await anonymous('POST', '/auth/register', { body });
      const violations = reply.body.error.details.violations;
      expect(reply.status, field).toBe(400);
      expect(violations, field).toContainEqual(expect.objectContaining({ field, constraint }));
    }
  });
});

describe('POST /auth/login', () => {
  test('returns the same 401 for a wrong password and an unknown email', async () => {
    const { anonymous, signUp } = await startTestServer();
    await signUp(account.email);
    const login = (email: string, attempt: string) =>
      anonymous('POST', '/auth/login', { body: { email, password: attempt } });
    const wrong = await login(account.email, `${password}!`);
    expect(wrong).toMatchObject(refusal('INVALID_TOKEN', {}));
    expect(comparable(await login('unknown@example.com', password))).toEqual(comparable(wrong));
    expect(comparable(await login('unknown', 'x'))).toEqual(comparable(wrong));
    expect((await login('ADA@example.com', password)).status).toBe(200);
  });

  test('returns an access and a refresh token and emits user.login', async () => {
    const data = await dataFolder();
    const { anonymous, signUp, clock, close } = await startTestServer({ data });
    const { userId } = await signUp(account.email);
    clock.advance(1000);
    const reply = await anonymous('POST', '/auth/login', {
      body: { email: 'Ada@Example.com', password },
      headers: { 'user-agent': 'tests' },
    });
    expect(reply.body).toEqual({
      accessToken: expect.any(String),
      refreshToken: expect.stringMatching(/^[\w-]{43}$/),
      expiresIn: 3600,
    });
    await close();

    const body = inDatabase(data, (database) =>
      database
        .prepare(`SELECT body FROM events WHERE type = 'user.login' ORDER BY id DESC LIMIT 1`)
        .pluck()
        .get(),
    );
    expect(JSON.parse(String(body)).data.object).toEqual({
      userId,
      email: account.email,
      method: 'password',
      ipAddress: '127.0.0.1',
      userAgent: 'tests',
      loggedInAt: new Date(clock.now()).toISOString(),
    });
    expect(body).not.toContain(reply.body.refreshToken);
  });
});
