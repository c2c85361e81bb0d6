import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { run } from '../src/app/start.ts';
import { resolveConfig } from '../src/config/config.ts';
import { openPostgresSnapshot } from '../src/store/postgres/snapshot.ts';
import { databaseFileIn } from '../src/store/sqlite/driver.ts';
import { sharedSigningKeys } from '../src/test-server/signing-keys.ts';
import { command, commandJson, runProcess, startProcess } from '../test/support/command-line.ts';
import { startS3, useS3Credentials } from '../test/support/contents/s3-server.ts';
import { dataFolder } from '../test/support/data-folder.ts';
import { base64Of, keyringOf, keysPath } from '../test/support/keys.ts';
import { refreshAs, useApp } from '../test/support/oauth/used-app.ts';
import { query } from '../test/support/postgres/cluster.ts';
import { createDatabase, emptyTemplate, urlOfFolder } from '../test/support/postgres/databases.ts';
import { documentOf, newDocument, newShare, newVault } from '../test/support/resources.ts';
import { startTestServer } from '../test/support/server.ts';

const silent = pino({ level: 'silent' });
const cost = { memoryCost: 8, timeCost: 1, parallelism: 1 };

async function startTwo() {
  const data = await dataFolder();
  const servers = [await startTestServer({ data }), await startTestServer({ data })] as const;
  return { data, servers, apiKey: servers[0].apiKey };
}

async function emptyDatabase(): Promise<string> {
  const { url, drop } = await createDatabase(emptyTemplate);
  onTestFinished(drop);
  return url;
}

