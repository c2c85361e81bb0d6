import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TestClock } from '../../src/lib/clock.ts';
import { command, commandJson } from '../support/command-line.ts';
import { dataFolder, inDatabase, rowsIn, usedBytes } from '../support/data-folder.ts';
import { newDocument, newKey, newVault } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { listen } from '../support/webhook-events.ts';

const ada = ['--email', 'ada@example.com', '--name', 'Ada Berger'];

describe('user create', () => {
  test('it creates the data folder and an account that can sign in, before any start', async () => {
    const data = join(await dataFolder(), 'new');
    const { code, out } = await command(['user', 'create', ...ada, '--data', data]);
    expect(code).toBe(0);
    const [, id = '', password = ''] =
      /^Created ada@example\.com \((\S+)\): user, free, active\.\nPassword, shown only now: (\S{43})$/.exec(
        out,
      ) ?? [];
    expect((await stat(data)).mode & 0o777).toBe(0o700);

    const server = await startTestServer({ data });
    expect(server.account, 'there is an account already').toBeUndefined();
    const call = await server.signIn({ email: 'ada@example.com', password });
    expect((await call('GET', '/api/v1/users/me')).body).toMatchObject({
      id,
      name: 'Ada Berger',
      role: 'user',
      status: 'active',
    });
  });

  test('--password-stdin reads the password without its line end', async () => {
    const data = await dataFolder();
    const password = ' ends with a space ';
    const argv = ['user', 'create', ...ada, '--password-stdin', '--data', data];
    const created = await commandJson(argv, { input: `${password}\n` });
    expect(created).not.toHaveProperty('password');
    const { signIn } = await startTestServer({ data });
    await signIn({ email: 'ada@example.com', password });
  });

  test.each([
    [[], {}, { role: 'user', tier: 'free' }],
    [[], { DOCUMENT_VAULT_MODE: 'development' }, { role: 'user', tier: 'enterprise' }],
    [[], { NODE_ENV: 'production' }, { role: 'user', tier: 'free' }],
    [['--role', 'admin'], { DOCUMENT_VAULT_DEFAULT_TIER: 'paid' }, { role: 'admin', tier: 'paid' }],
    [['--tier', 'free'], {}, { role: 'user', tier: 'free' }],
    [[], { DOCUMENT_VAULT_REGISTRATION: 'closed' }, { role: 'user' }],
  ])('with %j and the environment %j it creates %j', async (options, env, expected) => {
    const argv = ['user', 'create', ...ada, ...options, '--data', await dataFolder()];
    expect(await commandJson(argv, { env })).toMatchObject({
      ...expected,
      email: 'ada@example.com',
      password: expect.stringMatching(/^\S{43}$/),
    });
  });

  test('an email address in use is rejected in any casing', async () => {
    const data = await dataFolder();
    await command(['user', 'create', ...ada, '--data', data]);
    const again = ['user', 'create', '--email', 'ADA@example.com', '--name', 'B', '--data', data];
    expect(await command(again)).toMatchObject({
      code: 1,
      out: '',
      err: '--email: An account with this email address exists already.',
    });
    expect(rowsIn(data, 'users')).toBe(1);
    expect(rowsIn(data, 'events')).toBe(1);
  });
});

