import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Queries } from '../../src/store/driver.ts';
import { databaseFile, openSqlite, type SqliteDriver } from '../../src/store/sqlite/driver.ts';
import { StoreUseError, TransactionLostError } from '../../src/store/store-errors.ts';
import { driverSuite } from './driver.suite.ts';

driverSuite('SQLite', () => openSqlite({ folder: ':memory:' }), { bytes: 'BLOB' });

let folder: string;
let driver: SqliteDriver;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'document-vault-test-'));
  driver = await openSqlite({ folder });
  await driver.transaction(async (queries) => {
    await queries.run('CREATE TABLE entries (key TEXT PRIMARY KEY, value ANY) STRICT');
  });
});

afterEach(async () => {
  await driver.close();
  await rm(folder, { recursive: true });
});

const put =
  (key: string, value: string | number | Uint8Array = 0) =>
  (queries: Queries) =>
    queries.run('INSERT INTO entries (key, value) VALUES (@key, @value)', { key, value });

const keys = async () =>
  (await driver.reader.all<{ key: string }>('SELECT key FROM entries ORDER BY key')).map(
    ({ key }) => key,
  );

/** Returns the number of commits in the WAL: the frames that contain the size of the database. */
async function commitsInLog(): Promise<number> {
  const log = await readFile(join(folder, `${databaseFile}-wal`));
  const pageSize = log.readUInt32BE(8);
  let commits = 0;
  for (let frame = 32; frame < log.length; frame += 24 + pageSize) {
    if (log.readUInt32BE(frame + 4) > 0) commits += 1;
  }
  return commits;
}

describe('the plan of a statement', () => {
  beforeEach(async () => {
    // In the opposite order of the index, so that the order of rows shows the plan.
    await driver.transaction(async (queries) => {
      await queries.run('CREATE TABLE figures (figure INTEGER, note TEXT) STRICT');
      await queries.run('CREATE INDEX figures_by_figure ON figures (figure)');
      await queries.run(
        `WITH RECURSIVE n (i) AS (SELECT 2000 UNION ALL SELECT i - 1 FROM n WHERE i > 1)
         INSERT INTO figures (figure) SELECT i FROM n`,
      );
      await queries.run('ANALYZE');
    });
  });

  async function isInOrder(condition: string, parameters = {}): Promise<boolean> {
    const sql = `SELECT figure, note FROM figures WHERE ${condition}`;
    const rows = await driver.reader.all<{ figure: number }>(sql, parameters);
    return rows.every(({ figure }, at) => at === 0 || figure > (rows[at - 1]?.figure ?? 0));
  }

  test('it stays the same when another value is bound', async () => {
    const bound = [];
    for (const above of [1990, 0]) bound.push(await isInOrder('figure > @above', { above }));
    expect(bound[0]).toBe(bound[1]);
    // SQLite has a plan of its own for each of these values.
    expect(await isInOrder('figure > 1990')).not.toBe(await isInOrder('figure > 0'));
  });

  test('it does not depend on a bound limit', async () => {
    const steps = await driver.reader.all<{ opcode: string }>(
      'EXPLAIN SELECT figure FROM figures LIMIT @limit',
      { limit: 5 },
    );
    // The check of a limit that is not known when the statement is planned.
    expect(steps.map(({ opcode }) => opcode)).toContain('MustBeInt');
  });
});

describe('settings', () => {
  const read = async (queries: Queries, pragma: string) =>
    Object.values((await queries.get<Record<string, unknown>>(`PRAGMA ${pragma}`)) ?? {})[0];

  test('the writing connection has the settings for durability and integrity', async () => {
    const settings = await driver.transaction(async (queries) => ({
      journal: await read(queries, 'journal_mode'),
      synchronous: await read(queries, 'synchronous'),
      foreignKeys: await read(queries, 'foreign_keys'),
      trustedSchema: await read(queries, 'trusted_schema'),
      busyTimeout: await read(queries, 'busy_timeout'),
    }));
    expect(settings).toEqual({
      journal: 'wal',
      synchronous: 2,
      foreignKeys: 1,
      trustedSchema: 0,
      busyTimeout: 5000,
    });
  });

  test('the reading connection is read-only', async () => {
    expect(await read(driver.reader, 'query_only')).toBe(1);
    await expect(driver.reader.run('PRAGMA query_only = OFF')).resolves.toBe(0);
    await expect(put('a')(driver.reader)).rejects.toThrow('readonly');
  });

  test('only the owner can read and write the database files', async () => {
    await driver.transaction(put('a'));
    for (const name of [databaseFile, `${databaseFile}-wal`]) {
      expect((await stat(join(folder, name))).mode & 0o077).toBe(0);
    }
  });

  test('the writing connection enforces foreign keys', async () => {
    await driver.transaction((queries) =>
      queries.run('CREATE TABLE notes (of TEXT REFERENCES entries (key)) STRICT'),
    );
    const orphan = driver.transaction((queries) => queries.run("INSERT INTO notes VALUES ('x')"));
    await expect(orphan).rejects.toThrow('FOREIGN KEY');
  });
});

