import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { secret } from '../support/delivery/database.ts';
import { startReceiver } from '../support/delivery/receiver.ts';
import {
  database,
  logged,
  minute,
  receiver,
  start,
  useWorkers,
  warned,
} from '../support/delivery/workers.ts';

useWorkers();

describe('worker', () => {
  test('wake sends a new delivery at once', async () => {
    const { url, requests } = await receiver();
    const worker = start();
    await worker.settled();
    const id = await database.addDelivery(await database.addWebhook({ url }), { body: '{"a":1}' });
    worker.wake();
    await worker.settled();
    expect(requests).toHaveLength(1);
    expect(requests[0]?.body.toString()).toBe('{"a":1}');
    expect(await database.delivery(id)).toEqual({
      status: 'succeeded',
      attemptNumber: 1,
      statusCode: 200,
      error: null,
      nextAttemptAt: null,
      completedAt: database.clock.now(),
    });
    expect(await database.attempts(id)).toMatchObject([
      { attemptNumber: 1, startedAt: database.clock.now(), statusCode: 200, error: null },
    ]);
    expect(logged).toEqual([]);
  });

  test('a start sends deliveries that were already due', async () => {
    const { url, requests } = await receiver();
    await database.addDeliveries(await database.addWebhook({ url }), 20);
    await start().settled();
    expect(requests).toHaveLength(20);
    expect(await database.count("status = 'succeeded'")).toBe(20);
  });

  test('a failing delivery is attempted on schedule, counted from the end of each attempt', async () => {
    const lasting = 3_000;
    const { url, requests } = await receiver((response) => {
      database.clock.advance(lasting);
      response.writeHead(500).end('broken');
    });
    const id = await database.addDelivery(await database.addWebhook({ url }));
    const began = database.clock.now();
    const worker = start();
    await worker.settled();

    const delays = [1, 5, 15, 60, 240].map((minutes) => minutes * minute);
    for (const [index, delay] of delays.entries()) {
      expect(await database.delivery(id)).toMatchObject({
        status: 'retrying',
        attemptNumber: index + 1,
        nextAttemptAt: database.clock.now() + delay,
        completedAt: null,
      });
      database.clock.advance(delay - 1);
      await worker.settled();
      expect(requests).toHaveLength(index + 1);
      database.clock.advance(1);
      await worker.settled();
      expect(requests).toHaveLength(index + 2);
    }

    expect(await database.delivery(id)).toEqual({
      status: 'failed',
      attemptNumber: 6,
      statusCode: 500,
      error: 'status 500',
      nextAttemptAt: null,
      completedAt: database.clock.now(),
    });
    let at = began;
    expect(await database.attempts(id)).toEqual(
      [0, ...delays].map((delay, index) => {
        const startedAt = at + delay;
        at = startedAt + lasting;
        return {
          attemptNumber: index + 1,
          startedAt,
          statusCode: 500,
          durationMs: expect.any(Number),
          error: 'status 500',
          responseBody: 'broken',
        };
      }),
    );
    database.clock.advance(30 * 24 * 60 * minute);
    await worker.settled();
    expect(requests).toHaveLength(6);
    expect(logged).toEqual([]);
    expect(warned).toHaveLength(6);
    expect(warned.at(-1)).toMatchObject({ facts: { deliveryId: id, attempt: 6 } });
  });

  test('every attempt of a delivery sends the same body, signature and id', async () => {
    const { url, requests } = await receiver((response) => response.writeHead(503).end());
    const body = '{"text":"Grüße 🗝️","list":[1.0,2]}';
    const id = await database.addDelivery(await database.addWebhook({ url }), { body });
    const worker = start();
    for (const minutes of [0, 1, 5, 15, 60, 240]) {
      database.clock.advance(minutes * minute);
      await worker.settled();
    }
    expect(requests).toHaveLength(6);
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    for (const request of requests) {
      expect(request.body).toEqual(Buffer.from(body));
      expect(request.headers['x-service-signature']).toBe(`hmac_sha256=${signature}`);
      expect(request.headers['x-service-delivery-id']).toBe(id);
      expect(request.headers['x-service-event-id']).toBe(
        requests[0]?.headers['x-service-event-id'],
      );
    }
  });

  test('a late wake-up delays no other attempt', async () => {
    const { url } = await receiver((response) => response.writeHead(500).end());
    const id = await database.addDelivery(await database.addWebhook({ url }));
    const worker = start();
    await worker.settled();
    await worker.close();
    database.clock.advance(60 * minute);
    await start().settled();
    expect(await database.delivery(id)).toMatchObject({
      attemptNumber: 2,
      nextAttemptAt: database.clock.now() + 5 * minute,
    });
  });

  test('each of many deliveries that are due at once gets one attempt and its own retry', async () => {
    const { url, requests } = await receiver((response) => response.writeHead(500).end());
    const webhookId = await database.addWebhook({ url });
    const worker = start();
    const ids: string[] = [];
    for (const passing of [minute, 5 * minute, minute, 0]) {
      ids.push(await database.addDelivery(webhookId));
      worker.wake();
      await worker.settled();
      database.clock.advance(passing);
      await worker.settled();
    }
    const before = await Promise.all(ids.map((id) => database.attempts(id)));
    expect(before.map(({ length }) => length)).toEqual([3, 2, 2, 1]);
    const made = requests.length;
    await worker.close();
    database.clock.advance(24 * 60 * minute);
    await start().settled();
    expect(requests).toHaveLength(made + ids.length);
    const delays = [1, 5, 15, 60, 240];
    for (const [index, id] of ids.entries()) {
      const attemptNumber = (before[index]?.length ?? 0) + 1;
      expect(await database.delivery(id)).toMatchObject({
        attemptNumber,
        nextAttemptAt: database.clock.now() + (delays[attemptNumber - 1] ?? 0) * minute,
      });
    }
  });

  test('a successful attempt in the middle of the schedule ends the delivery', async () => {
    let status = 500;
    const { url, requests } = await receiver((response) => response.writeHead(status).end());
    const id = await database.addDelivery(await database.addWebhook({ url }));
    const worker = start();
    await worker.settled();
    status = 202;
    database.clock.advance(minute);
    await worker.settled();
    expect(await database.delivery(id)).toMatchObject({
      status: 'succeeded',
      attemptNumber: 2,
      statusCode: 202,
      error: null,
    });
    database.clock.advance(24 * 60 * minute);
    await worker.settled();
    expect(requests).toHaveLength(2);
  });

  test('a failed connection counts as an attempt and is retried', async () => {
    const { url, close } = await startReceiver();
    await close();
    const id = await database.addDelivery(await database.addWebhook({ url }));
    await start().settled();
    expect(await database.attempts(id)).toMatchObject([
      { attemptNumber: 1, statusCode: null, error: 'connection refused', responseBody: null },
    ]);
    expect(await database.delivery(id)).toMatchObject({ status: 'retrying' });
  });

  test('a test delivery has one attempt', async () => {
    const { url, requests } = await receiver((response) => response.writeHead(500).end());
    const id = await database.addDelivery(await database.addWebhook({ url }), { test: true });
    const worker = start();
    await worker.settled();
    expect(await database.delivery(id)).toMatchObject({
      status: 'failed',
      attemptNumber: 1,
      nextAttemptAt: null,
    });
    database.clock.advance(24 * 60 * minute);
    await worker.settled();
    expect(requests).toHaveLength(1);
  });

  test('an attempt function that throws counts as a failed attempt', async () => {
    const id = await database.addDelivery(await database.addWebhook());
    const attempt = () => Promise.reject(new Error('a mistake'));
    await start({ attempt }).settled();
    expect(await database.delivery(id)).toMatchObject({
      status: 'retrying',
      error: 'internal error',
    });
    expect(logged).toMatchObject([{ level: 'error', facts: { deliveryId: id } }]);
  });
});
