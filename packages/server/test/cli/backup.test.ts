import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { databaseFile } from '../../src/store/sqlite/driver.ts';
import { command, commandJson } from '../support/command-line.ts';
import { dataFolder, inDatabase } from '../support/data-folder.ts';
import { newDocument, newVault } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';

async function folderWithDocument(): Promise<string> {
  const data = await dataFolder();
  const { developer, close } = await startTestServer({ data });
  await newDocument(developer, (await newVault(developer)).id);
  await close();
  return data;
}

describe('backup', () => {
  test('backup writes one complete file with mode 600 and prints its contents', async () => {
    const data = await folderWithDocument();
    const folder = await dataFolder();
    const file = join(folder, 'backup.db');
    const { code, out } = await command(['backup', file, '--data', data]);
    const { size, mode } = await stat(file);
    expect({ code, out }).toEqual({
      code: 0,
      out: `Wrote and verified ${file}, ${size} bytes.\nThe backup contains 1 user, 1 vault and 1 document.`,
    });
    expect(mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['backup.db']);
    // Versions of the file format: 1 is a rollback journal, 2 a WAL (https://sqlite.org/fileformat.html).
    expect([...(await readFile(file)).subarray(18, 20)]).toEqual([1, 1]);
  });

  test('a backup of a running server contains everything that is committed', async () => {
    const data = await dataFolder();
    const { developer } = await startTestServer({ data });
    const vault = await newVault(developer);
    const file = join(await dataFolder(), 'backup.db');
    for (const documents of [0, 1, 2]) {
      const backup = await commandJson(['backup', file, '--force', '--data', data]);
      expect(backup).toMatchObject({ file, rows: { vaults: 1, documents } });
      await newDocument(developer, vault.id);
    }
  });

  test('an existing file is replaced only with --force', async () => {
    const data = await folderWithDocument();
    const file = join(await dataFolder(), 'backup.db');
    await writeFile(file, 'precious', { mode: 0o644 });
    expect(await command(['backup', file, '--data', data])).toMatchObject({
      code: 1,
      out: '',
      err: `${file} exists already. Name another file, or pass --force to replace it.`,
    });
    expect(await readFile(file, 'utf8')).toBe('precious');
    await commandJson(['backup', file, '--force', '--data', data]);
    expect((await readFile(file)).subarray(0, 6).toString()).toBe('SQLite');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test.each([databaseFile, `${databaseFile}-wal`, 'lock', 'backup.db', 'copies/backup.db'])(
    '%s in the data folder of the database is rejected',
    async (name) => {
      const data = await folderWithDocument();
      await mkdir(join(data, 'copies'));
      const before = await readFile(join(data, databaseFile));
      const link = join(await dataFolder(), 'link');
      await symlink(data, link);
      for (const folder of [data, link]) {
        const file = join(folder, name);
        expect(await command(['backup', file, '--force', '--data', data])).toMatchObject({
          code: 1,
          err: `${file} is in the data folder ${data}. A backup there is lost together with the database: name a file in another folder.`,
        });
      }
      expect((await readFile(join(data, databaseFile))).equals(before)).toBe(true);
    },
  );

  test('a folder whose name begins with that of the data folder is accepted', async () => {
    const data = await folderWithDocument();
    const folder = `${data}-backups`;
    await mkdir(folder);
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'backup.db');
    expect(await commandJson(['backup', file, '--data', data])).toMatchObject({ file });
  });

  test('a missing folder and a target that is a folder are reported', async () => {
    const data = await folderWithDocument();
    const folder = await dataFolder();
    const nowhere = join(folder, 'none', 'backup.db');
    expect(await command(['backup', nowhere, '--data', data])).toMatchObject({
      code: 1,
      err: `There is no folder ${join(folder, 'none')}.`,
    });
    await mkdir(join(folder, 'taken'));
    expect(
      await command(['backup', join(folder, 'taken'), '--force', '--data', data]),
    ).toMatchObject({
      code: 1,
      err: `${join(folder, 'taken')} is not a file.`,
    });
    expect(await readdir(folder)).toEqual(['taken']);
  });

  test.each<[string, (data: string) => unknown, RegExp]>([
    [
      'damaged',
      async (data) => {
        const bytes = await readFile(join(data, databaseFile));
        await writeFile(join(data, databaseFile), bytes.fill(0xff, 8192 * 5, 8192 * 6));
      },
      /^The copy is damaged: /,
    ],
    [
      'newer than this version',
      (data) =>
        inDatabase(data, (database) =>
          database.exec("INSERT INTO schema_migrations VALUES (1000, 'wings', 'x', 1)"),
        ),
      /^The copy: The database has schema /,
    ],
  ])('a backup of a database that is %s fails and leaves no file', async (_, spoil, message) => {
    const data = await folderWithDocument();
    await spoil(data);
    const folder = await dataFolder();
    const { code, out, err } = await command(['backup', join(folder, 'backup.db'), '--data', data]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(message);
    expect(await readdir(folder)).toEqual([]);
  });
});
