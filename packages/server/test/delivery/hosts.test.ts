import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../src/delivery/attempt.ts';
import { Hosts } from '../../src/delivery/hosts.ts';
import type { WorkerOptions } from '../../src/delivery/worker.ts';
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

const hosts: WorkerOptions['hosts'] = {
  concurrency: 16,
  newConcurrencyOfAll: 1000,
  newConcurrency: 2,
  newPerMinute: 60,
  maxPauseMs: minute,
  resolve: async () => ['192.0.2.7'],
};

const limits = { hosts, concurrency: 100 };

async function addQueues(webhooks: number, deliveries: number, url?: string): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < webhooks; made += 1) {
    const id = await database.addWebhook(url === undefined ? {} : { url });
    await database.addDeliveries(id, deliveries);
    ids.push(id);
  }
  return ids;
}

/** Creates attempts that end at once, and lists when they started by the test clock. */
function instantAttempts(statusOf: (url: string) => number | null) {
  const began: { at: number; url: string; webhookId: string }[] = [];
  const extras: { retryAfterMs?: number } = {};
  const attempt: Attempt = async ({ url, webhookId }) => {
    const startedAt = database.clock.now();
    began.push({ at: startedAt, url, webhookId });
    const statusCode = statusOf(url);
    const error = statusCode === 200 ? null : `status ${statusCode}`;
    return { startedAt, statusCode, durationMs: 1, error, responseBody: '', ...extras };
  };
  return { attempt, began, extras };
}

async function turnsPass(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}

describe('host limits', () => {
  test('a new host gets 2 concurrent attempts, and one more per acknowledgement up to 16', async () => {
    const held = heldAttempts(1);
    await addQueues(30, 10);
    start({ ...limits, attempt: held.attempt });
    await held.begun(2);
    await turnsPass();
    expect(held.started).toHaveLength(2);
    for (let acknowledged = 1; acknowledged <= 40; acknowledged += 1) {
      held.running[0]?.end();
      const most = Math.min(16, 2 + acknowledged);
      await held.begun(acknowledged + most);
      await turnsPass();
      expect(held.running).toHaveLength(most);
    }
    // Round-robin over the webhooks.
    expect(new Set(held.running.map(({ delivery }) => delivery.webhookId)).size).toBeGreaterThan(8);
  });

  test('a hanging host does not delay another host', async () => {
    const hung = await receiver(() => undefined);
    const healthy = await receiver();
    await addQueues(20, 5, hung.url);
    await addQueues(1, 30, healthy.url);
    start({ ...limits, concurrency: 4 });
    await healthy.received(30);
    await hung.received(2);
    expect(hung.requests).toHaveLength(2);
  });

  test('hosts that never acknowledged get half of the places together, and a known host the others', async () => {
    const held = heldAttempts(1);
    const resolve = async (name: string) => [`192.0.2.${name.split('.')[0]}`];
    const [known = ''] = await addQueues(1, 1, 'https://200.example/');
    const worker = start({
      concurrency: 8,
      hosts: { ...hosts, newConcurrencyOfAll: 4, resolve },
      attempt: held.attempt,
    });
    await held.begun(1);
    held.running[0]?.end();
    for (let host = 1; host <= 20; host += 1) await addQueues(1, 2, `https://${host}.example/`);
    worker.wake();
    await held.begun(5);
    await turnsPass();
    expect(held.running).toHaveLength(4);
    await database.addDeliveries(known, 4);
    worker.wake();
    await held.begun(7);
    await turnsPass();
    expect(held.ofWebhook(known)).toHaveLength(2);
    expect(held.running).toHaveLength(6);
    const served = new Set<string>();
    for (let ended = 0; ended < 20; ended += 1) {
      const first = held.running.find(({ delivery }) => delivery.webhookId !== known);
      served.add(first?.delivery.webhookId ?? '');
      first?.end('status 500');
      await turnsPass();
      expect(held.running).toHaveLength(6);
    }
    // Each new host gets its first attempts before one of them gets more.
    expect(served.size).toBeGreaterThanOrEqual(10);
    for (let left = 40; left > 0 && held.running.length > 0; left -= 1) {
      for (const { end } of [...held.running]) end();
      await turnsPass();
    }
    // One of the known host, two of each new host, and four of the known host again.
    expect(new Set(held.started).size).toBe(45);
  });

  test('a place reserved for a webhook is freed when the store fails and the webhook is deactivated', async () => {
    const held = heldAttempts(1);
    const { deliveries, transaction } = database.store;
    let isBroken = false;
    const first: typeof deliveries.first = async (...parameters) => {
      if (isBroken) throw new Error('disk gone');
      return deliveries.first(...parameters);
    };
    const webhooks = await addQueues(3, 1);
    start({
      ...limits,
      attempt: held.attempt,
      store: { deliveries: { ...deliveries, first }, transaction },
    });
    await held.begun(2);
    await turnsPass();
    const waiting = webhooks.find((id) => held.ofWebhook(id).length === 0) ?? '';
    isBroken = true;
    held.running[0]?.end('status 500');
    while (logged.length === 0) await turnsPass();
    await database.setActive(waiting, false);
    isBroken = false;
    const [other = ''] = await addQueues(1, 1);
    database.clock.advance(1_000);
    await held.begun(3);
    expect(held.ofWebhook(other)).toHaveLength(1);
  });

  test('a host that never acknowledged gets 60 attempts, then one per second until it acknowledges', async () => {
    let status = 410;
    const { attempt, began } = instantAttempts(() => status);
    await addQueues(10, 20);
    const worker = start({ ...limits, attempt });
    await worker.settled();
    expect(began).toHaveLength(60);
    for (let second = 1; second <= 5; second += 1) {
      database.clock.advance(1000);
      await worker.settled();
      expect(began).toHaveLength(60 + second);
    }
    status = 200;
    database.clock.advance(1000);
    await worker.settled();
    expect(began).toHaveLength(200);
  });
});