describe('data folder', () => {
  test('committed rows are read after closing and opening again', async () => {
    await driver.transaction(put('a'));
    await driver.close();
    driver = await openSqlite({ folder });
    expect(await keys()).toEqual(['a']);
  });

  test('close leaves one sound database file without a WAL', async () => {
    await driver.transaction(put('a'));
    await driver.close();
    await expect(stat(join(folder, `${databaseFile}-wal`))).rejects.toThrow('ENOENT');
  });

  test(':memory: uses a private temporary folder that close removes', async () => {
    const temporary = await openSqlite({ folder: ':memory:' });
    const [{ file } = { file: '' }] = await temporary.reader.all<{ file: string }>(
      'PRAGMA database_list',
    );
    const home = dirname(file);
    expect((await stat(home)).mode & 0o077).toBe(0);
    expect(await temporary.transaction((queries) => queries.get('PRAGMA synchronous'))).toEqual({
      synchronous: 0,
    });
    await temporary.close();
    await expect(stat(home)).rejects.toThrow('ENOENT');
  });
});

describe('shared commits', () => {
  test('one commit serves all waiting transactions, in the order of their calls', async () => {
    const before = driver.statistics;
    const logged = await commitsInLog();
    const begun: number[] = [];
    const resolved: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        await driver.transaction(async (queries) => {
          begun.push(index);
          await put(`k${index}`)(queries);
        });
        resolved.push(index);
      }),
    );
    const order = Array.from({ length: 20 }, (_, index) => index);
    expect(begun).toEqual(order);
    expect(resolved).toEqual(order);
    expect(driver.statistics.commits - before.commits).toBe(1);
    expect(driver.statistics.transactions - before.transactions).toBe(20);
    expect((await commitsInLog()) - logged).toBe(1);
  });

  test('transactions of the next turn of the event loop share the commit of several waiting ones', async () => {
    const logged = await commitsInLog();
    const waiting = [driver.transaction(put('a')), driver.transaction(put('b'))];
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([...waiting, driver.transaction(put('c'))]);
    expect((await commitsInLog()) - logged).toBe(1);
    expect(await keys()).toEqual(['a', 'b', 'c']);
  });

  test('a transaction that is alone waits for no others', async () => {
    const order: string[] = [];
    const alone = driver.transaction(put('a')).then(() => order.push('committed'));
    await new Promise((resolve) => setImmediate(resolve));
    order.push('next turn');
    await alone;
    expect(order).toEqual(['committed', 'next turn']);
  });

  test('a commit serves a limited number of transactions', async () => {
    const before = driver.statistics.commits;
    await Promise.all(
      Array.from({ length: 300 }, (_, index) => driver.transaction(put(`${index}`))),
    );
    expect(driver.statistics.commits - before).toBe(3);
  });

  test('a commit serves a limited number of bytes', async () => {
    const before = driver.statistics.commits;
    const large = new Uint8Array(5 * 1024 * 1024);
    await Promise.all(['a', 'b', 'c'].map((key) => driver.transaction(put(key, large))));
    expect(driver.statistics.commits - before).toBe(3);
    expect(await keys()).toEqual(['a', 'b', 'c']);
  });

  test('no transaction of a group resolves before the commit', async () => {
    const outside = new Database(join(folder, databaseFile), { readonly: true });
    const seen = () => outside.prepare('SELECT count(*) FROM entries').pluck().get();
    const during: unknown[] = [];
    const after: unknown[] = [];
    await Promise.all(
      ['a', 'b', 'c'].map(async (key) => {
        await driver.transaction(async (queries) => {
          await put(key)(queries);
          during.push(seen());
        });
        after.push(seen());
      }),
    );
    outside.close();
    expect(during).toEqual([0, 0, 0]);
    expect(after).toEqual([3, 3, 3]);
  });

  test('a group of failing transactions makes no commit', async () => {
    const before = driver.statistics.commits;
    const failing = driver.transaction(async (queries) => {
      await put('a')(queries);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(driver.statistics.commits).toBe(before);
  });

  test('undoing one transaction keeps the numbers and returned rows of earlier ones in its group', async () => {
    await driver.transaction((queries) =>
      queries.run(
        'CREATE TABLE numbered (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL) STRICT',
      ),
    );
    const insert = (name: string, ending?: Error) =>
      driver.transaction(async (queries) => {
        const sql = 'INSERT INTO numbered (name) VALUES (@name)';
        const number = await queries.insert(sql, { name });
        const [copy] = await queries.all<{ number: number }>(`${sql} RETURNING number`, { name });
        if (ending) throw ending;
        return [number, copy?.number];
      });
    const no = new Error('no');
    const outcomes = await Promise.allSettled([
      insert('a'),
      insert('undone', no),
      insert('b'),
      insert('undone', no),
      insert('undone', no),
      insert('c'),
    ]);
    expect(outcomes).toMatchObject([
      { value: [1, 2] },
      { reason: no },
      { value: [3, 4] },
      { reason: no },
      { reason: no },
      { value: [5, 6] },
    ]);
    const rows = await driver.reader.all('SELECT number, name FROM numbered ORDER BY number');
    expect(rows).toEqual(
      ['a', 'a', 'b', 'b', 'c', 'c'].map((name, index) => ({ number: index + 1, name })),
    );
  });

  test('every second transaction of a group fails alone, and no work runs twice', async () => {
    let calls = 0;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) =>
        driver.transaction(async (queries) => {
          calls += 1;
          await put(`k${index}`)(queries);
          if (index % 2 === 1) throw new Error('no');
        }),
      ),
    );
    expect(calls).toBe(60);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(30);
    const even = Array.from({ length: 30 }, (_, index) => `k${2 * index}`);
    expect(await keys()).toEqual(even.toSorted());
  });

  test('a failing commit rejects all transactions of its group', async () => {
    await driver.transaction((queries) =>
      queries.run(
        'CREATE TABLE notes (of TEXT REFERENCES entries (key) DEFERRABLE INITIALLY DEFERRED) STRICT',
      ),
    );
    const outcomes = await Promise.allSettled([
      driver.transaction(put('a')),
      driver.transaction((queries) => queries.run("INSERT INTO notes VALUES ('no user')")),
      driver.transaction(put('b')),
    ]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: expect.any(TransactionLostError),
      });
    }
    expect(await keys()).toEqual([]);
    await driver.transaction(put('c'));
    expect(await keys()).toEqual(['c']);
  });

  test('a rollback by SQLite also rejects the earlier transactions of the group', async () => {
    const outcomes = await Promise.allSettled([
      driver.transaction(put('a')),
      driver.transaction((queries) =>
        queries.run("INSERT OR ROLLBACK INTO entries (key) VALUES ('a')"),
      ),
      driver.transaction(put('c')),
    ]);
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { name: 'TransactionLostError' } },
      { status: 'rejected', reason: { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' } },
      { status: 'fulfilled' },
    ]);
    expect(await keys()).toEqual(['c']);
  });
});

