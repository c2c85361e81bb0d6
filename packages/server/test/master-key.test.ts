import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TestClock } from '../src/lib/clock.ts';
import { databaseFile } from '../src/store/sqlite/driver.ts';
import { command } from './support/command-line.ts';
import { dataFolder, everyRow, inDatabase } from './support/data-folder.ts';
import { newMasterKey, revealedBy } from './support/master-keys.ts';
import { newDocument, newShare, newVault } from './support/resources.ts';
import { startTestServer, type TestServer } from './support/server.ts';
import { listen, verifiedEvent } from './support/webhook-events.ts';

const secret = 'canary-webhook-secret-0123456789abcdef';
const headers = { 'X-Canary': 'canary-header-value-0123456789abcdef' };
const deletedSecret = 'canary-deleted-secret-0123456789abcdef';

/** Stores a secret of every kind, and returns those that responses contained. */
async function storeSecrets(server: TestServer): Promise<Record<string, string>> {
  const { call, email, password } = await server.signUp('ada@example.com');
  const webhook = { url: 'http://127.0.0.1:9/', events: ['vault.deleted'], secret, headers };
  await call('POST', '/api/v1/webhooks', { body: webhook });
  const deleted = await call('POST', '/api/v1/webhooks', {
    body: { ...webhook, secret: deletedSecret },
  });
  await call('DELETE', `/api/v1/webhooks/${deleted.body.id}`);
  const key = await call('POST', '/api/v1/api-keys', {
    body: { name: 'Key', scopes: ['vaults:read'] },
    headers: { 'idempotency-key': '1' },
  });
  const session = await server.anonymous('POST', '/auth/login', { body: { email, password } });
  const { refreshToken } = session.body;
  const refreshed = await server.anonymous('POST', '/auth/refresh', { body: { refreshToken } });
  expect([key.status, refreshed.status]).toEqual([201, 200]);
  const document = await newDocument(call, (await newVault(call)).id);
  const { shareToken } = await newShare(call, document.id);
  expect((await call('GET', `/api/v1/documents/share/${shareToken}`)).status).toBe(200);
  return { apiKey: key.body.key, refreshToken: refreshed.body.refreshToken };
}

const known = { secret, header: headers['X-Canary'], deletedSecret };

/** Returns the secrets that no response contains, from a database that is not sealed. */
function hiddenSecrets(data: string): Record<string, string> {
  return inDatabase(data, (database) => {
    const text = (sql: string) =>
      Buffer.from((database.prepare(sql).pluck().get() as Uint8Array).subarray(1)).toString();
    const value = (name: string) => text(`SELECT value FROM server_secrets WHERE name = '${name}'`);
    const signing = JSON.parse(text('SELECT private_jwk FROM signing_keys')) as { d: string };
    return {
      signingKey: signing.d,
      tokenDerivation: value('refresh-tokens'),
      ticketKey: value('content-tickets'),
    };
  });
}

describe('a new database with a master key', () => {
  test('file, log, metrics and backup reveal no secret, also while the server runs', async () => {
    const data = await dataFolder();
    const backups = await dataFolder();
    const { text, id } = newMasterKey();
    const server = await startTestServer({ data, masterKey: text });
    const secrets = { ...known, ...(await storeSecrets(server)), masterKey: text };
    const user = { email: 'ada@example.com' };
    expect(readFileSync(join(data, `${databaseFile}-wal`)).includes(user.email)).toBe(true);
    expect(revealedBy(data, { ...secrets, ...user })).toEqual(['email']);

    const backup = await command(['backup', join(backups, 'b.db'), '--data', data]);
    expect(backup.out).toContain(`Master key ${id} seals its secrets. Keep that key too.`);
    const env = { DOCUMENT_VAULT_MASTER_KEY: text };
    const { code, out } = await command(['doctor', '--data', data], { env });
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringContaining(`are sealed and open with master key ${id}`),
    });
    expect(out + (await (await fetch(`${server.url}/metrics`)).text())).not.toContain(text);
    await server.close();
    expect(revealedBy(data, { ...secrets, ...user })).toEqual(['email']);
    expect(revealedBy(backups, { ...secrets, ...user })).toEqual(['email']);
  });

  test('tokens, deliveries, replays and webhooks work after a restart with the same master key', async () => {
    const data = await dataFolder();
    const clock = new TestClock();
    const { text: masterKey } = newMasterKey();
    const first = await startTestServer({ data, clock, masterKey });
    const port = Number(new URL(first.url).port);
    const ada = await first.signUp('ada@example.com');
    const body = { name: 'Key', scopes: ['vaults:read'] };
    const again = { body, headers: { 'idempotency-key': '1' } };
    const key = await ada.call('POST', '/api/v1/api-keys', again);
    const login = { email: ada.email, password: ada.password };
    const { accessToken, refreshToken } = (
      await first.anonymous('POST', '/auth/login', { body: login })
    ).body;
    let status = 500;
    const webhook = await listen({
      server: first,
      call: ada.call,
      events: ['vault.created'],
      fields: { headers },
      reply: (response) => {
        response.statusCode = status;
        response.end();
      },
    });
    const vault = await newVault(ada.call);
    await first.settled();
    expect(webhook.requests.splice(0)).toHaveLength(1);
    await first.close();

    status = 200;
    const second = await startTestServer({ data, clock, masterKey, port });
    clock.advance(60_000);
    await second.settled();
    const [delivery] = webhook.requests;
    expect(delivery && verifiedEvent(delivery)).toMatchObject({ data: { object: vault } });
    expect(delivery?.headers).toMatchObject({ 'x-canary': headers['X-Canary'] });
    const call = second.withToken(accessToken);
    expect((await call('GET', '/api/v1/users/me')).status).toBe(200);
    expect((await call('POST', '/api/v1/api-keys', again)).body).toEqual(key.body);
    expect((await call('GET', '/api/v1/webhooks')).body.data).toMatchObject([{ headers }]);
    expect((await call('GET', webhook.path)).body.headers).toEqual(headers);
    const refreshed = await second.anonymous('POST', '/auth/refresh', { body: { refreshToken } });
    expect(refreshed.status).toBe(200);
  });
});

