import { describe, expect, test } from 'vitest';
import type { WorkerOptions } from '../../src/delivery/worker.ts';
import type { AttemptRecord } from '../../src/store/rows/webhooks/deliveries.ts';
import {
  database,
  heldAttempts,
  logged,
  minute,
  receiver,
  start,
  useWorkers,
} from '../support/delivery/workers.ts';

useWorkers();

describe('interrupted worker', () => {
  test('a start repeats an attempt that a killed process did not record, with the same number', async () => {
    const held = heldAttempts();
    const { url, requests } = await receiver();
    const webhookId = await database.addWebhook({ url });
    const id = await database.addDelivery(webhookId);
    // The first worker keeps its attempt open, as if its process had died.
    start({ attempt: held.attempt });
    await held.begun(1);
    expect(await database.delivery(id)).toMatchObject({ status: 'pending', attemptNumber: 0 });

    await start().settled();
    expect(requests).toHaveLength(1);
    expect(await database.delivery(id)).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
    expect(await database.attempts(id)).toHaveLength(1);
  });

  test('close waits for running attempts', async () => {
    const held = heldAttempts();
    const [id] = await database.addDeliveries(await database.addWebhook(), 3);
    const worker = start({ attempt: held.attempt, concurrency: 1 });
    await held.begun(1);
    const closing = worker.close();
    held.running[0]?.end();
    await closing;
    expect(held.started).toEqual([id]);
    expect(await database.count("status = 'succeeded'")).toBe(1);
    expect(await database.count("status = 'pending'")).toBe(2);
  });

  test('close starts no delivery that is being read', async () => {
    const held = heldAttempts();
    const id = await database.addDelivery(await database.addWebhook());
    const { deliveries, transaction } = database.store;
    const found = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const first: typeof deliveries.first = async (...queue) => {
      const places = await deliveries.first(...queue);
      found.resolve();
      await gate.promise;
      return places;
    };
    const store = { deliveries: { ...deliveries, first }, transaction };
    const worker = start({ attempt: held.attempt, store });
    await found.promise;
    const closing = worker.close();
    gate.resolve();
    await closing;
    expect(held.started).toEqual([]);
    expect(await database.delivery(id)).toMatchObject({ status: 'pending', attemptNumber: 0 });
  });

  test('close aborts attempts after the grace period without counting them', async () => {
    const { url, requests, received } = await receiver(() => undefined);
    const id = await database.addDelivery(await database.addWebhook({ url }));
    const worker = start();
    await received(1);
    await worker.close(0);
    expect(await database.delivery(id)).toMatchObject({
      status: 'pending',
      attemptNumber: 0,
    });
    expect(await database.attempts(id)).toEqual([]);
    worker.wake();
    await worker.settled();
    expect(requests).toHaveLength(1);
  });
});

test('the removal of many refused deliveries does not keep the deliveries of others back', async () => {
  const held = heldAttempts();
  const narrowed = await database.addWebhook();
  const other = await database.addWebhook();
  await database.addDeliveries(narrowed, 300);
  const id = await database.addDelivery(other);
  const { deliveries, transaction } = database.store;
  const removed = new Set<string>();
  let removals = 0;
  const store: WorkerOptions['store'] = {
    deliveries: {
      ...deliveries,
      first: async (webhookId, limit) => {
        const entries = await deliveries.first(webhookId, limit + removed.size);
        if (webhookId !== narrowed) return entries;
        const left = entries.filter(({ id }) => !removed.has(id));
        return left.slice(0, limit).map((entry) => ({ ...entry, isRefused: 1 }));
      },
    },
    transaction: async (work) => {
      removals += 1;
      // Only the attempt of the other webhook lets the second removal begin.
      if (removals > 1) await held.begun(1);
      const removeRefused = async (ids: readonly string[]) => {
        for (const id of ids) removed.add(id);
      };
      return transaction((tx) => work({ deliveries: { ...tx.deliveries, removeRefused } }));
    },
  };
  start({ attempt: held.attempt, store });
  await expect.poll(() => removed.size).toBe(300);
  expect(removals).toBeGreaterThan(1);
  expect(held.started).toEqual([id]);
  held.running[0]?.end();
});

