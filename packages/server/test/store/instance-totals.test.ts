import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Queries } from '../../src/store/driver.ts';
import { InstanceLedger, InstanceTotals } from '../../src/store/instance-totals.ts';
import { openDatabase, type TestDatabase } from '../support/delivery/database.ts';
import { testsPostgres } from '../support/postgres/databases.ts';
import { documentRecord, insertDocument, vaultRecord } from '../support/store/records.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await openDatabase();
});
afterEach(() => database.close());

async function usedBytes({ store, owner }: TestDatabase): Promise<number | undefined> {
  return (await store.instances.find(owner.instanceId))?.usedBytes;
}

/** Uploads a document as the domain does: reads the usage, inserts, and adds the bytes. */
async function upload(id: string, sizeBytes: number, fails = false): Promise<void> {
  const { store, owner } = database;
  const vault = vaultRecord(database, `vault of ${id}`);
  await store.transaction(async (tx) => {
    await tx.vaults.insert(vault);
    await tx.usage.ofVault(vault.id);
    await insertDocument(tx, documentRecord(vault, { id, sizeBytes }));
    await tx.instances.use(owner.instanceId, sizeBytes);
    if (fails) throw new Error('rolled back');
  });
}

describe('used bytes of an instance', () => {
  test('a rolled back transaction leaves the sum unchanged, also for transactions of its commit', async () => {
    await upload('first', 10);
    const seen: (number | undefined)[] = [];
    const read = database.store.transaction(async (tx) => {
      seen.push((await tx.instances.find(database.owner.instanceId))?.usedBytes);
    });
    const results = await Promise.allSettled([read, upload('second', 5, true), upload('third', 1)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(seen).toEqual([10]);
    expect(await usedBytes(database)).toBe(11);
  });

  // On PostgreSQL, each transaction has a commit of its own.
  test.skipIf(testsPostgres)(
    'a transaction whose shared commit fails leaves the sum unchanged',
    async () => {
      const { driver } = database;
      await upload('first', 10);
      // The database checks the reference when it commits.
      await driver.transaction((queries) =>
        queries.run(
          'CREATE TABLE notes (of TEXT REFERENCES vaults (id) DEFERRABLE INITIALLY DEFERRED) STRICT',
        ),
      );
      const results = await Promise.allSettled([
        upload('second', 5),
        driver.transaction((queries) => queries.run("INSERT INTO notes (of) VALUES ('no vault')")),
      ]);
      expect(results).toMatchObject([
        { reason: { name: 'TransactionLostError' } },
        { reason: { name: 'TransactionLostError' } },
      ]);
      expect(await usedBytes(database)).toBe(10);
    },
  );

  test('a sum that a rolled back transaction read first is read again', async () => {
    await expect(upload('first', 5, true)).rejects.toThrow('rolled back');
    expect(await usedBytes(database)).toBe(0);
    await upload('second', 7);
    expect(await usedBytes(database)).toBe(7);
  });

  test('a deletion before the first read of the sum is subtracted once', async () => {
    const { store, owner } = database;
    await upload('first', 5);
    await upload('second', 7);
    const fresh = new InstanceTotals(() => 0);
    await store.transaction(async (tx) => tx.documents.delete('first'));
    await database.driver.transaction(async (queries) => {
      const ledger = new InstanceLedger(fresh, 'transaction');
      ledger.add(owner.instanceId, -5);
      expect(await ledger.usedBytes(queries, owner.instanceId)).toBe(7);
    });
  });

  test('the sum is read again after a commit of another process', async () => {
    let foreignCommits = 0;
    const totals = new InstanceTotals(() => foreignCommits);
    let sum = 3;
    const queries = { get: async () => ({ bytes: sum }) } as unknown as Queries;
    const ledger = new InstanceLedger(totals, 'transaction');
    expect(await ledger.usedBytes(queries, 'one')).toBe(3);
    sum = 8;
    expect(await ledger.usedBytes(queries, 'one')).toBe(3);
    foreignCommits = 1;
    expect(await ledger.usedBytes(queries, 'one')).toBe(8);
  });

  describe('where transactions run at the same time', () => {
    let second: number;
    let totals: InstanceTotals;
    const queries = { get: async () => ({ bytes: 0 }) } as unknown as Queries;

    beforeEach(() => {
      second = 0;
      totals = new InstanceTotals(() => second, true);
    });

    /** Starts a transaction that reads the sum. */
    async function reading(): Promise<InstanceLedger> {
      const ledger = new InstanceLedger(totals, 'transaction');
      expect(await ledger.usedBytes(queries, 'one')).toBe(0);
      return ledger;
    }

    test('two uploads that together exceed the quota are not both added after the second changes', async () => {
      const [first, other] = [await reading(), await reading()];
      expect(first.add('one', 60, 100)).toBe(true);
      second += 1;
      expect(other.add('one', 60, 100)).toBe(false);
      expect(other.add('one', 40, 100)).toBe(true);
    });

    test('two uploads that together exceed the quota are not both added after the reader of the sum is rolled back', async () => {
      const [reader, first, other] = [await reading(), await reading(), await reading()];
      expect(first.add('one', 60, 100)).toBe(true);
      reader.revert();
      expect(other.add('one', 60, 100)).toBe(false);
    });
  });
});
