import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Queries } from '../../src/store/driver.ts';
import { openSqlite, type SqliteDriver } from '../../src/store/sqlite/driver.ts';

let driver: SqliteDriver;

beforeEach(async () => {
  driver = await openSqlite({ folder: ':memory:' });
  await driver.transaction((queries) =>
    queries.run('CREATE TABLE entries (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT'),
  );
});

afterEach(() => driver.close());

describe('random transactions', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd');
  const step = fc.oneof(
    fc.record({ kind: fc.constant('put' as const), key, value: fc.nat(9) }),
    fc.record({ kind: fc.constant('insert' as const), key, value: fc.nat(9) }),
    fc.record({ kind: fc.constant('remove' as const), key }),
  );
  const transaction = fc.record({
    steps: fc.array(step, { maxLength: 5 }),
    ending: fc.constantFrom('return', 'throw', 'stall'),
  });
  type Model = ReadonlyMap<string, number>;
  type Transaction = typeof transaction extends fc.Arbitrary<infer T> ? T : never;

  /** Applies the transaction to a map. Returns undefined when it has to fail. */
  function expected(before: Model, { steps, ending }: Transaction): Model | undefined {
    const model = new Map(before);
    for (const one of steps) {
      if (one.kind === 'insert' && model.has(one.key)) return undefined;
      if (one.kind === 'remove') model.delete(one.key);
      else model.set(one.key, one.value);
    }
    return ending === 'return' ? model : undefined;
  }

  async function contents(queries: Queries): Promise<Model> {
    const rows = await queries.all<{ key: string; value: number }>(
      'SELECT key, value FROM entries',
    );
    return new Map(rows.map((row) => [row.key, row.value]));
  }

  const statements = {
    put: 'INSERT INTO entries (key, value) VALUES (@key, @value) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    insert: 'INSERT INTO entries (key, value) VALUES (@key, @value)',
    remove: 'DELETE FROM entries WHERE key = @key RETURNING key',
  };

  const run = ({ steps, ending }: Transaction) =>
    driver.transaction(async (queries) => {
      const seen = await contents(queries);
      for (const one of steps) {
        if (one.kind === 'remove') await queries.all(statements.remove, { ...one });
        else await queries.run(statements[one.kind], { ...one });
      }
      if (ending === 'throw') throw new Error('no');
      if (ending === 'stall') await new Promise((resolve) => setImmediate(resolve));
      return seen;
    });

  test('concurrent random transactions leave the same rows as a map changed in sequence', async () => {
    let model: Model = await contents(driver.reader);
    const batches = fc.array(transaction, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(batches, async (batch) => {
        const outcomes = await Promise.allSettled(batch.map(run));
        for (const [index, outcome] of outcomes.entries()) {
          const next = expected(model, batch[index] as Transaction);
          expect(outcome.status).toBe(next ? 'fulfilled' : 'rejected');
          // Each transaction sees earlier ones, and no changes of failed ones.
          if (outcome.status === 'fulfilled') expect(outcome.value).toEqual(model);
          model = next ?? model;
        }
        expect(await contents(driver.reader)).toEqual(model);
      }),
      { numRuns: 200 },
    );
  });
});
