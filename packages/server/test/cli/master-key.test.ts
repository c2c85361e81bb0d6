import { createSecretKey, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { copyFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { createSealer } from '../../src/store/sealing.ts';
import { databaseFile } from '../../src/store/sqlite/driver.ts';
import { command, commandJson, spawnCommand } from '../support/command-line.ts';
import { dataFolder, everyRow, inDatabase } from '../support/data-folder.ts';
import { refusal } from '../support/front-door.ts';
import { newMasterKey, revealedBy } from '../support/master-keys.ts';
import { newVault } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { listen, secret, verifiedEvent } from '../support/webhook-events.ts';

const keyed = (masterKey: string, newKey = '') => ({
  env: { DOCUMENT_VAULT_MASTER_KEY: masterKey, DOCUMENT_VAULT_MASTER_KEY_NEW: newKey },
});

/** Creates a data folder with a signing key and a webhook. */
async function createFolder(masterKey: string | null) {
  const data = await dataFolder();
  const server = await startTestServer({ data, masterKey });
  const webhook = await listen({ server, call: server.developer, events: ['vault.created'] });
  await server.close();
  return { data, webhook };
}

async function sealedFolder() {
  const key = newMasterKey();
  return { key, ...(await createFolder(key.text)) };
}

/** Returns the check `sealing` of `doctor`. */
async function sealingCheck(data: string, env: Readonly<Record<string, string>>) {
  const { code, out } = await command(['doctor', '--json', '--data', data], { env });
  const { checks } = JSON.parse(out) as {
    checks: { name: string; title: string; problems: string[] }[];
  };
  return { code, ...checks.find(({ name }) => name === 'sealing') };
}

describe('master-key generate', () => {
  test('it prints 32 random bytes in base64, which a server accepts as its key', async () => {
    const [first, second] = [
      await command(['master-key', 'generate']),
      await command(['master-key', 'generate']),
    ];
    expect(first).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^[\w+/]{43}=$/) });
    expect(second.out).not.toBe(first.out);
    await startTestServer({ masterKey: first.out });
    const { masterKey } = await commandJson(['master-key', 'generate']);
    expect(masterKey).toMatch(/^[\w+/]{43}=$/);
  });
});

