import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { OperatorError } from '../../src/lib/operator-error.ts';
import type { Queries } from '../../src/store/driver.ts';
import { Checkpointer } from '../../src/store/sqlite/checkpointer.ts';
import { databaseFile, openSqlite } from '../../src/store/sqlite/driver.ts';
import { DatabaseDamagedError } from '../../src/store/sqlite/errors.ts';
import {
  applySettings,
  assertSqliteVersion,
  writerSettings,
} from '../../src/store/sqlite/settings.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'document-vault-test-'));
});

afterEach(() => rm(folder, { recursive: true }));

const createEntries = (queries: Queries) =>
  queries.run('CREATE TABLE entries (key TEXT PRIMARY KEY, value ANY) STRICT');

const put =
  (key: string, value: number | Uint8Array = 0) =>
  (queries: Queries) =>
    queries.run('INSERT INTO entries (key, value) VALUES (@key, @value)', { key, value });

describe('full disk', () => {
  test('a full disk rejects the transactions of the group, and later ones succeed with room', async () => {
    const driver = await openSqlite({ folder });
    await driver.transaction(createEntries);
    await driver.transaction((queries) => queries.run('PRAGMA max_page_count = 20'));
    const large = new Uint8Array(1024 * 1024);
    const outcomes = await Promise.allSettled([
      driver.transaction(put('a')),
      driver.transaction(put('large', large)),
      driver.transaction(put('b')),
    ]);
    expect(outcomes).toMatchObject([
      // SQLite rolls back the whole group. None of its transactions had resolved yet.
      {
        status: 'rejected',
        reason: { name: 'TransactionLostError', cause: { code: 'SQLITE_FULL' } },
      },
      { status: 'rejected', reason: { code: 'SQLITE_FULL' } },
      { status: 'fulfilled' },
    ]);
    expect(driver.damage).toBeUndefined();
    await driver.transaction((queries) => queries.run('PRAGMA max_page_count = 100000'));
    await driver.transaction(put('large', large));
    expect(await driver.reader.all('SELECT key FROM entries ORDER BY key')).toEqual([
      { key: 'b' },
      { key: 'large' },
    ]);
    await driver.close();
  });
});

describe('failing thread of checkpoints', () => {
  afterEach(() => vi.restoreAllMocks());

  test('close rejects with the error of the thread, and releases the data folder', async () => {
    const driver = await openSqlite({ folder });
    await driver.transaction(createEntries);
    vi.spyOn(Checkpointer.prototype, 'close').mockRejectedValueOnce(new Error('thread failed'));
    await expect(driver.close()).rejects.toThrow('thread failed');
    await expect(driver.reader.all('SELECT key FROM entries')).rejects.toThrow('closed');
    const next = await openSqlite({ folder });
    await next.close();
  });

  /** Opens a database and writes more than 8 MiB while each checkpoint of the thread fails. */
  async function writeMuch(failure: Error) {
    const checkpoint = vi.spyOn(Checkpointer.prototype, 'checkpoint').mockRejectedValue(failure);
    const reported: Error[] = [];
    const onCheckpointFailure = (error: Error) => reported.push(error);
    const driver = await openSqlite({ folder, onCheckpointFailure });
    await driver.transaction(createEntries);
    const write = async (key: string) => {
      await driver.transaction(put(key, new Uint8Array(9 * 1024 * 1024)));
      // The checkpoint runs before this transaction.
      await driver.transaction(put(`after ${key}`));
    };
    await write('first');
    return { driver, checkpoint, reported, write };
  }

  test('a failing thread is reported once, and the writing connection makes the checkpoints', async () => {
    const failure = new Error('no thread');
    const { driver, reported, write } = await writeMuch(failure);
    await write('second');
    expect(reported).toEqual([failure]);
    expect(driver.statistics).toMatchObject({ checkpoints: 2, failedCheckpoints: 2 });
    expect((await stat(join(folder, databaseFile))).size).toBeGreaterThan(18 * 1024 * 1024);
    await driver.close();
  });

  test('a failed checkpoint is tried again after another 8 MiB, and not for every commit', async () => {
    const failure = new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_WRITE');
    const { driver, checkpoint, reported, write } = await writeMuch(failure);
    for (let key = 0; key < 5; key += 1) await driver.transaction(put(`${key}`));
    expect(checkpoint).toHaveBeenCalledTimes(1);
    await write('second');
    expect(checkpoint).toHaveBeenCalledTimes(2);
    expect(reported).toEqual([failure]);
    expect(driver.statistics).toMatchObject({ checkpoints: 0, failedCheckpoints: 2 });
    await driver.close();
  });
});

