import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { outcomeOf } from '../../src/delivery/schedule.ts';
import type { QueuedDelivery } from '../../src/store/rows/webhooks/deliveries.ts';
import { webhookStatisticsRepository } from '../../src/store/rows/webhooks/delivery-counters.ts';
import { openDatabase, type TestDatabase } from '../support/delivery/database.ts';
import { testsPostgres } from '../support/postgres/databases.ts';
import { counterProblems } from '../support/store/counters.ts';
import { explaining } from '../support/store/explaining.ts';

/** Changes of the deliveries of a webhook. */
const change = fc.oneof(
  fc.record({
    does: fc.constant('insert' as const),
    count: fc.integer({ min: 1, max: 3 }),
    test: fc.boolean(),
  }),
  fc.record({
    does: fc.constant('attempt' as const),
    total: fc.integer({ min: 1, max: 4 }),
    end: fc.constantFrom('succeeded', 'failed', 'retrying'),
  }),
  fc.record({ does: fc.constant('retry' as const), which: fc.nat(20) }),
  fc.record({ does: fc.constant('retry all' as const), limit: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ does: fc.constant('sweep' as const), limit: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ does: fc.constant('trim' as const), limit: fc.integer({ min: 1, max: 3 }) }),
);

type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

/** Maximum number of queued deliveries, and of finished ones. */
const room = 4;
const limits = { free: room, paid: 100, enterprise: 100 };

/** Removed deliveries, which the counters still include. */
interface Removed {
  total: number;
  failed: number;
}

async function recount(database: TestDatabase, webhookId: string, removed: Removed) {
  const deliveries = await database.driver.reader.get<{ total: number; failed: number }>(
    `SELECT COUNT(*) AS total, COUNT(CASE WHEN status = 'failed' THEN 1 END) AS failed
     FROM deliveries WHERE webhook_id = @webhookId AND test = 0`,
    { webhookId },
  );
  return {
    totalDeliveries: (deliveries?.total ?? 0) + removed.total,
    failedDeliveries: (deliveries?.failed ?? 0) + removed.failed,
  };
}

async function oldestPendingAt({ driver }: TestDatabase, webhookId: string) {
  const rows = await driver.reader.all<{ at: number }>(
    `SELECT created_at AS at FROM deliveries
     WHERE webhook_id = @webhookId AND test = 0 AND next_attempt_at IS NOT NULL`,
    { webhookId },
  );
  return rows.map(({ at }) => at).toSorted((a, b) => a - b)[0] ?? null;
}

/** Creates a webhook with its log. The test follows the latest attempts by itself. */
async function openLog() {
  const database = await openDatabase();
  const webhookId = await database.addWebhook();
  const { store, clock } = database;
  const removed: Removed = { total: 0, failed: 0 };
  /** Ids of the deliveries that have never ended. */
  const waiting = new Set<string>();
  const dropped = { droppedDeliveries: 0, lastDroppedAt: null as number | null };
  const seen = {
    lastError: null as string | null,
    lastDeliveryAt: null as number | null,
    consecutiveFailures: 0,
    failingSince: null as number | null,
    lastSuccessAt: null as number | null,
  };

  async function attempt(delivery: QueuedDelivery, end: 'succeeded' | 'failed' | 'retrying') {
    const now = clock.now();
    const error = end === 'succeeded' ? null : `error ${now}`;
    const record = { startedAt: now, statusCode: 500, durationMs: 1, error, responseBody: '' };
    // As the worker does it: tests, and deliveries retried after their end, get one attempt.
    const delays = end === 'retrying' ? Array<number>(delivery.attemptNumber + 1).fill(0) : [];
    const outcome = outcomeOf({ delivery, attempt: record, endedAt: now }, delays);
    await database.record(delivery, record, outcome);
    if (outcome.status !== 'retrying') waiting.delete(delivery.id);
    if (delivery.test) return;
    seen.lastDeliveryAt = now;
    if (error === null) {
      Object.assign(seen, { consecutiveFailures: 0, failingSince: null, lastSuccessAt: now });
    } else {
      seen.lastError = error;
      seen.consecutiveFailures += 1;
      seen.failingSince ??= now;
    }
  }

  async function ended(): Promise<Removed> {
    const { totalDeliveries, failedDeliveries } = await recount(database, webhookId, removed);
    return { total: totalDeliveries, failed: failedDeliveries };
  }

  async function insert(count: number, isTest: boolean): Promise<void> {
    const free = room - waiting.size;
    const ids = await database.addDeliveries(webhookId, count, { test: isTest, limits });
    for (const id of ids.slice(0, free)) waiting.add(id);
    const others = ids.length - Math.min(ids.length, free);
    if (others > 0) dropped.lastDroppedAt = clock.now();
    dropped.droppedDeliveries += others;
  }

  /** Removes finished deliveries, which changes no statistics. */
  async function remove(does: 'sweep' | 'trim', limit: number): Promise<void> {
    const before = await ended();
    await store.transaction((tx) =>
      does === 'sweep'
        ? tx.retention.remove('deliveries', clock.now(), limit)
        : tx.deliveryLog.removeExcess({ limits, limit }),
    );
    const after = await ended();
    removed.total += before.total - after.total;
    removed.failed += before.failed - after.failed;
  }

  async function apply(step: Change): Promise<void> {
    clock.advance(1);
    const now = clock.now();
    if (step.does === 'insert') {
      await insert(step.count, step.test);
    } else if (step.does === 'attempt') {
      const { total, end } = step;
      const due = await database.due();
      for (const delivery of due.slice(0, total)) await attempt(delivery, end);
    } else if (step.does === 'retry') {
      const page = { page: 1, pageSize: 20, sortBy: 'createdAt', sortOrder: 'asc' } as const;
      const { rows } = await store.deliveryLog.list({ ...page, webhookId });
      const delivery = rows.filter(({ test }) => !test)[step.which];
      if (delivery) await store.transaction((tx) => tx.deliveries.retry(delivery, now));
    } else if (step.does === 'retry all') {
      const all = { webhookId, after: '', limit: step.limit, now };
      await store.transaction((tx) => tx.deliveries.reopenFailed(all));
    } else {
      await remove(step.does, step.limit);
    }
  }

  return {
    apply,
    counted: () => store.webhookStatistics.find(webhookId),
    recounted: async () => ({
      ...(await recount(database, webhookId, removed)),
      ...dropped,
      ...seen,
      oldestPendingAt: await oldestPendingAt(database, webhookId),
    }),
    problems: () => counterProblems(database.driver.reader),
    /** Deliveries that have never ended, according to the database. */
    waiting: () =>
      database.count("completed_at IS NULL AND (retry IS NULL OR retry NOT IN ('once', 'bulk'))"),
    expected: waiting,
    close: database.close,
  };
}

