import { afterEach, beforeEach, expect, test } from 'vitest';
import { deliveryLogRepository } from '../../src/store/rows/webhooks/delivery-log.ts';
import { openDatabase, type TestDatabase } from '../support/delivery/database.ts';
import { testsPostgres } from '../support/postgres/databases.ts';
import { explaining } from '../support/store/explaining.ts';

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
  expect(reads).toHaveLength(2);
  for (const step of reads) {
    expect(step).toMatch(/^SEARCH deliveries USING COVERING INDEX/);
    expect(step).toContain(`(${conditions})`);
  }
});
