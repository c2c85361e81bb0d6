import { describe, expect, test } from 'vitest';
import { TestClock } from '../../src/lib/clock.ts';
import { command, commandJson } from '../support/command-line.ts';
import { dataFolder } from '../support/data-folder.ts';
import { startTestServer } from '../support/server.ts';

const clock = new TestClock();

/** Creates a data folder with Ada, an ordinary account, and Root, an administrator. */
async function folderWithUsers(): Promise<string> {
  const data = await dataFolder();
  const create = (options: string[]) =>
    commandJson(['user', 'create', ...options, '--data', data], { clock });
  await create(['--email', 'ada@example.com', '--name', 'Ada']);
  await create(['--email', 'root@example.com', '--name', 'Root', '--role', 'admin']);
  return data;
}

const keyFor = (user: string, scopes: string, ...rest: string[]) => [
  ...['key', 'create', '--user', user, '--name', 'CI', '--scopes', scopes],
  ...rest,
];

describe('key create', () => {
  test('it prints a key once, which may do what its scopes allow', async () => {
    const data = await folderWithUsers();
    const argv = keyFor('ada@example.com', 'vaults:read, vaults:write', '--data', data);
    const { code, out } = await command(argv, { clock });
    expect(code).toBe(0);
    const [, key = ''] =
      /^Created key_[0-9a-f]{32}; it never expires\.\nKey, shown only now: (service_sk_[A-Za-z0-9]{40})$/.exec(
        out,
      ) ?? [];
    const { withKey } = await startTestServer({ data, clock });
    const call = withKey(key);
    const created = await call('POST', '/api/v1/vaults', { body: { name: 'Taxes' } });
    expect(created.status).toBe(201);
    expect((await call('GET', '/api/v1/documents')).status).toBe(403);
  });

  test.each([
    ['90d', 90 * 86_400_000],
    ['1.5h', 5_400_000],
    [new Date(clock.now() + 60_000).toISOString(), 60_000],
  ])('--expires %s sets the expiry', async (expires, span) => {
    const data = await folderWithUsers();
    const argv = keyFor('ada@example.com', 'vaults:read', '--expires', expires, '--data', data);
    const { key, expiresAt } = await commandJson(argv, { clock });
    expect(expiresAt).toBe(new Date(clock.now() + span).toISOString());
    const moved = new TestClock(clock.now());
    const { withKey } = await startTestServer({ data, clock: moved });
    moved.advance(span - 1);
    expect((await withKey(key)('GET', '/api/v1/vaults')).status).toBe(200);
    moved.advance(1);
    expect((await withKey(key)('GET', '/api/v1/vaults')).status).toBe(401);
  });

  test.each([
    [
      keyFor('unknown@example.com', 'vaults:read'),
      'There is no such account: unknown@example.com.',
    ],
    [
      keyFor('ada@example.com', 'vaults:read,admin:*'),
      '--scopes: An account with the role user cannot hold admin:*.',
    ],
    [
      keyFor('ada@example.com', 'vaults:read', '--expires', '2020-01-01T00:00:00Z'),
      '--expires must be in the future.',
    ],
  ])('%j fails and creates no key', async (argv, err) => {
    const data = await folderWithUsers();
    expect(await command([...argv, '--data', data], { clock })).toMatchObject({
      code: 1,
      out: '',
      err,
    });
    expect(await commandJson(['key', 'list', '--data', data])).toEqual([]);
  });

  test('a key of an administrator with admin:* reads vaults of other accounts', async () => {
    const data = await folderWithUsers();
    const { key } = await commandJson(keyFor('root@example.com', 'admin:*', '--data', data), {
      clock,
    });
    const { withKey, signUp } = await startTestServer({ data, clock });
    const { call } = await signUp('eve@example.com');
    await call('POST', '/api/v1/vaults', { body: { name: 'Hers' } });
    expect((await withKey(key)('GET', '/api/v1/vaults?account=all')).body.data).toMatchObject([
      { name: 'Hers' },
    ]);
  });
});

