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
    const setup = await arrange();
    const id = await setup.newDelivery();
    await useUpAttempts(setup);
    expect(await setup.stats()).toMatchObject({ totalDeliveries: 1, failedDeliveries: 1 });

    setup.receiver.holds = true;
    const now = new Date(setup.clock.now()).toISOString();
    expect(await setup.retry(id)).toMatchObject({
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
    await setup.webhook.received(7);
    expect(await setup.stats()).toMatchObject({ totalDeliveries: 1, failedDeliveries: 0 });
    setup.receiver.held[0]?.end();
    await setup.settled();
    expect(await setup.detail(id)).toMatchObject({
      status: 'failed',
      attemptNumber: 7,
      nextAttemptAt: null,
      completedAt: now,
    });
    expect(await setup.stats()).toMatchObject({ failedDeliveries: 1, failureRate: 1 });
    setup.clock.advance(day);
    await setup.settled();
    expect(setup.webhook.requests).toHaveLength(7);

    setup.receiver.holds = false;
    setup.receiver.status = 204;
    await setup.retry(id);
    await setup.settled();
    const { attempts, ...delivery } = await setup.detail(id);
    expect(delivery).toMatchObject({ status: 'succeeded', attemptNumber: 8, error: null });
    expect(attempts.map(({ attemptNumber, manual }: never) => [attemptNumber, manual])).toEqual([
      ...[1, 2, 3, 4, 5, 6].map((number) => [number, false]),
      [7, true],
      [8, true],
    ]);
    expect(distinctBytes(setup.webhook.requests).size).toBe(1);
    expect(await setup.stats()).toEqual({
      totalDeliveries: 1,
      failedDeliveries: 0,
      failureRate: 0,
      droppedDeliveries: 0,
      lastDroppedAt: null,
      lastError: 'status 500',
      lastDeliveryAt: new Date(setup.clock.now()).toISOString(),
      consecutiveFailures: 0,
      failingSince: null,
      lastSuccessAt: new Date(setup.clock.now()).toISOString(),
      oldestPendingAt: null,
    });
  });
});

describe('retry of a succeeded delivery', () => {
  test('it sends the delivery again, and a failed attempt makes it failed', async () => {
    const setup = await arrange({ status: 200 });
    const id = await setup.newDelivery();
    await setup.retry(id);
    await setup.settled();
    expect(await setup.detail(id)).toMatchObject({ status: 'succeeded', attemptNumber: 2 });
    setup.receiver.status = 500;
    await setup.retry(id);
    await setup.settled();
    setup.clock.advance(day);
    await setup.settled();
    expect(await setup.detail(id)).toMatchObject({ status: 'failed', attemptNumber: 3 });
    expect(distinctBytes(setup.webhook.requests.slice(0, 3)).size).toBe(1);
    expect(setup.webhook.requests).toHaveLength(3);
    expect(await setup.stats()).toMatchObject({ totalDeliveries: 1, failedDeliveries: 1 });
  });
});

test('a retry by hand changes webhook-timestamp and webhook-signature, and no other header', async () => {
  const setup = await arrange();
  const id = await setup.newDelivery();
  setup.clock.advance(30_000);
  await setup.retry(id);
  await setup.settled();
  const [first, second] = setup.webhook.requests.map(({ headers }) => headers);
  if (!first || !second) expect.fail('an attempt is missing');
  expect(Object.keys(second)).toEqual(Object.keys(first));
  const changed = Object.keys(first).filter((name) => first[name] !== second[name]);
  expect(changed).toEqual(['webhook-timestamp', 'webhook-signature']);
  expect(second['webhook-timestamp']).toBe(`${Number(first['webhook-timestamp']) + 30}`);
});

