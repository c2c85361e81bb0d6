import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TestClock } from '../../src/clock.ts';
import type { Attempt } from '../../src/delivery/attempt.ts';
import { createSchedule } from '../../src/delivery/schedule.ts';
import { startWorker } from '../../src/delivery/worker.ts';
import { DeliveriesUnderWay } from '../../src/domain/deliveries-under-way.ts';
import { openDatabase, type TestDatabase } from './database.ts';

const limits = { concurrency: 5, concurrencyPerWebhook: 2 };

/** How one attempt goes. */
const going = fc.record({
  /** Turns of the event loop until it ends. */
  turns: fc.nat(4),
  durationMs: fc.constantFrom(0, 3, 40, 200),
  fails: fc.boolean(),
});

/** What happens while deliveries are made. */
const happening = fc.oneof(
  fc.record({ does: fc.constant('deliver' as const), webhook: fc.nat(3), count: fc.nat(12) }),
  fc.record({ does: fc.constant('switch' as const), webhook: fc.nat(3), active: fc.boolean() }),
  fc.record({ does: fc.constant('retry' as const), which: fc.nat(40) }),
  fc.record({ does: fc.constant('wait' as const), ms: fc.constantFrom(1, 10, 100) }),
  fc.record({ does: fc.constant('pass' as const), turns: fc.nat(6) }),
);
type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never;
type Going = typeof going extends fc.Arbitrary<infer Value> ? Value : never;

async function turnsPass(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
}

/** Attempts that go as told, and what was wrong with the moment at which one began. */
function scriptedAttempts(goings: readonly Going[], clock: TestClock) {
  const running = new Map<string, string>();
  const faults: string[] = [];
  let begun = 0;
  const attempt: Attempt = async ({ id, webhookId }) => {
    const { turns, durationMs, fails } = goings[begun % goings.length] as Going;
    begun += 1;
    if (running.has(id)) faults.push(`${id} is attempted twice at once`);
    running.set(id, webhookId);
    const ofWebhook = [...running.values()].filter((other) => other === webhookId).length;
    if (ofWebhook > limits.concurrencyPerWebhook) faults.push(`${webhookId} has too many`);
    if (running.size > limits.concurrency) faults.push('too many in all');
    const startedAt = clock.now();
    await turnsPass(turns);
    running.delete(id);
    const error = fails ? 'status 500' : null;
    return { startedAt, statusCode: fails ? 500 : 200, durationMs, error, responseBody: '' };
  };
  return { attempt, faults };
}

interface Scene {
  readonly database: TestDatabase;
  readonly webhooks: readonly string[];
  /** All that were ever queued. */
  readonly deliveries: string[];
  readonly underWay: DeliveriesUnderWay;
}

/** Acts as the callers of the service do. */
async function happen(what: Happening, scene: Scene): Promise<void> {
  const { database, webhooks, deliveries, underWay } = scene;
  const { clock, store } = database;
  if (what.does === 'deliver') {
    const webhookId = webhooks[what.webhook] as string;
    deliveries.push(...(await database.addDeliveries(webhookId, what.count)));
  } else if (what.does === 'switch') {
    await database.setActive(webhooks[what.webhook] as string, what.active);
  } else if (what.does === 'retry') {
    const id = deliveries[what.which];
    await store.transaction(async (tx) => {
      const delivery = id === undefined ? undefined : await tx.deliveryLog.find(id);
      if (delivery === undefined || underWay.has(delivery.id)) return;
      await tx.deliveryRetries.retry(delivery, clock.now());
    });
  } else if (what.does === 'wait') {
    clock.advance(what.ms);
  } else {
    await turnsPass(what.turns);
  }
}

test('whatever happens, no attempt is doubled or left out, and the limits hold', async () => {
  const script = fc.record({
    goings: fc.array(going, { minLength: 1, maxLength: 12 }),
    happenings: fc.array(happening, { minLength: 1, maxLength: 30 }),
  });
  await fc.assert(
    fc.asyncProperty(script, async ({ goings, happenings }) => {
      const database = await openDatabase();
      const { clock, store } = database;
      const underWay = new DeliveriesUnderWay();
      const { attempt, faults } = scriptedAttempts(goings, clock);
      const log = { error: (facts: object) => void faults.push(String(facts)), info: () => {} };
      const schedule = createSchedule([10, 100]);
      const worker = startWorker({ store, clock, attempt, schedule, underWay, ...limits, log });
      try {
        const webhooks: string[] = [];
        for (let count = 0; count < 4; count += 1) webhooks.push(await database.addWebhook());
        const deliveries: string[] = [];
        for (const what of happenings) {
          await happen(what, { database, webhooks, deliveries, underWay });
          worker.wake();
        }
        for (const id of webhooks) await database.setActive(id, true);
        for (let step = 0; step < 3; step += 1) {
          await worker.settled();
          clock.advance(100);
        }
        await worker.settled();
        expect(faults).toEqual([]);
        expect(await database.count('completed_at IS NULL')).toBe(0);
        for (const id of deliveries) {
          const numbers = (await database.attempts(id)).map(({ attemptNumber }) => attemptNumber);
          expect(numbers).toEqual(numbers.map((_, index) => index + 1));
          expect(await database.delivery(id)).toMatchObject({ attemptNumber: numbers.length });
          expect(underWay.has(id)).toBe(false);
        }
      } finally {
        await worker.close(0);
        await database.close();
      }
    }),
    { numRuns: 60 },
  );
});
