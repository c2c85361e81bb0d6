import { verify } from '@node-rs/argon2';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { owaspCost } from '../src/domain/accounts/secrets.ts';
import { command } from './support/command-line.ts';
import { dataFolder, rowsIn } from './support/data-folder.ts';
import { comparable, expectEveryHeader, refusal } from './support/front-door.ts';
import {
  type Account,
  type Reply,
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from './support/server.ts';

// Counts password checks: a throttled attempt must not cause one.
vi.mock('@node-rs/argon2', async (importOriginal) => {
  const actual = await importOriginal<typeof import('@node-rs/argon2')>();
  return { ...actual, verify: vi.fn(actual.verify) };
});
const checks = () => vi.mocked(verify).mock.calls;

const home = '192.0.2.1';
const minute = 60_000;

let server: TestServer;
let ada: Account;
const start = async (options: TestServerOptions = {}) => {
  server = await startTestServer({
    trustedProxies: ['127.0.0.1'],
    requestsPerMinute: { enterprise: 10_000 },
    ...options,
  });
  ada = await server.signUp('ada@example.com');
  vi.mocked(verify).mockClear();
};
beforeEach(() => start());

interface Attempt {
  readonly email?: string;
  readonly password?: string;
  /** Address of the client. */
  readonly from?: string;
}

function login({ email = ada.email, password = 'wrong', from = home }: Attempt = {}) {
  const headers = { 'x-forwarded-for': from };
  return server.anonymous('POST', '/auth/login', { body: { email, password }, headers });
}

const loginRight = (from?: string) => login({ password: ada.password, ...(from && { from }) });

async function fail(times: number, attempt: Attempt = {}): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    expect(await login(attempt)).toMatchObject(refusal('INVALID_TOKEN'));
  }
}

function expectThrottled(reply: Reply, retryAfter: number): void {
  expect(reply).toMatchObject(refusal('RATE_LIMIT_EXCEEDED', {}));
  expect(reply.body.error).toMatchObject({
    message: 'Too many attempts with a wrong password. Wait before the next one.',
    retryAfter,
  });
  expect(reply.headers.get('retry-after')).toBe(String(retryAfter));
  expectEveryHeader(reply);
}

