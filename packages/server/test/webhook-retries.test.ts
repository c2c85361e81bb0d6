import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { invalid, missing } from './support/replies.ts';
import { newKey, newVault } from './support/resources.ts';
import { startTestServer, type TestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** Starts a server with one webhook. Its receiver responds with `receiver.status`. */
async function arrange({ status = 500 } = {}) {
  const server = await startTestServer({ webhookHostPause: 0 });
  const receiver = { status, held: [] as ServerResponse[], holds: false };
  const webhook = await listen({
    server,
    call: server.developer,
    events: ['vault.created'],
    reply(response) {
      response.statusCode = receiver.status;
      if (receiver.holds) receiver.held.push(response);
      else response.end('response of the receiver');
    },
  });
  const deliveries = `${webhook.path}/deliveries`;
  const retry = (id: string) => server.developer('POST', `${deliveries}/${id}/retry`);
  return {
    ...server,
    receiver,
    webhook,
    deliveries,
    retry,
    retryFailed: () => server.developer('POST', `${deliveries}/retry-failed`),
    detail: async (id: string) => (await server.developer('GET', `${deliveries}/${id}`)).body,
    stats: async () => (await server.developer('GET', webhook.path)).body.stats,
    /** Creates a delivery and returns its id after the first attempt. */
    async newDelivery(): Promise<string> {
      await newVault(server.developer);
      await server.settled();
      return (await server.developer('GET', deliveries)).body.data[0].id;
    },
  };
}

async function useUpAttempts({
  clock,
  settled,
}: Pick<TestServer, 'clock' | 'settled'>): Promise<void> {
  for (let attempt = 1; attempt < 6; attempt += 1) {
    clock.advance(4 * 60 * minute);
    await settled();
  }
}

const distinctBytes = (requests: readonly { body: Buffer; headers: object }[]) =>
  new Set(
    requests.map(({ body, headers }) =>
      JSON.stringify([body.toString(), (headers as Record<string, string>)['x-service-signature']]),
    ),
  );

describe('retry of a failed delivery', () => {
  test('it makes exactly one further attempt at once, with the same bytes', async () => {
    const scene = await arrange();
    const id = await scene.newDelivery();
    await useUpAttempts(scene);
    expect(await scene.stats()).toMatchObject({ totalDeliveries: 1, failedDeliveries: 1 });

    scene.receiver.holds = true;
    const now = new Date(scene.clock.now()).toISOString();
    expect(await scene.retry(id)).toMatchObject({
      status: 200,
      body: {
        id,
        status: 'retrying',
        attemptNumber: 6,
        statusCode: 500,
        error: 'status 500',
        nextAttemptAt: now,
        completedAt: null,
        test: false,
      },
    });
    await scene.webhook.received(7);
    expect(await scene.stats()).toMatchObject({ totalDeliveries: 1, failedDeliveries: 0 });
    scene.receiver.held[0]?.end();
    await scene.settled();
    expect(await scene.detail(id)).toMatchObject({
      status: 'failed',
      attemptNumber: 7,
      nextAttemptAt: null,
      completedAt: now,
    });
    expect(await scene.stats()).toMatchObject({ failedDeliveries: 1, failureRate: 1 });
    scene.clock.advance(day);
    await scene.settled();
    expect(scene.webhook.requests).toHaveLength(7);

    scene.receiver.holds = false;
    scene.receiver.status = 204;
    await scene.retry(id);
    await scene.settled();
    const { attempts, ...delivery } = await scene.detail(id);
    expect(delivery).toMatchObject({ status: 'succeeded', attemptNumber: 8, error: null });
    expect(attempts.map(({ attemptNumber, manual }: never) => [attemptNumber, manual])).toEqual([
      ...[1, 2, 3, 4, 5, 6].map((number) => [number, false]),
      [7, true],
      [8, true],
    ]);
    expect(distinctBytes(scene.webhook.requests).size).toBe(1);
    expect(await scene.stats()).toEqual({
      totalDeliveries: 1,
      failedDeliveries: 0,
      failureRate: 0,
      droppedDeliveries: 0,
      lastDroppedAt: null,
      lastError: 'status 500',
      lastDeliveryAt: new Date(scene.clock.now()).toISOString(),
    });
  });
});

describe('retry of a succeeded delivery', () => {
  test('it sends the delivery again, and a failed attempt makes it failed', async () => {
    const scene = await arrange({ status: 200 });
    const id = await scene.newDelivery();
    await scene.retry(id);
    await scene.settled();
    expect(await scene.detail(id)).toMatchObject({ status: 'succeeded', attemptNumber: 2 });
    scene.receiver.status = 500;
    await scene.retry(id);
    await scene.settled();
    scene.clock.advance(day);
    await scene.settled();
    expect(await scene.detail(id)).toMatchObject({ status: 'failed', attemptNumber: 3 });
    expect(distinctBytes(scene.webhook.requests.slice(0, 3)).size).toBe(1);
    expect(scene.webhook.requests).toHaveLength(3);
    expect(await scene.stats()).toMatchObject({ totalDeliveries: 1, failedDeliveries: 1 });
  });
});

describe('retry of a waiting delivery', () => {
  test('it replaces the next attempt, and the schedule continues after it', async () => {
    const scene = await arrange();
    const id = await scene.newDelivery();
    scene.clock.advance(30_000);
    expect((await scene.retry(id)).body).toMatchObject({ status: 'retrying', attemptNumber: 1 });
    await scene.settled();
    expect(scene.webhook.requests).toHaveLength(2);
    const next = scene.clock.now() + 5 * minute;
    expect(await scene.detail(id)).toMatchObject({
      status: 'retrying',
      attemptNumber: 2,
      nextAttemptAt: new Date(next).toISOString(),
      attempts: [{ manual: false }, { manual: true }],
    });
    scene.clock.advance(5 * minute - 1);
    await scene.settled();
    expect(scene.webhook.requests, 'the scheduled attempt was replaced').toHaveLength(2);
    scene.clock.advance(1);
    await scene.settled();
    await useUpAttempts(scene);
    expect(scene.webhook.requests, 'six attempts in total').toHaveLength(6);
    const { attempts } = await scene.detail(id);
    expect(attempts.map(({ manual }: never) => manual)).toEqual([
      false,
      true,
      ...[false, false, false, false],
    ]);
  });

  test('concurrent retries of a delivery that is due make one attempt', async () => {
    const scene = await arrange();
    const id = await scene.newDelivery();
    scene.receiver.holds = true;
    const asked = [scene.retry(id), scene.retry(id), scene.retry(id)];
    scene.clock.advance(minute);
    asked.push(scene.retry(id), scene.retry(id));
    for (const reply of await Promise.all(asked)) {
      if (reply.status !== 200) expect(reply).toMatchObject(invalid('deliveryId', 'inProgress'));
    }
    await scene.webhook.received(2);
    expect(await scene.retry(id)).toMatchObject(invalid('deliveryId', 'inProgress'));
    scene.receiver.held[0]?.end();
    await scene.settled();
    scene.clock.advance(5 * minute - 1);
    await scene.settled();
    expect(scene.webhook.requests).toHaveLength(2);
    const { attempts, ...delivery } = await scene.detail(id);
    expect(delivery).toMatchObject({ status: 'retrying', attemptNumber: 2 });
    expect(attempts).toMatchObject([{ attemptNumber: 1 }, { attemptNumber: 2 }]);
  });

  test('repeated retries while the webhook is paused make one attempt when it is active', async () => {
    const scene = await arrange();
    const id = await scene.newDelivery();
    await useUpAttempts(scene);
    const waiting = await scene.newDelivery();
    await scene.developer('PUT', scene.webhook.path, { body: { active: false } });
    scene.webhook.requests.splice(0);
    for (const delivery of [id, id, waiting, waiting]) {
      expect(await scene.retry(delivery)).toMatchObject({ status: 200 });
    }
    scene.clock.advance(day);
    await scene.settled();
    expect(scene.webhook.requests).toEqual([]);
    scene.receiver.status = 200;
    await scene.developer('PUT', scene.webhook.path, { body: { active: true } });
    await scene.settled();
    expect(scene.webhook.requests).toHaveLength(2);
    for (const [delivery, attemptNumber] of [
      [id, 7],
      [waiting, 2],
    ] as const) {
      const { attempts, ...rest } = await scene.detail(delivery);
      expect(rest).toMatchObject({ status: 'succeeded', attemptNumber });
      expect(attempts.at(-1)).toMatchObject({ attemptNumber, manual: true });
    }
  });
});

describe('rejected retry', () => {
  test('while an attempt runs it returns 400 inProgress', async () => {
    const scene = await arrange();
    scene.receiver.holds = true;
    await newVault(scene.developer);
    await scene.webhook.received(1);
    const { id } = (await scene.developer('GET', scene.deliveries)).body.data[0];
    expect(await scene.retry(id)).toMatchObject(invalid('deliveryId', 'inProgress'));
    scene.receiver.held[0]?.end();
    await scene.settled();
    expect(scene.webhook.requests).toHaveLength(1);
    expect(await scene.detail(id)).toMatchObject({ status: 'retrying', attemptNumber: 1 });
  });

  test('it returns 400 for a test event, 404 for unknown deliveries and 403 without the scope', async () => {
    const scene = await arrange();
    const other = await listen({ server: scene, call: scene.developer });
    const id = await scene.newDelivery();
    const tested = (await scene.developer('POST', `${scene.webhook.path}/test`)).body.id;
    await scene.settled();
    scene.webhook.requests.splice(0);
    expect(await scene.retry(tested)).toMatchObject(invalid('deliveryId', 'retryable'));
    const gone = missing({ deliveryId: 'dlv_unknown' });
    expect(await scene.retry('dlv_unknown')).toMatchObject(gone);
    const elsewhere = `${other.path}/deliveries/${id}/retry`;
    expect(await scene.developer('POST', elsewhere)).toMatchObject(missing({ deliveryId: id }));

    const stranger = await scene.signUp('stranger@example.com');
    const reader = await scene.signIn({ email: '', password: '', ...scene.account });
    const { key } = await newKey(reader, ['webhooks:read']);
    for (const path of [`${scene.deliveries}/${id}/retry`, `${scene.deliveries}/retry-failed`]) {
      const noWebhook = missing({ webhookId: scene.webhook.id });
      expect(await stranger.call('POST', path)).toMatchObject(noWebhook);
      expect(await scene.withKey(key)('POST', path)).toMatchObject({
        status: 403,
        body: { error: { code: 'INSUFFICIENT_PERMISSIONS' } },
      });
    }
    await scene.settled();
    expect(scene.webhook.requests).toEqual([]);
    expect(await scene.detail(id)).toMatchObject({ status: 'retrying', attemptNumber: 1 });
  });
});

test('a repeated retry with the same Idempotency-Key makes one attempt', async () => {
  const scene = await arrange({ status: 200 });
  const id = await scene.newDelivery();
  const call = () =>
    scene.developer('POST', `${scene.deliveries}/${id}/retry`, {
      headers: { 'idempotency-key': 'once' },
    });
  const first = await call();
  await scene.settled();
  const second = await call();
  await scene.settled();
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect(scene.webhook.requests).toHaveLength(2);
});