describe('user list', () => {
  test('it prints every account in an aligned table and as JSON', async () => {
    const data = await dataFolder();
    const first = await commandJson(['user', 'create', ...ada, '--data', data]);
    const other = [
      '--email',
      'z@example.com',
      '--name',
      'Zoë',
      '--role',
      'admin',
      '--tier',
      'free',
    ];
    const second = await commandJson(['user', 'create', ...other, '--data', data]);
    const { out } = await command(['user', 'list', '--data', data]);
    expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['EMAIL', 'NAME', 'ROLE', 'TIER', 'STATUS', 'CREATED', 'ID'],
      ['ada@example.com', 'Ada Berger', 'user', 'free', 'active', first.createdAt, first.id],
      ['z@example.com', 'Zoë', 'admin', 'free', 'active', second.createdAt, second.id],
    ]);
    const starts = out.split('\n').map((line) => line.search(/[0-9a-f-]{36}$|ID$/));
    expect(new Set(starts).size).toBe(1);

    const listed = await commandJson(['user', 'list', '--data', data]);
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id]);
    expect(JSON.stringify(listed)).not.toMatch(/password|argon2/);
  });

  test('control characters in names are replaced', async () => {
    const data = await dataFolder();
    await (await startTestServer({ data })).close();
    // The service refuses such a name.
    const name = 'A\u001b[2J\nroot@example.com\u202eB';
    inDatabase(data, (database) => database.prepare('UPDATE users SET name = ?').run(name));
    const { out } = await command(['user', 'list', '--data', data]);
    expect(out.split('\n')).toHaveLength(2);
    expect(out).toContain('A�[2J�root@example.com�B');
  });

  test('user list and key list print all of 1201 rows', async () => {
    const data = await dataFolder();
    await (await startTestServer({ data })).close();
    inDatabase(data, (database) =>
      database.exec(`
        CREATE TEMP TABLE n AS
          WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 1200) SELECT i FROM c;
        INSERT INTO users SELECT 'user ' || i, i || '@example.com', i || '@example.com', name, password_hash,
          role, tier, status, instance_id, created_at, updated_at FROM users, n;
        INSERT INTO api_keys SELECT 'key_' || i, 'user ' || i, name, CAST(i AS BLOB), prefix, scopes,
          created_at, last_used_at, expires_at, revoked_at FROM api_keys, n;`),
    );
    for (const [noun, id] of [
      ['user', 'id'],
      ['key', 'keyId'],
    ] as const) {
      const listed: Record<string, string>[] = await commandJson([noun, 'list', '--data', data]);
      expect(listed).toHaveLength(1201);
      expect(new Set(listed.map((item) => item[id])).size).toBe(1201);
    }
  });
});

describe('user set-password', () => {
  async function start() {
    const data = await dataFolder();
    const clock = new TestClock();
    const server = await startTestServer({ data, clock });
    const account = await server.signUp('ada@example.com');
    return {
      server,
      account,
      clock,
      argv: ['user', 'set-password', 'ada@example.com', '--data', data],
    };
  }

  test('it prints a new password once, and ends every session but no API key', async () => {
    const { server, account, clock, argv } = await start();
    const webhook = await listen({ server, call: account.call, events: ['user.updated'] });
    const { key } = await newKey(account.call, ['vaults:read']);
    const { code, out } = await command(argv, { clock });
    expect(code).toBe(0);
    const [, password = ''] =
      /^Set the password of ada@example\.com \(\S+\): .+\.\nPassword, shown only now: (\S{43})\nAPI keys and apps keep their access\. End it with --revoke-api-keys\.$/.exec(
        out,
      ) ?? [];
    expect((await account.call('GET', '/api/v1/vaults')).status).toBe(401);
    expect((await server.withKey(key)('GET', '/api/v1/vaults')).status).toBe(200);
    await server.signIn({ email: 'ada@example.com', password });
    const [event] = await webhook.events();
    expect(event.data).toMatchObject({ changes: ['password'], previous: {} });
    expect(JSON.stringify(event)).not.toContain(password);
  });

  test('--revoke-api-keys ends API keys and secrets of OAuth clients too', async () => {
    const { server, account, clock, argv } = await start();
    const { key } = await newKey(account.call, ['vaults:read']);
    const client = await account.call('POST', '/api/v1/oauth/clients', {
      body: {
        name: 'Sync',
        type: 'confidential',
        redirectUris: [],
        scopes: ['vaults:read'],
        grantTypes: ['client_credentials'],
      },
    });
    expect(client.status).toBe(201);
    const before = await server.store.oauthClients.find(client.body.clientId);
    expect(before?.secretHash).not.toBeNull();
    const { code, out } = await command([...argv, '--revoke-api-keys'], { clock });
    expect(code).toBe(0);
    expect(out).toMatch(
      /\nAPI keys, secrets of OAuth clients and the access of apps have ended\.$/,
    );
    expect((await server.withKey(key)('GET', '/api/v1/vaults')).status).toBe(401);
    const after = await server.store.oauthClients.find(client.body.clientId);
    expect(after?.credentialsVersion).toBe((before?.credentialsVersion ?? 0) + 1);
  });

  test('--password-stdin reads the password, which is not printed', async () => {
    const { server, argv } = await start();
    const password = 'correct horse battery';
    const { code, out } = await command([...argv, '--password-stdin'], { input: `${password}\n` });
    expect(code).toBe(0);
    expect(out).not.toContain(password);
    await server.signIn({ email: 'ada@example.com', password });
  });

  test('a short password and an unknown account change nothing', async () => {
    const { server, account, argv } = await start();
    const short = await command([...argv, '--password-stdin'], { input: 'short' });
    expect(short).toMatchObject({ code: 2, out: '' });
    expect(short.err).toMatch(/^The password must have at least 12 characters\.$/);
    const unknown = await command(argv.map((part) => part.replace('ada@', 'bob@')));
    expect(unknown).toMatchObject({ code: 1, out: '' });
    expect(unknown.err).toContain('bob@example.com');
    expect((await account.call('GET', '/api/v1/vaults')).status).toBe(200);
    expect(server.account).toBeDefined();
  });
});

