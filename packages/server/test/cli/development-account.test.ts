import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { command, commandJson, runProcess, startProcess } from '../support/command-line.ts';
import { dataFolder, rowsIn } from '../support/data-folder.ts';
import { newKey, newVault } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';

const production = { mode: 'production', host: '127.0.0.1' } as const;

/** Creates a data folder with a development server, and returns the printed account. */
async function developmentFolder() {
  const data = await dataFolder();
  const server = await startTestServer({ data });
  await newVault(server.developer);
  const { email = '', password = '', apiKey = '' } = server.account ?? {};
  await server.close();
  return { data, email, password, apiKey };
}

const file = (data: string) => join(data, 'development.json');

describe('production start on a development folder', () => {
  test('it fails with a message that names the commands to remove and to keep the account', async () => {
    const { data } = await developmentFolder();
    const { code, out, err } = await runProcess([
      'start',
      '--production',
      '--port',
      '0',
      '--data',
      data,
    ]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('has the account of a development server, developer@example.com');
    for (const name of ['remove', 'keep']) {
      expect(err).toContain(`document-vault development-account ${name} --data ${data}`);
    }
    await expect(startTestServer({ data, ...production })).rejects.toThrow('development server');
    const again = await startTestServer({ data });
    expect((await again.developer('GET', '/api/v1/vaults')).status).toBe(200);
  });

  test('it fails while the printed password or the printed key is valid', async () => {
    const { data, email, password, apiKey } = await developmentFolder();
    const server = await startTestServer({ data });
    const call = await server.signIn({ email, password });
    const { body } = await call('GET', '/api/v1/api-keys');
    const port = Number(new URL(server.url).port);
    await call('DELETE', `/api/v1/api-keys/${body.data[0].keyId}`);
    expect((await server.withKey(apiKey)('GET', '/api/v1/vaults')).status).toBe(401);
    await server.close();
    await expect(startTestServer({ data, ...production })).rejects.toThrow(email);

    const second = await startTestServer({ data, port });
    const changed = await (await second.signIn({ email, password }))('PUT', '/api/v1/users/me', {
      body: { currentPassword: password, password: 'another battery staple' },
    });
    expect(changed.status).toBe(200);
    await second.close();
    const running = await startTestServer({ data, ...production });
    expect(await running.signIn({ email, password: 'another battery staple' })).toBeDefined();
  });

  test("it fails after the account's email address was changed", async () => {
    const { data, email, password } = await developmentFolder();
    const server = await startTestServer({ data });
    const call = await server.signIn({ email, password });
    const body = { email: 'ada@example.com', currentPassword: password };
    expect((await call('PUT', '/api/v1/users/me', { body })).status).toBe(200);
    await server.close();
    await expect(startTestServer({ data, ...production })).rejects.toThrow('ada@example.com');
  });

  test('it fails after reset() in development', async () => {
    const data = await dataFolder();
    const server = await startTestServer({ data });
    await server.reset();
    await server.close();
    await expect(startTestServer({ data, ...production })).rejects.toThrow('development server');
  });

  test('it succeeds on a folder without a development account', async () => {
    const data = await dataFolder();
    await command(['user', 'create', '--email', 'a@example.com', '--name', 'A', '--data', data]);
    await startTestServer({ data, ...production });
  });
});

describe('development-account remove', () => {
  test('it removes the account and its file, and production starts', async () => {
    const { data, email, password, apiKey } = await developmentFolder();
    const argv = ['development-account', 'remove', '--data', data];
    expect(await command(argv)).toMatchObject({ code: 2, out: '' });
    expect(await command(argv, { reply: 'no' })).toMatchObject({ code: 1 });
    expect(rowsIn(data, 'users')).toBe(1);
    const removed = await command([...argv, '--yes']);
    expect(removed).toMatchObject({ code: 0, err: '' });
    expect(removed.out).toContain(email);
    expect(existsSync(file(data))).toBe(false);
    expect([rowsIn(data, 'users'), rowsIn(data, 'vaults')]).toEqual([0, 0]);
    const server = await startTestServer({ data, ...production });
    expect((await server.withKey(apiKey)('GET', '/api/v1/vaults')).status).toBe(401);
    const login = await server.anonymous('POST', '/auth/login', { body: { email, password } });
    expect(login.status).toBe(401);
  });

  test('user delete removes the development account as well', async () => {
    const { data, email } = await developmentFolder();
    await command(['user', 'delete', email, '--yes', '--data', data]);
    await startTestServer({ data, ...production });
  });
});

describe('development-account keep', () => {
  test("it keeps the account's data, with a new password and without the printed key", async () => {
    const { data, email, password, apiKey } = await developmentFolder();
    const development = await startTestServer({ data });
    const session = await development.anonymous('POST', '/auth/login', {
      body: { email, password },
    });
    const own = await newKey(await development.signIn({ email, password }), ['vaults:read']);
    await development.close();

    const kept = await commandJson(['development-account', 'keep', '--data', data]);
    expect(kept).toMatchObject({ email, password: expect.stringMatching(/^\S{43}$/) });
    expect(kept.password).not.toBe(password);
    expect(existsSync(file(data))).toBe(false);

    const server = await startTestServer({ data, ...production });
    const call = await server.signIn({ email, password: kept.password });
    expect((await call('GET', '/api/v1/vaults')).body.pagination.totalCount).toBe(1);
    expect((await server.withKey(apiKey)('GET', '/api/v1/vaults')).status).toBe(401);
    expect((await server.withKey(own.key)('GET', '/api/v1/vaults')).status).toBe(200);
    const { refreshToken } = session.body;
    for (const [path, body] of [
      ['/auth/login', { email, password }],
      ['/auth/refresh', { refreshToken }],
    ] as const) {
      expect((await server.anonymous('POST', path, { body })).status, path).toBe(401);
    }
  });

  test('it works as a process before a production start', async () => {
    const { data } = await developmentFolder();
    const kept = await runProcess(['development-account', 'keep', '--data', data]);
    expect(kept).toMatchObject({ code: 0, err: '' });
    expect(kept.out).toMatch(
      /^Kept developer@example\.com .*\nPassword, shown only now: \S{43}\n$/,
    );
    const server = await startProcess(data, ['--production']);
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
    const again = await command(['development-account', 'keep', '--data', data]);
    expect(again).toMatchObject({
      code: 1,
      err: `The database in ${data} has no development account.`,
    });
  });
});