describe('master-key rotate', () => {
  test('it seals every secret with the new key and prints both ids; the old key starts no server', async () => {
    const { data, key, webhook } = await sealedFolder();
    const next = newMasterKey();
    const argv = ['master-key', 'rotate', '--data', data];
    const { code, out, err } = await command(argv, keyed(key.text, next.text));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(
      `Sealed 2 secrets with master key ${next.id} instead of ${key.id}.\nStart the server with ${next.id}. Earlier backups still need ${key.id}.`,
    );
    await expect(startTestServer({ data, masterKey: key.text })).rejects.toThrow(
      `sealed with master key ${next.id}; the key that is set is ${key.id}`,
    );
    expect(await sealingCheck(data, keyed(next.text).env)).toMatchObject({ code: 0, problems: [] });

    const server = await startTestServer({ data, masterKey: next.text });
    await newVault(server.developer);
    await server.settled();
    expect(webhook.requests.map(verifiedEvent)).toHaveLength(1);
  });

  test('it reads both keys from files, and removes the old form of the secrets from the database', async () => {
    const { data, key } = await sealedFolder();
    const next = newMasterKey();
    const files = await dataFolder();
    await writeFile(join(files, 'old'), `${key.text}\n`);
    await writeFile(join(files, 'new'), `${next.text}\n`);
    expect(revealedBy(data, { sealed: sealedForm(key.id) })).toEqual(['sealed']);
    const env = {
      DOCUMENT_VAULT_MASTER_KEY_FILE: join(files, 'old'),
      DOCUMENT_VAULT_MASTER_KEY_NEW_FILE: join(files, 'new'),
    };
    const rotated = await commandJson(['master-key', 'rotate', '--data', data], { env });
    expect(rotated).toEqual({ before: key.id, after: next.id, secrets: 2 });
    expect(revealedBy(data, { sealed: sealedForm(key.id) })).toEqual([]);
    expect(revealedBy(data, { sealed: sealedForm(next.id) })).toEqual(['sealed']);
    expect((await readdir(data)).sort()).toEqual(['development.json', databaseFile, 'lock'].sort());
    expect((await stat(join(data, databaseFile))).mode & 0o777).toBe(0o600);
  });

  test('a rotation that fails at one value changes nothing', async () => {
    const { data, key } = await sealedFolder();
    const next = newMasterKey();
    inDatabase(data, (database) =>
      database.exec('UPDATE webhooks SET secret = substr(secret, 1, 40)'),
    );
    const before = everyRow(data);
    const argv = ['master-key', 'rotate', '--data', data];
    const failed = await command(argv, keyed(key.text, next.text));
    expect(failed).toMatchObject({ code: 1, out: '' });
    expect(failed.err).toMatch(
      /^The value of webhooks\.secret in the row \["[0-9a-f-]{36}"\] has been changed/,
    );
    expect(everyRow(data)).toEqual(before);
  });

  test('after a rotation was killed, exactly one of the keys opens every secret', {
    timeout: 60_000,
  }, async () => {
    const { data, key } = await sealedFolder();
    const next = newMasterKey();
    addOutcomes(data, key.text, 8_000);
    const log = join(data, `${databaseFile}-wal`);
    const argv = ['master-key', 'rotate', '--data', data];
    const child = spawnCommand(argv, keyed(key.text, next.text).env);
    const ended = once(child, 'exit');
    // SQLite writes pages that exceed its cache before the commit.
    await vi.waitUntil(() => child.exitCode !== null || sizeOf(log) >= 100_000, {
      timeout: 30_000,
      interval: 5,
    });
    child.kill('SIGKILL');
    await ended;

    const opens = async ({ id, text }: typeof key) => {
      const { title, problems = [] } = await sealingCheck(data, keyed(text).env);
      // A rotation that was killed after its commit has not rewritten the file yet.
      const others = problems.filter((problem) => !problem.startsWith('free space of the file'));
      return title?.endsWith(`open with master key ${id}`) === true && others.length === 0;
    };
    const wasInTime = await opens(key);
    expect(await opens(next)).toBe(!wasInTime);
    if (wasInTime) {
      const again = await commandJson(argv, keyed(key.text, next.text));
      expect(again).toEqual({ before: key.id, after: next.id, secrets: 8_002 });
    }
    expect([await opens(key), await opens(next)]).toEqual([false, true]);
  });

  test.each([
    ['an unsealed database', null, 'old', 'new', 1, /^The stored secrets are not sealed/],
    ['no present key', 'old', '', 'new', 1, /and no master key is set/],
    ['another present key', 'old', 'other', 'new', 1, /; the key that is set is [0-9a-f]{16}\./],
    ['the same key twice', 'old', 'old', 'old', 1, /^The new master key is the current one/],
    [
      'no new key',
      'old',
      'old',
      '',
      2,
      /DOCUMENT_VAULT_MASTER_KEY_NEW or .*_FILE must name the new key/,
    ],
    ['a malformed new key', 'old', 'old', 'bad', 2, /_NEW: the value is not 32 bytes in base64/],
  ] as const)(
    'with %s it fails and changes nothing',
    async (_, sealedBy, present, next, code, message) => {
      const keys = {
        old: newMasterKey().text,
        new: newMasterKey().text,
        other: newMasterKey().text,
      };
      const texts: Record<string, string> = { ...keys, bad: 'bm90IGEga2V5', '': '' };
      const { data } = await createFolder(sealedBy && keys[sealedBy]);
      const before = everyRow(data);
      const argv = ['master-key', 'rotate', '--data', data];
      const failed = await command(argv, keyed(texts[present] ?? '', texts[next] ?? ''));
      expect(failed).toMatchObject({ code, out: '' });
      expect(failed.err).toMatch(message);
      for (const text of Object.values(texts)) {
        if (text !== '') expect(failed.err).not.toContain(text);
      }
      expect(everyRow(data)).toEqual(before);
    },
  );

  test('while a server runs, it fails', async () => {
    const data = await dataFolder();
    const key = newMasterKey();
    await startTestServer({ data, masterKey: key.text });
    const argv = ['master-key', 'rotate', '--data', data];
    const { code, err } = await command(argv, keyed(key.text, newMasterKey().text));
    expect({ code, err }).toEqual({
      code: 1,
      err: `The data folder ${data} is in use by another process. Stop it first.`,
    });
  });
});

test('master-key remove stores the secrets plain, and a server without a key starts', async () => {
  const { data, key, webhook } = await sealedFolder();
  const argv = ['master-key', 'remove', '--data', data];
  expect(await command(argv)).toMatchObject({ code: 1, out: '' });
  expect(revealedBy(data, { secret })).toEqual([]);
  expect(await command(argv, keyed(key.text))).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Stored 2 secrets without a master key\./),
  });
  expect(revealedBy(data, { secret })).toEqual(['secret']);
  const server = await startTestServer({ data });
  await newVault(server.developer);
  await server.settled();
  expect(webhook.requests.map(verifiedEvent)).toHaveLength(1);
});

