import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newVault } from './support/resources.ts';
import { type Caller, startTestServer, type TestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

/** One step of a random history of a webhook and its deliveries. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('event' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('test' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('retry' as const), which: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('retry all' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('respond' as const),
      status: fc.constantFrom(200, 500, 503),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      milliseconds: fc.constantFrom(1, 1_000, 5_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('switch' as const), active: fc.boolean() }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface Delivery {
  readonly id: string;
  readonly status: string;
  readonly test: boolean;
  readonly createdAt: string;
  readonly nextAttemptAt: string | null;
}

interface Attempt {
  readonly startedAt: string;
  readonly error: string | null;
}

/** Computes the statistics from the deliveries and attempts. */
async function recount(call: Caller, path: string) {
  const { data, pagination } = (await call('GET', `${path}/deliveries?pageSize=100`)).body;
  expect(pagination.totalCount).toBe(data.length);
  const counted = data.filter(({ test }: Delivery) => !test) as Delivery[];
  const attempts: Attempt[] = [];
  for (const { id } of counted) {
    attempts.push(...(await call('GET', `${path}/deliveries/${id}`)).body.attempts);
  }
  const latest = attempts.toSorted((a, b) => a.startedAt.localeCompare(b.startedAt));
  const success = latest.findLastIndex(({ error }) => error === null);
  const waiting = counted.filter(({ nextAttemptAt }) => nextAttemptAt !== null);
  const failed = counted.filter(({ status }) => status === 'failed').length;
  return {
    totalDeliveries: counted.length,
    failedDeliveries: failed,
    failureRate: counted.length === 0 ? 0 : failed / counted.length,
    droppedDeliveries: 0,
    lastDroppedAt: null,
    lastError: latest.findLast(({ error }) => error !== null)?.error ?? null,
    lastDeliveryAt: latest.at(-1)?.startedAt ?? null,
    consecutiveFailures: latest.length - success - 1,
    failingSince: latest[success + 1]?.startedAt ?? null,
    lastSuccessAt: latest[success]?.startedAt ?? null,
    oldestPendingAt: waiting.map(({ createdAt }) => createdAt).toSorted()[0] ?? null,
  };
}

async function register(server: TestServer) {
  const { developer: call, clock, settled } = server;
  const receiver = { status: 200 };
  const webhook = await listen({
    server,
    call,
    events: ['vault.created'],
    reply: (response) => response.writeHead(receiver.status).end(),
  });
  const { path } = webhook;

  async function apply(step: Step): Promise<void> {
    if (step.kind === 'event') await newVault(call);
    else if (step.kind === 'test') await call('POST', `${path}/test`);
    else if (step.kind === 'retry all') await call('POST', `${path}/deliveries/retry-failed`);
    else if (step.kind === 'respond') receiver.status = step.status;
    else if (step.kind === 'wait') clock.advance(step.milliseconds);
    else if (step.kind === 'switch') await call('PUT', path, { body: { active: step.active } });
    else {
      const { data } = (await call('GET', `${path}/deliveries`)).body;
      const id = data[step.which]?.id;
      if (id) await call('POST', `${path}/deliveries/${id}/retry`);
    }
    await settled();
    // All attempts that begin at the same time get the same status.
    clock.advance(1);
    await settled();
  }

  return {
    apply,
    webhook: async () => (await call('GET', path)).body,
    recount: () => recount(call, path),
    remove: () => call('DELETE', path),
  };
}

test('the statistics of a webhook equal a recount of its deliveries after any history', async () => {
  const server = await startTestServer({
    webhookRetryDelays: [1_000, 2_000],
    requestsPerMinute: { enterprise: 1_000_000_000 },
    requestsPerHour: { enterprise: 1_000_000_000 },
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const webhook = await register(server);
      for (const step of steps) {
        await webhook.apply(step);
        const { stats, active, health } = await webhook.webhook();
        expect(stats).toEqual(await webhook.recount());
        if (!active) expect(health).toBe('paused');
        else if (stats.consecutiveFailures >= 3) expect(health).toBe('failing');
        else if (stats.lastDeliveryAt === null) expect(health).toBe('new');
      }
      await webhook.remove();
    }),
    { numRuns: 12 },
  );
});

test('a webhook whose attempts all fail is failing long before a delivery is given up', async () => {
  const server = await startTestServer();
  const { developer: call, clock, settled } = server;
  const receiver = { status: 500 };
  const { path } = await listen({
    server,
    call,
    events: ['vault.created'],
    reply: (response) => response.writeHead(receiver.status).end(),
  });
  const at = () => new Date(clock.now()).toISOString();
  const health = async () => (await call('GET', path)).body.health;

  await call('POST', `${path}/test`);
  await settled();
  expect(await health()).toBe('new');
  const since = at();
  await newVault(call);
  await settled();
  // One failed attempt makes no failing webhook until the delivery has waited for 5 minutes.
  expect(await health()).toBe('healthy');
  for (const minutes of [1, 5]) {
    clock.advance(minutes * 60_000);
    await settled();
  }
  const { body } = await call('GET', path);
  expect(body).toMatchObject({
    health: 'failing',
    stats: {
      failureRate: 0,
      consecutiveFailures: 3,
      failingSince: since,
      lastSuccessAt: null,
      oldestPendingAt: since,
    },
  });
  const query =
    '{ webhooks { data { health stats { consecutiveFailures failingSince lastSuccessAt oldestPendingAt } } } }';
  const graphql = await call('POST', '/graphql', { body: { query } });
  const { consecutiveFailures, failingSince, lastSuccessAt, oldestPendingAt } = body.stats;
  expect(graphql.body.data.webhooks.data).toEqual([
    {
      health: 'failing',
      stats: { consecutiveFailures, failingSince, lastSuccessAt, oldestPendingAt },
    },
  ]);

  await call('PUT', path, { body: { active: false } });
  expect(await health()).toBe('paused');
  receiver.status = 200;
  clock.advance(15 * 60_000);
  await call('PUT', path, { body: { active: true } });
  await settled();
  expect((await call('GET', path)).body).toMatchObject({
    health: 'healthy',
    stats: {
      consecutiveFailures: 0,
      failingSince: null,
      lastSuccessAt: at(),
      oldestPendingAt: null,
    },
  });
});

test('a webhook with one failed attempt is failing once a delivery has waited for more than 5 minutes', async () => {
  const server = await startTestServer({ webhookRetryDelays: [3_600_000] });
  const { developer: call, clock, settled } = server;
  const reply = (response: ServerResponse) => response.writeHead(500).end();
  const { path } = await listen({ server, call, events: ['vault.created'], reply });
  const health = async () => (await call('GET', path)).body.health;
  await newVault(call);
  await settled();
  clock.advance(5 * 60_000);
  expect(await health()).toBe('healthy');
  clock.advance(1);
  expect(await health()).toBe('failing');
});
