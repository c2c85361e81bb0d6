import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type AttemptRecord,
  deliveryRepository,
  type QueuedDelivery,
} from '../../src/store/rows/webhooks/deliveries.ts';
import { plainSealer } from '../../src/store/sealing.ts';
import { openDatabase, secret, type TestDatabase } from '../support/delivery/database.ts';
import { testsPostgres } from '../support/postgres/databases.ts';
import { explaining } from '../support/store/explaining.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await openDatabase();
});
afterEach(() => database.close());

const refused: AttemptRecord = {
  startedAt: 1,
  statusCode: 500,
  durationMs: 7,
  error: 'status 500',
  responseBody: 'no',
};
const accepted: AttemptRecord = { ...refused, statusCode: 200, error: null, responseBody: '' };

function record(delivery: QueuedDelivery, attempt: AttemptRecord, nextAttemptAt?: number) {
  return database.record(
    delivery,
    attempt,
    nextAttemptAt === undefined
      ? { status: attempt.error === null ? 'succeeded' : 'failed', completedAt: 99 }
      : { status: 'retrying', nextAttemptAt },
  );
}

async function firstDue(): Promise<QueuedDelivery> {
  const [delivery] = await database.due();
  if (delivery === undefined) throw new Error('nothing is due');
  return delivery;
}

describe('deliveries.queues', () => {
  test('deliveries.queues returns the head of each active webhook, ordered by webhook id', async () => {
    const { clock, store } = database;
    const began = clock.now();
    expect(await store.deliveries.queues()).toEqual([]);

    const [a, b, off] = [
      await database.addWebhook(),
      await database.addWebhook(),
      await database.addWebhook({ active: false }),
    ];
    await database.addWebhook();
    clock.advance(5);
    for (const webhookId of [b, off]) await database.addDeliveries(webhookId, 2);
    clock.advance(5);
    await database.addDeliveries(a, 2);
    expect(await store.deliveries.queues()).toEqual([
      { webhookId: a, dueAt: began + 10 },
      { webhookId: b, dueAt: began + 5 },
    ]);

    await database.setActive(off, true);
    await database.setActive(a, false);
    expect(await store.deliveries.queues()).toEqual([
      { webhookId: b, dueAt: began + 5 },
      { webhookId: off, dueAt: began + 5 },
    ]);
  });

  test('deliveries.first returns the open deliveries of a webhook in the order of their due times', async () => {
    const { clock, store } = database;
    const webhookId = await database.addWebhook();
    const [first] = (await database.addDeliveries(webhookId, 1)) as [string];
    clock.advance(1);
    const [second] = (await database.addDeliveries(webhookId, 1)) as [string];
    const began = clock.now();
    const queue = (limit = 9) => store.deliveries.first(webhookId, limit);
    expect(await queue()).toMatchObject([
      { id: first, dueAt: began - 1 },
      { id: second, dueAt: began },
    ]);
    expect(await queue(1)).toMatchObject([{ id: first }]);

    await record(await firstDue(), refused, began + 50);
    expect(await queue()).toMatchObject([
      { id: second, dueAt: began },
      { id: first, dueAt: began + 50 },
    ]);
    await record(await firstDue(), accepted);
    expect(await queue()).toMatchObject([{ id: first, dueAt: began + 50 }]);
    clock.advance(50);
    await record(await firstDue(), refused);
    expect(await queue()).toEqual([]);
    expect(await store.deliveries.queues()).toEqual([]);
  });

  test.skipIf(testsPostgres)(
    'deliveries.queues skips from webhook to webhook, so its cost does not depend on queue lengths',
    async () => {
      const steps: string[] = [];
      const queries = deliveryRepository(explaining(database.driver.reader, steps), plainSealer);
      const long = await database.addWebhook();
      await database.addDeliveries(long, 20_000);
      const short = await database.addWebhook();
      const id = await database.addDelivery(short);
      expect(await queries.queues()).toMatchObject([{ webhookId: long }, { webhookId: short }]);
      expect(await queries.first(short, 9)).toMatchObject([{ id }]);
      expect((await queries.findQueued([id])).get(id)).toMatchObject({ id });

      const plan = steps.join('\n');
      expect(plan).toMatch(/SEARCH deliveries USING COVERING INDEX deliveries_due/);
      expect(plan).not.toMatch(/SCAN (webhooks|events|w|d|e)\b/);
      // MIN without a webhook reads only the first entry of this index, and SQLite calls that a scan.
      expect(plan).not.toMatch(/SCAN deliveries (?!USING COVERING INDEX deliveries_due)/);
      expect(plan).not.toContain('TEMP B-TREE');
    },
  );
});