describe('user set-tier, suspend and resume', () => {
  test('set-tier accepts an id, changes once and emits user.updated to the account', async () => {
    const data = await dataFolder();
    const clock = new TestClock();
    const first = await startTestServer({ data, clock });
    const account = await first.signUp('ada@example.com');
    const own = await listen({ server: first, call: account.call, events: ['user.updated'] });
    await first.close();

    clock.advance(1000);
    const paid = await commandJson(['user', 'set-tier', account.userId, 'paid', '--data', data], {
      clock,
    });
    expect(paid).toMatchObject({ tier: 'paid', updatedAt: new Date(clock.now()).toISOString() });
    const again = await commandJson([
      'user',
      'set-tier',
      'ADA@example.com',
      'paid',
      '--data',
      data,
    ]);
    expect(again).toEqual(paid);

    const second = await startTestServer({ data, clock });
    await second.settled();
    expect(await own.events()).toEqual([
      expect.objectContaining({
        type: 'user.updated',
        data: { object: paid, changes: ['tier'], previous: { tier: 'enterprise' } },
        context: { userId: null, instanceId: paid.instanceId, requestId: null },
      }),
    ]);
    const reply = await (await second.signIn(account))('GET', '/api/v1/users/me');
    expect(reply.headers.get('x-ratelimit-tier')).toBe('paid');
  });

  test.each([
    ['set-tier', ['paid']],
    ['suspend', []],
    ['resume', []],
  ])('user %s without effect says that nothing changed', async (verb, rest) => {
    const data = await dataFolder();
    await command(['user', 'create', ...ada, '--tier', 'free', '--data', data]);
    const argv = ['user', verb, 'ada@example.com', ...rest, '--data', data];
    const first = await command(argv);
    expect(first.out).toMatch(verb === 'resume' ? /^Nothing changed: / : /^Changed /);
    expect(await command(argv)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Nothing changed: ada@example\.com \(\S+\): user, \w+, \w+\.$/),
    });
  });

  test('a suspended account gets 403 with all of its credentials, and they work again once it is resumed', async () => {
    const data = await dataFolder();
    const clock = new TestClock();
    const first = await startTestServer({ data, clock });
    const port = Number(new URL(first.url).port);
    const { email, password } = await first.signUp('ada@example.com');
    const credentials = { body: { email, password } };
    const session = (await first.anonymous('POST', '/auth/login', credentials)).body;
    const { refreshToken } = session;
    await first.close();

    const { code, out } = await command(['user', 'suspend', email, '--data', data]);
    expect(code).toBe(0);
    expect(out).toMatch(/^Changed ada@example\.com \(\S+\): user, enterprise, suspended\.$/);
    const second = await startTestServer({ data, clock, port });
    const refused = { status: 403, body: { error: { code: 'ACCOUNT_SUSPENDED' } } };
    const withToken = second.withToken(session.accessToken);
    expect(await withToken('GET', '/api/v1/users/me')).toMatchObject(refused);
    expect(await second.anonymous('POST', '/auth/login', credentials)).toMatchObject(refused);
    const refresh = { body: { refreshToken } };
    expect(await second.anonymous('POST', '/auth/refresh', refresh)).toMatchObject(refused);
    await second.close();

    expect(await commandJson(['user', 'resume', email, '--data', data])).toMatchObject({
      status: 'active',
    });
    const third = await startTestServer({ data, clock, port });
    expect(await third.withToken(session.accessToken)('GET', '/api/v1/users/me')).toMatchObject({
      status: 200,
    });
    expect(await third.anonymous('POST', '/auth/refresh', refresh)).toMatchObject({ status: 200 });
  });

  test.each(['suspend', 'resume', 'delete'])('user %s reports an unknown account', async (verb) => {
    const data = await dataFolder();
    await command(['user', 'create', ...ada, '--data', data]);
    const argv = ['user', verb, 'b@example.com', ...(verb === 'delete' ? ['--yes'] : [])];
    expect(await command([...argv, '--data', data])).toMatchObject({
      code: 1,
      err: 'There is no such account: b@example.com.',
    });
    expect(rowsIn(data, 'users')).toBe(1);
  });
});

