import { pino } from 'pino';
import { expect, test } from 'vitest';
import { newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

test('each failed attempt of a delivery is one warning in the log, without secrets', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  const server = await startTestServer({ log, webhookHostPause: 0 });
  let status = 500;
  const webhook = await listen({
    server,
    call: server.developer,
    events: ['vault.created'],
    fields: { headers: { authorization: 'Bearer a-canary' } },
    reply(response) {
      response.statusCode = status;
      response.end('a-canary of the receiver');
    },
  });
  const failures = () =>
    lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.startsWith('delivery failed'));
  await newVault(server.developer);
  await server.settled();
  const { body } = await server.developer('GET', `${webhook.path}/deliveries`);
  const [{ id: deliveryId, eventId, webhookId }] = body.data;
  const facts = { level: 40, webhookId, eventId, eventType: 'vault.created', deliveryId };
  const first = { ...facts, attempt: 1, statusCode: 500, error: expect.stringContaining('500') };
  expect(failures()).toMatchObject([{ ...first, msg: 'delivery failed, and is tried again' }]);

  for (let attempt = 2; attempt <= 6; attempt += 1) {
    server.clock.advance(4 * 60 * 60 * 1000);
    await server.settled();
  }
  expect(failures()).toHaveLength(6);
  expect(failures().at(-1)).toMatchObject({
    ...facts,
    attempt: 6,
    msg: 'delivery failed for good',
  });
  status = 200;
  await newVault(server.developer);
  await server.settled();
  expect(failures()).toHaveLength(6);
  expect(lines.join()).not.toContain('a-canary');
  expect(lines.join()).not.toContain(new URL(webhook.url).host);
});