describe('POST /auth/login to one account', () => {
  test('accepts ten wrong passwords, then one per minute, and returns 429 without a check in between', async () => {
    await fail(10);
    expect(checks()).toHaveLength(10);
    expectThrottled(await login(), 60);
    expectThrottled(await loginRight(), 60);
    server.clock.advance(minute - 1001);
    expectThrottled(await loginRight(), 2);
    server.clock.advance(1000);
    expectThrottled(await loginRight(), 1);
    expect(checks()).toHaveLength(10);

    server.clock.advance(1);
    await fail(1);
    expectThrottled(await login(), 60);
    server.clock.advance(minute);
    expect((await loginRight()).status).toBe(200);
    expect(checks()).toHaveLength(12);
  });

  test('allows ten wrong passwords again after a login', async () => {
    await fail(9);
    expect((await loginRight()).status).toBe(200);
    await fail(10);
    expectThrottled(await login(), 60);
  });

  test('accepts a password that the operator has set, in spite of earlier wrong ones', async () => {
    const data = await dataFolder();
    await start({ data });
    await fail(10);
    expectThrottled(await loginRight(), 60);
    const password = 'set by the operator';
    const argv = ['user', 'set-password', ada.email, '--password-stdin', '--data', data];
    expect(await command(argv, { input: password })).toMatchObject({ code: 0 });
    expect(await login({ password })).toMatchObject({ status: 200 });
  });

  test('allows ten wrong passwords again after ten minutes', async () => {
    await fail(10);
    server.clock.advance(10 * minute);
    await fail(10);
    expectThrottled(await login(), 60);
  });

  test('counts attempts in any spelling of the email and from any address together', async () => {
    const spellings = ['ada@example.com', 'ADA@Example.com', 'ａda@example.com'];
    for (let time = 0; time < 10; time += 1) {
      await fail(1, { email: spellings[time % 3] ?? '', from: `192.0.2.${time}` });
    }
    for (const email of spellings) expectThrottled(await login({ email }), 60);
  });

  test('returns the same responses for an unknown email', async () => {
    const repliesOfEach = [];
    for (const email of ['ada@example.com', 'unknown@example.com', 'no address at all']) {
      const replies = [];
      for (let time = 0; time < 12; time += 1) replies.push(comparable(await login({ email })));
      repliesOfEach.push(replies);
    }
    expect(repliesOfEach[0]?.map(({ status }) => status)).toEqual([
      ...Array(10).fill(401),
      429,
      429,
    ]);
    expect(repliesOfEach[1]).toEqual(repliesOfEach[0]);
    expect(repliesOfEach[2]).toEqual(repliesOfEach[0]);
  });

  test('does not throttle other accounts', async () => {
    await fail(10);
    const bob = await server.signUp('bob@example.com');
    expect((await login({ email: bob.email, password: bob.password })).status).toBe(200);
  });

  test('is not throttled from a known network by wrong passwords from other networks', async () => {
    expect((await loginRight()).status).toBe(200);
    const stranger = { from: '198.51.100.7' };
    for (let hour = 0; hour < 3; hour += 1) {
      await fail(10, stranger);
      expectThrottled(await login(stranger), 60);
      expect((await loginRight()).status).toBe(200);
      server.clock.advance(60 * minute);
    }
    // The known network has ten attempts of its own.
    await fail(10);
    expectThrottled(await loginRight(), 60);
    await fail(10, stranger);
    expectThrottled(await login(stranger), 60);
  });

  test('accepts 25 concurrent right passwords', async () => {
    const replies = await Promise.all(Array.from({ length: 25 }, () => loginRight()));
    expect(replies.map(({ status }) => status)).toEqual(Array(25).fill(200));
  });

  test('checks at most ten of 40 concurrent wrong passwords', async () => {
    const replies = await Promise.all(Array.from({ length: 40 }, () => login()));
    const codes = replies.map(({ status }) => status);
    expect(codes.filter((status) => status === 401)).toHaveLength(10);
    expect(codes.filter((status) => status === 429)).toHaveLength(30);
    expect(checks()).toHaveLength(10);
  });
});

describe('POST /auth/login from one address', () => {
  const failFifty = async (from: (time: number) => string) => {
    for (let time = 0; time < 50; time += 1) {
      await fail(1, { email: `user${time}@example.com`, from: from(time) });
    }
  };

  test('accepts fifty wrong passwords to any accounts, then one per twelve seconds', async () => {
    await failFifty(() => home);
    expectThrottled(await login({ email: 'another@example.com' }), 12);
    expectThrottled(await loginRight(), 12);
    expect((await loginRight('192.0.2.2')).status).toBe(200);
    server.clock.advance(12_000);
    expect((await loginRight()).status).toBe(200);
    // A login does not reset the count of an address: an attacker can log in to an own account.
    await fail(1, { email: 'another@example.com' });
    expectThrottled(await login({ email: 'another@example.com' }), 12);
  });

  test('refuses an exhausted account at once while another account signs in there', async () => {
    await fail(10);
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    vi.mocked(verify).mockImplementationOnce(async () => {
      begun.resolve();
      await held.promise;
      return false;
    });
    const other = login({ email: 'another@example.com' });
    await begun.promise;
    expectThrottled(await login(), 60);
    held.resolve();
    expect(await other).toMatchObject(refusal('INVALID_TOKEN'));
  });

  test('counts IPv6 addresses by their /64 network', async () => {
    await failFifty((time) => `2001:db8::${time.toString(16)}:1`);
    expectThrottled(await loginRight('2001:db8:0:0:ffff::1'), 12);
    expect((await loginRight('2001:db8:0:1::1')).status).toBe(200);
    expect((await loginRight('2001:db8:1::1')).status).toBe(200);
  });
});

