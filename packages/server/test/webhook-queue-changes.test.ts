import { expect, test } from 'vitest';
import type { ReceivedRequest } from './support/delivery/receiver.ts';
import { held } from './support/held-receiver.ts';
import { newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';
import { listen, secret, signatureOf } from './support/webhook-events.ts';

// An attempt uses the webhook's settings at the time it begins.

const concurrency = 2;
const vaults = 8;

/** Starts a server with a webhook. Its receiver delays the first attempts; the other deliveries are due. */
async function arrange() {
  const server = await startTestServer({ webhookConcurrencyPerWebhook: concurrency });
  const { reply, release } = held();
  const events = ['vault.created'];
  const webhook = await listen({ server, call: server.developer, events, reply });
  for (let count = 0; count < vaults; count += 1) await newVault(server.developer);
  await webhook.received(concurrency);
  return {
    ...server,
    webhook,
    change: (body: object) => server.developer('PUT', webhook.path, { body }),
    /** Lets the running attempts end and the next ones follow. */
    async release(): Promise<void> {
      release();
      await server.settled();
    },
  };
}

const deliveryOf = ({ headers }: ReceivedRequest) => headers['x-service-delivery-id'];

test('a paused webhook completes running attempts and begins none until it is active', async () => {
  const setup = await arrange();
  const { webhook, developer, clock, settled } = setup;
  await setup.change({ active: false });
  await setup.release();
  clock.advance(60_000);
  await settled();
  expect(webhook.requests).toHaveLength(concurrency);
  const listed = async (status: string) =>
    (await developer('GET', `${webhook.path}/deliveries?status=${status}`)).body.pagination
      .totalCount;
  expect([await listed('succeeded'), await listed('pending')]).toEqual([
    concurrency,
    vaults - concurrency,
  ]);

  await setup.change({ active: true });
  await settled();
  expect(webhook.requests).toHaveLength(vaults);
  expect(new Set(webhook.requests.map(deliveryOf)).size).toBe(vaults);
});

test('a changed webhook sends the next attempts to its new URL, with its new secret and headers', async () => {
  const setup = await arrange();
  const { webhook, developer, settled } = setup;
  const moved = await listen({ server: setup, call: developer, events: ['user.login'] });
  const rotated = 'the secret that comes after the first one';
  await setup.change({ url: moved.url, secret: rotated, headers: { 'X-New': '1' } });
  await setup.release();
  await settled();
  expect(webhook.requests).toHaveLength(concurrency);
  expect(moved.requests).toHaveLength(vaults - concurrency);
  for (const { body, headers } of webhook.requests) {
    expect(headers['x-service-signature']).toBe(signatureOf(body, secret));
    expect(headers).not.toHaveProperty('x-new');
  }
  for (const { body, headers } of moved.requests) {
    expect(headers).toMatchObject({
      'x-service-signature': signatureOf(body, rotated),
      'x-new': '1',
    });
  }
});

test('a deleted webhook loses its queue and the running attempts', async () => {
  const setup = await arrange();
  const { webhook, developer, clock, settled } = setup;
  const bystander = await listen({ server: setup, call: developer, events: ['vault.created'] });
  expect(await developer('DELETE', webhook.path)).toMatchObject({ status: 204 });
  await setup.release();
  clock.advance(24 * 60 * 60_000);
  await settled();
  expect(webhook.requests).toHaveLength(concurrency);
  const deliveries = await setup.deliveries();
  expect(deliveries).toEqual([]);
  await newVault(developer);
  expect(await bystander.events()).toHaveLength(1);
});

test('a retry after a change of the webhook has the same body and ids', async () => {
  const server = await startTestServer();
  const { developer, clock, settled } = server;
  const refuse = {
    reply: (response: { writeHead(status: number): { end(): void } }) => {
      response.writeHead(500).end();
    },
  };
  const first = await listen({ server, call: developer, events: ['vault.created'], ...refuse });
  const second = await listen({ server, call: developer, events: ['user.login'], ...refuse });
  await newVault(developer, { name: 'Grüße 🗝️' });
  await settled();
  const rotated = 'the secret that comes after the first one';
  const terms = { url: second.url, secret: rotated, headers: { 'X-New': '1' } };
  await developer('PUT', first.path, { body: terms });
  clock.advance(60_000);
  await settled();
  const requests = [first.requests[0], second.requests[0]] as [ReceivedRequest, ReceivedRequest];
  const [before, after] = requests;
  expect(after.body.equals(before.body)).toBe(true);
  expect(before.headers['x-service-signature']).toBe(signatureOf(before.body, secret));
  expect(after.headers['x-service-signature']).toBe(signatureOf(before.body, rotated));
  for (const name of ['x-service-event-id', 'x-service-event-type', 'x-service-delivery-id']) {
    expect(after.headers[name]).toBe(before.headers[name]);
  }
});
