import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
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

const clientFor = (user: string, ...rest: string[]) => [
  ...['client', 'create', '--user', user, '--name', 'Tax Assistant'],
  ...['--redirect-uris', 'https://tax.example.com/callback', '--scopes', 'vaults:read', ...rest],
];

describe('client create', () => {
  test('it registers a client and prints its secret once', async () => {
    const data = await folderWithUsers();
    const { code, out } = await command(clientFor('ada@example.com', '--data', data), { clock });
    expect(code).toBe(0);
    expect(out).toMatch(
      /^Registered [0-9a-f-]{36}\.\nSecret, shown only now: service_cs_[A-Za-z0-9]{40}$/,
    );
    const [client] = await commandJson(['client', 'list', '--data', data], { clock });
    expect(client).toMatchObject({
      email: 'ada@example.com',
      type: 'confidential',
      redirectUris: ['https://tax.example.com/callback'],
      grantTypes: ['authorization_code', 'refresh_token'],
    });
    expect(JSON.stringify(client)).not.toMatch(/service_cs_|hash/i);
  });

  test('a public client has no secret', async () => {
    const data = await folderWithUsers();
    const argv = clientFor('ada@example.com', '--public', '--data', data);
    expect((await command(argv, { clock })).out).toMatch(/^Registered [0-9a-f-]{36}\.$/);
  });

  test('a client can authenticate with its own keys and have to push its requests', async () => {
    const data = await folderWithUsers();
    const file = join(data, 'keys.json');
    const { publicKey } = await generateKeyPair('ES256', { extractable: true });
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'a', alg: 'ES256' }] };
    await writeFile(file, JSON.stringify(jwks));
    const options = ['--token-endpoint-auth-method', 'private_key_jwt', '--require-par'];
    const argv = clientFor('ada@example.com', ...options, '--jwks', file, '--data', data);
    expect(await commandJson(argv, { clock })).toMatchObject({
      tokenEndpointAuthMethod: 'private_key_jwt',
      requirePar: true,
      jwks,
      clientSecret: null,
    });
  });

  test('a file of --jwks that is missing or no JSON is a usage error, and nothing is registered', async () => {
    const data = await folderWithUsers();
    const file = join(data, 'keys.json');
    const argv = clientFor('ada@example.com', '--jwks', file, '--data', data);
    const refused = { code: 2, out: '', err: `--jwks: ${file} is no readable JSON file.` };
    expect(await command(argv, { clock })).toMatchObject(refused);
    await writeFile(file, 'not JSON');
    expect(await command(argv, { clock })).toMatchObject(refused);
    expect(await commandJson(['client', 'list', '--data', data])).toEqual([]);
  });

  test.each([
    [clientFor('unknown@example.com'), 'There is no such account: unknown@example.com.'],
    [
      clientFor('ada@example.com', '--scopes', 'admin:*'),
      '--scopes: You cannot grant admin:*: your own credentials do not have it.',
    ],
    [
      clientFor('ada@example.com', '--redirect-uris', 'http://tax.example.com/'),
      '--redirect-uris must use https: http is only for 127.0.0.1, [::1] and localhost.',
    ],
  ])('%j fails and registers nothing', async (argv, err) => {
    const data = await folderWithUsers();
    expect(await command([...argv, '--data', data], { clock })).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining(err),
    });
    expect(await commandJson(['client', 'list', '--data', data])).toEqual([]);
  });
});

