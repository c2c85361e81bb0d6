import { createHash } from 'node:crypto';
import { copyFile, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { TestClock } from '../../src/lib/clock.ts';
import { databaseFile } from '../../src/store/sqlite/driver.ts';
import { command, commandJson } from '../support/command-line.ts';
import { dataFolder, inDatabase, rowsIn } from '../support/data-folder.ts';
import { keyringPath, newKeyring, newVaultKeys, vaultKeysOf } from '../support/keys.ts';
import { newDocument, newVault } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';

/** Creates a data folder with a keyring, one vault of this name with a key, and one document, and closes it. */
async function folderWith(name: string): Promise<string> {
  const data = await dataFolder();
  const { developer, close } = await startTestServer({ data });
  const vault = await newVault(developer, { name });
  await newDocument(developer, vault.id, Buffer.alloc(50_000, name));
  await newKeyring(developer);
  await newVaultKeys(developer, vault.id);
  await close();
  return data;
}

async function backupOf(data: string): Promise<string> {
  const file = join(await dataFolder(), 'backup.db');
  await commandJson(['backup', file, '--data', data]);
  return file;
}

/** Hashes of all files in a folder, except the lock. */
async function contentsOf(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of (await readdir(folder)).filter((name) => name !== 'lock')) {
    const bytes = await readFile(join(folder, name));
    found[name] = createHash('sha256').update(bytes).digest('hex');
  }
  return found;
}

const vaultNames = (folder: string) =>
  inDatabase(folder, (database) => database.prepare('SELECT name FROM vaults').pluck().all());

describe('restore', () => {
  test('it creates a private folder with the contents of the backup', async () => {
    const data = await folderWith('Taxes');
    const backup = await backupOf(data);
    const keysOf = async (folder: string) => {
      const { developer, close } = await startTestServer({ data: folder });
      const keyring = (await developer('GET', keyringPath)).body;
      const keys = { keyring, vaults: await vaultKeysOf(developer) };
      await close();
      return keys;
    };
    const keys = await keysOf(data);
    expect(keys).toMatchObject({ keyring: { version: 1 }, vaults: [{ generation: 1 }] });
    const target = join(await dataFolder(), 'restored');
    const { code, out } = await command(['restore', backup, '--data', target]);
    expect(code).toBe(0);
    const file = join(target, databaseFile);
    expect(out).toBe(`Restored ${file} with 1 user, 1 vault and 1 document.`);
    expect((await stat(target)).mode & 0o777).toBe(0o700);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readdir(target)).sort()).toEqual([databaseFile, 'lock']);
    expect(await command(['doctor', '--data', target])).toMatchObject({ code: 0 });

    await copyFile(join(data, 'development.json'), join(target, 'development.json'));
    expect(await keysOf(target)).toEqual(keys);
    const server = await startTestServer({ data: target });
    const [document] = (await server.developer('GET', '/api/v1/documents')).body.data;
    const content = (await server.developer('GET', `/api/v1/documents/${document.id}`)).body;
    expect(Buffer.from(content.encryptedData, 'base64')).toEqual(Buffer.alloc(50_000, 'Taxes'));
  });

  test('GET /api/v1/events?after returns 400 cursorExpired after a restore', async () => {
    const data = await folderWith('Taxes');
    const backup = await backupOf(data);
    const target = await dataFolder();
    await command(['restore', backup, '--data', target]);
    await copyFile(join(data, 'development.json'), join(target, 'development.json'));
    const cursorOf = async (folder: string, query = '') => {
      const { developer, close } = await startTestServer({ data: folder });
      const { body } = await developer('GET', `/api/v1/events?pageSize=1${query}`);
      await close();
      return body.cursor ?? body.error.details.constraint;
    };
    const cursor = await cursorOf(data);
    expect(await cursorOf(data, `&after=${cursor}`)).toMatch(/^c1_/);
    expect(await cursorOf(target, `&after=${cursor}`)).toBe('cursorExpired');
  });

  test('it keeps the replaced database beside the new one', async () => {
    const data = await folderWith('Before');
    const backup = await backupOf(await folderWith('After'));
    const clock = new TestClock();
    const { replaced, rows } = await commandJson(['restore', backup, '--data', data], { clock });
    expect(replaced).toBe(join(data, `${databaseFile}.before-restore-2026-01-01T000000.000Z`));
    expect(rows).toMatchObject({ users: 1, vaults: 1, documents: 1 });
    expect(vaultNames(data)).toEqual(['After']);
    expect(
      (await startTestServer({ data })).account,
      'the account file belongs to the replaced database',
    ).toBeUndefined();

    const again = await dataFolder();
    await command(['restore', replaced, '--data', again]);
    expect(vaultNames(again)).toEqual(['Before']);
  });

  test('it keeps changes that are only in the write-ahead log of the replaced database', async () => {
    const data = await folderWith('Before');
    const backup = await backupOf(await folderWith('After'));
    // Like the files of a killed server: the change is only in the log.
    const database = new Database(join(data, databaseFile));
    database.pragma('wal_autocheckpoint = 0');
    database.exec("UPDATE vaults SET name = 'In the log'");
    const killed = await dataFolder();
    for (const end of ['', '-wal', '-shm']) {
      await copyFile(join(data, databaseFile + end), join(killed, databaseFile + end));
    }
    database.close();

    const { replaced } = await commandJson(['restore', backup, '--data', killed]);
    expect((await readdir(killed)).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
    expect(vaultNames(killed)).toEqual(['After']);
    const again = await dataFolder();
    await command(['restore', replaced, '--data', again]);
    expect(vaultNames(again)).toEqual(['In the log']);
  });

  test('it replaces a damaged database and its log', async () => {
    const data = await folderWith('Before');
    await writeFile(join(data, databaseFile), 'rubbish '.repeat(1000));
    await writeFile(join(data, `${databaseFile}-wal`), 'rubbish too');
    const backup = await backupOf(await folderWith('After'));
    const { replaced } = await commandJson(['restore', backup, '--data', data]);
    expect(vaultNames(data)).toEqual(['After']);
    expect(await readFile(replaced, 'utf8')).toBe('rubbish '.repeat(1000));
    const { account } = await startTestServer({ data });
    expect(account).toBeUndefined();
  });

  test('it removes a log without a database', async () => {
    const data = await dataFolder();
    await writeFile(join(data, `${databaseFile}-wal`), 'stale');
    await writeFile(join(data, `${databaseFile}-shm`), 'stale');
    const backup = await backupOf(await folderWith('After'));
    expect(await commandJson(['restore', backup, '--data', data])).toMatchObject({
      replaced: null,
    });
    expect((await readdir(data)).sort()).toEqual([databaseFile, 'lock']);
    expect(vaultNames(data)).toEqual(['After']);
  });
});