describe('failing host', () => {
  test.each([500, 503, 429, null])(
    'a host that fails with %s pauses after 5 failures: 1 s, 2 s, 4 s up to a minute, one attempt between',
    async (status) => {
      const { attempt, began } = instantAttempts(() => status);
      await addQueues(40, 1);
      const worker = start({ ...limits, attempt, concurrency: 1 });
      const pauses: number[] = [];
      await worker.settled();
      expect(began).toHaveLength(5);
      for (let step = 0; step < 200; step += 1) {
        const before = began.length;
        database.clock.advance(1000);
        await worker.settled();
        // Retries of the first deliveries become due meanwhile and queue behind the others.
        if (began.length > before) pauses.push(step + 1);
      }
      const gaps = pauses.map((at, index) => at - (pauses[index - 1] ?? 0));
      expect(gaps).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    },
  );

  test('an acknowledgement ends the pause, and waiting counted as no attempt', async () => {
    let status = 500;
    const { attempt, began } = instantAttempts(() => status);
    const [first = '', second = ''] = await addQueues(2, 20);
    const worker = start({ ...limits, attempt, concurrency: 1 });
    await worker.settled();
    expect(began).toHaveLength(5);
    expect(await database.count("status = 'pending' AND attempt_number = 0")).toBe(35);
    status = 200;
    database.clock.advance(1000);
    await worker.settled();
    expect(began.slice(5)).toHaveLength(35);
    expect(new Set(began.slice(5).map(({ webhookId }) => webhookId))).toEqual(
      new Set([first, second]),
    );
    database.clock.advance(minute - 1000);
    await worker.settled();
    expect(await database.count("status = 'succeeded'")).toBe(40);
    expect(await database.count("status = 'succeeded' AND attempt_number = 2")).toBe(5);
  });

  test('a webhook is served from its wait for its host until its attempt, also while the store is slow', async () => {
    const held = heldAttempts();
    const { deliveries, transaction } = database.store;
    const gate = Promise.withResolvers<void>();
    let isSlow = false;
    let reads = 0;
    const first: typeof deliveries.first = async (...parameters) => {
      if (isSlow) {
        reads += 1;
        await gate.promise;
      }
      return deliveries.first(...parameters);
    };
    const webhooks = await addQueues(3, 1);
    const worker = start({
      ...limits,
      attempt: held.attempt,
      store: { deliveries: { ...deliveries, first }, transaction },
    });
    await held.begun(2);
    const waiting = webhooks.find((id) => held.ofWebhook(id).length === 0) ?? '';
    await expect.poll(() => worker.isServed(waiting)).toBe(true);
    isSlow = true;
    held.running[0]?.end();
    await expect.poll(() => reads).toBeGreaterThan(0);
    expect(worker.isServed(waiting)).toBe(true);
    gate.resolve();
    await held.begun(3);
    expect(worker.isServed(waiting)).toBe(true);
    while (held.running.length > 0) held.running[0]?.end();
    await worker.settled();
    expect(worker.isServed(waiting)).toBe(false);
  });

  test('a failing host pauses no other host, and its waiting deliveries do not count as late', async () => {
    const { attempt, began } = instantAttempts((url) => (url.includes(':9/') ? 500 : 200));
    const [failing = ''] = await addQueues(1, 30, 'http://127.0.0.1:9/');
    await addQueues(1, 30, 'http://127.0.0.1:8/');
    const worker = start({ ...limits, attempt });
    await worker.settled();
    expect(began.filter(({ url }) => url.includes(':8/'))).toHaveLength(30);
    expect(worker.isServed(failing)).toBe(true);
    database.clock.advance(1000);
    await turnsPass();
    await database.setActive(failing, false);
  });

  test.each([
    ['fails', 500, undefined],
    ['asks for pauses', 429, minute],
  ])(
    'a host still receives deliveries of other accounts when the URL of one account %s',
    async (_, status, retryAfterMs) => {
      const { attempt, began } = instantAttempts((url) => (url.endsWith('/bad') ? status : 200));
      const worker = start({
        ...limits,
        attempt: async (delivery, signal) => {
          const made = await attempt(delivery, signal);
          const asksToWait = made.statusCode !== 200 && retryAfterMs !== undefined;
          return asksToWait ? { ...made, retryAfterMs } : made;
        },
      });
      for (let webhooks = 0; webhooks < 10; webhooks += 1) {
        const bad = { userId: await database.addUser(), url: 'http://127.0.0.1:9/bad' };
        await database.addDeliveries(await database.addWebhook(bad), 20);
      }
      worker.wake();
      await worker.settled();
      const delayed: number[] = [];
      const good = await database.addWebhook({ url: 'http://127.0.0.1:9/good' });
      for (let second = 1; second <= 10; second += 1) {
        await database.addDeliveries(good, 2);
        const added = database.clock.now();
        worker.wake();
        await worker.settled();
        for (const { at, url } of began.splice(0)) {
          if (url.endsWith('/good')) delayed.push(at - added);
        }
        database.clock.advance(1000);
        await worker.settled();
      }
      expect(delayed).toEqual(Array.from({ length: 20 }, () => 0));
    },
  );

  test.each([
    [30_000, 30_000],
    [3_600_000, minute],
  ])('a 429 with Retry-After of %i ms pauses the host for %i ms', async (asked, paused) => {
    let status = 429;
    const { attempt, began, extras } = instantAttempts(() => status);
    extras.retryAfterMs = asked;
    await addQueues(1, 10);
    const worker = start({ ...limits, attempt, concurrency: 1 });
    await worker.settled();
    expect(began).toHaveLength(1);
    status = 200;
    database.clock.advance(paused - 1);
    await worker.settled();
    expect(began).toHaveLength(1);
    database.clock.advance(1);
    await worker.settled();
    expect(began.length).toBeGreaterThanOrEqual(10);
  });
});

