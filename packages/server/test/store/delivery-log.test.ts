import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Rows } from '../../src/store/lists/listing.ts';
import {
  type DeliveryRecord,
  deliveryLogRepository,
} from '../../src/store/rows/webhooks/delivery-log.ts';
import { openDatabase, type TestDatabase } from '../support/delivery/database.ts';
import { testsPostgres } from '../support/postgres/databases.ts';
import { explaining } from '../support/store/explaining.ts';
import { observing } from '../support/store/observing.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await openDatabase();
});
afterEach(() => database.close());

test.skipIf(testsPostgres).each([
  [{}, 'webhook_id=?'],
  [{ status: 'pending' }, 'webhook_id=? AND status=?'],
  [{ eventType: 'vault.created' }, 'webhook_id=? AND event_type=?'],
  [{ status: 'pending', eventType: 'vault.created' }, 'webhook_id=? AND status=?'],
  [{ onlyOwn: true }, 'webhook_id=?'],
  [{ onlyOwn: true, eventType: 'vault.created' }, 'webhook_id=? AND event_type=?'],
] as const)('deliveryLog.list filtered by %j reads one index', async (filter, conditions) => {
  const webhookId = await database.addWebhook();
  await database.addDeliveries(webhookId, 3);
  const steps: string[] = [];
  const { totalCount } = await deliveryLogRepository(
    explaining(database.driver.reader, steps),
  ).list({
    webhookId,
    ...filter,
    sortBy: 'createdAt',
    sortOrder: 'desc',
    page: 1,
    pageSize: 2,
  });
  expect(totalCount).toBe(3);
  const reads = steps.filter((step) => /(SEARCH|SCAN) deliveries/.test(step));
  expect(reads).not.toHaveLength(0);
  for (const step of reads) {
    expect(step).toMatch(/^SEARCH deliveries USING COVERING INDEX/);
    expect(step).toContain(`(${conditions}`);
  }
});

describe('webhook with 50,000 deliveries', () => {
  const length = 50_000;

  /** Every fifth one failed, every fourth one has another type, every hundredth one is of another account. */
  async function addMany(webhookId: string): Promise<void> {
    const first = await database.addDelivery(webhookId);
    await database.driver.transaction(async (tx) => {
      await tx.run(
        `INSERT INTO deliveries (id, webhook_id, event_id, event_type, test, of_other, status, created_at)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @length)
         SELECT 'dlv_' || (100000 + i), @webhookId, d.event_id,
           CASE WHEN i % 4 = 0 THEN 'vault.deleted' ELSE 'vault.created' END, 1,
           CASE WHEN i % 100 = 0 THEN 1 ELSE 0 END,
           CASE WHEN i % 5 = 0 THEN 'failed' ELSE 'succeeded' END, i
         FROM n CROSS JOIN deliveries d WHERE d.id = @first`,
        { length, webhookId, first },
      );
      await tx.run('DELETE FROM deliveries WHERE id = @first', { first });
    });
  }

  function numbersOf(rows: readonly { readonly id: string }[]): number[] {
    return rows.map(({ id }) => Number(id.slice(4)) - 100_000);
  }

  test.each([
    [{}, (_: number): boolean => true],
    [{ onlyOwn: true }, (i: number) => i % 100 !== 0],
    [{ status: 'failed' }, (i: number) => i % 5 === 0],
    [{ eventType: 'vault.deleted' }, (i: number) => i % 4 === 0],
    [
      { status: 'succeeded', eventType: 'vault.deleted', onlyOwn: true },
      (i: number) => i % 5 !== 0 && i % 4 === 0 && i % 100 !== 0,
    ],
  ] as const)(
    'deliveryLog.list filtered by %j is complete, and counts at most 20,000 rows at once on SQLite',
    async (filter, matches) => {
      const webhookId = await database.addWebhook();
      await addMany(webhookId);
      const expected = Array.from({ length }, (_, index) => length - index).filter(matches);
      const totals: number[] = [];
      const reader = observing(database.driver.reader, ({ result }) => {
        const total = (result as { readonly total?: number } | undefined)?.total;
        if (total !== undefined) totals.push(total);
      });
      const log = deliveryLogRepository(reader);
      for (const page of [1, 2, 3, 40, Math.ceil(expected.length / 100)]) {
        const list: Rows<DeliveryRecord> = await log.list({
          webhookId,
          ...filter,
          sortBy: 'createdAt',
          sortOrder: 'desc',
          page,
          pageSize: 100,
        });
        expect(list.totalCount).toBe(expected.length);
        expect(numbersOf(list.rows)).toEqual(expected.slice((page - 1) * 100, page * 100));
      }
      expect(totals).not.toHaveLength(0);
      // A statement of PostgreSQL blocks no other request.
      if (!testsPostgres) expect(Math.max(...totals)).toBeLessThanOrEqual(20_000);
    },
  );

  test('deliveryLog.listOfEach refuses so many rows on SQLite', async () => {
    const few = await database.addWebhook();
    const [id] = await database.addDeliveries(few, 1);
    const webhookId = await database.addWebhook();
    await database.addDeliveries(webhookId, 1);
    const request = { sortBy: 'createdAt', sortOrder: 'desc', page: 1, pageSize: 2 } as const;
    const { deliveryLog } = database.store;
    const lists = await deliveryLog.listOfEach([few, webhookId], request);
    expect(lists?.get(few)?.rows.map((row) => row.id)).toEqual([id]);
    await database.driver.transaction((tx) =>
      tx.run(
        'UPDATE webhook_statistics SET finished_deliveries = 20000 WHERE webhook_id = @webhookId',
        { webhookId },
      ),
    );
    const many = await deliveryLog.listOfEach([few, webhookId], request);
    expect(many).toEqual(testsPostgres ? lists : undefined);
  });
});
