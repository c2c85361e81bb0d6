import { createSecretKey } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TestClock } from '../../src/lib/clock.ts';
import { openStore } from '../../src/store/open-store.ts';
import { lockFolder } from '../../src/store/sqlite/data-folder.ts';
import { databaseFile } from '../../src/store/sqlite/driver.ts';
import { command, commandJson, runProcess, startProcess } from '../support/command-line.ts';
import { dataFolder } from '../support/data-folder.ts';
import { refusal } from '../support/front-door.ts';
import { newMasterKey } from '../support/master-keys.ts';
import { newDocument, newKey, newVault } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { listen } from '../support/webhook-events.ts';

// Commands that change the database of a running server.

const ada = ['--email', 'ada@example.com', '--name', 'Ada Berger'];
const getVaults = ['GET', '/api/v1/vaults'] as const;

async function start(options: Parameters<typeof startTestServer>[0] = {}) {
  const data = await dataFolder();
  const server = await startTestServer({ data, ...options });
  return { data, server, inData: ['--data', data] };
}

describe('beside a running server', () => {
  test('user create makes an account that can sign in at once', async () => {
    const { server, inData } = await start();
    const created = await commandJson(['user', 'create', ...ada, ...inData]);
    expect(created).toMatchObject({ tier: 'enterprise', status: 'active' });
    const call = await server.signIn({ email: 'ada@example.com', password: created.password });
    expect((await call('GET', '/api/v1/users/me')).body.id).toBe(created.id);
  });

  test('key create makes a key that works at once', async () => {
    const { server, inData } = await start();
    await server.signUp('ada@example.com');
    const argv = ['--user', 'ada@example.com', '--name', 'CI', '--scopes', 'vaults:read'];
    const { key } = await commandJson(['key', 'create', ...argv, ...inData]);
    expect((await server.withKey(key)(...getVaults)).status).toBe(200);
  });

  test('user suspend and resume apply from the next request of a cached key and session', async () => {
    const { server, inData } = await start();
    const { call } = await server.signUp('ada@example.com');
    const withKey = server.withKey((await newKey(call, ['vaults:read'])).key);
    for (let round = 0; round < 10; round += 1) {
      for (const caller of [call, withKey]) expect((await caller(...getVaults)).status).toBe(200);
      await command(['user', 'suspend', 'ada@example.com', ...inData]);
      for (const caller of [call, withKey]) {
        expect(await caller(...getVaults)).toMatchObject(refusal('ACCOUNT_SUSPENDED'));
      }
      await command(['user', 'resume', 'ada@example.com', ...inData]);
    }
  });

  test('user set-tier changes the limits of the next request', async () => {
    const { server, inData } = await start();
    const { call } = await server.signUp('ada@example.com');
    expect((await call(...getVaults)).headers.get('x-ratelimit-tier')).toBe('enterprise');
    await command(['user', 'set-tier', 'ada@example.com', 'paid', ...inData]);
    expect((await call(...getVaults)).headers.get('x-ratelimit-tier')).toBe('paid');
  });

  test('key revoke ends the key from the next request on', async () => {
    const { server, inData } = await start();
    const { call } = await server.signUp('ada@example.com');
    const { key, keyId } = await newKey(call, ['vaults:read']);
    expect((await server.withKey(key)(...getVaults)).status).toBe(200);
    expect((await command(['key', 'revoke', keyId, ...inData])).code).toBe(0);
    expect(await server.withKey(key)(...getVaults)).toMatchObject(refusal('INVALID_API_KEY'));
    expect((await call(...getVaults)).status).toBe(200);
  });

  test('user delete removes the account, its sessions and its bytes of the instance', async () => {
    const { server, inData } = await start();
    const { call } = await server.signUp('ada@example.com');
    const usedBytes = async () =>
      (await server.developer('GET', '/api/v1/instances')).body.data[0].usedBytes;
    await newDocument(call, (await newVault(call)).id, Buffer.alloc(1000));
    expect(await usedBytes()).toBe(1000);
    const argv = ['user', 'delete', 'ada@example.com', '--yes', ...inData];
    expect(await command(argv)).toMatchObject({ code: 0, err: '' });
    expect(await call(...getVaults)).toMatchObject(refusal('INVALID_TOKEN'));
    expect(await usedBytes()).toBe(0);
  });

  test('keys rotate publishes the new key within a second', async () => {
    const clock = new TestClock();
    const { server, inData } = await start({ clock });
    const published = async () =>
      (await server.anonymous('GET', '/.well-known/jwks.json')).body.keys.map(
        ({ kid }: { kid: string }) => kid,
      );
    const before = await published();
    const { kid } = await commandJson(['keys', 'rotate', ...inData], { clock });
    expect(before).not.toContain(kid);
    clock.advance(1000);
    await server.settled();
    expect(await published()).toEqual(expect.arrayContaining([kid, ...before]));
  });

  test('the worker delivers the events of a command within a second', async () => {
    const clock = new TestClock();
    const { server, inData } = await start({ clock });
    const { call, userId } = await server.signUp('ada@example.com');
    const webhook = await listen({ server, call, events: ['user.updated'] });
    await server.settled();
    await command(['user', 'set-tier', userId, 'paid', ...inData], { clock });
    expect(webhook.requests).toEqual([]);
    clock.advance(1000);
    await expect.poll(() => webhook.requests).toHaveLength(1);
    const [event] = await webhook.events();
    expect(event).toMatchObject({ type: 'user.updated', data: { changes: ['tier'] } });
  });

  test('commands and requests that write at the same time all succeed', async () => {
    const { server, inData } = await start();
    const { call } = await server.signUp('ada@example.com');
    let isDone = false;
    const writing = (async () => {
      const statuses = new Set<number>();
      while (!isDone)
        statuses.add((await call('POST', '/api/v1/vaults', { body: { name: 'x' } })).status);
      return statuses;
    })();
    const scopes = ['--name', 'CI', '--scopes', 'vaults:read'];
    for (let run = 0; run < 20; run += 1) {
      const argv = ['key', 'create', '--user', 'ada@example.com', ...scopes, ...inData];
      expect(await command(argv)).toMatchObject({ code: 0, err: '' });
    }
    isDone = true;
    expect(await writing).toEqual(new Set([201]));
  });

  test('a server in another process notices a suspension at the next request', async () => {
    const data = await dataFolder();
    const server = await startProcess(data);
    const [, apiKey = ''] = /API key {4}(\S+)/.exec(server.banner) ?? [];
    const status = async () =>
      (await fetch(`${server.url}/api/v1/vaults`, { headers: { 'x-api-key': apiKey } })).status;
    expect(await status()).toBe(200);
    for (const [verb, expected] of [
      ['suspend', 403],
      ['resume', 200],
    ] as const) {
      const argv = ['user', verb, 'developer@example.com', '--data', data];
      expect(await runProcess(argv)).toMatchObject({ code: 0, err: '' });
      expect(await status()).toBe(expected);
    }
    expect(await server.stop()).toBe(0);
    await expect(access(join(data, `${databaseFile}-wal`))).rejects.toThrow('ENOENT');
  }, 60_000);

  test.each([
    ['master-key rotate', ['master-key', 'rotate']],
    ['restore', ['restore', 'backup.db']],
  ])('%s is refused', async (_, argv) => {
    const { data, inData, server } = await start();
    if (argv[0] === 'restore') {
      const backup = join(await dataFolder(), 'backup.db');
      await commandJson(['backup', backup, ...inData]);
      argv[1] = backup;
    }
    const env = {
      DOCUMENT_VAULT_MASTER_KEY: newMasterKey().text,
      DOCUMENT_VAULT_MASTER_KEY_NEW: newMasterKey().text,
    };
    const refused = await command([...argv, ...inData], { env });
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain(`The data folder ${data} is in use by another process.`);
    expect((await server.developer(...getVaults)).status).toBe(200);
  });

  test('a command with a master key that has yet to seal the secrets is refused', async () => {
    const { data, inData } = await start();
    const env = { DOCUMENT_VAULT_MASTER_KEY: newMasterKey().text };
    const refused = await command(['user', 'create', ...ada, ...inData], { env });
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain(`The data folder ${data} is in use by another process.`);
  });
});