test('an attempt parses Retry-After in seconds and as a date', async () => {
  for (const [value, least] of [
    ['7', 7000],
    [new Date(Date.now() + 20_000).toUTCString(), 15_000],
  ] as const) {
    const { url, requests } = await receiver((response) =>
      response.writeHead(429, { 'retry-after': value }).end(),
    );
    await addQueues(1, 2, url);
    const worker = start({ ...limits, concurrency: 1 });
    await worker.settled();
    expect(requests).toHaveLength(1);
    database.clock.advance(least - 1);
    await worker.settled();
    expect(requests).toHaveLength(1);
    await worker.close(0);
  }
});

test('names of one address share its limits', async () => {
  const held = heldAttempts();
  for (let name = 0; name < 50; name += 1) await addQueues(1, 2, `http://n${name}.test/hook`);
  await addQueues(1, 2, 'http://192.0.2.7/hook');
  await addQueues(1, 2, 'http://192.0.2.8/hook');
  const worker = start({ ...limits, attempt: held.attempt });
  await held.begun(4);
  await turnsPass();
  const urls = held.running.map(({ delivery }) => delivery.url);
  expect(urls.filter((url) => url.includes('.8/'))).toHaveLength(2);
  expect(urls).toHaveLength(4);
  for (let ended = 0; ended < 104; ended += 1) {
    await held.begun(ended + 1);
    expect(held.running.length).toBeLessThanOrEqual(16 + 2);
    held.running[0]?.end();
  }
  await worker.settled();
  expect(await database.count("status = 'succeeded'")).toBe(104);
});