describe('deliveries.findQueued', () => {
  test('findQueued returns the delivery with body, URL, secret and headers', async () => {
    const headers = { 'X-Tenant': 'a' };
    const webhookId = await database.addWebhook({ url: 'https://example.com/', headers });
    const id = await database.addDelivery(webhookId, { body: '{"a":"ü"}', test: true });
    const found = await database.store.deliveries.findQueued([id]);
    expect([...found.keys()]).toEqual([id]);
    expect(found.get(id)).toEqual({
      id,
      webhookId,
      instanceId: expect.any(String),
      eventId: expect.stringMatching(/^evt_/),
      eventType: 'vault.created',
      status: 'pending',
      attemptNumber: 0,
      test: true,
      retry: null,
      url: 'https://example.com/',
      secret,
      previousSecret: null,
      previousSecretExpiresAt: null,
      headers,
      body: '{"a":"ü"}',
      traceparent: null,
      tracestate: null,
    });
  });

  test('findQueued returns empty headers for a webhook without headers', async () => {
    await database.addDelivery(await database.addWebhook({ headers: null }));
    expect((await firstDue()).headers).toEqual({});
  });

  test('findQueued omits ended and deleted deliveries and those of an inactive webhook', async () => {
    const { findQueued } = database.store.deliveries;
    const webhookId = await database.addWebhook();
    const [ended, waiting] = (await database.addDeliveries(webhookId, 2)) as [string, string];
    const other = await database.addDelivery(await database.addWebhook());
    const found = async () => [...(await findQueued([ended, waiting, other])).keys()].sort();
    expect(await found()).toEqual([ended, waiting, other].sort());
    const delivery = (await findQueued([ended])).get(ended);
    if (delivery) await record(delivery, accepted);
    expect(await found()).toEqual([waiting, other].sort());
    await database.setActive(webhookId, false);
    expect(await found()).toEqual([other]);
    await database.setActive(webhookId, true);
    expect(await found()).toEqual([waiting, other].sort());
    await database.deleteWebhook(webhookId);
    expect(await found()).toEqual([other]);
  });
});

describe('deliveries.recordAttempts', () => {
  test('recordAttempts stores a failed attempt and the time of its retry', async () => {
    const id = await database.addDelivery(await database.addWebhook());
    await record(await firstDue(), refused, 1234);
    expect(await database.delivery(id)).toEqual({
      status: 'retrying',
      attemptNumber: 1,
      statusCode: 500,
      error: 'status 500',
      nextAttemptAt: 1234,
      completedAt: null,
    });
    expect(await database.attempts(id)).toEqual([{ attemptNumber: 1, ...refused }]);
  });

  test('recordAttempts stores the successful attempt after a failed one and ends the delivery', async () => {
    const id = await database.addDelivery(await database.addWebhook());
    await record(await firstDue(), refused, database.clock.now());
    await record(await firstDue(), accepted);
    expect(await database.delivery(id)).toEqual({
      status: 'succeeded',
      attemptNumber: 2,
      statusCode: 200,
      error: null,
      nextAttemptAt: null,
      completedAt: 99,
    });
    expect(await database.attempts(id)).toMatchObject([
      { attemptNumber: 1, error: 'status 500' },
      { attemptNumber: 2, error: null },
    ]);
    expect(await database.due()).toEqual([]);
  });

  test('recordAttempts stores the attempts of several webhooks in one transaction', async () => {
    const webhooks = [await database.addWebhook(), await database.addWebhook()];
    for (const webhookId of webhooks) await database.addDeliveries(webhookId, 3);
    const outcome = { status: 'succeeded', completedAt: 99 } as const;
    const results = (await database.due()).map((delivery) => ({
      delivery,
      attempt: accepted,
      outcome,
    }));
    await database.store.transaction((tx) => tx.deliveries.recordAttempts(results));
    expect(await database.count("status = 'succeeded'")).toBe(6);
    expect(await database.store.deliveries.countOpen()).toBe(0);
  });

  test('recordAttempts skips an attempt that is already recorded', async () => {
    const id = await database.addDelivery(await database.addWebhook());
    const delivery = await firstDue();
    await record(delivery, refused, 1234);
    await record(delivery, { ...refused, statusCode: 503 }, 5678);
    expect(await database.attempts(id)).toHaveLength(1);
    expect(await database.delivery(id)).toMatchObject({ statusCode: 500, nextAttemptAt: 1234 });
  });

  test('recordAttempts skips a delivery that was deleted with its webhook', async () => {
    const webhookId = await database.addWebhook();
    const id = await database.addDelivery(webhookId);
    const delivery = await firstDue();
    await database.deleteWebhook(webhookId);
    await record(delivery, refused, 1234);
    expect(await database.delivery(id)).toBeUndefined();
    expect(await database.attempts(id)).toEqual([]);
    expect(await database.store.deliveries.countOpen()).toBe(0);
  });
});