describe('the lock of a data folder', () => {
  const uses = ['server', 'beside', 'alone'] as const;

  test.each([
    ['server', ['beside']],
    ['beside', ['server', 'beside']],
    ['alone', []],
  ] as const)('held as %s, it admits %j', async (held, admitted) => {
    const folder = await dataFolder();
    const lock = lockFolder(folder, held);
    const entered = uses.filter((use) => {
      try {
        lockFolder(folder, use).release();
        return true;
      } catch (error) {
        expect((error as Error).name).toBe('DatabaseInUseError');
        return false;
      }
    });
    expect(entered).toEqual(admitted);
    lock.release();
    for (const use of uses) lockFolder(folder, use).release();
  });
});

test('a start that seals the secrets while a command runs rewrites the file at the next start', async () => {
  const data = await dataFolder();
  await (await startTestServer({ data })).close();
  const masterKey = createSecretKey(Buffer.from(newMasterKey().text, 'base64'));
  const open = () =>
    openStore({ folder: data, databaseUrl: null, clock: new TestClock(), masterKey });
  const command = lockFolder(data, 'beside');
  const first = await open();
  expect(first.sealing.remnants?.message).toContain('is in use by another process');
  await first.store.close();
  command.release();
  const second = await open();
  expect(second.sealing.remnants).toBeUndefined();
  await second.store.close();
});

describe('the mode of a data folder', () => {
  test('user create uses the tier of the production server that used the folder', async () => {
    const { server, inData } = await start({ mode: 'production' });
    const env = { DOCUMENT_VAULT_MODE: 'development' };
    const other = ['--email', 'bob@example.com', '--name', 'Bob'];
    expect(await commandJson(['user', 'create', ...ada, ...inData])).toMatchObject({
      tier: 'free',
    });
    expect(await commandJson(['user', 'create', ...other, ...inData], { env })).toMatchObject({
      tier: 'free',
    });
    await server.close();
    const third = ['--email', 'eve@example.com', '--name', 'Eve'];
    expect(await commandJson(['user', 'create', ...third, ...inData])).toMatchObject({
      tier: 'free',
    });
  });

  test('the mode is that of the last start', async () => {
    const data = await dataFolder();
    await (await startTestServer({ data, mode: 'production' })).close();
    await (await startTestServer({ data, mode: 'development' })).close();
    const created = await commandJson(['user', 'create', ...ada, '--data', data]);
    expect(created.tier).toBe('enterprise');
  });
});