test('a queued webhook that its host refuses is not read again before the host has room', async () => {
  const { attempt, began } = instantAttempts(() => 410);
  await addQueues(1, 200);
  const { deliveries } = database.store;
  let reads = 0;
  // Throws after many reads: a worker that reads endlessly would otherwise hang the test.
  const first: typeof deliveries.first = (...queue) => {
    reads += 1;
    return reads > 1_000 ? Promise.reject(new Error('read too often')) : deliveries.first(...queue);
  };
  const store = {
    deliveries: { queues: deliveries.queues, findQueued: deliveries.findQueued, first },
    transaction: database.store.transaction,
  };
  const refusing = { ...hosts, newConcurrency: 1, newPerMinute: 1 };
  start({ attempt, concurrency: 1, hosts: refusing, store });
  while (began.length === 0) await turnsPass();
  await turnsPass();
  expect(reads).toBeLessThan(20);
  expect(began).toHaveLength(1);
});

test('names of one address take turns, regardless of how many deliveries wait for each', async () => {
  const held = heldAttempts();
  for (const name of ['a', 'b']) await addQueues(4, 20, `http://${name}.test/hook`);
  const worker = start({
    ...limits,
    hosts: { ...hosts, concurrency: 2 },
    attempt: held.attempt,
  });
  await held.begun(2);
  const [late = ''] = await addQueues(1, 5, 'http://late.test/hook');
  worker.wake();
  // On a busy machine, the worker reads the queues after some turns of the event loop.
  while (!worker.isServed(late)) await turnsPass();
  const began: number[] = [];
  // 60 of the 160 deliveries of the other names: resolving the late name may take some turns.
  for (let ended = 1; ended <= 60; ended += 1) {
    await turnsPass();
    held.running[0]?.end();
    await held.begun(ended + 2);
    if (held.running.at(-1)?.delivery.webhookId === late) began.push(ended);
  }
  expect(began).toHaveLength(5);
  while (held.running.length > 0) {
    held.running[0]?.end();
    await turnsPass();
  }
  await worker.settled();
});

test('the end of an attempt does not visit all names that wait for the address', async () => {
  let looks = 0;
  const called: number[] = [];
  const places = new Hosts({
    ...hosts,
    clock: {
      now() {
        looks += 1;
        return 0;
      },
      at: () => () => undefined,
    },
    onRoom: (webhookId) => void called.push(Number(webhookId)),
  });
  const enter = (name: number) =>
    places.enter(`${name}`, { url: `http://${name}.example.com/`, userId: 'user' });
  for (let name = 0; name < 1000; name += 1) enter(name);
  await turnsPass();
  const [pass] = called.splice(0).map(enter);
  expect(pass).toBeDefined();
  looks = 0;
  if (pass) places.leave(pass, { error: 'status 500', statusCode: 500 });
  expect(called).toHaveLength(1);
  expect(looks).toBeLessThan(10);
});

test('a webhook that waits for its host is sent to the host of its new URL', async () => {
  const { attempt, began } = instantAttempts((url) => (url.includes(':9/') ? 500 : 200));
  const [id = ''] = await addQueues(1, 10, 'http://127.0.0.1:9/');
  const worker = start({ ...limits, attempt, concurrency: 1 });
  await worker.settled();
  expect(began).toHaveLength(5);
  await database.store.transaction(async (tx) => {
    const webhook = await tx.webhooks.find(id);
    if (webhook) await tx.webhooks.save({ ...webhook, url: 'http://127.0.0.1:8/' });
  });
  worker.wake();
  database.clock.advance(1000);
  await worker.settled();
  expect(began.filter(({ url }) => url.includes(':8/'))).toHaveLength(5);
});