describe('master-key abandon', () => {
  test('it removes the secrets of a lost key, ends sessions, pauses webhooks and keeps all other data', async () => {
    const data = await dataFolder();
    const lost = newMasterKey();
    const first = await startTestServer({ data, masterKey: lost.text });
    const fields = { headers: { 'X-Own': 'value' } };
    const events = ['vault.created'];
    const webhook = await listen({ server: first, call: first.developer, events, fields });
    const body = { email: first.account?.email, password: first.account?.password };
    const session = (await first.anonymous('POST', '/auth/login', { body })).body;
    const headers = { 'idempotency-key': 'key' };
    const vault = { body: { name: 'Kept' }, headers };
    expect((await first.developer('POST', '/api/v1/vaults', vault)).status).toBe(201);
    await first.settled();
    await first.close();

    const argv = ['master-key', 'abandon', '--yes', '--data', data];
    expect(await commandJson(argv)).toEqual({ keyId: lost.id, webhooks: 1, sessions: 1 });

    const next = newMasterKey();
    const second = await startTestServer({ data, masterKey: next.text });
    const { developer } = second;
    const { body: after } = await developer('GET', webhook.path);
    expect(after).toMatchObject({ active: false, headers: null });
    const { data: vaults } = (await developer('GET', '/api/v1/vaults')).body;
    expect(vaults).toMatchObject([{ name: 'Kept' }]);
    expect((await second.withToken(session.accessToken)('GET', '/api/v1/users/me')).status).toBe(
      401,
    );
    const refresh = { body: { refreshToken: session.refreshToken } };
    expect((await second.anonymous('POST', '/auth/refresh', refresh)).status).toBe(401);
    expect((await second.anonymous('POST', '/auth/login', { body })).status).toBe(200);
    await newVault(developer);
    await second.settled();
    webhook.requests.splice(0);
    const early = await developer('PUT', webhook.path, { body: { active: true } });
    expect(early).toMatchObject(refusal('VALIDATION_ERROR'));
    expect(early.body.error).toMatchObject({
      message: expect.stringContaining('Set a new secret'),
      details: { field: 'secret', constraint: 'required' },
    });
    const renamed = await developer('PUT', webhook.path, { body: { description: 'Later' } });
    expect(renamed).toMatchObject({ status: 200, body: { active: false } });
    await second.settled();
    expect(webhook.requests).toEqual([]);
    await developer('PUT', webhook.path, { body: { secret, active: true } });
    await second.settled();
    expect(webhook.requests.map(verifiedEvent)).toHaveLength(1);
    await second.close();
    expect(await sealingCheck(data, keyed(next.text).env)).toMatchObject({ code: 0, problems: [] });
  });

  test('it asks for the id of the key, and changes nothing after another reply', async () => {
    const { data, key } = await sealedFolder();
    const before = everyRow(data);
    const argv = ['master-key', 'abandon', '--data', data];
    expect(await command(argv)).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    const refused = await command(argv, { reply: 'yes' });
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining('differs') });
    expect(refused.questions.join()).toContain(key.id);
    expect(everyRow(data)).toEqual(before);
    expect(await command(argv, { reply: key.id })).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^Removed the secrets of master key .*\nSwitched off 1 webhook\. /,
      ),
    });
  });

  test('it changes nothing when the key opens the secrets or they are not sealed', async () => {
    const { data, key } = await sealedFolder();
    const before = everyRow(data);
    const argv = ['master-key', 'abandon', '--yes', '--data', data];
    const opens = await command(argv, keyed(key.text));
    expect(opens).toMatchObject({ code: 1, err: expect.stringContaining('opens the stored') });
    expect(everyRow(data)).toEqual(before);
    const plain = await createFolder(null);
    const unsealed = await command(['master-key', 'abandon', '--yes', '--data', plain.data]);
    expect(unsealed).toMatchObject({ code: 1, err: expect.stringContaining('are not sealed') });
  });
});

