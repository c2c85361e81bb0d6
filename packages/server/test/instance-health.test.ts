import { mkdir, rm } from 'node:fs/promises';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { dataFolder, inDatabase } from './support/data-folder.ts';
import { held } from './support/held-receiver.ts';
import { newVault } from './support/resources.ts';
import { type Caller, startTestServer, type TestServerOptions } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

const minute = 60_000;
const TiB = 2 ** 40;

async function start(options: TestServerOptions = {}) {
  const server = await startTestServer(options);
  const { instanceId } = (await server.developer('GET', '/api/v1/users/me')).body;
  const health = async (call: Caller = server.developer) => {
    const reply = await call('GET', `/api/v1/instances/${instanceId}/health`);
    expect(reply.status).toBe(200);
    return reply.body;
  };
  return { ...server, instanceId, health };
}

const healthy = (name: string) => ({
  name,
  status: 'healthy',
  durationMs: expect.any(Number),
});

test('GET /instances/{id}/health returns each check with its name, status and duration', async () => {
  const { health, clock, instanceId } = await start();
  clock.advance(1000);
  expect(await health()).toEqual({
    instanceId,
    status: 'healthy',
    checks: [healthy('store'), healthy('disk'), healthy('deliveries')],
    checkedAt: '2026-01-01T00:00:01.000Z',
  });
});

test('the health is degraded when the disk has less free space than minFreeDisk', async () => {
  const { health } = await start({ minFreeDisk: 4096 * TiB });
  expect(await health()).toMatchObject({
    status: 'degraded',
    checks: [
      { name: 'store', status: 'healthy' },
      {
        name: 'disk',
        status: 'degraded',
        message: expect.stringMatching(/^The disk has \d+ bytes free; 4503599627370496 are/),
      },
      { name: 'deliveries', status: 'healthy' },
    ],
  });
});

test('the health is degraded when the store cannot be written to, without the cause in the response', async () => {
  const data = await dataFolder();
  await (await startTestServer({ data })).close();
  inDatabase(data, (database) =>
    database.exec(`CREATE TRIGGER full BEFORE INSERT ON health_probe
      BEGIN SELECT RAISE(ABORT, 'the disk /secret is full'); END;
      DELETE FROM health_probe;`),
  );
  const { health } = await start({ data });
  const report = await health();
  expect(report).toMatchObject({
    status: 'degraded',
    checks: [
      { name: 'store', status: 'degraded', message: 'The store cannot be written to' },
      { name: 'disk', status: 'healthy' },
      { name: 'deliveries', status: 'healthy' },
    ],
  });
  expect(JSON.stringify(report)).not.toContain('secret');
});

test('the health is degraded when the free disk space cannot be read', async () => {
  const data = await dataFolder();
  const { health, close } = await start({ data, log: pino({ level: 'silent' }) });
  await rm(data, { recursive: true });
  const { status, checks } = await health();
  expect(status).toBe('degraded');
  expect(checks[1]).toMatchObject({
    name: 'disk',
    status: 'degraded',
    message: 'The free space on the disk cannot be told',
  });
  // The cleanup of the test removes the folder.
  await mkdir(data);
  await close();
});

describe('the check of deliveries', () => {
  const deliveries = ({ checks }: { checks: { name: string }[] }) =>
    checks.find(({ name }) => name === 'deliveries');

  test('is degraded once a due delivery has waited for the server longer than maxDeliveryWait', async () => {
    const server = await start({ webhookConcurrency: 1 });
    const { developer, clock, health } = server;
    const gate = held();
    const events = ['vault.created'];
    const first = await listen({ server, call: developer, events, reply: gate.reply });
    const second = await listen({ server, call: developer, events, reply: gate.reply });
    await newVault(developer);
    await Promise.race([first.received(1), second.received(1)]);
    // One webhook is served and the other waits.
    clock.advance(5 * minute);
    expect(deliveries(await health())).toMatchObject({ status: 'healthy' });
    clock.advance(1000);
    expect(await health()).toMatchObject({ status: 'degraded' });
    expect(deliveries(await health())).toMatchObject({
      status: 'degraded',
      message: 'The oldest due delivery has waited for 301 s',
    });
    gate.release();
    await server.settled();
    expect(await health()).toMatchObject({ status: 'healthy' });
  });

  test('is healthy when a slow receiver delays only its own queue', async () => {
    const server = await start({ webhookConcurrencyPerWebhook: 1 });
    const { developer, clock, health } = server;
    const gate = held();
    const events = ['vault.created'];
    const webhook = await listen({ server, call: developer, events, reply: gate.reply });
    for (let count = 0; count < 3; count += 1) await newVault(developer);
    await webhook.received(1);
    clock.advance(60 * minute);
    expect(await health()).toMatchObject({ status: 'healthy' });
    gate.release();
    await server.settled();
    expect(webhook.requests).toHaveLength(3);
  });

  test('is healthy with deliveries of an inactive webhook or waiting for their next attempt', async () => {
    const server = await start({ webhookRetryDelays: [60 * minute] });
    const { developer, clock, health } = server;
    const events = ['vault.created'];
    const off = await listen({ server, call: developer, events, fields: { active: false } });
    await listen({
      server,
      call: developer,
      events,
      reply: (response) => {
        response.statusCode = 500;
        response.end();
      },
    });
    await newVault(developer);
    await server.settled();
    clock.advance(30 * minute);
    expect(await health()).toMatchObject({ status: 'healthy' });
    expect(off.requests).toEqual([]);
  });
});