describe('retry of a waiting delivery', () => {
  test('it replaces the next attempt, and the schedule continues after it', async () => {
    const setup = await arrange();
    const id = await setup.newDelivery();
    setup.clock.advance(30_000);
    expect((await setup.retry(id)).body).toMatchObject({ status: 'retrying', attemptNumber: 1 });
    await setup.settled();
    expect(setup.webhook.requests).toHaveLength(2);
    const next = setup.clock.now() + 5 * minute;
    expect(await setup.detail(id)).toMatchObject({
      status: 'retrying',
      attemptNumber: 2,
      nextAttemptAt: new Date(next).toISOString(),
      attempts: [{ manual: false }, { manual: true }],
    });
    setup.clock.advance(5 * minute - 1);
    await setup.settled();
    expect(setup.webhook.requests, 'the scheduled attempt was replaced').toHaveLength(2);
    setup.clock.advance(1);
    await setup.settled();
    await useUpAttempts(setup);
    expect(setup.webhook.requests, 'six attempts in total').toHaveLength(6);
    const { attempts } = await setup.detail(id);
    expect(attempts.map(({ manual }: never) => manual)).toEqual([
      false,
      true,
      ...[false, false, false, false],
    ]);
  });

  test('concurrent retries of a delivery that is due make one attempt', async () => {
    const setup = await arrange();
    const id = await setup.newDelivery();
    setup.receiver.holds = true;
    const asked = [setup.retry(id), setup.retry(id), setup.retry(id)];
    setup.clock.advance(minute);
    asked.push(setup.retry(id), setup.retry(id));
    for (const reply of await Promise.all(asked)) {
      if (reply.status !== 200) expect(reply).toMatchObject(invalid('deliveryId', 'inProgress'));
    }
    await setup.webhook.received(2);
    expect(await setup.retry(id)).toMatchObject(invalid('deliveryId', 'inProgress'));
    setup.receiver.held[0]?.end();
    await setup.settled();
    setup.clock.advance(5 * minute - 1);
    await setup.settled();
    expect(setup.webhook.requests).toHaveLength(2);
    const { attempts, ...delivery } = await setup.detail(id);
    expect(delivery).toMatchObject({ status: 'retrying', attemptNumber: 2 });
    expect(attempts).toMatchObject([{ attemptNumber: 1 }, { attemptNumber: 2 }]);
  });

  test('repeated retries while the webhook is paused make one attempt when it is active', async () => {
    const setup = await arrange();
    const id = await setup.newDelivery();
    await useUpAttempts(setup);
    const waiting = await setup.newDelivery();
    await setup.developer('PUT', setup.webhook.path, { body: { active: false } });
    setup.webhook.requests.splice(0);
    for (const delivery of [id, id, waiting, waiting]) {
      expect(await setup.retry(delivery)).toMatchObject({ status: 200 });
    }
    setup.clock.advance(day);
    await setup.settled();
    expect(setup.webhook.requests).toEqual([]);
    setup.receiver.status = 200;
    await setup.developer('PUT', setup.webhook.path, { body: { active: true } });
    await setup.settled();
    expect(setup.webhook.requests).toHaveLength(2);
    for (const [delivery, attemptNumber] of [
      [id, 7],
      [waiting, 2],
    ] as const) {
      const { attempts, ...rest } = await setup.detail(delivery);
      expect(rest).toMatchObject({ status: 'succeeded', attemptNumber });
      expect(attempts.at(-1)).toMatchObject({ attemptNumber, manual: true });
    }
  });
});

describe('rejected retry', () => {
  test('while an attempt runs it returns 400 inProgress', async () => {
    const setup = await arrange();
    setup.receiver.holds = true;
    await newVault(setup.developer);
    await setup.webhook.received(1);
    const { id } = (await setup.developer('GET', setup.deliveries)).body.data[0];
    expect(await setup.retry(id)).toMatchObject(invalid('deliveryId', 'inProgress'));
    setup.receiver.held[0]?.end();
    await setup.settled();
    expect(setup.webhook.requests).toHaveLength(1);
    expect(await setup.detail(id)).toMatchObject({ status: 'retrying', attemptNumber: 1 });
  });

  test('it returns 400 for a test event, 404 for unknown deliveries and 403 without the scope', async () => {
    const setup = await arrange();
    const other = await listen({ server: setup, call: setup.developer });
    const id = await setup.newDelivery();
    const tested = (await setup.developer('POST', `${setup.webhook.path}/test`)).body.id;
    await setup.settled();
    setup.webhook.requests.splice(0);
    expect(await setup.retry(tested)).toMatchObject(invalid('deliveryId', 'retryable'));
    const gone = missing({ deliveryId: 'dlv_unknown' });
    expect(await setup.retry('dlv_unknown')).toMatchObject(gone);
    const elsewhere = `${other.path}/deliveries/${id}/retry`;
    expect(await setup.developer('POST', elsewhere)).toMatchObject(missing({ deliveryId: id }));

    const stranger = await setup.signUp('stranger@example.com');
    const reader = await setup.signIn({ email: '', password: '', ...setup.account });
    const { key } = await newKey(reader, ['webhooks:read']);
    for (const path of [`${setup.deliveries}/${id}/retry`, `${setup.deliveries}/retry-failed`]) {
      const noWebhook = missing({ webhookId: setup.webhook.id });
      expect(await stranger.call('POST', path)).toMatchObject(noWebhook);
      expect(await setup.withKey(key)('POST', path)).toMatchObject({
        status: 403,
        body: { error: { code: 'INSUFFICIENT_PERMISSIONS' } },
      });
    }
    await setup.settled();
    expect(setup.webhook.requests).toEqual([]);
    expect(await setup.detail(id)).toMatchObject({ status: 'retrying', attemptNumber: 1 });
  });
});

test('a repeated retry with the same Idempotency-Key makes one attempt', async () => {
  const setup = await arrange({ status: 200 });
  const id = await setup.newDelivery();
  const call = () =>
    setup.developer('POST', `${setup.deliveries}/${id}/retry`, {
      headers: { 'idempotency-key': 'once' },
    });
  const first = await call();
  await setup.settled();
  const second = await call();
  await setup.settled();
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect(setup.webhook.requests).toHaveLength(2);
});