describe('doctor', () => {
  test('it opens every sealed secret with the key, and reports key and number', async () => {
    const { data, key } = await sealedFolder();
    expect(await sealingCheck(data, keyed(key.text).env)).toEqual({
      code: 0,
      name: 'sealing',
      ok: true,
      title: `The stored secrets (2) are sealed and open with master key ${key.id}`,
      problems: [],
      warnings: [],
    });
    expect(await sealingCheck(data, {})).toMatchObject({
      code: 0,
      title: `The stored secrets (2) are sealed with master key ${key.id}; they were not opened, since that key is not set`,
      problems: [],
    });
    const other = newMasterKey();
    expect(await sealingCheck(data, keyed(other.text).env)).toMatchObject({
      code: 1,
      problems: [
        `they are sealed with master key ${key.id}, and the key that is set is ${other.id}`,
      ],
    });
  });

  test.each([
    ['moved', 'UPDATE webhooks SET secret = (SELECT headers FROM webhooks)', 'has been changed'],
    ['plain', "UPDATE webhooks SET secret = x'0061'", 'is not sealed'],
  ])('it reports a secret that was %s', async (_, sql, problem) => {
    const data = await dataFolder();
    const key = newMasterKey();
    const server = await startTestServer({ data, masterKey: key.text });
    const fields = { headers: { 'X-Own': 'value' } };
    await listen({ server, call: server.developer, events: ['vault.created'], fields });
    await server.close();
    inDatabase(data, (database) => database.exec(sql));
    expect(await sealingCheck(data, keyed(key.text).env)).toMatchObject({
      code: 1,
      problems: [expect.stringContaining(problem)],
    });
  });

  test('it warns of unsealed secrets in production only', async () => {
    const { data } = await createFolder(null);
    const quiet = { code: 0, ok: true, problems: [], warnings: [] };
    const unsealed = {
      title: 'The stored secrets (2) are stored as they are, without a master key',
    };
    expect(await sealingCheck(data, {})).toMatchObject({ ...quiet, ...unsealed });
    const env = { NODE_ENV: 'production' };
    expect(await sealingCheck(data, env)).toMatchObject({
      ...quiet,
      warnings: [expect.stringContaining('DOCUMENT_VAULT_MASTER_KEY')],
    });
    const { out } = await command(['doctor', '--data', data], { env });
    expect(out).toMatch(
      /^warning {2}The stored secrets \(2\) .*\n {11}The stored secrets are not/m,
    );
  });

  test('it reports free space with earlier forms, which the next start removes', async () => {
    const { data, key } = await sealedFolder();
    inDatabase(data, (database) => database.exec('UPDATE sealing SET has_remnants = 1'));
    expect(await sealingCheck(data, keyed(key.text).env)).toMatchObject({
      code: 1,
      problems: [expect.stringMatching(/^free space of the file may contain earlier forms/)],
    });
    await (await startTestServer({ data, masterKey: key.text })).close();
    expect(await sealingCheck(data, keyed(key.text).env)).toMatchObject({ code: 0 });
  });
});

describe('restore', () => {
  test('a sealed backup names its key, and is rejected while another key is set', async () => {
    const { data, key } = await sealedFolder();
    const backup = join(await dataFolder(), 'backup.db');
    expect(await commandJson(['backup', backup, '--data', data])).toMatchObject({
      masterKeyId: key.id,
    });
    const other = newMasterKey();
    const target = join(await dataFolder(), 'new');
    const argv = ['restore', backup, '--data', target];
    const refused = await command(argv, keyed(other.text));
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toBe(
      `The secrets in ${backup} are sealed with master key ${key.id}; the key that is set is ${other.id}. Set key ${key.id} to restore it.`,
    );
    expect(await readdir(target)).toEqual(['lock']);

    const { code, out } = await command(argv);
    expect(code).toBe(0);
    expect(out).toContain(
      `Master key ${key.id} seals its secrets. Start the server with that key.`,
    );
    await startTestServer({ data: target, masterKey: key.text });
  });

  test('an unsealed backup is sealed at the next start', async () => {
    const { data } = await createFolder(null);
    const backup = join(await dataFolder(), 'backup.db');
    await copyFile(join(data, databaseFile), backup);
    const target = await dataFolder();
    const key = newMasterKey();
    const restored = await commandJson(['restore', backup, '--data', target], keyed(key.text));
    expect(restored).toMatchObject({ masterKeyId: null });
    await startTestServer({ data: target, masterKey: key.text });
    expect(revealedBy(target, { secret })).toEqual([]);
  });
});

test('commands that change a sealed database require its key, and commands that read do not', async () => {
  const { data, key } = await sealedFolder();
  expect(await command(['keys', 'rotate', '--data', data])).toMatchObject({
    code: 1,
    err: expect.stringContaining(`sealed with master key ${key.id}, and no master key is set`),
  });
  expect(await command(['keys', 'rotate', '--data', data], keyed(key.text))).toMatchObject({
    code: 0,
  });
  expect(await command(['user', 'list', '--data', data])).toMatchObject({ code: 0 });
  await startTestServer({ data, masterKey: key.text });
});

/** Stores sealed outcomes, so that a rotation takes longer. */
function addOutcomes(data: string, masterKey: string, count: number): void {
  const sealer = createSealer(createSecretKey(Buffer.from(masterKey, 'base64')));
  inDatabase(data, (database) => {
    const userId = database.prepare('SELECT id FROM users').pluck().get() as string;
    const insert = database.prepare(
      `INSERT INTO idempotency_outcomes (user_id, call_hash, status, body, created_at)
       VALUES (?, ?, 201, ?, 0)`,
    );
    database.transaction(() => {
      for (let number = 0; number < count; number += 1) {
        const hash = randomBytes(32);
        const row = [userId, hash];
        insert.run(userId, hash, sealer.seal('x'.repeat(300), 'idempotency_outcomes.body', row));
      }
    })();
  });
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** The bytes that every value sealed with this key begins with. */
function sealedForm(keyId: string): Buffer {
  return Buffer.from(`01${keyId}`, 'hex');
}
