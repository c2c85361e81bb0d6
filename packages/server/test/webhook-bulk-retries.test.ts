import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { dataFolder, inDatabase } from './support/data-folder.ts';
import { invalid } from './support/replies.ts';
import { newVault } from './support/resources.ts';
import { startTestServer, type TestServerOptions } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

const delays = {
  webhookRetryDelays: [1000],
  // The receiver fails hundreds of deliveries; without this its host would be paused.
  webhookHostPause: 0,
  webhookRatePerNewHost: 1_000_000,
};

/** Starts a server with two webhooks of one account. Their receiver responds with `receiver.status`. */
async function arrange(options: TestServerOptions = {}) {
  const server = await startTestServer({ ...delays, ...options });
  const { developer, clock, settled } = server;
  const receiver = { status: 500, held: [] as ServerResponse[], holds: false };
  const reply = (response: ServerResponse) => {
    response.statusCode = receiver.status;
    if (receiver.holds) receiver.held.push(response);
    else response.end();
  };
  const of = { server, call: developer, events: ['vault.created'], reply };
  const webhook = await listen(of);
  const other = await listen(of);
  return {
    ...server,
    receiver,
    webhook,
    other,
    retryFailed: (headers = {}) =>
      developer('POST', `${webhook.path}/deliveries/retry-failed`, { headers }),
    list: async (path = webhook.path) => (await developer('GET', `${path}/deliveries`)).body.data,
    stats: async (path = webhook.path) => (await developer('GET', path)).body.stats,
    /** Creates `count` failed deliveries for both webhooks. */
    async fail(count: number): Promise<void> {
      for (let made = 0; made < count; made += 1) await newVault(developer);
      await settled();
      clock.advance(1000);
      await settled();
      webhook.requests.splice(0);
      other.requests.splice(0);
    },
    async release(): Promise<void> {
      receiver.holds = false;
      for (const response of receiver.held.splice(0)) response.end();
      await settled();
    },
  };
}

test('retry-failed retries failed deliveries of its webhook only, without tests and deliveries that did not fail', async () => {
  const setup = await arrange();
  await setup.fail(3);
  setup.receiver.status = 200;
  await newVault(setup.developer);
  await setup.settled();
  setup.receiver.status = 500;
  await setup.developer('POST', `${setup.webhook.path}/test`);
  await setup.settled();
  await newVault(setup.developer);
  await setup.settled();
  setup.webhook.requests.splice(0);
  setup.other.requests.splice(0);

  setup.receiver.status = 200;
  expect(await setup.retryFailed()).toMatchObject({ status: 200, body: { retried: 3 } });
  await setup.settled();
  expect(setup.webhook.requests).toHaveLength(3);
  expect(setup.other.requests).toEqual([]);
  const facts = (await setup.list()).map(({ status, attemptNumber, test }: never) => [
    status,
    attemptNumber,
    test,
  ]);
  expect(facts).toEqual([
    ['retrying', 1, false],
    ['failed', 1, true],
    ['succeeded', 1, false],
    ['succeeded', 3, false],
    ['succeeded', 3, false],
    ['succeeded', 3, false],
  ]);
  expect(await setup.stats()).toMatchObject({ totalDeliveries: 5, failedDeliveries: 0 });
  expect(await setup.stats(setup.other.path)).toMatchObject({ failedDeliveries: 3 });
  expect(await setup.retryFailed(), 'nothing is left').toMatchObject({ body: { retried: 0 } });
});

test('retry-failed returns 400 inProgress until its deliveries have ended; a single retry does not block it', async () => {
  const setup = await arrange();
  await setup.fail(5);
  const [one] = await setup.list();
  setup.receiver.holds = true;
  await setup.developer('POST', `${setup.webhook.path}/deliveries/${one.id}/retry`);
  expect(await setup.retryFailed()).toMatchObject({ status: 200, body: { retried: 4 } });
  for (let repeat = 0; repeat < 3; repeat += 1) {
    expect(await setup.retryFailed()).toMatchObject(invalid('id', 'inProgress'));
  }
  await setup.release();
  expect(setup.webhook.requests).toHaveLength(5);
  setup.clock.advance(60_000);
  await setup.settled();
  expect(setup.webhook.requests, 'one attempt each').toHaveLength(5);
  const [delivery] = await setup.list();
  expect(delivery).toMatchObject({ status: 'failed', attemptNumber: 3, nextAttemptAt: null });
  expect(await setup.retryFailed()).toMatchObject({ status: 200, body: { retried: 5 } });
});

test('of concurrent retry-failed calls exactly one retries the deliveries', async () => {
  const setup = await arrange();
  await setup.fail(4);
  setup.receiver.holds = true;
  const replies = await Promise.all(Array.from({ length: 5 }, () => setup.retryFailed()));
  const retried = replies.filter(({ status }) => status === 200).map(({ body }) => body.retried);
  expect(retried).toEqual([4]);
  await setup.release();
  expect(setup.webhook.requests).toHaveLength(4);
});

test('retry-failed of a paused webhook waits until it is active; a repeated call replays its outcome', async () => {
  const setup = await arrange();
  await setup.fail(2);
  await setup.developer('PUT', setup.webhook.path, { body: { active: false } });
  const first = await setup.retryFailed({ 'idempotency-key': 'all' });
  const second = await setup.retryFailed({ 'idempotency-key': 'all' });
  expect([first.body, second.body]).toEqual([{ retried: 2 }, { retried: 2 }]);
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect(await setup.retryFailed()).toMatchObject(invalid('id', 'inProgress'));
  await setup.settled();
  expect(setup.webhook.requests).toEqual([]);
  await setup.developer('PUT', setup.webhook.path, { body: { active: true } });
  await setup.settled();
  expect(setup.webhook.requests).toHaveLength(2);
});

test('retry-failed retries each of 450 deliveries once, although they fail again meanwhile', async () => {
  const data = await dataFolder();
  const first = await startTestServer({ data, ...delays });
  const url = 'http://127.0.0.1:9/';
  const body = { url, events: ['vault.created'], secret: 's'.repeat(32) };
  const { id } = (await first.developer('POST', '/api/v1/webhooks', { body })).body;
  await first.close();
  inDatabase(data, (database) => {
    database.exec(`
      INSERT INTO events (tx, id, type, user_id, instance_id, body, test)
        SELECT 0, 'evt_1', 'vault.created', user_id, instance_id, '{}', 0 FROM webhooks;
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 450)
        INSERT INTO deliveries (id, webhook_id, event_id, event_type, test, status, attempt_number, created_at,
          completed_at)
        SELECT 'dlv_' || (1000 + i), '${id}', 'evt_1', 'vault.created', 0, 'failed', 6, ${Date.UTC(2026)},
          ${Date.UTC(2026)} FROM n;
      UPDATE webhook_statistics
        SET total_deliveries = 450, failed_deliveries = 450, failed = 450, finished_deliveries = 450;`);
  });

  const server = await startTestServer({ data, ...delays });
  const path = `/api/v1/webhooks/${id}`;
  const retried = await server.developer('POST', `${path}/deliveries/retry-failed`);
  expect(retried.body).toEqual({ retried: 450 });
  await server.settled();
  const { body: webhook } = await server.developer('GET', path);
  expect(webhook.stats).toMatchObject({ failedDeliveries: 450, lastError: 'connection refused' });
  await server.close();
  const numbers = inDatabase(data, (database) =>
    database.prepare('SELECT DISTINCT attempt_number FROM deliveries').pluck().all(),
  );
  expect(numbers).toEqual([7]);
});
