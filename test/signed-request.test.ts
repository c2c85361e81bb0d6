import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { DocumentVault } from '@document-vault/sdk';
import { startServer } from '@document-vault/server';
import type { VaultCreatedEvent } from '@document-vault/webhook-verify';
import { newWebhookSecret, signedRequest } from '@document-vault/webhook-verify/testing';
import { expect, onTestFinished, test } from 'vitest';

const secrets = [
  ['a text', 'webhook-secret-0123456789abcdefghijklmnop', 1],
  ['a generated secret', newWebhookSecret(), 2],
  ['64 hexadecimal digits', '0123456789abcdef'.repeat(4), 2],
] as const;

interface Delivery {
  readonly method: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Starts a receiver and returns promises of its first two requests, in order. */
async function startReceiver() {
  const arrived: ((delivery: Delivery) => void)[] = [];
  const deliveries = [0, 1].map(() => new Promise<Delivery>((resolve) => arrived.push(resolve)));
  const server = createServer(async (request, response) => {
    arrived.shift()?.(await read(request));
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hooks`, deliveries };
}

async function read(request: IncomingMessage): Promise<Delivery> {
  const { method, rawHeaders } = request;
  const pairs = Array.from({ length: rawHeaders.length / 2 }, (_, index) =>
    rawHeaders.slice(2 * index, 2 * index + 2),
  );
  const body = (await buffer(request)).toString();
  return { method, headers: Object.fromEntries(pairs), body };
}

/** Headers that every HTTP request has or that `fetch` adds. */
const httpHeaders = ['host', 'connection', 'content-length', 'accept', 'accept-language'];

/** Returns the headers of the webhook sender. Placeholders replace hashes and versions. */
function webhookHeaders({ headers }: Delivery): Record<string, string> {
  const own = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !httpHeaders.includes(name) && !name.startsWith('sec-fetch-'));
  return Object.fromEntries(
    own.map(([name, value]) => [
      name,
      value.replace(/[0-9a-f]{32,64}$/, '<hex>').replace(/\/(\d+\.\d+\.\d+|source)$/, '/<version>'),
    ]),
  );
}

test.each(secrets)(
  'signedRequest with %s returns the method, the headers and the body that the server sends',
  async (_, secret, count) => {
    const receiver = await startReceiver();
    const server = await startServer({ port: 0, data: ':memory:', logLevel: 'warn' });
    onTestFinished(() => server.close());
    const client = new DocumentVault({ baseUrl: server.url, apiKey: server.account?.apiKey ?? '' });
    await client.webhooks.create({ url: receiver.url, events: ['vault.created'], secret });
    await client.vaults.create({ name: 'Taxes' });
    const sent = await receiver.deliveries[0];
    if (sent === undefined) throw new Error('the server sent no request');

    const event: VaultCreatedEvent = JSON.parse(sent.body);
    const sentAt = new Date(Number(sent.headers['webhook-timestamp']) * 1000);
    await fetch(receiver.url, await signedRequest(event, secret, { sentAt }));
    const made = await receiver.deliveries[1];
    if (made === undefined) throw new Error('signedRequest was not received');

    expect(Object.keys(webhookHeaders(sent))).toContain('x-service-delivery-id');
    expect(webhookHeaders(made)).toEqual(webhookHeaders(sent));
    expect(made.method).toBe(sent.method);
    expect(made.body).toBe(sent.body);
    expect(sent.headers['webhook-signature']?.split(' ')).toHaveLength(count);
    for (const signature of ['X-Service-Signature', 'webhook-signature']) {
      expect(made.headers[signature]).toBe(sent.headers[signature]);
    }
  },
);