/** Unusable files, made from a valid backup. */
const unusable: readonly [string, (file: string) => Promise<unknown>, RegExp][] = [
  [
    'a file that is no database',
    (file) => writeFile(file, 'just a letter\n'.repeat(500)),
    /cannot be read as a database: file is not a database\.$/,
  ],
  ['an empty file', (file) => truncate(file), /is not the database of a document vault\.$/],
  [
    'the database of another program',
    async (file) => {
      await truncate(file);
      const database = new Database(file);
      database.exec('CREATE TABLE documents (id)');
      database.close();
    },
    /is not the database of a document vault\.$/,
  ],
  [
    'a truncated file',
    async (file) => truncate(file, (await stat(file)).size - 100_000),
    /(is damaged: .+|cannot be read as a database: .+|The copy could not be written: .+)\.$/,
  ],
  [
    'a file with an overwritten page',
    async (file) => {
      const bytes = await readFile(file);
      await writeFile(file, bytes.fill(0xff, 8192 * 5, 8192 * 6));
    },
    /is damaged: .+\.$/,
  ],
  [
    'a backup with a newer schema',
    async (file) => {
      const database = new Database(file);
      database.exec("INSERT INTO schema_migrations VALUES (1000, 'wings', 'x', 1)");
      database.close();
    },
    /The database has schema .*wings.*\. The newest schema of this version is \d+\./,
  ],
  [
    'a backup with another migration history',
    async (file) => {
      const database = new Database(file);
      database.exec("UPDATE schema_migrations SET checksum = 'x'");
      database.close();
    },
    /applied .* with checksum x/,
  ],
];

describe('failed restore', () => {
  test.each(unusable)(
    '%s is rejected and the folder is unchanged',
    async (_, makeUnusable, message) => {
      const data = await folderWith('Before');
      const backup = await backupOf(await folderWith('After'));
      await makeUnusable(backup);
      const before = await contentsOf(data);
      const { code, out, err } = await command(['restore', backup, '--data', data]);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toContain(backup);
      expect(err).toMatch(message);
      expect(await contentsOf(data)).toEqual(before);
      expect(vaultNames(data)).toEqual(['Before']);
    },
  );

  test('a missing file is reported', async () => {
    const data = await dataFolder();
    const file = join(data, 'none.db');
    expect(await command(['restore', file, '--data', data])).toMatchObject({
      code: 1,
      err: `There is no database at ${file}.`,
    });
    expect(await readdir(data)).toEqual([]);
  });

  test('while a server runs it fails, and the server still works', async () => {
    const data = await folderWith('Before');
    const backup = await backupOf(await folderWith('After'));
    const { developer } = await startTestServer({ data });
    expect(await command(['restore', backup, '--data', data])).toMatchObject({
      code: 1,
      err: `The data folder ${data} is in use by another process. Stop it first.`,
    });
    await newVault(developer, { name: 'Later' });
    expect((await readdir(data)).filter((name) => /partial|before/.test(name))).toEqual([]);
    expect(rowsIn(data, 'vaults')).toBe(2);
  });
});
