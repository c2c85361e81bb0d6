import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Driver, Queries } from '../../src/store/driver.ts';

interface Dialect {
  /** The type of a column of bytes. */
  readonly bytes: string;
}

interface Entry {
  key: string;
  value: number;
}

const insert = 'INSERT INTO entries (key, value) VALUES (@key, @value)';

const put = (queries: Queries, key: string, value = 0) => queries.run(insert, { key, value });

const keys = async (queries: Queries) =>
  (await queries.all<Entry>('SELECT key, value FROM entries ORDER BY key')).map(({ key }) => key);

/** The guarantees of every driver, for any database. */
export function driverSuite(name: string, open: () => Promise<Driver>, dialect: Dialect): void {
  describe(`${name} as a driver`, () => {
    let driver: Driver;

    beforeEach(async () => {
      driver = await open();
      await driver.transaction(async (queries) => {
        await queries.run(
          'CREATE TABLE entries (key TEXT PRIMARY KEY, value BIGINT NOT NULL CHECK (value >= 0))',
        );
        await queries.run(
          `CREATE TABLE samples (id INTEGER PRIMARY KEY, text TEXT, whole BIGINT, broken DOUBLE PRECISION, bytes ${dialect.bytes})`,
        );
      });
    });

    afterEach(() => driver.close());

    describe('revision', () => {
      test('revision changes with each commit, before its transaction resolves', async () => {
        const seen = [driver.revision];
        for (const key of ['a', 'b', 'c']) {
          await driver.transaction((queries) => put(queries, key));
          seen.push(driver.revision);
        }
        const known = seen.filter((revision) => revision !== undefined);
        expect(new Set(known).size).toBe(known.length);
      });

      test('revision stays the same after reads and rolled-back transactions', async () => {
        const before = driver.revision;
        await keys(driver.reader);
        const failing = driver.transaction(async () => Promise.reject(new Error('no')));
        await expect(failing).rejects.toThrow('no');
        expect(driver.revision).toBe(before);
      });
    });

    describe('values', () => {
      const store = (values: { text?: string; whole?: number; broken?: number }) =>
        driver.transaction((queries) =>
          queries.get(
            'INSERT INTO samples (id, text, whole, broken) VALUES (1, @text, @whole, @broken) RETURNING text, whole, broken',
            { text: null, whole: null, broken: null, ...values },
          ),
        );

      test.each([
        { text: '', whole: 0, broken: 0.5 },
        { text: 'Grüße, 世界 🗝', whole: Number.MAX_SAFE_INTEGER, broken: -1.5e-300 },
        { text: "'; DROP TABLE samples; --", whole: -1, broken: 1e300 },
      ])('a query returns the stored values %j', async (values) => {
        expect(await store(values)).toEqual(values);
        expect(await driver.reader.get('SELECT text, whole, broken FROM samples')).toEqual(values);
      });

      test('a query returns null for stored nulls', async () => {
        expect(await store({})).toEqual({ text: null, whole: null, broken: null });
      });

      test('a query returns the exact stored bytes, also of a view into a larger buffer', async () => {
        const all = Uint8Array.from({ length: 256 }, (_, index) => index);
        const stored = [all, all.subarray(100, 103), new Uint8Array(), Buffer.from([0, 255])];
        await driver.transaction(async (queries) => {
          for (const [id, bytes] of stored.entries()) {
            await queries.run('INSERT INTO samples (id, bytes) VALUES (@id, @bytes)', {
              id,
              bytes,
            });
          }
        });
        const rows = await driver.reader.all<{ bytes: Uint8Array }>(
          'SELECT bytes FROM samples ORDER BY id',
        );
        expect(rows.map(({ bytes }) => bytes instanceof Uint8Array)).toEqual(
          stored.map(() => true),
        );
        expect(rows.map(({ bytes }) => [...bytes])).toEqual(stored.map((bytes) => [...bytes]));
      });

      test('integer parameters are bound as integers', async () => {
        const row = await driver.reader.get('SELECT CAST(@n AS TEXT) AS text, 7 / @n AS half', {
          n: 2,
        });
        expect(row).toEqual({ text: '2', half: 3 });
      });

      test('a query rejects parameters without an SQL value', async () => {
        const missing = {} as { n: number };
        for (const parameters of [{ n: Number.NaN }, { n: Number.POSITIVE_INFINITY }, missing]) {
          await expect(driver.reader.get('SELECT @n AS n', parameters)).rejects.toThrow();
        }
      });
    });

    describe('queries', () => {
      test('get returns undefined and all returns no rows when none match', async () => {
        expect(await driver.reader.get('SELECT key FROM entries')).toBeUndefined();
        expect(await driver.reader.all('SELECT key FROM entries')).toEqual([]);
      });

      test('run returns the number of affected rows', async () => {
        const counts = await driver.transaction(async (queries) => [
          await put(queries, 'a', 1),
          await put(queries, 'b', 2),
          await queries.run('UPDATE entries SET value = value + @by', { by: 1 }),
          await queries.run('DELETE FROM entries WHERE key = @key', { key: 'c' }),
          await queries.run('DELETE FROM entries'),
        ]);
        expect(counts).toEqual([1, 1, 2, 0, 2]);
      });

      test('a query ignores parameters that its statement does not use', async () => {
        expect(await driver.reader.get('SELECT @a AS a', { a: 'x', unused: 1 })).toEqual({
          a: 'x',
        });
      });

      test('a query rejects invalid SQL, and later queries succeed', async () => {
        await expect(driver.reader.get('SELEKT 1')).rejects.toThrow();
        expect(await driver.reader.get('SELECT 1 AS one')).toEqual({ one: 1 });
      });

      test('the reader rejects writes', async () => {
        await expect(put(driver.reader, 'a')).rejects.toThrow();
        await expect(
          driver.reader.get(`${insert} RETURNING key`, { key: 'a', value: 1 }),
        ).rejects.toThrow();
        await expect(driver.reader.run('CREATE TABLE more (id INTEGER)')).rejects.toThrow();
        expect(await keys(driver.reader)).toEqual([]);
      });
    });

    describe('transaction', () => {
      test('transaction returns the result of its work, and the reader then sees its rows', async () => {
        const reply = await driver.transaction(async (queries) => {
          await put(queries, 'a', 1);
          return queries.get<Entry>('SELECT key, value FROM entries');
        });
        expect(reply).toEqual({ key: 'a', value: 1 });
        expect(await keys(driver.reader)).toEqual(['a']);
      });

      test('the reader does not see the rows of a transaction before its commit', async () => {
        let seen: string[] | undefined;
        await driver.transaction(async (queries) => {
          await put(queries, 'a');
          seen = await keys(driver.reader);
          await put(queries, 'b');
        });
        expect(seen).toEqual([]);
        expect(await keys(driver.reader)).toEqual(['a', 'b']);
      });

      test('a transaction whose work rejects is rolled back and rejects with the same error', async () => {
        const error = new Error('no');
        const work = async (queries: Queries) => {
          await put(queries, 'a');
          throw error;
        };
        await expect(driver.transaction(work)).rejects.toBe(error);
        expect(await keys(driver.reader)).toEqual([]);
      });

      test('a transaction whose work throws synchronously is rolled back', async () => {
        const error = new Error('no');
        const work = (): Promise<void> => {
          throw error;
        };
        await expect(driver.transaction(work)).rejects.toBe(error);
      });

      test('a transaction that violates a constraint is rolled back', async () => {
        const work = async (queries: Queries) => {
          await put(queries, 'a', 1);
          await put(queries, 'b', -1);
        };
        await expect(driver.transaction(work)).rejects.toThrow();
        expect(await keys(driver.reader)).toEqual([]);
      });

      test('a transaction with a failed query rejects, even when its work catches the error', async () => {
        let later: unknown;
        const work = async (queries: Queries) => {
          await put(queries, 'a');
          await put(queries, 'a').catch(() => undefined);
          later = await put(queries, 'b').catch((error: unknown) => error);
          return 'fine';
        };
        await expect(driver.transaction(work)).rejects.toThrow();
        expect(later).toBeInstanceOf(Error);
        expect(await keys(driver.reader)).toEqual([]);
      });

      test('a failing transaction does not fail concurrent transactions', async () => {
        const outcomes = await Promise.allSettled(
          ['a', 'b', 'c', 'd'].map((key) =>
            driver.transaction(async (queries) => {
              await put(queries, key);
              if (key === 'b') throw new Error('no');
              if (key === 'c') await put(queries, 'c');
            }),
          ),
        );
        expect(outcomes.map(({ status }) => status)).toEqual([
          'fulfilled',
          'rejected',
          'rejected',
          'fulfilled',
        ]);
        expect(await keys(driver.reader)).toEqual(['a', 'd']);
      });

      test('concurrent transactions lose no update', async () => {
        await driver.transaction((queries) => put(queries, 'count', 0));
        const increment = (queries: Queries) =>
          queries.run('UPDATE entries SET value = value + 1 WHERE key = @key', { key: 'count' });
        await Promise.all(Array.from({ length: 50 }, () => driver.transaction(increment)));
        const row = await driver.reader.get<Entry>('SELECT value FROM entries');
        expect(row?.value).toBe(50);
      });

      test('the queries of an ended transaction reject', async () => {
        const kept: Queries[] = [];
        const keep = async (queries: Queries) => {
          kept.push(queries);
        };
        await driver.transaction(keep);
        await driver
          .transaction(async (queries) => {
            await keep(queries);
            throw new Error('no');
          })
          .catch(() => undefined);
        expect(kept).toHaveLength(2);
        for (const queries of kept) {
          await expect(put(queries, 'a')).rejects.toThrow('ended');
          await expect(queries.all('SELECT 1')).rejects.toThrow('ended');
          await expect(queries.get('SELECT 1')).rejects.toThrow('ended');
        }
        expect(await keys(driver.reader)).toEqual([]);
      });
    });

    describe('close', () => {
      test('close waits for earlier transactions', async () => {
        const work = driver.transaction((queries) => put(queries, 'a'));
        await driver.close();
        await expect(work).resolves.toBe(1);
      });

      test('after close, queries and transactions reject and close resolves again', async () => {
        await driver.close();
        await driver.close();
        await expect(driver.transaction((queries) => put(queries, 'a'))).rejects.toThrow('closed');
        await expect(driver.reader.get('SELECT 1')).rejects.toThrow('closed');
      });
    });
  });
}
