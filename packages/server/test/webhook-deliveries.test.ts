import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { ReceivedRequest } from './support/delivery/receiver.ts';
import { refusal } from './support/front-door.ts';
import { newConsent, newDocument, newKey, newShare, newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';
import { listen, signatureOf, verifiedEvent } from './support/webhook-events.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Delays before the second and each further attempt. */
const waits = [minute, 5 * minute, 15 * minute, hour, 4 * hour];

/** Returns a receiver whose status can be changed. */
function receiverWithStatus(status: number) {
  const receiver = {
    status,
    reply(response: ServerResponse) {
      response.statusCode = receiver.status;
      response.end('response of the receiver');
    },
  };
  return receiver;
}

const attemptOf = ({ body, headers }: ReceivedRequest) => ({
  body: body.toString('utf8'),
  signature: headers['x-service-signature'],
  event: headers['x-service-event-id'],
  delivery: headers['x-service-delivery-id'],
});

test('an event, a test event and a due retry are sent without another request', async () => {
  const server = await startTestServer();
  const { developer, clock, settled } = server;
  const receiver = receiverWithStatus(200);
  const webhook = await listen({ server, call: developer, reply: receiver.reply });
  await newVault(developer);
  await webhook.received(1);
  await developer('POST', `${webhook.path}/test`);
  await webhook.received(2);
  receiver.status = 500;
  await newVault(developer);
  await webhook.received(3);
  await settled();
  clock.advance(minute);
  await webhook.received(4);
});

test('GET of a delivery requires the scope for the resource of its event', async () => {
  const server = await startTestServer();
  const { call } = await server.signUp('ada@example.com');
  const events = ['vault.created', 'document.uploaded', 'document.shared', 'consent.granted'];
  const webhook = await call('POST', '/api/v1/webhooks', {
    body: { url: 'http://127.0.0.1:9/', events, secret: 's'.repeat(32), active: false },
  });
  const path = `/api/v1/webhooks/${webhook.body.id}`;
  const document = await newDocument(call, (await newVault(call)).id);
  await newShare(call, document.id);
  await newConsent(call);
  const scopes: Record<string, string> = {
    'vault.created': 'vaults:read',
    'document.uploaded': 'documents:read',
    'document.shared': 'documents:share',
    'consent.granted': 'consents:read',
  };
  const monitor = server.withKey((await newKey(call, ['webhooks:read', 'webhooks:write'])).key);
  const { data } = (await monitor('GET', `${path}/deliveries`)).body;
  expect(data).toHaveLength(4);
  for (const { id, eventType } of data) {
    const scope = scopes[eventType] ?? '';
    const refused = refusal('INSUFFICIENT_PERMISSIONS', { requiredScopes: [scope] });
    expect(await monitor('GET', `${path}/deliveries/${id}`)).toMatchObject(refused);
    const reader = server.withKey((await newKey(call, ['webhooks:read', scope])).key);
    expect(await reader('GET', `${path}/deliveries/${id}`)).toMatchObject({ status: 200 });
  }
  const test = (await monitor('POST', `${path}/test`, { body: {} })).body;
  expect(await monitor('GET', `${path}/deliveries/${test.id}`)).toMatchObject({ status: 200 });
});

describe('failing receiver', () => {
  test('a delivery is attempted six times, after 1, 5, 15, 60 and 240 minutes, with the same bytes', async () => {
    const server = await startTestServer();
    const { developer, clock, settled } = server;
    const { reply } = receiverWithStatus(500);
    const webhook = await listen({ server, call: developer, reply });
    const stats = async () => (await developer('GET', webhook.path)).body.stats;
    const start = clock.now();
    await newVault(developer);
    await settled();
    expect(webhook.requests).toHaveLength(1);

    const attemptedAt = [start];
    for (const [index, wait] of waits.entries()) {
      expect(await stats()).toEqual({
        totalDeliveries: 1,
        failedDeliveries: 0,
        failureRate: 0,
        droppedDeliveries: 0,
        lastDroppedAt: null,
        lastError: 'status 500',
        lastDeliveryAt: new Date(clock.now()).toISOString(),
        consecutiveFailures: index + 1,
        failingSince: new Date(start).toISOString(),
        lastSuccessAt: null,
        oldestPendingAt: new Date(start).toISOString(),
      });
      clock.advance(wait - 1);
      await settled();
      expect(webhook.requests, 'one millisecond before it is due').toHaveLength(index + 1);
      clock.advance(1);
      await settled();
      expect(webhook.requests, 'due').toHaveLength(index + 2);
      attemptedAt.push(clock.now());
    }
    const end = new Date(clock.now()).toISOString();
    expect(clock.now() - start).toBe(5 * hour + 21 * minute);
    clock.advance(29 * 24 * hour);
    await settled();
    expect(webhook.requests).toHaveLength(6);
    expect(await stats()).toMatchObject({
      failedDeliveries: 1,
      failureRate: 1,
      lastDeliveryAt: end,
    });

    for (const request of webhook.requests) verifiedEvent(request);
    expect(
      new Set(webhook.requests.map((request) => JSON.stringify(attemptOf(request)))).size,
    ).toBe(1);

    const { data } = (await developer('GET', `${webhook.path}/deliveries`)).body;
    const ended = { status: 'failed', statusCode: 500, attemptNumber: 6, nextAttemptAt: null };
    expect(data).toMatchObject([{ ...ended, completedAt: end, test: false }]);
    const detail = await developer('GET', `${webhook.path}/deliveries/${data[0].id}`);
    expect(detail.body.attempts).toMatchObject(
      attemptedAt.map((moment, index) => ({
        attemptNumber: index + 1,
        startedAt: new Date(moment).toISOString(),
        statusCode: 500,
        error: 'status 500',
        responseBody: 'response of the receiver',
      })),
    );
  });

  test('a delivery is not sent again after an attempt that succeeded', async () => {
    const server = await startTestServer();
    const { developer, clock, settled } = server;
    const receiver = receiverWithStatus(503);
    const webhook = await listen({ server, call: developer, reply: receiver.reply });
    await newVault(developer);
    await settled();
    receiver.status = 204;
    clock.advance(minute);
    await settled();
    clock.advance(30 * 24 * hour);
    await settled();
    expect(webhook.requests).toHaveLength(2);
    const { stats } = (await developer('GET', webhook.path)).body;
    const counts = { totalDeliveries: 1, failedDeliveries: 0, failureRate: 0 };
    expect(stats).toMatchObject({ ...counts, lastError: 'status 503' });
  });

  test('a redirect is not followed and counts as a failed attempt', async () => {
    const server = await startTestServer();
    const { developer, settled } = server;
    const elsewhere = await listen({ server, call: developer, events: ['user.login'] });
    const reply = (response: ServerResponse) => {
      response.writeHead(307, { location: elsewhere.url });
      response.end();
    };
    const webhook = await listen({ server, call: developer, events: ['vault.created'], reply });
    await newVault(developer);
    await settled();
    expect(webhook.requests).toHaveLength(1);
    expect(elsewhere.requests).toHaveLength(0);
    const { stats } = (await developer('GET', webhook.path)).body;
    expect(stats.lastError).toMatch(/^status 307/);
  });

  test('a failing webhook delays no other and has its own statistics', async () => {
    const server = await startTestServer();
    const { developer } = server;
    const broken = await listen({ server, call: developer, reply: receiverWithStatus(500).reply });
    const sound = await listen({ server, call: developer });
    await newVault(developer);
    await newVault(developer);
    expect(await sound.events()).toHaveLength(2);
    const statsOf = async (path: string) => (await developer('GET', path)).body.stats;
    expect(await statsOf(sound.path)).toMatchObject({ totalDeliveries: 2, lastError: null });
    expect(await statsOf(broken.path)).toMatchObject({
      totalDeliveries: 2,
      lastError: 'status 500',
    });
  });
});

describe('paused webhook', () => {
  test('deliveries wait while it is paused and are sent once when it is active again', async () => {
    const server = await startTestServer();
    const { developer, clock, settled } = server;
    const receiver = receiverWithStatus(500);
    const webhook = await listen({ server, call: developer, reply: receiver.reply });
    const switched = (active: boolean) => developer('PUT', webhook.path, { body: { active } });
    const names: string[] = [];
    const created = async (name: string) => names.push((await newVault(developer, { name })).name);

    await created('attempted once');
    await settled();
    expect(webhook.requests.splice(0)).toHaveLength(1);
    await switched(false);
    await created('while it is paused');
    clock.advance(hour);
    await created('later');
    await settled();
    expect(webhook.requests, 'while it is paused').toHaveLength(0);
    const { data } = (await developer('GET', `${webhook.path}/deliveries?sortOrder=asc`)).body;
    expect(data).toMatchObject([
      { status: 'retrying', attemptNumber: 1 },
      { status: 'pending', attemptNumber: 0 },
      { status: 'pending', attemptNumber: 0 },
    ]);

    receiver.status = 200;
    await switched(true);
    await webhook.received(3);
    const events = await webhook.events();
    expect(events.map((event) => event.data.object.name).toSorted()).toEqual(names.toSorted());
    clock.advance(30 * 24 * hour);
    expect(await webhook.events(), 'each is sent once').toEqual([]);
  });

  test('a webhook created with active: false queues events', async () => {
    const server = await startTestServer();
    const { developer } = server;
    const webhook = await listen({ server, call: developer, fields: { active: false } });
    await newVault(developer);
    expect(await webhook.events()).toEqual([]);
    await developer('PUT', webhook.path, { body: { active: true } });
    expect(await webhook.events()).toHaveLength(1);
  });
});

describe('deleted webhook', () => {
  test('its pending deliveries are removed', async () => {
    const server = await startTestServer();
    const { developer, clock, settled } = server;
    const webhook = await listen({ server, call: developer, reply: receiverWithStatus(500).reply });
    await newVault(developer);
    await settled();
    expect(await developer('DELETE', webhook.path)).toMatchObject({ status: 204 });
    expect(webhook.requests.splice(0)).toHaveLength(1);
    await newVault(developer);
    clock.advance(30 * 24 * hour);
    await settled();
    expect(webhook.requests).toEqual([]);
  });
});

describe('changed webhook', () => {
  test('pending deliveries use its new URL, secret and headers', async () => {
    const server = await startTestServer();
    const { developer, clock, settled } = server;
    const { reply } = receiverWithStatus(500);
    const before = await listen({ server, call: developer, events: ['vault.created'], reply });
    const after = await listen({ server, call: developer, events: ['user.login'] });
    const vault = await newVault(developer);
    await settled();
    expect(before.requests.splice(0)).toHaveLength(1);

    const secret = 'another secret of these tests, longer';
    const terms = { url: after.url, secret, events: ['vault.deleted'], headers: { 'X-New': '1' } };
    await developer('PUT', before.path, { body: terms });
    await newVault(developer, { name: 'no longer subscribed' });
    await developer('DELETE', `/api/v1/vaults/${vault.id}`);
    clock.advance(minute);
    await settled();
    expect(before.requests).toEqual([]);
    const received = after.requests.map(({ body, headers }) => {
      expect(headers).toMatchObject({
        'x-service-signature': signatureOf(body, secret),
        'x-new': '1',
      });
      return JSON.parse(body.toString('utf8'));
    });
    expect(received.map(({ type }) => type).toSorted()).toEqual(['vault.created', 'vault.deleted']);
    expect(received.map(({ data }) => data.object.id)).toEqual([vault.id, vault.id]);
  });
});