describe('deliveries.recordAttempts after a retry was requested during the attempt', () => {
  const later = 5_000_000_000_000;

  /** Requests a retry, as another server does. */
  async function retry(id: string) {
    await database.store.transaction(async (tx) => {
      const delivery = await tx.deliveryLog.find(id);
      if (delivery) await tx.deliveries.retry(delivery, database.clock.now());
    });
  }

  async function retryDuringAttempt() {
    const webhookId = await database.addWebhook();
    const id = await database.addDelivery(webhookId);
    const delivery = await firstDue();
    await retry(id);
    return { id, webhookId, delivery };
  }

  test('an attempt that would be made again later is made again at once, for the retry', async () => {
    const { id, delivery } = await retryDuringAttempt();
    await record(delivery, refused, later);
    expect(await database.delivery(id)).toMatchObject({
      status: 'retrying',
      nextAttemptAt: database.clock.now(),
    });
    const second = await firstDue();
    expect(second).toMatchObject({ id, attemptNumber: 1, retry: 'next' });
    await record(second, refused, later);
    expect(await database.due()).toEqual([]);
    expect(await database.delivery(id)).toMatchObject({ nextAttemptAt: later });
  });

  test('a delivery that has failed for good is opened for one attempt', async () => {
    const { id, webhookId, delivery } = await retryDuringAttempt();
    await record(delivery, refused);
    const second = await firstDue();
    expect(second).toMatchObject({ id, status: 'retrying', attemptNumber: 1, retry: 'once' });
    expect(await database.store.deliveries.countOpen()).toBe(1);
    const { webhookStatistics } = database.store;
    expect(await webhookStatistics.find(webhookId)).toMatchObject({ failedDeliveries: 0 });
    await record(second, refused);
    expect(await database.due()).toEqual([]);
    expect(await database.store.deliveries.countOpen()).toBe(0);
    const expected = { totalDeliveries: 1, failedDeliveries: 1 };
    expect(await webhookStatistics.find(webhookId)).toMatchObject(expected);
  });

  test('a delivery that has succeeded stays ended', async () => {
    const { id, delivery } = await retryDuringAttempt();
    await record(delivery, accepted);
    expect(await database.delivery(id)).toMatchObject({ status: 'succeeded', completedAt: 99 });
    expect(await database.due()).toEqual([]);
    expect(await database.store.deliveries.countOpen()).toBe(0);
  });

  test('a failure is stored also when the secret of the webhook cannot be decrypted', async () => {
    const { id, delivery } = await retryDuringAttempt();
    const unreadable = Object.defineProperty({ ...delivery }, 'secret', {
      enumerable: true,
      get() {
        throw new Error('the master key is another one');
      },
    });
    await record(unreadable, refused);
    expect(await firstDue()).toMatchObject({ id, retry: 'once' });
  });
});