describe('failing store', () => {
  /** Wraps the store. It fails while `broken` is true; only its reads fail while `unreadable` is true. */
  function fragileStore() {
    const state = { broken: false, unreadable: false, refused: 0 };
    const { deliveries } = database.store;
    const store: WorkerOptions['store'] = {
      deliveries: {
        ...deliveries,
        queues: async () => {
          if (state.unreadable) throw new Error('disk gone');
          return deliveries.queues();
        },
      },
      transaction: (work) => {
        if (!state.broken) return database.store.transaction(work);
        state.refused += 1;
        return Promise.reject(new Error('disk full'));
      },
    };
    return { state, store };
  }

  test('recording is retried without another POST after the store failed', async () => {
    const { state, store } = fragileStore();
    const { url, requests } = await receiver((response) => {
      state.broken = true;
      response.writeHead(500).end();
    });
    const id = await database.addDelivery(await database.addWebhook({ url }));
    const worker = start({ store });
    while (state.refused < 2) await new Promise(setImmediate);
    database.clock.advance(999);
    expect(await database.delivery(id)).toMatchObject({ status: 'pending', attemptNumber: 0 });
    const began = database.clock.now() - 999;
    state.broken = false;
    database.clock.advance(1);
    await worker.settled();
    expect(requests).toHaveLength(1);
    expect(await database.delivery(id)).toMatchObject({
      status: 'retrying',
      attemptNumber: 1,
      nextAttemptAt: began + minute,
    });
    expect(logged).toMatchObject([{ level: 'error', message: 'attempt was not recorded' }]);

    database.clock.advance(minute);
    while (requests.length < 2) await new Promise(setImmediate);
  });

  test('a result that the store refuses is retried, and the others are recorded', async () => {
    const { url, requests } = await receiver();
    const webhookId = await database.addWebhook({ url });
    const [refused] = (await database.addDeliveries(webhookId, 10)) as [string];
    let refusing = true;
    const store: WorkerOptions['store'] = {
      deliveries: database.store.deliveries,
      transaction: (work) =>
        database.store.transaction((tx) =>
          work({
            deliveries: {
              ...tx.deliveries,
              recordAttempts: async (results) => {
                if (refusing && results.some(({ delivery }) => delivery.id === refused)) {
                  throw new Error('refused');
                }
                await tx.deliveries.recordAttempts(results);
              },
            },
          }),
        ),
    };
    const worker = start({ store });
    while ((await database.count("status = 'succeeded'")) !== 9) await new Promise(setImmediate);
    expect(await database.delivery(refused)).toMatchObject({ status: 'pending' });
    expect(logged.map(({ message }) => message)).toContain('attempt was not recorded');

    refusing = false;
    database.clock.advance(1_000);
    await worker.settled();
    expect(await database.delivery(refused)).toMatchObject({ status: 'succeeded' });
    expect(requests).toHaveLength(10);
  });

  test('reading due deliveries is retried without a wake-up after the store failed', async () => {
    const { state, store } = fragileStore();
    const { url, received } = await receiver();
    const id = await database.addDelivery(await database.addWebhook({ url }));
    state.unreadable = true;
    const worker = start({ store });
    while (logged.length === 0) await new Promise(setImmediate);
    state.unreadable = false;
    database.clock.advance(1_000);
    await received(1);
    await worker.settled();
    expect(await database.delivery(id)).toMatchObject({ status: 'succeeded' });
    expect(logged).toMatchObject([
      { level: 'error', message: 'the store failed; deliveries wait' },
    ]);
  });

  test('reading a due delivery is retried after a pause without a wake-up', async () => {
    const { url, requests } = await receiver();
    const id = await database.addDelivery(await database.addWebhook({ url }));
    const { deliveries, transaction } = database.store;
    let failures = 0;
    const findQueued: typeof deliveries.findQueued = async (queued) => {
      if (failures > 0) return deliveries.findQueued(queued);
      failures += 1;
      throw new Error('disk gone');
    };
    const worker = start({ store: { deliveries: { ...deliveries, findQueued }, transaction } });
    while (logged.length === 0) await new Promise(setImmediate);
    database.clock.advance(999);
    expect(requests).toHaveLength(0);
    database.clock.advance(1);
    await worker.settled();
    expect(requests).toHaveLength(1);
    expect(await database.delivery(id)).toMatchObject({ status: 'succeeded' });
    expect(await database.attempts(id)).toHaveLength(1);
  });

  test('no attempt starts while unrecorded results fill the limit', async () => {
    const { state, store } = fragileStore();
    const held = heldAttempts();
    await database.addDeliveries(await database.addWebhook(), 100);
    const limits = { concurrency: 4, concurrencyPerWebhook: 4 };
    const worker = start({ store, attempt: held.attempt, ...limits });
    await held.begun(4);
    state.broken = true;
    while (logged.length < held.started.length) {
      for (const { end } of [...held.running]) end();
      await new Promise(setImmediate);
    }
    // The four results that the store refused, and attempts that started before the refusal.
    const refused = held.started.length;
    expect(refused).toBeLessThanOrEqual(8);
    expect(held.running).toEqual([]);

    state.broken = false;
    database.clock.advance(1_000);
    await held.begun(refused + 4);
    await worker.close(0);
    expect(await database.count("status = 'succeeded'")).toBe(refused);
  });

  test('close resolves while the store fails', async () => {
    const { state, store } = fragileStore();
    const { url } = await receiver((response) => {
      state.broken = true;
      response.end();
    });
    const id = await database.addDelivery(await database.addWebhook({ url }));
    const worker = start({ store });
    while (state.refused < 1) await new Promise(setImmediate);
    await worker.close();
    expect(new Set(logged.map(({ message }) => message))).toEqual(
      new Set(['attempt was not recorded']),
    );

    const record: AttemptRecord = {
      startedAt: 0,
      statusCode: 200,
      durationMs: 0,
      error: null,
      responseBody: '',
    };
    await start({ attempt: async () => record }).settled();
    expect(await database.delivery(id)).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
  });
});
