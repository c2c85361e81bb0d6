import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { databaseFile } from '../../src/store/sqlite/driver.ts';
import { commandJson, mainFile, runProcess, startProcess } from '../support/command-line.ts';
import { dataFolder, inDatabase, rowsIn } from '../support/data-folder.ts';
import { documentOf, newDocument, newVault } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';

/** The credentials in a banner. */
function accountOf(banner: string) {
  const [, email = '', password = ''] = /Account {4}(\S+) {2}password (\S+)/.exec(banner) ?? [];
  const [, apiKey = ''] = /API key {4}(\S+)/.exec(banner) ?? [];
  return { email, password, apiKey };
}

function caller(url: string, apiKey: string) {
  return async (method: string, path: string, body?: unknown) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
}

// Each test starts processes, and other tests may use the processor at the same time.
vi.setConfig({ testTimeout: 120_000 });

describe('start', () => {
  test('it prints address and credentials in at most ten lines, and a second start prints the same credentials', async () => {
    const data = await dataFolder();
    const first = await startProcess(data);
    expect(first.banner.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
    expect(first.banner).toContain(`Reference  ${first.url}/docs\n`);
    expect(first.banner).toContain(`Data       ${data}\n`);
    expect(first.banner).toContain(
      'Mode       development: new accounts and addresses are enterprise tier (1000 requests a minute), registration is open\n',
    );
    const account = accountOf(first.banner);
    const validate = '/api/v1/auth/validate';
    expect((await caller(first.url, account.apiKey)('GET', validate)).status).toBe(200);
    expect(await first.stop()).toBe(0);

    const second = await startProcess(data);
    expect(accountOf(second.banner)).toEqual(account);
    expect((await caller(second.url, account.apiKey)('GET', validate)).status).toBe(200);
    expect(await second.stop()).toBe(0);
  });

  test('with --base-url, it prints the address that it listens on too, and whether registration is closed', async () => {
    const flags = ['--base-url', 'https://vault.example.com', '--registration', 'closed'];
    const { url, banner, stop } = await startProcess(await dataFolder(), flags);
    expect(url).toMatch(/^http:\/\/localhost:\d+$/);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    expect(banner).toContain('Base URL   https://vault.example.com\n');
    expect(banner).toMatch(/^ {2}Mode {7}development: .*, registration is closed$/m);
    expect(banner).toContain('Reference  https://vault.example.com/docs\n');
    expect(banner.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
    expect(await stop()).toBe(0);
  });

  test('in production, it names the command for the first account until there is one', async () => {
    const data = await dataFolder();
    const first = await startProcess(data, ['--production', '--host', '127.0.0.1']);
    expect(first.banner.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
    expect(first.banner).toContain(
      'Mode       production: new accounts and addresses are free tier (10 requests a minute), registration is open\n',
    );
    const [, next = ''] = /^ +document-vault (user create .+)$/m.exec(first.banner) ?? [];
    const argv = next
      .split(' ')
      .map((part) => ({ '<address>': 'ada@example.com', '<name>': 'Ada' })[part] ?? part);
    expect(await runProcess(argv)).toMatchObject({
      code: 0,
      out: expect.stringContaining('admin, free, active'),
    });
    expect(await first.stop()).toBe(0);

    const second = await startProcess(data, ['--production', '--host', '127.0.0.1']);
    expect(second.banner).not.toContain('user create');
    expect(await second.stop()).toBe(0);
  });

  test('flags without a command start the server, and a port in use ends it with 1', async () => {
    const data = await dataFolder();
    const server = await startProcess(data);
    const { port } = new URL(server.url);
    const taken = await runProcess(['--port', port, '--data', await dataFolder()]);
    expect(taken).toMatchObject({ code: 1, out: '' });
    expect(taken.err).toBe(
      `listen EADDRINUSE: address already in use 127.0.0.1:${port}. Stop the program that listens there, or choose another --port.\n`,
    );
  });

  test.each([
    [undefined, 'production'],
    ['test', 'test'],
  ])('with NODE_ENV %s, start runs its libraries with NODE_ENV %s', async (given, known) => {
    const printed = 'process.on("exit",()=>console.log("NODE_ENV",process.env.NODE_ENV))';
    const env = {
      NODE_ENV: given,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(printed)}`,
    };
    const file = join(await dataFolder(), 'file');
    await writeFile(file, '');
    const { code, out } = await runProcess(['start', '--data', file], { env });
    expect({ code, out }).toEqual({ code: 1, out: `NODE_ENV ${known}\n` });
  });
});

describe('commands while a server runs', () => {
  test('every command works but restore, which fails with one sentence', async () => {
    const data = await dataFolder();
    const server = await startProcess(data);
    const { apiKey, email } = accountOf(server.banner);
    const backup = join(await dataFolder(), 'backup.db');
    const json = async (argv: string[]) => {
      const { code, out, err } = await runProcess([...argv, '--json', '--data', data]);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      return JSON.parse(out);
    };
    expect(await json(['user', 'list'])).toMatchObject([{ email }]);
    expect(await json(['key', 'list'])).toMatchObject([{ email, name: 'Development' }]);
    expect(await json(['doctor'])).toMatchObject({ ok: true });
    expect(await json(['backup', backup])).toMatchObject({ rows: { users: 1 } });

    const ada = ['--email', 'ada@example.com', '--name', 'Ada'];
    expect(await json(['user', 'create', ...ada])).toMatchObject({ tier: 'enterprise' });
    expect(await json(['user', 'delete', 'ada@example.com', '--yes'])).toMatchObject({
      name: 'Ada',
    });
    expect(await json(['keys', 'rotate'])).toHaveProperty('kid');
    expect(await runProcess(['restore', backup, '--data', data])).toEqual({
      code: 1,
      out: '',
      err: `The data folder ${data} is in use by another process. Stop it first.\n`,
    });
    const call = caller(server.url, apiKey);
    expect((await call('POST', '/api/v1/vaults', { name: 'Later' })).status).toBe(201);
    expect(await server.stop()).toBe(0);
    expect(rowsIn(data, 'users')).toBe(1);
  });
});

test('user create reads the password from standard input', async () => {
  const data = await dataFolder();
  const argv = [
    'user',
    'create',
    '--email',
    'ada@example.com',
    '--name',
    'Ada',
    '--password-stdin',
  ];
  const password = 'correct horse battery staple';
  const { code, out } = await runProcess([...argv, '--data', data], { input: `${password}\n` });
  expect(code).toBe(0);
  expect(out).not.toContain(password);
  const { signIn } = await startTestServer({ data });
  await signIn({ email: 'ada@example.com', password });
});

/** Uploads in parallel until `stop` is called, and collects the contents of confirmed uploads by id. */
function uploadWithoutEnd(call: ReturnType<typeof caller>, vaultId: string) {
  const confirmed = new Map<string, string>();
  let stopped = false;
  const upload = async (worker: number) => {
    for (let count = 0; !stopped; count += 1) {
      const content = `document ${worker}-${count} `.repeat(2000);
      const { status, body } = await call(
        'POST',
        '/api/v1/documents',
        documentOf(vaultId, content),
      );
      expect(status).toBe(201);
      confirmed.set(body.id, content);
    }
  };
  const uploads = Promise.all([0, 1, 2, 3].map(upload));
  return {
    confirmed,
    async stop() {
      stopped = true;
      await uploads;
    },
  };
}

test('a backup under write load contains everything confirmed before it, and only complete documents', async () => {
  const data = await dataFolder();
  const server = await startProcess(data, ['--requests-per-minute', '10,100,1000000']);
  const { apiKey } = accountOf(server.banner);
  const call = caller(server.url, apiKey);
  const { body: vault } = await call('POST', '/api/v1/vaults', { name: 'Busy' });
  const load = uploadWithoutEnd(call, vault.id);
  await expect.poll(() => load.confirmed.size, { timeout: 20_000 }).toBeGreaterThan(50);

  const before = [...load.confirmed.keys()];
  const file = join(await dataFolder(), 'backup.db');
  const backup = await runProcess(['backup', file, '--json', '--data', data]);
  expect(backup).toMatchObject({ code: 0, err: '' });
  const during = load.confirmed.size - before.length;
  await load.stop();
  expect(during, 'uploads went on').toBeGreaterThan(0);
  expect(await server.stop()).toBe(0);

  const restored = await dataFolder();
  const { rows } = await commandJson(['restore', file, '--data', restored]);
  expect(await runProcess(['doctor', '--data', restored])).toMatchObject({ code: 0 });
  const contents = inDatabase(restored, (database) =>
    database.prepare('SELECT document_id, data FROM document_contents').raw().all(),
  ) as [string, Buffer][];
  expect(contents).toHaveLength(rows.documents);
  const found = new Map(contents.map(([id, content]) => [id, content.toString()]));
  expect(before.filter((id) => found.get(id) !== load.confirmed.get(id))).toEqual([]);
  expect([...found].filter(([id, content]) => load.confirmed.get(id) !== content)).toEqual([]);
});

describe.skipIf(process.platform === 'win32')('full disk', () => {
  /** Runs a command with a file size limit of 1 MiB. */
  async function limited(argv: readonly string[]) {
    const limit = 'trap "" XFSZ; ulimit -f 2048; exec "$0" "$@"';
    const node = [process.execPath, '--conditions=@document-vault/source', mainFile];
    const child = spawn('sh', ['-c', limit, ...node, ...argv], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [err] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    return { code: child.exitCode, err };
  }

  async function largeFolder(): Promise<string> {
    const data = await dataFolder();
    const { developer, close } = await startTestServer({ data });
    await newDocument(developer, (await newVault(developer)).id, Buffer.alloc(2_000_000, 1));
    await close();
    return data;
  }

  test('a failed backup leaves no new file and keeps the existing one', async () => {
    const data = await largeFolder();
    const folder = await dataFolder();
    await writeFile(join(folder, 'old.db'), 'the last backup');
    for (const argv of [
      ['backup', join(folder, 'new.db')],
      ['backup', join(folder, 'old.db'), '--force'],
    ]) {
      const { code, err } = await limited([...argv, '--data', data]);
      expect(code).toBe(1);
      expect(err).toMatch(
        /^The copy could not be written: (disk I\/O error|database or disk is full)\.\n$/,
      );
    }
    expect(await readdir(folder)).toEqual(['old.db']);
    expect(await readFile(join(folder, 'old.db'), 'utf8')).toBe('the last backup');
    expect(await runProcess(['doctor', '--data', data])).toMatchObject({ code: 0 });
  });

  test('a failed restore changes nothing', async () => {
    const data = await largeFolder();
    const backup = join(await dataFolder(), 'backup.db');
    await commandJson(['backup', backup, '--data', data]);
    const target = await dataFolder();
    await (await startTestServer({ data: target })).close();
    const before = await readFile(join(target, databaseFile));
    const { code, err } = await limited(['restore', backup, '--data', target]);
    expect(code).toBe(1);
    expect(err).toMatch(/^The copy could not be written: /);
    expect((await readFile(join(target, databaseFile))).equals(before)).toBe(true);
    expect((await readdir(target)).filter((name) => name.includes('partial'))).toEqual([]);
  });
});