test('webhook statistics equal a recount after any sequence of changes of deliveries', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 40 }), async (changes) => {
      const log = await openLog();
      try {
        for (const step of changes) {
          await log.apply(step);
          expect(await log.counted()).toEqual(await log.recounted());
          expect(await log.problems()).toEqual([]);
          expect(await log.waiting()).toBe(log.expected.size);
        }
      } finally {
        await log.close();
      }
    }),
    { numRuns: 25 },
  );
});

test('at most 100 deliveries of a webhook wait to be counted, dropped ones too', async () => {
  const database = await openDatabase();
  onTestFinished(database.close);
  const webhookId = await database.addWebhook();
  const limits = { free: 250, paid: 250, enterprise: 250 };
  for (const [total, dropped] of [
    [250, 0],
    [250, 250],
  ] as const) {
    await database.addDeliveries(webhookId, 250, { limits });
    const uncounted = await database.driver.reader.all('SELECT 1 FROM uncounted_deliveries');
    expect(uncounted.length).toBeLessThanOrEqual(100);
    expect(await database.store.webhookStatistics.find(webhookId)).toMatchObject({
      totalDeliveries: total,
      droppedDeliveries: dropped,
    });
    expect(await counterProblems(database.driver.reader)).toEqual([]);
  }
});

test.skipIf(testsPostgres)(
  'webhook statistics are read from one row and the deliveries after it, all by an index',
  async () => {
    const database = await openDatabase();
    onTestFinished(database.close);
    const webhookId = await database.addWebhook();
    await database.addDeliveries(webhookId, 3);
    const steps: string[] = [];
    const counters = webhookStatisticsRepository(explaining(database.driver.reader, steps));
    expect(await counters.find(webhookId)).toMatchObject({ totalDeliveries: 3 });
    const reads = steps.filter((step) => !step.startsWith('CORRELATED SCALAR SUBQUERY'));
    const uncounted = 'SEARCH n USING PRIMARY KEY (webhook_id=?)';
    expect(reads).toEqual([
      'SEARCH s USING PRIMARY KEY (webhook_id=?)',
      ...[uncounted, uncounted, uncounted],
      'SEARCH d USING INDEX waiting_deliveries (webhook_id=?)',
    ]);
  },
);

test('a failure that started before the latest success, and is recorded after it, does not count', async () => {
  const database = await openDatabase();
  onTestFinished(() => database.close());
  const webhookId = await database.addWebhook();
  const attempt = (startedAt: number, error: string | null) => ({
    test: false,
    from: 'pending' as const,
    to: error === null ? ('succeeded' as const) : ('retrying' as const),
    leftQueue: error === null,
    startedAt,
    error,
  });
  const record = (...attempts: ReturnType<typeof attempt>[]) =>
    database.store.transaction((tx) => tx.webhookStatistics.countAttempts(webhookId, attempts));
  await record(attempt(2_000, null));
  await record(attempt(1_000, 'timeout'), attempt(1_500, 'timeout'));
  const find = () => database.store.webhookStatistics.find(webhookId);
  expect(await find()).toMatchObject({ consecutiveFailures: 0, failingSince: null });
  await record(attempt(1_800, 'timeout'), attempt(3_000, 'status 500'));
  expect(await find()).toMatchObject({ consecutiveFailures: 1, failingSince: 3_000 });
  // A success that started before the failures does not end them.
  await record(attempt(2_500, null));
  const failing = { consecutiveFailures: 1, failingSince: 3_000, lastSuccessAt: 2_500 };
  expect(await find()).toMatchObject(failing);
});