describe('stalled transaction', () => {
  const stalls = {
    'a timer': () => new Promise((resolve) => setTimeout(resolve, 0)),
    'the file system': () => stat(folder),
    'a promise that never settles': () => new Promise(() => {}),
    'another transaction': () => driver.transaction(put('inner')),
  };

  test.each(Object.entries(stalls))(
    'a transaction that awaits %s is rolled back',
    async (_, wait) => {
      let used: Queries | undefined;
      const [stalled, neighbour, later] = await Promise.allSettled([
        driver.transaction(async (queries) => {
          used = queries;
          await put('stalled')(queries);
          await wait();
          await put('too late')(queries);
        }),
        driver.transaction(put('neighbour')),
        driver.transaction(put('later')),
      ]);
      expect(stalled).toMatchObject({
        reason: new StoreUseError(
          'The transaction was rolled back, because it awaited something other than its queries.',
        ),
      });
      expect([neighbour.status, later.status]).toEqual(['fulfilled', 'fulfilled']);
      await expect(used?.all('SELECT 1')).rejects.toThrow('This transaction has ended');
      expect(await keys()).not.toContain('stalled');
      expect(await keys()).not.toContain('too late');
    },
  );

  test('a transaction may await any number of microtasks', async () => {
    await driver.transaction(async (queries) => {
      for (let turn = 0; turn < 1000; turn += 1) await Promise.resolve();
      await Promise.all(['a', 'b'].map((key) => put(key)(queries)));
    });
    expect(await keys()).toEqual(['a', 'b']);
  });
});

describe('WAL', () => {
  test('the driver writes a long WAL into the database file while it runs', async () => {
    const page = new Uint8Array(8000);
    for (let key = 0; key < 10; key += 1) {
      await driver.transaction(async (queries) => {
        for (let part = 0; part < 200; part += 1) await put(`${key}-${part}`, page)(queries);
      });
    }
    await driver.transaction(put('last'));
    expect(driver.statistics.checkpoints).toBeGreaterThan(0);
    expect(driver.statistics.failedCheckpoints).toBe(0);
    expect((await stat(join(folder, databaseFile))).size).toBeGreaterThan(1000 * 8192);
  });
});