test('a start with a master key seals a plain database, and no file reveals the earlier secrets', async () => {
  const data = await dataFolder();
  const first = await startTestServer({ data });
  const reported = await storeSecrets(first);
  await first.close();
  const secrets = { ...known, ...hiddenSecrets(data) };
  const { account_usage: usage } = everyRow(data);
  expect(revealedBy(data, secrets).sort(), 'all secrets except hashes are readable before').toEqual(
    Object.keys(secrets).sort(),
  );

  const { text: masterKey, id } = newMasterKey();
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => lines.push(line) });
  const second = await startTestServer({ data, masterKey, log });
  expect(revealedBy(data, { ...secrets, ...reported })).toEqual([]);
  expect(lines.filter((line) => line.includes('the stored secrets are sealed'))).toHaveLength(1);
  expect(lines.join('')).toContain(`"masterKeyId":"${id}"`);
  expect(lines.join('')).not.toContain(masterKey);
  await second.close();
  expect(revealedBy(data, { ...secrets, ...reported })).toEqual([]);

  expect(
    everyRow(data).account_usage,
    'sealing does not change the held bytes of accounts',
  ).toEqual(usage);

  const checked = await command(['doctor', '--data', data], {
    env: { DOCUMENT_VAULT_MASTER_KEY: masterKey },
  });
  expect(checked.out).toContain(`are sealed and open with master key ${id}`);
  expect(checked).toMatchObject({ code: 0, err: '' });
});

test('a start that cannot rewrite the file seals it and logs an error, and the next start rewrites it', async () => {
  const data = await dataFolder();
  const first = await startTestServer({ data });
  await storeSecrets(first);
  await first.close();
  await writeFile(join(data, `${databaseFile}.partial-00000000`), 'left by a killed start');
  const { text: masterKey } = newMasterKey();
  const loggedErrors: string[] = [];
  const log = pino({ level: 'error' }, { write: (line) => loggedErrors.push(line) });
  const reader = await readElsewhere(data);
  const second = await startTestServer({ data, masterKey, log });
  expect(loggedErrors).toEqual([
    expect.stringMatching(
      /earlier forms may remain in free space .*: another process, such as a backup/,
    ),
  ]);
  const vault = await newVault(second.developer);
  await second.close();
  await reader.close();
  expect(revealedBy(data, known)).toContain('deletedSecret');

  const third = await startTestServer({ data, masterKey });
  expect((await third.developer('GET', `/api/v1/vaults/${vault.id}`)).body).toEqual(vault);
  await third.close();
  expect(revealedBy(data, known)).toEqual([]);
  expect((await readdir(data)).sort()).toEqual(['development.json', databaseFile, 'lock']);
});

