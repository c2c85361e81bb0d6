import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { DocumentVault } from '@document-vault/sdk';
import { startServer } from '@document-vault/server';
import type { VaultCreatedEvent } from '@document-vault/webhook-verify';
import { signedRequest } from '@document-vault/webhook-verify/sign';
import { expect, onTestFinished, test } from 'vitest';

const secret = 'a secret of these tests, long enough';

interface Delivery {
  readonly method: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A plain receiver: the deliveries come out in the order in which they came in. */
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

/** Headers of every request, and those that `fetch` adds. */
const ofTheClient = ['host', 'connection', 'content-length', 'accept', 'accept-language'];

/** The headers that are the sender's, each value reduced to its shape. */
function shapes({ headers }: Delivery): Record<string, string> {
  const own = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !ofTheClient.includes(name) && !name.startsWith('sec-fetch-'));
  return Object.fromEntries(
    own.map(([name, value]) => [
      name,
      value.replace(/[0-9a-f]{32,64}$/, '<hex>').replace(/\/(\d+\.\d+\.\d+|source)$/, '/<version>'),
    ]),
  );
}

test('signedRequest is what the server sends: the method, the headers and the body', async () => {
  const receiver = await startReceiver();
  const server = await startServer({ port: 0, data: ':memory:', logLevel: 'warn' });
  onTestFinished(() => server.close());
  const client = new DocumentVault({ baseUrl: server.url, apiKey: server.account?.apiKey ?? '' });
  await client.webhooks.create({ url: receiver.url, events: ['vault.created'], secret });
  await client.vaults.create({ name: 'Taxes' });
  const sent = await receiver.deliveries[0];
  if (sent === undefined) throw new Error('nothing was sent');

  const event: VaultCreatedEvent = JSON.parse(sent.body);
  await fetch(receiver.url, signedRequest(event, secret));
  const made = await receiver.deliveries[1];
  if (made === undefined) throw new Error('nothing was made');

  expect(Object.keys(shapes(sent))).toContain('x-service-delivery-id');
  expect(shapes(made)).toEqual(shapes(sent));
  expect(made.method).toBe(sent.method);
  expect(made.body).toBe(sent.body);
  const signature = 'X-Service-Signature';
  expect(made.headers[signature]).toBe(sent.headers[signature]);
});
