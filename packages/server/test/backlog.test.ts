import { afterEach, beforeEach, expect, it } from 'vitest';
import { createBacklog, DeliveriesUnderWay } from '../src/domain/webhooks/backlog.ts';
import { openDatabase, type TestDatabase } from './support/delivery/database.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await openDatabase();
});
afterEach(() => database.close());

it('waits since the earliest due delivery of an active webhook that nothing is being sent to', async () => {
  const underWay = new DeliveriesUnderWay();
  const backlog = createBacklog({ store: database.store, underWay });
  const { clock } = database;
  const since = () => backlog.waitingSince(clock.now());
  const began = clock.now();
  expect(await since()).toBeUndefined();

  const off = await database.addWebhook({ active: false });
  await database.addDelivery(off);
  expect(await since()).toBeUndefined();

  const [early, late] = [await database.addWebhook(), await database.addWebhook()];
  const [first, second] = (await database.addDeliveries(early, 2)) as [string, string];
  clock.advance(10);
  await database.addDelivery(late);
  expect(await since()).toBe(began);
  expect(await backlog.waitingSince(began - 1)).toBeUndefined();

  underWay.add(first, early);
  underWay.add(second, early);
  underWay.delete(second);
  expect(await since()).toBe(began + 10);
  underWay.delete(first);
  expect(await since()).toBe(began);
  expect(await backlog.countOpen()).toBe(4);
});
