import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
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

describe('claimed webhooks', () => {
  test('a worker attempts deliveries of webhooks that it may serve, and no others', async () => {
    const held = heldAttempts();
    const [ours, others] = [await database.addWebhook(), await database.addWebhook()];
    for (const webhookId of [ours, others]) await database.addDeliveries(webhookId, 3);
    const claims: (readonly string[])[] = [];
    const worker = start({
      attempt: held.attempt,
      claim: async (webhookIds) => {
        claims.push(webhookIds);
        return new Set([ours]);
      },
    });
    await held.begun(2);
    expect(held.ofWebhook(ours)).toHaveLength(2);
    expect(claims).toEqual([[ours, others]]);
    expect(worker.isIdle(others)).toBe(true);
    expect(worker.isIdle(ours)).toBe(false);
    for (let ended = 0; ended < 3; ended += 1) {
      await held.begun(ended + 1);
      held.running[0]?.end();
    }
    await worker.settled();
    expect(worker.isIdle(ours)).toBe(true);
    expect(held.started).toHaveLength(3);
  });
});

describe('concurrency limits', () => {
  test('a hanging webhook does not delay another webhook', async () => {
    const hung = await receiver(() => undefined);
    const healthy = await receiver();
    const hungId = await database.addWebhook({ url: hung.url });
    await database.addDeliveries(hungId, 500);
    const healthyId = await database.addWebhook({ url: healthy.url });
    await database.addDeliveries(healthyId, 50);
    const worker = start();
    await healthy.received(50);
    await database.addDeliveries(healthyId, 1);
    worker.wake();
    await healthy.received(51);
    await hung.received(2);
    expect(hung.requests).toHaveLength(2);
  });

  test('attempts stay within both limits, and each end starts another attempt at once', async () => {
    const held = heldAttempts();
    const a = await database.addWebhook();
    const b = await database.addWebhook();
    const c = await database.addWebhook();
    for (const webhookId of [a, b, c]) await database.addDeliveries(webhookId, 10);
    const worker = start({ attempt: held.attempt, concurrency: 5, concurrencyPerWebhook: 2 });
    const left = new Map([a, b, c].map((id) => [id, 10]));
    for (let ended = 0; ended < 30; ended += 1) {
      const mayRun = [...left.values()].reduce((sum, count) => sum + Math.min(2, count), 0);
      await held.begun(ended + Math.min(5, mayRun));
      expect(held.running.length).toBeLessThanOrEqual(5);
      for (const id of [a, b, c]) expect(held.ofWebhook(id).length).toBeLessThanOrEqual(2);
      const [first] = held.running;
      const webhookId = first?.delivery.webhookId ?? '';
      left.set(webhookId, (left.get(webhookId) ?? 0) - 1);
      first?.end();
    }
    await worker.settled();
    expect(new Set(held.started).size).toBe(30);
    expect(await database.count("status = 'succeeded'")).toBe(30);
  });

  test('fast receivers take turns and stay within the limits, with prefetched deliveries', async () => {
    const held = heldAttempts(100);
    const webhooks: string[] = [];
    for (let count = 0; count < 6; count += 1) {
      const webhookId = await database.addWebhook();
      await database.addDeliveries(webhookId, 60);
      webhooks.push(webhookId);
    }
    // Opens the connections to the database, which takes as long as many attempts.
    await Promise.all(webhooks.map((id) => database.count(`webhook_id = '${id}'`)));
    const worker = start({ attempt: held.attempt, concurrency: 4 });
    const servedIn = new Map<string, number>();
    for (let ended = 0; ended < 360; ended += 1) {
      await held.begun(Math.min(ended + 1, 360));
      expect(held.running.length).toBeLessThanOrEqual(4);
      for (const id of webhooks) expect(held.ofWebhook(id).length).toBeLessThanOrEqual(2);
      const [first] = held.running;
      if (first && !servedIn.has(first.delivery.webhookId)) {
        servedIn.set(first.delivery.webhookId, ended);
      }
      first?.end();
    }
    await worker.settled();
    expect(new Set(held.started).size).toBe(360);
    expect(servedIn.size).toBe(6);
    // Without turns, the last two webhooks would wait for the 60 deliveries of each of the other four.
    expect(Math.max(...servedIn.values())).toBeLessThan(200);
  });

  test('every webhook is served, even when many others hang', async () => {
    const held = heldAttempts();
    for (let count = 0; count < 6; count += 1) {
      await database.addDeliveries(await database.addWebhook(), 100);
    }
    database.clock.advance(1);
    const last = await database.addWebhook();
    await database.addDeliveries(last, 1);
    start({ attempt: held.attempt, concurrency: 2 });
    // Two concurrent attempts for the first webhook, then two for the second, and so on.
    for (let count = 0; held.ofWebhook(last).length === 0; count += 1) {
      expect(count).toBeLessThan(20);
      await held.begun(count + 2);
      if (held.ofWebhook(last).length === 0) held.running[0]?.end();
    }
  });
});

describe('changed webhook', () => {
  test('an inactive webhook pauses its queue and loses no delivery', async () => {
    const { url, requests } = await receiver((response) => response.writeHead(500).end());
    const webhookId = await database.addWebhook({ url });
    const first = await database.addDelivery(webhookId);
    const worker = start();
    await worker.settled();
    await database.setActive(webhookId, false);
    const second = await database.addDelivery(webhookId);
    database.clock.advance(24 * 60 * minute);
    worker.wake();
    await worker.settled();
    expect(requests).toHaveLength(1);
    expect(await database.delivery(second)).toMatchObject({ status: 'pending', attemptNumber: 0 });

    await database.setActive(webhookId, true);
    worker.wake();
    await worker.settled();
    expect(requests).toHaveLength(3);
    for (const [id, attemptNumber] of [
      [first, 2],
      [second, 1],
    ] as const) {
      expect(await database.delivery(id)).toMatchObject({ status: 'retrying', attemptNumber });
    }
  });

  test('a webhook can be deleted while an attempt runs', async () => {
    const held = heldAttempts();
    const gone = await database.addWebhook();
    const id = await database.addDelivery(gone);
    const worker = start({ attempt: held.attempt });
    await held.begun(1);
    await database.deleteWebhook(gone);
    held.running[0]?.end('status 500');
    await worker.settled();
    expect(await database.delivery(id)).toBeUndefined();
    expect(await database.attempts(id)).toEqual([]);
    expect(logged).toEqual([]);

    await database.addDeliveries(await database.addWebhook(), 1);
    worker.wake();
    await held.begun(2);
  });

  test('an attempt uses the current URL and the current secret of the webhook', async () => {
    const { url, requests } = await receiver();
    const webhookId = await database.addWebhook({ url: 'http://127.0.0.1:9/' });
    await database.addDelivery(webhookId, { body: '{}' });
    const worker = start();
    await worker.settled();
    const rotated = 'another secret of the tests, also long';
    await database.store.transaction(async (tx) => {
      const webhook = await tx.webhooks.find(webhookId);
      if (webhook) await tx.webhooks.save({ ...webhook, url, secret: rotated });
    });
    database.clock.advance(minute);
    await worker.settled();
    expect(requests).toHaveLength(1);
    const signature = createHmac('sha256', rotated).update('{}').digest('hex');
    expect(requests[0]?.headers['x-service-signature']).toBe(`hmac_sha256=${signature}`);
  });
});
