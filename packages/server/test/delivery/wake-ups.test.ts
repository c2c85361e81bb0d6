import { describe, expect, test } from 'vitest';
import type { WorkerOptions } from '../../src/delivery/worker.ts';
import { database, heldAttempts, minute, start, useWorkers } from '../support/delivery/workers.ts';

useWorkers();

/** Adds webhooks with one delivery each. Returns them in round-robin order. */
async function addWaiting(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let added = 0; added < count; added += 1) {
    const id = await database.addWebhook();
    await database.addDeliveries(id, 1);
    ids.push(id);
  }
  return ids.sort();
}

describe('passes without a wake-up', () => {
  test.each([1, 2, 3])(
    'a delivery that came while deleted webhooks waited is found without a wake-up (concurrency %i)',
    async (concurrency) => {
      const held = heldAttempts();
      const waiting = await addWaiting(concurrency + 1);
      const worker = start({ attempt: held.attempt, concurrency, concurrencyPerWebhook: 1 });
      await held.begun(concurrency);
      const [late] = await addWaiting(1);
      worker.wake();
      await database.deleteWebhook(waiting.at(-1) ?? '');
      held.running[0]?.end();
      await held.begun(concurrency + 1);
      expect(held.ofWebhook(late ?? '')).toHaveLength(1);
    },
  );

  test.each([1, 2])(
    'a retry that became due meanwhile is found (concurrency %i)',
    async (concurrency) => {
      const held = heldAttempts();
      const [retried] = await addWaiting(1);
      const worker = start({ attempt: held.attempt, concurrency, concurrencyPerWebhook: 1 });
      await held.begun(1);
      held.running[0]?.end('status 500');
      await worker.settled();
      const waiting = await addWaiting(concurrency + 1);
      worker.wake();
      await held.begun(concurrency + 1);
      database.clock.advance(minute);
      await database.deleteWebhook(waiting.at(-1) ?? '');
      held.running[0]?.end();
      await held.begun(concurrency + 2);
      expect(held.ofWebhook(retried ?? '')).toHaveLength(1);
    },
  );

  test('the next delivery is found when the one before it was cancelled at the last moment', async () => {
    const held = heldAttempts();
    const [first, second] = await addWaiting(2);
    const { deliveries, transaction } = database.store;
    let isSwitchedOff = false;
    const findQueued: typeof deliveries.findQueued = async (ids) => {
      if (!isSwitchedOff) await database.setActive(first ?? '', false);
      isSwitchedOff = true;
      return deliveries.findQueued(ids);
    };
    const store = { deliveries: { ...deliveries, findQueued }, transaction };
    start({ store, attempt: held.attempt, concurrency: 1 });
    await held.begun(1);
    expect(held.ofWebhook(second ?? '')).toHaveLength(1);
  });
});

test('a queued delivery that is cancelled is not searched for endlessly', async () => {
  const held = heldAttempts();
  const webhookId = await database.addWebhook();
  await database.addDeliveries(webhookId, 50);
  const { deliveries, transaction } = database.store;
  let lookedUp = 0;
  const findQueued: typeof deliveries.findQueued = async (ids) => {
    lookedUp += 1;
    if (lookedUp === 1) await database.setActive(webhookId, false);
    if (lookedUp > 100) throw new Error('looked up without end');
    return deliveries.findQueued(ids);
  };
  const store = { deliveries: { ...deliveries, findQueued }, transaction };
  await start({ store, attempt: held.attempt, concurrency: 1 }).settled();
  expect(held.started).toEqual([]);
  expect(lookedUp).toBe(1);
});

describe('queue heads', () => {
  /** Wraps the store and counts the reads of all queue heads. */
  function countingStore() {
    const reads = { queues: 0 };
    const { deliveries, transaction } = database.store;
    const queues: typeof deliveries.queues = () => {
      reads.queues += 1;
      return deliveries.queues();
    };
    const store: WorkerOptions['store'] = { deliveries: { ...deliveries, queues }, transaction };
    return { reads, store };
  }

  test('serving a queue of 500 deliveries reads the queue heads fewer than 5 times', async () => {
    const { reads, store } = countingStore();
    await database.addDeliveries(await database.addWebhook(), 500);
    const record = { statusCode: 200, durationMs: 1, error: null, responseBody: '' };
    const attempt: WorkerOptions['attempt'] = async () => ({ startedAt: 0, ...record });
    await start({ store, attempt }).settled();
    expect(await database.count("status = 'succeeded'")).toBe(500);
    expect(reads.queues).toBeLessThan(5);
  });

  test('20 failed attempts read the queue heads fewer than 5 times', async () => {
    const { reads, store } = countingStore();
    const held = heldAttempts();
    await database.addDeliveries(await database.addWebhook(), 20);
    const worker = start({ store, attempt: held.attempt, concurrencyPerWebhook: 1 });
    for (let count = 1; count <= 20; count += 1) {
      await held.begun(count);
      held.running[0]?.end('status 500');
    }
    await worker.settled();
    expect(reads.queues).toBeLessThan(5);
    database.clock.advance(minute);
    await held.begun(21);
  });

  test('a slow read of the queue heads backs off, and due deliveries are sent afterwards', async () => {
    const { deliveries, transaction } = database.store;
    const began: number[] = [];
    const queues: typeof deliveries.queues = async () => {
      began.push(performance.now());
      while (performance.now() < (began.at(-1) ?? 0) + 10);
      return deliveries.queues();
    };
    const held = heldAttempts();
    const [first] = await addWaiting(1);
    const store = { deliveries: { ...deliveries, queues }, transaction };
    const worker = start({ store, attempt: held.attempt });
    await held.begun(1);
    const [late] = await addWaiting(1);
    for (let count = 0; count < 100; count += 1) {
      worker.wake();
      await new Promise(setImmediate);
    }
    await held.begun(2);
    expect(held.ofWebhook(first ?? '')).toHaveLength(1);
    expect(held.ofWebhook(late ?? '')).toHaveLength(1);
    for (const [index, at] of began.slice(1).entries()) {
      expect(at - (began[index] ?? 0)).toBeGreaterThanOrEqual(50);
    }
  });
});