describe('damaged database', () => {
  /** Overwrites the part of the file with the rows. The schema and the table `sound` stay intact. */
  async function damage(): Promise<void> {
    const before = await openSqlite({ folder });
    await before.transaction(async (queries) => {
      await queries.run('CREATE TABLE sound (key TEXT) STRICT');
      await createEntries(queries);
      for (let key = 0; key < 2000; key += 1) await put(`${key}`)(queries);
    });
    await before.close();
    const file = await open(join(folder, databaseFile), 'r+');
    await file.write(Buffer.alloc(10 * 8192, 0xa5), 0, 10 * 8192, 3 * 8192);
    await file.close();
  }

  test('after a query found damage, writes throw DatabaseDamagedError with the cause', async () => {
    await damage();
    const driver = await openSqlite({ folder });
    expect(driver.damage).toBeUndefined();
    await expect(driver.reader.all('SELECT sum(value) FROM entries')).rejects.toThrow('malformed');
    expect(driver.damage?.message).toContain('malformed');
    const called: string[] = [];
    const refused = driver.transaction(async () => {
      called.push('work');
    });
    await expect(refused).rejects.toThrow(DatabaseDamagedError);
    await expect(refused).rejects.toMatchObject({ cause: driver.damage });
    expect(called).toEqual([]);
    expect(await driver.reader.all('SELECT key FROM sound')).toEqual([]);
    await driver.close();
  });

  test('damage rolls back the whole group and rejects all queued transactions', async () => {
    await damage();
    const driver = await openSqlite({ folder });
    const addSound = (queries: Queries) => queries.run("INSERT INTO sound VALUES ('x')");
    const outcomes = await Promise.allSettled([
      driver.transaction(addSound),
      driver.transaction((queries) => queries.all('SELECT sum(value) FROM entries')),
      driver.transaction(addSound),
    ]);
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { name: 'TransactionLostError' } },
      { status: 'rejected', reason: { code: expect.stringMatching(/^SQLITE_CORRUPT/) } },
      { status: 'rejected', reason: { name: 'DatabaseDamagedError' } },
    ]);
    expect(await driver.reader.all('SELECT key FROM sound')).toEqual([]);
    await driver.close();
  });

  test('openSqlite rejects a file that is not a database', async () => {
    await writeFile(join(folder, databaseFile), 'no database at all '.repeat(1000));
    await expect(openSqlite({ folder })).rejects.toThrow('not a database');
    await rm(join(folder, databaseFile));
    const driver = await openSqlite({ folder });
    await driver.close();
  });
});

describe('applySettings', () => {
  test('applySettings throws OperatorError when a setting is not applied', () => {
    const database = new Database(':memory:');
    const apply = () => applySettings(database, writerSettings('full'));
    expect(apply).toThrow(OperatorError);
    expect(apply).toThrow(/journal_mode = WAL.* memory/);
    database.close();
  });

  test('openSqlite rejects a database that another process keeps in another journal mode', async () => {
    const other = new Database(join(folder, databaseFile));
    other.exec('CREATE TABLE t (id INTEGER); BEGIN; SELECT * FROM t');
    await expect(openSqlite({ folder, busyTimeout: 0 })).rejects.toThrow('locked');
    other.close();
  });
});

describe('assertSqliteVersion', () => {
  test.each(['3.51.3', '3.51.10', '3.52.0', '3.100.0', '4.0.0'])('accepts %s', (version) => {
    expect(() => assertSqliteVersion(version)).not.toThrow();
  });

  test.each(['3.51.2', '3.50.9', '3.9.30', '2.99.99'])('rejects %s', (version) => {
    expect(() => assertSqliteVersion(version)).toThrow(OperatorError);
    expect(() => assertSqliteVersion(version)).toThrow('3.51.3');
  });
});