describe('key list and key revoke', () => {
  test('key list shows the account of each key, and key revoke makes the key invalid', async () => {
    const data = await folderWithUsers();
    const hers = await commandJson(keyFor('ada@example.com', 'vaults:read', '--data', data), {
      clock,
    });
    clock.advance(1);
    const roots = await commandJson(keyFor('root@example.com', 'admin:*', '--data', data), {
      clock,
    });
    const { out } = await command(['key', 'list', '--data', data]);
    expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['KEY ID', 'ACCOUNT', 'NAME', 'KEY', 'SCOPES', 'LAST USED', 'EXPIRES'],
      [hers.keyId, 'ada@example.com', 'CI', `${hers.prefix}…`, 'vaults:read', 'never', 'never'],
      [roots.keyId, 'root@example.com', 'CI', `${roots.prefix}…`, 'admin:*', 'never', 'never'],
    ]);
    expect(out).not.toContain(hers.key);
    const { key, ...facts } = hers;
    expect(await commandJson(['key', 'list', '--user', 'ada@example.com', '--data', data])).toEqual(
      [{ ...facts, userId: expect.any(String), email: 'ada@example.com' }],
    );

    const revoke = ['key', 'revoke', hers.keyId, '--data', data];
    expect(await command(revoke, { clock })).toMatchObject({
      code: 0,
      out: `Revoked ${hers.keyId}.`,
    });
    const again = `There is no such API key: ${hers.keyId}.`;
    expect(await command(revoke, { clock })).toMatchObject({ code: 1, out: '', err: again });
    expect(await commandJson(['key', 'list', '--data', data])).toMatchObject([
      { keyId: roots.keyId },
    ]);
    const second = await commandJson(keyFor('ada@example.com', 'vaults:read', '--data', data));
    expect(await commandJson(['key', 'revoke', second.keyId, '--data', data])).toEqual({
      keyId: second.keyId,
    });
    const { withKey } = await startTestServer({ data, clock });
    expect((await withKey(key)('GET', '/api/v1/vaults')).status).toBe(401);
    expect((await withKey(roots.key)('GET', '/api/v1/vaults')).status).toBe(200);
  });

  test('unknown keys and accounts are reported', async () => {
    const data = await folderWithUsers();
    expect(await command(['key', 'revoke', 'key_1', '--data', data])).toMatchObject({
      code: 1,
      err: 'There is no such API key: key_1.',
    });
    expect(await command(['key', 'list', '--user', 'x', '--data', data])).toMatchObject({
      code: 1,
      err: 'There is no such account: x.',
    });
  });
});

describe('keys rotate', () => {
  async function folderWithTokens() {
    const data = await dataFolder();
    const first = await startTestServer({ data, clock });
    const port = Number(new URL(first.url).port);
    const { email, password } = await first.signUp('ada@example.com');
    const login = async (server: typeof first) => {
      const response = await server.anonymous('POST', '/auth/login', { body: { email, password } });
      return response.body.accessToken as string;
    };
    const before = await login(first);
    await first.close();
    return { data, port, login, before };
  }
  const kidOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;

  test('it publishes a new key that signs after 300 s; tokens of the old key stay valid', async () => {
    const { data, port, login, before } = await folderWithTokens();
    const rotated = await commandJson(['keys', 'rotate', '--data', data], { clock });
    const signsFrom = new Date(clock.now() + 300_000).toISOString();
    expect(rotated).toEqual({ kid: expect.any(String), signsFrom });
    const { kid } = rotated;

    const second = await startTestServer({ data, clock, port });
    const { keys } = (await second.anonymous('GET', '/.well-known/jwks.json')).body;
    expect(keys.map((key: { kid: string }) => key.kid)).toEqual([kid, kidOf(before)]);
    expect(kidOf(await login(second))).toBe(kidOf(before));
    clock.advance(300_000);
    const after = await login(second);
    expect(kidOf(after)).toBe(kid);
    for (const token of [before, after]) {
      expect((await second.withToken(token)('GET', '/api/v1/users/me')).status).toBe(200);
    }
  });

  test('--now signs with the new key at once', async () => {
    const { data, port, login, before } = await folderWithTokens();
    clock.advance(1);
    const { out } = await command(['keys', 'rotate', '--now', '--data', data], { clock });
    expect(out).toMatch(/^The key \S+ signs access tokens from now on\.\n/);
    const second = await startTestServer({ data, clock, port });
    expect(out).toContain(kidOf(await login(second)));
    expect((await second.withToken(before)('GET', '/api/v1/users/me')).status).toBe(200);
  });
});
