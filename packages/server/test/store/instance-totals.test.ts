import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Queries } from '../../src/store/driver.ts';
import { InstanceLedger, InstanceTotals } from '../../src/store/instance-totals.ts';
import { readingDialect } from '../../src/store/postgres/dialect.ts';
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts';
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
    const { driver, owner } = database;
    await upload('first', 5);
    await upload('second', 7);
    const fresh = new InstanceTotals(() => 0, driver.reader);
    await driver.transaction(async (queries) => {
      const ledger = new InstanceLedger(fresh, queries);
      await queries.run("DELETE FROM documents WHERE id = 'first'");
      ledger.add(owner.instanceId, -5);
      expect(await ledger.usedBytes(queries, owner.instanceId)).toBe(7);
    });
  });

  test('the sum is read again after a commit of another process', async () => {
    let otherWriters = 0;
    let sum = 3;
    const get = async () => ({ bytes: sum, snapshot: '' });
    const queries = { dialect: sqliteDialect, get } as unknown as Queries;
    const totals = new InstanceTotals(() => otherWriters, queries);
    const ledger = new InstanceLedger(totals, queries);
    expect(await ledger.usedBytes(queries, 'one')).toBe(3);
    sum = 8;
    expect(await ledger.usedBytes(queries, 'one')).toBe(3);
    otherWriters = 1;
    expect(await ledger.usedBytes(queries, 'one')).toBe(8);
  });

  describe('where transactions run at the same time', () => {
    let second: number;
    let now: number;
    let reads: number;
    let totals: InstanceTotals;
    /** Resolves the statement that reads the sum, once it runs. */
    let answer: (bytes: number, snapshot: string) => void;
    let isAnswered: boolean;

    beforeEach(() => {
      second = 0;
      now = 0;
      reads = 0;
      isAnswered = true;
      const get = async () => {
        reads += 1;
        if (isAnswered) return { bytes: 0, snapshot: '1:1:' };
        const { promise, resolve } = Promise.withResolvers();
        answer = (bytes, snapshot) => resolve({ bytes, snapshot });
        return promise;
      };
      const reader = { dialect: readingDialect, get } as unknown as Queries;
      totals = new InstanceTotals(
        () => second,
        reader,
        () => now,
      );
    });

    function transaction(transactionId: string): [InstanceLedger, Queries] {
      const queries = { transactionId } as Queries;
      return [new InstanceLedger(totals, queries), queries];
    }

    /** Starts a transaction that reads the sum. */
    async function reading(): Promise<InstanceLedger> {
      const [ledger, queries] = transaction('7');
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

    /** Begins an upload of 60 bytes, and a transaction whose read of the sum waits for `answer`. */
    function uploadDuringRead() {
      isAnswered = false;
      const [reader, queries] = transaction('10');
      const [upload] = transaction('11');
      upload.add('one', 60);
      const read = () => reader.usedBytes(queries, 'one');
      return { upload, used: read(), read };
    }

    test.each([
      { moment: 'before the snapshot', sum: 60, snapshot: '12:12:' },
      { moment: 'before the snapshot, while an earlier one runs', sum: 60, snapshot: '10:12:10' },
      { moment: 'after the snapshot', sum: 0, snapshot: '10:12:10,11' },
      { moment: 'after the snapshot, with a later id', sum: 0, snapshot: '10:11:10' },
    ])('an upload that is committed $moment counts once', async ({ sum, snapshot }) => {
      const { upload, used } = uploadDuringRead();
      upload.settle();
      answer(sum, snapshot);
      expect(await used).toBe(60);
      expect(totals.get('one')).toBe(60);
    });

    test.each([
      { moment: 'before the snapshot', snapshot: '10:12:10', counted: 5 },
      { moment: 'after the snapshot', snapshot: '10:12:10,11', counted: 65 },
    ])(
      'an upload that ends $moment and turns out to be rolled back does not count',
      async ({ snapshot, counted }) => {
        const { upload, used } = uploadDuringRead();
        answer(5, snapshot);
        expect(await used).toBe(counted);
        upload.revert();
        expect(totals.last('one')).toBe(5);
      },
    );

    test('an upload that is rolled back while the sum is read does not count', async () => {
      const { upload, used } = uploadDuringRead();
      upload.revert();
      answer(5, '10:12:10,11');
      expect(await used).toBe(5);
    });

    test('a running upload counts before and after its commit, whose response comes later', async () => {
      const { upload, used: before, read } = uploadDuringRead();
      answer(0, '10:12:10,11');
      expect(await before).toBe(60);
      second += 1;
      const after = read();
      answer(60, '10:12:10');
      expect(await after).toBe(60);
      upload.settle();
      expect(totals.get('one')).toBe(60);
    });

    test('transactions that need the sum at the same time read it once', async () => {
      isAnswered = false;
      const all = Array.from({ length: 50 }, (_, index) => transaction(String(index + 10)));
      const used = all.map(([ledger, queries]) => ledger.usedBytes(queries, 'one'));
      answer(5, '99:99:');
      expect(await Promise.all(used)).toEqual(Array(50).fill(5));
      expect(reads).toBe(1);
    });

    test('a sum whose read takes 170 ms is read at most every 3.4 s, in the background', async () => {
      isAnswered = false;
      const [ledger, queries] = transaction('7');
      const first = ledger.usedBytes(queries, 'one');
      now += 170;
      answer(5, '99:99:');
      await first;
      for (; now < 170 + 3_400; now += 100) {
        second = Math.floor(now / 1000);
        expect(await ledger.usedBytes(queries, 'one')).toBe(5);
      }
      expect(reads).toBe(1);
      second += 1;
      expect(await ledger.usedBytes(queries, 'one')).toBe(5);
      expect(await ledger.usedBytes(queries, 'one')).toBe(5);
      expect(reads).toBe(2);
      answer(8, '99:99:');
      await expect.poll(() => totals.last('one')).toBe(8);
    });

    test('a sum that is older than two pauses is waited for', async () => {
      isAnswered = false;
      const [ledger, queries] = transaction('7');
      const first = ledger.usedBytes(queries, 'one');
      now += 170;
      answer(5, '99:99:');
      await first;
      now += 6_800;
      second += 1;
      const used = ledger.usedBytes(queries, 'one');
      answer(8, '99:99:');
      expect(await used).toBe(8);
      expect(reads).toBe(2);
    });
  });
});