describe('commands beside two servers on PostgreSQL', () => {
  test('user and key change what both servers see at once', async () => {
    const { data, servers } = await startTwo();
    const user = await commandJson([
      ...['user', 'create', '--email', 'ada@example.com', '--name', 'Ada', '--data', data],
    ]);
    const key = await commandJson([
      ...['key', 'create', '--user', 'ada@example.com', '--name', 'k'],
      ...['--scopes', 'vaults:read', '--data', data],
    ]);
    const callers = servers.map((server) => server.withKey(key.key));
    for (const call of callers) {
      expect(await call('GET', '/api/v1/vaults')).toMatchObject({ status: 200 });
    }
    const listed = await commandJson(['user', 'list', '--data', data]);
    expect(JSON.stringify(listed)).toContain(user.id);
    await commandJson(['user', 'suspend', 'ada@example.com', '--data', data]);
    for (const call of callers) {
      expect(await call('GET', '/api/v1/vaults')).toMatchObject({ status: 403 });
    }
  });

  test.each([
    ['while both listen', 0],
    ['while none listens', 2],
  ])('both servers publish a signing key within a second that is rotated %s', async (_, ended) => {
    const { data, servers } = await startTwo();
    const { clock } = servers[0];
    const listening = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'LISTEN %' LIMIT ${ended}`;
    const url = urlOfFolder(data) ?? expect.fail();
    expect(await query({ url }, listening)).toHaveLength(ended);
    const { kid } = await commandJson(['keys', 'rotate', '--now', '--data', data], { clock });
    for (const server of servers) {
      const published = async () => {
        server.clock.advance(1_000);
        await server.settled();
        const { body } = await server.anonymous('GET', '/.well-known/jwks.json');
        return body.keys.map((key: { kid: string }) => key.kid);
      };
      await expect.poll(published, { timeout: 5_000 }).toContain(kid);
    }
  });

  test('doctor finds no problem while both servers write', async () => {
    const { data, servers, apiKey } = await startTwo();
    const callers = servers.map((server) => server.withKey(apiKey));
    const vault = await newVault(callers[0] ?? expect.fail());
    const writing = Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        newDocument(callers[index % 2] ?? expect.fail(), vault.id, 'text'),
      ),
    );
    const { code, out } = await command(['doctor', '--contents', '--data', data]);
    await writing;
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringMatching(/, 0 with problems/),
    });
  });

  test.each([
    ['backup', 'pg_dump'],
    ['restore', 'pg_restore'],
  ])('%s fails and names %s and point-in-time recovery', async (name, program) => {
    const { data } = await startTwo();
    const { code, err } = await command([name, join(data, 'file'), '--data', data]);
    expect(code).toBe(1);
    expect(err).toContain(program);
    expect(err).toContain('point-in-time recovery');
  });

  test('master-key and reset fail while other servers run', async () => {
    const { data, servers } = await startTwo();
    await expect.poll(() => servers[0].reset().catch(String)).toContain('other servers use');
    const env = { DOCUMENT_VAULT_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') };
    const { code, err } = await command(['master-key', 'abandon', '--yes', '--data', data], {
      env,
    });
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining('Stop all of them'),
    });
    await servers[1].close();
    await servers[0].reset();
  });

  test('doctor names the way out where the database has no tables', async () => {
    const env = { DOCUMENT_VAULT_DATABASE_URL: await emptyDatabase() };
    const { code, out, err } = await command(['doctor'], { env });
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(err).toContain('has no tables of Document Vault');
    expect(err).toContain('document-vault migrate');
  });

  test('a check of doctor that cannot run leaves the others as they are', async () => {
    const { data } = await startTwo();
    const url = urlOfFolder(data) ?? expect.fail();
    await query({ url }, 'ALTER VIEW current_webhook_statistics RENAME TO missing_statistics');
    const { code, out } = await command(['doctor', '--data', data]);
    await query({ url }, 'ALTER VIEW missing_statistics RENAME TO current_webhook_statistics');
    expect(code).toBe(1);
    expect(out).toContain('relation "current_webhook_statistics" does not exist');
    expect(out).not.toContain('An earlier query');
    expect(out).toContain('ok       The schema is the one of this version');
    expect(out).toContain('ok       Tokens of apps end before their grant or with it');
  });

  test('migrate updates an empty database, and then finds nothing to do', async () => {
    const env = { DOCUMENT_VAULT_DATABASE_URL: await emptyDatabase() };
    expect(await commandJson(['migrate'], { env })).toEqual({
      migrations: [expect.objectContaining({ version: 1 })],
    });
    expect(await commandJson(['migrate'], { env })).toEqual({ migrations: [] });
  });
});

describe('start', () => {
  test('it prints host and name of the database, and a hint that the next command needs no folder', async () => {
    const url = new URL(await emptyDatabase());
    url.username = 'postgres';
    url.password = 'secret';
    const data = await dataFolder();
    const env = { DOCUMENT_VAULT_DATABASE_URL: url.href };
    const { banner, stop } = await startProcess(data, ['--production'], env);
    expect(banner).toContain(
      `  Data       PostgreSQL at ${url.host}, database ${url.pathname.slice(1)}\n`,
    );
    expect(banner).toMatch(/user create --email <address> --name <name> --role admin\n/);
    for (const hidden of ['secret', data, '--data']) expect(banner).not.toContain(hidden);
    expect(await stop()).toBe(0);
  });

  test('in production, it refuses the account of development and names the database and the commands', async () => {
    const url = await emptyDatabase();
    const data = await dataFolder();
    const env = { DOCUMENT_VAULT_DATABASE_URL: url };
    const { stop } = await startProcess(data, [], env);
    await stop();
    const { code, err } = await runProcess(['start', '--production', '--port', '0'], { env });
    expect(code).toBe(1);
    expect(err).toContain(`The database in PostgreSQL at ${new URL(url).host}, database`);
    expect(err).toContain('document-vault development-account remove.');
    expect(err).not.toContain('--data');
  });
});

describe('move', () => {
  /** A data folder with every kind of row that requests make. */
  async function filledFolder(masterKey?: string) {
    const data = await dataFolder();
    const server = await run(resolveConfig({ port: 0, data, masterKey }), {
      passwordCost: cost,
      newSigningKey: sharedSigningKeys(),
      log: silent,
    });
    const call = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(server.url + path, {
        method,
        headers: { 'x-api-key': server.apiKey, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return response.status === 204 ? undefined : response.json();
    };
    const caller = async (method: string, path: string, options: { body?: unknown } = {}) => {
      const body = await call(method, path, options.body);
      return { status: 201, headers: new Headers(), body };
    };
    const vault = await newVault(caller);
    const kept = await newDocument(caller, vault.id, 'the ciphertext');
    await newShare(caller, kept.id, { access: 'anyone' });
    const deleted = await newDocument(caller, vault.id, 'deleted');
    await call('DELETE', `/api/v1/documents/${deleted.id}`);
    await call('POST', '/api/v1/consents', { purpose: 'p', grantedTo: 'someone' });
    await call('POST', '/api/v1/webhooks', {
      url: 'http://127.0.0.1:1/',
      events: ['vault.created'],
      secret: 'a secret of 32 characters or more',
    });
    await newVault(caller);
    const keyring = await call('PUT', '/api/v1/keyring', keyringOf());
    const keys = { version: 1, generation: 1, sealed: base64Of(101) };
    const vaultKeys = await call('PUT', keysPath(vault.id), keys);
    const account = server.account ?? expect.fail();
    const app = await useApp(server, account);
    await server.settled();
    await server.close();
    const port = Number(new URL(server.url).port);
    const { apiKey } = server;
    return { data, port, account, app, apiKey, documentId: kept.id as string, keyring, vaultKeys };
  }

  /** Returns the number of rows by table. */
  async function rowCounts(url: string): Promise<Readonly<Record<string, number>>> {
    const snapshot = await openPostgresSnapshot(url);
    try {
      const counts = (await snapshot.tables()).map(
        (name) => `SELECT '${name}' AS name, COUNT(*) AS count FROM "${name}"`,
      );
      const rows = await snapshot.reader.all<{ name: string; count: number }>(
        `/* all rows */ ${counts.join(' UNION ALL ')}`,
      );
      return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
    } finally {
      await snapshot.close();
    }
  }

  test('move copies a folder into an empty database, where a server finds everything', async () => {
    const { data, port, app, apiKey, documentId, keyring, vaultKeys } = await filledFolder();
    const url = await emptyDatabase();
    const env = { DOCUMENT_VAULT_DATABASE_URL: url };
    const { rows, problems } = await commandJson(['move', '--data', data], { env });
    expect(problems).toEqual([]);
    expect(rows).toMatchObject({ users: 1, vaults: 3, documents: 2, shares: 2, consents: 2 });
    expect(rows).toMatchObject({ oauth_clients: 1, oauth_grants: 1, keyrings: 1, vault_keys: 1 });
    // Tokens of apps are for the public address of the server that issued them.
    const server = await run(resolveConfig({ port, databaseUrl: url, data }), {
      passwordCost: cost,
      log: silent,
    });
    onTestFinished(() => server.close());
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const found = await fetch(`${server.url}/api/v1/documents/${documentId}`, { headers });
    expect(await found.json()).toMatchObject({
      encryptedData: Buffer.from('the ciphertext').toString('base64'),
    });
    const read = async (path: string) => (await fetch(server.url + path, { headers })).json();
    expect(await read('/api/v1/keyring')).toEqual(keyring);
    expect(await read('/api/v1/vault-keys')).toMatchObject({ data: [vaultKeys] });
    expect((await refreshAs(server, app, app.refreshToken)).status).toBe(200);
    // The numbers of new rows continue after those of the copied ones.
    const created = await fetch(`${server.url}/api/v1/vaults`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'New' }),
    });
    expect(created.status).toBe(201);
    const again = await command(['move', '--data', data], { env });
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('Stop all of them') });
  });

  test('move copies sealed secrets, which only a server with the master key can open', async () => {
    const masterKey = randomBytes(32).toString('base64');
    const { data, apiKey, documentId } = await filledFolder(masterKey);
    const databaseUrl = await emptyDatabase();
    const env = { DOCUMENT_VAULT_DATABASE_URL: databaseUrl, DOCUMENT_VAULT_MASTER_KEY: masterKey };
    const { problems } = await commandJson(['move', '--data', data], { env });
    expect(problems).toEqual([]);
    const start = (key?: string) =>
      run(resolveConfig({ port: 0, databaseUrl, data, masterKey: key }), {
        passwordCost: cost,
        log: silent,
      });
    await expect(start()).rejects.toThrow(/master key/i);
    await expect(start(randomBytes(32).toString('base64'))).rejects.toThrow(/master key/i);
    const server = await start(masterKey);
    onTestFinished(() => server.close());
    const found = await fetch(`${server.url}/api/v1/documents/${documentId}`, {
      headers: { 'x-api-key': apiKey },
    });
    expect(found.status).toBe(200);
  });

  test('move leaves contents in S3, where only a server with the bucket finds them', async () => {
    useS3Credentials();
    const s3 = await startS3();
    onTestFinished(() => s3.close());
    const data = await dataFolder();
    const bucket = { contents: { bucket: s3.bucket, prefix: '' }, contentsEndpoint: s3.endpoint };
    const options = { passwordCost: cost, newSigningKey: sharedSigningKeys(), log: silent };
    const before = await run(resolveConfig({ port: 0, data, ...bucket }), options);
    const headers = { 'x-api-key': before.apiKey, 'content-type': 'application/json' };
    const post = async (url: string, path: string, body: unknown) => {
      const request = { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await fetch(url + path, request);
      expect(response.status).toBe(201);
      return (await response.json()) as { readonly id: string };
    };
    const vault = await post(before.url, '/api/v1/vaults', { name: 'Large' });
    const document = documentOf(vault.id, 'x'.repeat(300_000));
    const { id } = await post(before.url, '/api/v1/documents', document);
    await before.settled();
    await before.close();
    const objects = await s3.objects();
    expect(objects.size).toBe(1);

    const databaseUrl = await emptyDatabase();
    const env = {
      DOCUMENT_VAULT_DATABASE_URL: databaseUrl,
      DOCUMENT_VAULT_CONTENTS: `s3://${s3.bucket}`,
      DOCUMENT_VAULT_CONTENTS_ENDPOINT: s3.endpoint,
    };
    const moved = await commandJson(['move', '--data', data], { env });
    expect(moved).toMatchObject({ problems: [], rows: { content_objects: 1, documents: 1 } });
    expect(await s3.objects()).toEqual(objects);
    expect(await command(['doctor', '--contents'], { env })).toMatchObject({ code: 0 });

    const without = run(resolveConfig({ port: 0, databaseUrl, data }), options);
    await expect(without).rejects.toThrow('set DOCUMENT_VAULT_CONTENTS to its bucket');
    const after = await run(resolveConfig({ port: 0, databaseUrl, data, ...bucket }), options);
    onTestFinished(() => after.close());
    const found = await fetch(`${after.url}/api/v1/documents/${id}`, { headers });
    expect(await found.json()).toMatchObject({ encryptedData: document.encryptedData });
  });

  test('move fails when the database has rows, and changes nothing', async () => {
    const { data } = await filledFolder();
    const url = await emptyDatabase();
    const argv = ['move', '--data', data, '--to', url];
    expect(await command(argv)).toMatchObject({ code: 0, err: '' });
    const before = await rowCounts(url);
    expect(before).toMatchObject({ users: 1, vaults: 3 });
    expect(await command(argv)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not empty'),
    });
    expect(await rowCounts(url)).toEqual(before);
  });

  test.each([
    ['lines', []],
    ['JSON', ['--json']],
  ])('move returns 1 and prints %s when its checks find a problem', async (_, format) => {
    const { data } = await filledFolder();
    const database = new Database(databaseFileIn(data));
    database.exec('UPDATE vaults SET document_count = document_count + 1');
    database.close();
    const env = { DOCUMENT_VAULT_DATABASE_URL: await emptyDatabase() };
    const { code, out, err } = await command(['move', '--data', data, ...format], { env });
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toContain('vaults.document_count of ');
    expect(out).not.toContain('Start servers');
  });

  test('move without a database returns 2 and names the variable', async () => {
    const { data } = await filledFolder();
    expect(await command(['move', '--data', data])).toMatchObject({
      code: 2,
      err: expect.stringContaining('DOCUMENT_VAULT_DATABASE_URL'),
    });
  });
});