describe('passwords in PUT and DELETE /users/me', () => {
  const path = '/api/v1/users/me';
  const headers = { 'x-forwarded-for': '203.0.113.9' };
  const body = { password: 'a new and longer passphrase', currentPassword: 'wrong' };

  test('count together with those of POST /auth/login', async () => {
    await fail(4);
    for (let time = 0; time < 3; time += 1) {
      const update = await ada.call('PUT', path, { body, headers });
      expect(update).toMatchObject(refusal('VALIDATION_ERROR'));
      const deletion = await ada.call('DELETE', path, { body: { password: 'wrong' }, headers });
      expect(deletion).toMatchObject(refusal('VALIDATION_ERROR'));
    }
    expectThrottled(await login(), 60);
    expectThrottled(await ada.call('PUT', path, { body, headers }), 60);
    const { password } = ada;
    expectThrottled(await ada.call('DELETE', path, { body: { password }, headers }), 60);
    expect(checks()).toHaveLength(10);
    expect((await ada.call('GET', path)).status).toBe(200);
    const rename = await ada.call('PUT', path, { body: { name: 'Ada' }, headers });
    expect(rename.status).toBe(200);
  });

  test('reset the count when they are right', async () => {
    await fail(9);
    const currentPassword = ada.password;
    const update = await ada.call('PUT', path, { body: { currentPassword }, headers });
    expect(update.status).toBe(200);
    await fail(10);
    expectThrottled(await login(), 60);
  });
});

describe('the password check', () => {
  test('runs once for every login, with the same cost for existing and unknown accounts', async () => {
    await start({ passwordCost: owaspCost });
    const attempts = [
      { password: 'wrong' },
      { password: ada.password },
      { email: 'unknown@example.com', password: 'wrong' },
      { email: 'no address', password: ada.password },
    ];
    for (const attempt of attempts) await login(attempt);
    const hashes = checks().map(([hash]) => String(hash));
    expect(hashes).toHaveLength(attempts.length);
    for (const hash of hashes) expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).not.toBe(hashes[0]);
    expect(hashes[3]).toBe(hashes[2]);
    expect(checks().map(([, password]) => password)).toEqual(
      attempts.map(({ password }) => password),
    );
  });
});

describe('a known network of an account', () => {
  const day = 24 * 60 * minute;
  const stranger = { from: '198.51.100.7' };

  /** Starts a server on a folder, on which Ada has logged in from `home`. */
  async function arrange() {
    const data = await dataFolder();
    const options = {
      data,
      trustedProxies: ['127.0.0.1'],
      requestsPerMinute: { enterprise: 10_000 },
    };
    server = await startTestServer(options);
    ada = await server.signUp('ada@example.com');
    expect((await loginRight()).status).toBe(200);
    return {
      data,
      async restart() {
        const { clock } = server;
        await server.close();
        server = await startTestServer({ ...options, clock });
      },
    };
  }

  test('has its own count after a restart', async () => {
    const { restart } = await arrange();
    await restart();
    await fail(10, stranger);
    expectThrottled(await login(stranger), 60);
    expectThrottled(await loginRight('203.0.113.9'), 60);
    expect((await loginRight()).status).toBe(200);
  });

  test('is stored for 90 days after the last login', async () => {
    const { data } = await arrange();
    server.clock.advance(90 * day - 2 * minute);
    await server.settled();
    await fail(10, stranger);
    expect((await loginRight()).status).toBe(200);
    server.clock.advance(90 * day);
    await server.settled();
    await fail(10, stranger);
    expectThrottled(await loginRight(), 60);
    await server.close();
    expect(rowsIn(data, 'login_places')).toBe(0);
  });

  test('is removed with its account', async () => {
    const { data } = await arrange();
    const call = await server.signIn(ada);
    const body = { password: ada.password };
    expect((await call('DELETE', '/api/v1/users/me', { body })).status).toBe(204);
    await server.close();
    expect(rowsIn(data, 'login_places')).toBe(0);
  });
});
