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

/** What every driver promises, whatever the database behind it. */
export function driverSuite(name: string, open: () => Promise<Driver>, dialect: Dialect): void {
  describe(`${name} as a driver`, () => {
    let driver: Driver;

    beforeEach(async () => {
      driver = await open();
      await driver.transaction(async (queries) => {
        await queries.run(
          'CREATE TABLE entries (key TEXT PRIMARY KEY, value INTEGER NOT NULL CHECK (value >= 0))',
        );
        await queries.run(
          `CREATE TABLE samples (id INTEGER PRIMARY KEY, text TEXT, whole INTEGER, broken REAL, bytes ${dialect.bytes})`,
        );
      });
    });

    afterEach(() => driver.close());

    describe('the revision', () => {
      test('is another after each commit, before its transaction is answered', async () => {
        const seen = [driver.revision];
        for (const key of ['a', 'b', 'c']) {
          await driver.transaction((queries) => put(queries, key));
          seen.push(driver.revision);
        }
        const known = seen.filter((revision) => revision !== undefined);
        expect(new Set(known).size).toBe(known.length);
      });

      test('is the same as long as reading gives the same', async () => {
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
      ])('come back as they were stored: %j', async (values) => {
        expect(await store(values)).toEqual(values);
        expect(await driver.reader.get('SELECT text, whole, broken FROM samples')).toEqual(values);
      });

      test('come back as null when they were null', async () => {
        expect(await store({})).toEqual({ text: null, whole: null, broken: null });
      });

      test('keep bytes exact, those of a part of a larger buffer too', async () => {
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

      test('are whole numbers wherever they are used', async () => {
        const row = await driver.reader.get('SELECT CAST(@n AS TEXT) AS text, 7 / @n AS half', {
          n: 2,
        });
        expect(row).toEqual({ text: '2', half: 3 });
      });

      test('are refused when SQL has none like them', async () => {
        const missing = {} as { n: number };
        for (const parameters of [{ n: Number.NaN }, { n: Number.POSITIVE_INFINITY }, missing]) {
          await expect(driver.reader.get('SELECT @n AS n', parameters)).rejects.toThrow();
        }
      });
    });

    describe('queries', () => {
      test('answer undefined and nothing where there is no row', async () => {
        expect(await driver.reader.get('SELECT key FROM entries')).toBeUndefined();
        expect(await driver.reader.all('SELECT key FROM entries')).toEqual([]);
      });

      test('count the rows a change touched', async () => {
        const counts = await driver.transaction(async (queries) => [
          await put(queries, 'a', 1),
          await put(queries, 'b', 2),
          await queries.run('UPDATE entries SET value = value + @by', { by: 1 }),
          await queries.run('DELETE FROM entries WHERE key = @key', { key: 'c' }),
          await queries.run('DELETE FROM entries'),
        ]);
        expect(counts).toEqual([1, 1, 2, 0, 2]);
      });

      test('take parameters a statement does not use', async () => {
        expect(await driver.reader.get('SELECT @a AS a', { a: 'x', unused: 1 })).toEqual({
          a: 'x',
        });
      });

      test('reject what is no SQL, and go on', async () => {
        await expect(driver.reader.get('SELEKT 1')).rejects.toThrow();
        expect(await driver.reader.get('SELECT 1 AS one')).toEqual({ one: 1 });
      });

      test('refuse to write through the reader', async () => {
        await expect(put(driver.reader, 'a')).rejects.toThrow();
        await expect(
          driver.reader.get(`${insert} RETURNING key`, { key: 'a', value: 1 }),
        ).rejects.toThrow();
        await expect(driver.reader.run('CREATE TABLE more (id INTEGER)')).rejects.toThrow();
        expect(await keys(driver.reader)).toEqual([]);
      });
    });

    describe('a transaction', () => {
      test('answers what its work answers, and is there for the reader then', async () => {
        const reply = await driver.transaction(async (queries) => {
          await put(queries, 'a', 1);
          return queries.get<Entry>('SELECT key, value FROM entries');
        });
        expect(reply).toEqual({ key: 'a', value: 1 });
        expect(await keys(driver.reader)).toEqual(['a']);
      });

      test('is invisible to the reader until it is committed', async () => {
        let seen: Promise<string[]> | undefined;
        await driver.transaction(async (queries) => {
          await put(queries, 'a');
          seen = keys(driver.reader);
          await put(queries, 'b');
        });
        expect(await seen).toEqual([]);
        expect(await keys(driver.reader)).toEqual(['a', 'b']);
      });

      test('leaves nothing when its work rejects, and passes the error on as it is', async () => {
        const error = new Error('no');
        const work = async (queries: Queries) => {
          await put(queries, 'a');
          throw error;
        };
        await expect(driver.transaction(work)).rejects.toBe(error);
        expect(await keys(driver.reader)).toEqual([]);
      });

      test('leaves nothing when its work throws at once', async () => {
        const error = new Error('no');
        const work = (): Promise<void> => {
          throw error;
        };
        await expect(driver.transaction(work)).rejects.toBe(error);
      });

      test('leaves nothing when a constraint refuses one of its changes', async () => {
        const work = async (queries: Queries) => {
          await put(queries, 'a', 1);
          await put(queries, 'b', -1);
        };
        await expect(driver.transaction(work)).rejects.toThrow();
        expect(await keys(driver.reader)).toEqual([]);
      });

      test('fails once a query has failed, even when its work looks away', async () => {
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

      test('fails alone among those that run at the same time', async () => {
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

      test('loses no update to another', async () => {
        await driver.transaction((queries) => put(queries, 'count', 0));
        const increment = (queries: Queries) =>
          queries.run('UPDATE entries SET value = value + 1 WHERE key = @key', { key: 'count' });
        await Promise.all(Array.from({ length: 50 }, () => driver.transaction(increment)));
        const row = await driver.reader.get<Entry>('SELECT value FROM entries');
        expect(row?.value).toBe(50);
      });

      test('cannot be used after it has ended', async () => {
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

    describe('closing', () => {
      test('waits for the transactions that were asked for before', async () => {
        const work = driver.transaction((queries) => put(queries, 'a'));
        await driver.close();
        await expect(work).resolves.toBe(1);
      });

      test('refuses everything afterwards, and may be repeated', async () => {
        await driver.close();
        await driver.close();
        await expect(driver.transaction((queries) => put(queries, 'a'))).rejects.toThrow('closed');
        await expect(driver.reader.get('SELECT 1')).rejects.toThrow('closed');
      });
    });
  });
}
