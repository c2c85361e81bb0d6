import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { startReceiver } from './support/delivery/receiver.ts';
import { newVault } from './support/resources.ts';
import { type Caller, startTestServer } from './support/server.ts';

const secret = 'a secret of the tests, 32 and more';
const minute = 60_000;

/** Starts a receiver that responds after 5 ms and records its maximum of concurrent requests. */
async function slowReceiver(respond: (response: ServerResponse) => void) {
  const seen = { maxOpen: 0, status: respond };
  let open = 0;
  const receiver = await startReceiver((response) => {
    open += 1;
    seen.maxOpen = Math.max(seen.maxOpen, open);
    setTimeout(() => {
      open -= 1;
      seen.status(response);
    }, 5);
  });
  onTestFinished(() => receiver.close());
  return { ...receiver, seen };
}

async function addWebhooks(call: Caller, url: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const body = { url: `${url}/${made}`, events: ['vault.created'], secret };
    ids.push((await call('POST', '/api/v1/webhooks', { body })).body.id);
  }
  return ids;
}

async function countByStatus(call: Caller) {
  const { body } = await call('GET', '/api/v1/instances/statistics');
  return body.deliveries;
}

test('10 events for 200 webhooks at a failing host send 60 requests, at most 2 at once', async () => {
  const { url, requests, seen } = await slowReceiver((response) => response.writeHead(404).end());
  const server = await startTestServer();
  const { developer, clock, signUp, settled } = server;
  const other = (await signUp('ada@example.com')).call;
  for (const call of [developer, other]) await addWebhooks(call, url, 100);
  for (let count = 0; count < 5; count += 1) {
    for (const call of [developer, other]) await newVault(call);
  }
  await settled();
  expect(requests).toHaveLength(60);
  expect(seen.maxOpen).toBe(2);
  // Deliveries that wait for their host do not count as late.
  clock.advance(10 * minute);
  const { body: me } = await developer('GET', '/api/v1/users/me');
  const health = await developer('GET', `/api/v1/instances/${me.instanceId}/health`);
  expect(health.body.checks).toContainEqual(
    expect.objectContaining({ name: 'deliveries', status: 'healthy' }),
  );

  // After the host recovers, every delivery arrives.
  seen.status = (response) => response.end();
  for (let passed = 0; passed < 10; passed += 1) {
    clock.advance(minute);
    await settled();
  }
  for (const call of [developer, other]) {
    expect(await countByStatus(call)).toMatchObject({ pending: 0, retrying: 0, succeeded: 500 });
  }
  expect(seen.maxOpen).toBeGreaterThan(2);
  expect(seen.maxOpen).toBeLessThanOrEqual(64);
  expect(new Set(requests.map(({ headers }) => headers['x-service-delivery-id'])).size).toBe(1000);
});

test('a test event and a manual retry wait for a paused host, and are sent after its pause', async () => {
  const { url, requests, seen } = await slowReceiver((response) => response.writeHead(500).end());
  const { developer, clock, settled } = await startTestServer({ webhookRetryDelays: [] });
  const [id] = await addWebhooks(developer, url, 1);
  for (let count = 0; count < 7; count += 1) await newVault(developer);
  await settled();
  // Two attempts run at once, so one could already be running when the fifth failed.
  const sent = requests.length;
  expect(sent).toBeGreaterThanOrEqual(5);
  expect(sent).toBeLessThanOrEqual(6);

  const path = `/api/v1/webhooks/${id}`;
  const { body: failed } = await developer('GET', `${path}/deliveries?status=failed`);
  const [first] = failed.data;
  await developer('POST', `${path}/deliveries/${first.id}/retry`);
  await developer('POST', `${path}/test`, { body: {} });
  await settled();
  expect(requests).toHaveLength(sent);
  seen.status = (response) => response.end();
  clock.advance(1000);
  await settled();
  expect(requests).toHaveLength(7 + 2);
  const ids = requests.map(({ headers }) => headers['x-service-delivery-id']);
  expect(ids.filter((each) => each === first.id)).toHaveLength(2);
});