describe('other commands of client', () => {
  test('list shows the clients of all accounts or of one, show a single one', async () => {
    const data = await folderWithUsers();
    const adas = await commandJson(clientFor('ada@example.com', '--data', data), { clock });
    const argv = clientFor('root@example.com', '--scopes', 'admin:*', '--data', data);
    const roots = await commandJson(argv, { clock });
    const list = (...options: string[]) =>
      commandJson(['client', 'list', ...options, '--data', data], { clock });
    const idsOf = (clients: readonly { clientId: string }[]) =>
      clients.map(({ clientId }) => clientId).toSorted();
    expect(idsOf(await list())).toEqual(idsOf([adas, roots]));
    expect(idsOf(await list('--user', 'root@example.com'))).toEqual([roots.clientId]);
    const { out } = await command(['client', 'list', '--data', data]);
    expect(out).toMatch(/^CLIENT ID +ACCOUNT +NAME +TYPE +SCOPES +STATE\n/);
    const shown = await command(['client', 'show', adas.clientId, '--data', data]);
    expect(shown.out).toContain('https://tax.example.com/callback');
    expect(shown.out).toMatch(/^state +enabled\nverified +no$/m);
    expect(await commandJson(['client', 'show', adas.clientId, '--data', data])).toMatchObject({
      clientId: adas.clientId,
      email: 'ada@example.com',
    });
  });

  test('disable, enable, verify, unverify, rotate and delete change a client beside a running server', async () => {
    const data = await dataFolder();
    const { signUp } = await startTestServer({ data, clock });
    const { call } = await signUp('ada@example.com');
    const client = await commandJson(clientFor('ada@example.com', '--data', data), { clock });
    const { clientId } = client;
    const seen = () => call('GET', `/api/v1/oauth/clients/${clientId}`);
    const run = (verb: string) => command(['client', verb, clientId, '--data', data], { clock });
    expect(await run('disable')).toMatchObject({ code: 0, out: `Disabled ${clientId}.` });
    await expect.poll(async () => (await seen()).body.disabled).toBe(true);
    expect(await run('enable')).toMatchObject({ code: 0, out: `Enabled ${clientId}.` });
    await expect.poll(async () => (await seen()).body.disabled).toBe(false);
    expect(await run('verify')).toMatchObject({ code: 0, out: `Verified ${clientId}.` });
    await expect.poll(async () => (await seen()).body.verified).toBe(true);
    const unverified = { code: 0, out: `No longer verified: ${clientId}.` };
    expect(await run('unverify')).toMatchObject(unverified);
    await expect.poll(async () => (await seen()).body.verified).toBe(false);
    const rotated = await run('rotate');
    expect(rotated.out).toMatch(
      /^Secret of \S+, shown only now: service_cs_\w{40}\nThe previous secret is valid until \S+Z\.$/,
    );
    expect(rotated.out).not.toContain(client.clientSecret);
    const disable = ['client', 'disable', clientId, '--data', data];
    expect(await commandJson(disable, { clock })).toMatchObject({ clientId, disabled: true });
    expect(await run('delete')).toMatchObject({ code: 0, out: `Deleted ${clientId}.` });
    await expect.poll(async () => (await seen()).status).toBe(404);
    for (const verb of ['show', 'disable', 'enable', 'verify', 'unverify', 'rotate', 'delete']) {
      expect(await run(verb)).toMatchObject({
        code: 1,
        out: '',
        err: `There is no such OAuth client: ${clientId}.`,
      });
    }
  });

  test('update changes what its options name, and nothing else', async () => {
    const data = await folderWithUsers();
    const argv = clientFor('ada@example.com', '--require-par', '--data', data);
    const { clientSecret: _secret, ...created } = await commandJson(argv, { clock });
    const { clientId } = created;
    const update = (...options: string[]) =>
      command(['client', 'update', clientId, ...options, '--data', data], { clock });
    const shown = () => commandJson(['client', 'show', clientId, '--data', data], { clock });
    expect(await update('--name', 'Taxes')).toMatchObject({ code: 0, out: `Changed ${clientId}.` });
    expect(await shown()).toMatchObject({
      ...created,
      name: 'Taxes',
      updatedAt: expect.any(String),
    });
    await update('--scopes', 'vaults:read,users:read', '--no-require-par');
    const redirectUris = ['https://a.example/', 'https://b.example/'];
    await update('--redirect-uris', redirectUris.join(), '--grant-types', 'authorization_code');
    const changed = {
      name: 'Taxes',
      scopes: ['vaults:read', 'users:read'],
      requirePar: false,
      redirectUris,
      grantTypes: ['authorization_code'],
    };
    expect(await shown()).toMatchObject(changed);
    for (const [options, code, err] of [
      [[], 2, 'Name what to change'],
      [['--scopes', 'admin:*'], 1, '--scopes: You cannot grant admin:*'],
      [['--grant-types', 'password'], 2, '--grant-types'],
    ] as const) {
      const refused = { code, out: '', err: expect.stringContaining(err) };
      expect(await update(...options)).toMatchObject(refused);
    }
    expect(await shown()).toMatchObject(changed);
  });
});