/** Reads the database in another process, as `backup` does, until `close` is called. */
async function readElsewhere(data: string) {
  const script = `const Database = require('better-sqlite3');
    const database = new Database(process.argv[1]);
    database.exec('BEGIN');
    database.prepare('SELECT COUNT(*) FROM sqlite_schema').get();
    console.log('reading');
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['-e', script, join(data, databaseFile)], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return {
    async close() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

describe('a sealed database', () => {
  async function sealedFolder() {
    const data = await dataFolder();
    const key = newMasterKey();
    const server = await startTestServer({ data, masterKey: key.text });
    const webhooks = [];
    for (const name of ['a', 'b']) {
      const webhook = { url: 'http://127.0.0.1:9/', events: ['vault.created'] };
      const body = { ...webhook, secret: `${secret}${name}`, headers };
      webhooks.push((await server.developer('POST', '/api/v1/webhooks', { body })).body);
    }
    await server.close();
    return { data, key, webhooks };
  }

  test('a start without its master key or with another one fails and changes nothing', async () => {
    const { data, key } = await sealedFolder();
    const other = newMasterKey();
    const before = readFileSync(join(data, databaseFile));
    await expect(startTestServer({ data })).rejects.toThrow(
      `The stored secrets are sealed with master key ${key.id}, and no master key is set.`,
    );
    await expect(startTestServer({ data, masterKey: other.text })).rejects.toThrow(
      `The stored secrets are sealed with master key ${key.id}; the key that is set is ${other.id}.`,
    );
    expect(readFileSync(join(data, databaseFile)).equals(before)).toBe(true);
    await startTestServer({ data, masterKey: Buffer.from(key.text, 'base64') });
  });

  test('a secret copied from another row fails its deliveries with an internal error; other webhooks still deliver', async () => {
    const { data, key, webhooks } = await sealedFolder();
    const [first, second] = webhooks;
    inDatabase(data, (database) =>
      database
        .prepare(
          'UPDATE webhooks SET secret = (SELECT secret FROM webhooks WHERE id = ?) WHERE id = ?',
        )
        .run(first.id, second.id),
    );
    const loggedErrors: string[] = [];
    const log = pino({ level: 'error' }, { write: (line) => loggedErrors.push(line) });
    const server = await startTestServer({ data, masterKey: key.text, log });
    const { requests } = await listen({
      server,
      call: server.developer,
      events: ['vault.created'],
    });
    await newVault(server.developer);
    await server.settled();
    expect(requests).toHaveLength(1);
    const broken = await server.developer('GET', `/api/v1/webhooks/${second.id}/deliveries`);
    expect(broken.body.data).toMatchObject([{ status: 'retrying', error: 'internal error' }]);
    const reason = `The value of webhooks.secret in the row [\\"${second.id}\\"] has been changed`;
    expect(loggedErrors.filter((line) => line.includes(reason))).toHaveLength(1);
    expect(loggedErrors.join('')).not.toContain('canary');
  });

  test('a start fails when a plain signing key has replaced the sealed one', async () => {
    const { data, key } = await sealedFolder();
    inDatabase(data, (database) =>
      database.exec("UPDATE signing_keys SET private_jwk = x'007b7d'"),
    );
    await expect(startTestServer({ data, masterKey: key.text })).rejects.toThrow(
      /signing_keys\.private_jwk in the row .* is not sealed/,
    );
  });
});

describe('a server without a master key', () => {
  async function warningsIn(mode: 'development' | 'production', masterKey?: string) {
    const lines: { level: number; msg: string }[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) });
    const clock = new TestClock();
    await startTestServer({ data: await dataFolder(), mode, clock, log, masterKey });
    return lines.map(({ msg }) => msg);
  }

  test('a start without a master key logs one warning in production and none in development', async () => {
    expect(await warningsIn('production')).toEqual([
      expect.stringMatching(/^The stored secrets are not sealed: .*DOCUMENT_VAULT_MASTER_KEY/),
    ]);
    expect(await warningsIn('development')).toEqual([]);
    expect(await warningsIn('production', newMasterKey().text)).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('the file of the master key', () => {
  test.each([
    [0o644, 1],
    [0o604, 1],
    [0o640, 0],
    [0o600, 0],
  ])('with mode %o causes %i warnings at the start', async (mode, warnings) => {
    const data = await dataFolder();
    const masterKeyFile = join(data, 'master.key');
    await writeFile(masterKeyFile, newMasterKey().text);
    await chmod(masterKeyFile, mode);
    const lines: object[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) });
    await startTestServer({ masterKeyFile, log });
    expect(lines).toHaveLength(warnings);
    for (const line of lines) {
      expect(line).toMatchObject({
        masterKeyFile,
        msg: 'every user of this machine can read the file of the master key: chmod 600 closes it',
      });
    }
  });
});