describe('user delete', () => {
  test('it removes everything of the account and nothing of other accounts', async () => {
    const data = await dataFolder();
    const first = await startTestServer({ data });
    const account = await first.signUp('ada@example.com');
    const kept = await newVault(first.developer);
    await newDocument(first.developer, kept.id, 'mine');
    const vault = await newVault(account.call);
    await newDocument(account.call, vault.id, 'hers, and longer');
    await listen({ server: first, call: account.call });
    await first.close();

    const deleted = await commandJson(['user', 'delete', account.email, '--yes', '--data', data]);
    expect(deleted).toMatchObject({ id: account.userId });
    expect(rowsIn(data, 'users')).toBe(1);
    expect(rowsIn(data, 'webhooks')).toBe(0);
    expect(usedBytes(data)).toBe('mine'.length);
    expect(await command(['doctor', '--data', data])).toMatchObject({ code: 0 });
    const { developer, settled } = await startTestServer({ data });
    expect((await developer('GET', '/api/v1/vaults')).body.data).toHaveLength(1);
    await settled();
    expect(rowsIn(data, 'documents')).toBe(1);
    expect(rowsIn(data, 'document_contents')).toBe(1);
  });

  test.each([
    ['ada@example.com', 0, 0, /^$/],
    ['ada', 1, 1, /^The address differs\. Nothing was deleted\.$/],
    ['', 1, 1, /^The address differs\. Nothing was deleted\.$/],
  ])(
    'without --yes it asks, and the reply %j ends with %i',
    async (reply, expected, users, message) => {
      const data = await dataFolder();
      await command(['user', 'create', ...ada, '--data', data]);
      const argv = ['user', 'delete', 'ada@example.com', '--data', data];
      const { code, err, questions } = await command(argv, { reply });
      expect(code).toBe(expected);
      expect(err).toMatch(message);
      expect(questions).toEqual([expect.stringContaining('ada@example.com')]);
      expect(rowsIn(data, 'users')).toBe(users);
    },
  );

  test('after it deleted the development account, a start creates no new one', async () => {
    const data = await dataFolder();
    const first = await startTestServer({ data });
    const email = first.account?.email ?? '';
    await first.close();
    await command(['user', 'delete', email, '--yes', '--data', data]);
    await command(['user', 'create', ...ada, '--data', data]);
    expect(existsSync(join(data, 'development.json'))).toBe(true);
    expect((await startTestServer({ data })).account).toBeUndefined();
  });
});

test('events of commands are delivered to administrators at the next start', async () => {
  const data = await dataFolder();
  const clock = new TestClock();
  const root = ['--email', 'root@example.com', '--name', 'Root', '--role', 'admin'];
  const { password } = await commandJson(['user', 'create', ...root, '--data', data], { clock });
  const first = await startTestServer({ data, clock });
  const call = await first.signIn({ email: 'root@example.com', password });
  const webhook = await listen({ server: first, call });
  await first.close();

  const created = await commandJson(['user', 'create', ...ada, '--data', data], { clock });
  const { password: _, ...account } = created;
  const suspended = await commandJson(['user', 'suspend', created.id, '--data', data], { clock });
  await command(['user', 'delete', created.id, '--yes', '--data', data], { clock });
  expect(webhook.requests).toEqual([]);

  const second = await startTestServer({ data, clock });
  await second.settled();
  const context = { userId: null, requestId: null };
  // Two deliveries run at a time, so their order is not defined.
  const reported = (await webhook.events()).sort((a, b) => a.type.localeCompare(b.type));
  expect(reported).toMatchObject([
    { type: 'user.created', data: { object: account }, context },
    { type: 'user.deleted', data: { object: { id: created.id } }, context },
    { type: 'user.updated', data: { object: suspended, changes: ['status'] }, context },
  ]);
});
