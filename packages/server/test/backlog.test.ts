import { afterEach, beforeEach, expect, test } from 'vitest';
import { createBacklog } from '../src/domain/webhooks/backlog.ts';
import { openDatabase, type TestDatabase } from './support/delivery/database.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await openDatabase();
});
afterEach(() => database.close());

test('waitingSince returns the earliest due time of active webhooks that are not served', async () => {
  const served = new Set<string>();
  const backlog = createBacklog(database.store, {
    isServed: (webhookId) => served.has(webhookId),
  });
  const { clock } = database;
  const since = () => backlog.waitingSince(clock.now());
  const began = clock.now();
  expect(await since()).toBeUndefined();

  const off = await database.addWebhook({ active: false });
  await database.addDelivery(off);
  expect(await since()).toBeUndefined();

  const [early, late] = [await database.addWebhook(), await database.addWebhook()];
  await database.addDeliveries(early, 2);
  clock.advance(10);
  await database.addDelivery(late);
  expect(await since()).toBe(began);
  expect(await backlog.waitingSince(began - 1)).toBeUndefined();

  served.add(early);
  expect(await since()).toBe(began + 10);
  served.delete(early);
  expect(await since()).toBe(began);
  expect(await backlog.countOpen()).toBe(4);
});
