import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { startWithAdministrator } from './support/administrator.ts';
import { dataFolder } from './support/data-folder.ts';
import { newDocument, newShare, newVault } from './support/resources.ts';
import { type Caller, startTestServer, type TestServerOptions } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

const deliveriesOf = (free: number, paid = free, enterprise = paid) => ({
  webhookDeliveries: { free, paid, enterprise },
});

/** Starts a server with room for 3 deliveries per webhook, and collects the warnings that it logs. */
async function start(options: TestServerOptions = {}) {
  const warnings: { msg: string; webhookId?: string }[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => warnings.push(JSON.parse(line)) });
  const server = await startTestServer({ ...deliveriesOf(3), log, ...options });
  const { developer: call } = server;
  const register = (fields = {}, caller: Caller = call) =>
    listen({ server, call: caller, events: ['vault.created'], fields });
  return {
    ...server,
    warnings,
    register,
    switchOn: (path: string, active = true) => call('PUT', path, { body: { active } }),
    stats: async (path: string) => (await call('GET', path)).body.stats,
    count: async (path: string) =>
      (await call('GET', `${path}/deliveries`)).body.pagination.totalCount,
    async makeVaults(count: number, caller: Caller = call) {
      for (let made = 0; made < count; made += 1) await newVault(caller);
    },
  };
}

describe('full queues', () => {
  test('an event for a full queue is stored but not queued; statistics, log and metrics count it', async () => {
    const setup = await start();
    const webhook = await setup.register({ active: false });
    await setup.makeVaults(3);
    expect(await setup.stats(webhook.path)).toMatchObject({
      totalDeliveries: 3,
      droppedDeliveries: 0,
      lastDroppedAt: null,
    });
    expect(setup.warnings).toEqual([]);

    setup.clock.advance(1000);
    await setup.makeVaults(2);
    const droppedAt = new Date(setup.clock.now()).toISOString();
    expect(await setup.count(webhook.path)).toBe(3);
    expect(await setup.stats(webhook.path)).toEqual({
      totalDeliveries: 3,
      failedDeliveries: 0,
      failureRate: 0,
      droppedDeliveries: 2,
      lastDroppedAt: droppedAt,
      lastError: null,
      lastDeliveryAt: null,
      consecutiveFailures: 0,
      failingSince: null,
      lastSuccessAt: null,
      oldestPendingAt: '2026-01-01T00:00:00.000Z',
    });
    const stored = (await setup.events()).filter(({ type }) => type === 'vault.created');
    expect(stored).toHaveLength(5);
    expect(setup.warnings).toMatchObject([{ webhookId: webhook.id }]);
    expect(setup.warnings[0]?.msg).toContain('queue is full');
    const query = '{ webhooks { data { stats { droppedDeliveries lastDroppedAt } } } }';
    const graphql = await setup.developer('POST', '/graphql', { body: { query } });
    expect(graphql.body.data.webhooks.data).toEqual([
      { stats: { droppedDeliveries: 2, lastDroppedAt: droppedAt } },
    ]);
    const page = await (await fetch(`${setup.url}/metrics`)).text();
    expect(page).toMatch(/^document_vault_deliveries_dropped_total 2$/m);
  });

  test('a full queue does not affect other webhooks', async () => {
    const setup = await start();
    const full = await setup.register({ active: false });
    const other = await setup.register();
    const ada = await setup.signUp('ada@example.com');
    const hers = await setup.register({}, ada.call);
    await setup.makeVaults(3);
    await setup.settled();
    await setup.makeVaults(3);
    await setup.makeVaults(1, ada.call);
    await setup.settled();
    expect(other.requests).toHaveLength(6);
    expect(hers.requests).toHaveLength(1);
    expect(await setup.stats(full.path)).toMatchObject({ droppedDeliveries: 3 });
    expect(await setup.stats(other.path)).toMatchObject({ droppedDeliveries: 0 });
  });

  test('a drained queue accepts events again, and is logged when it is full again', async () => {
    const setup = await start();
    const webhook = await setup.register({ active: false });
    await setup.makeVaults(5);
    await setup.switchOn(webhook.path);
    await setup.settled();
    expect(webhook.requests).toHaveLength(3);
    await setup.makeVaults(1);
    await setup.settled();
    expect(webhook.requests).toHaveLength(4);
    expect(await setup.stats(webhook.path)).toMatchObject({
      totalDeliveries: 4,
      droppedDeliveries: 2,
    });
    expect(setup.warnings).toHaveLength(1);

    await setup.switchOn(webhook.path, false);
    await setup.makeVaults(5);
    expect(await setup.stats(webhook.path)).toMatchObject({ droppedDeliveries: 4 });
    expect(setup.warnings).toHaveLength(2);
  });

  test('GET /shares/{token} returns 200 while the queue of the owner is full', async () => {
    const setup = await start();
    const { developer: call } = setup;
    const webhook = await listen({
      server: setup,
      call,
      events: ['document.share.accessed'],
      fields: { active: false },
    });
    const document = await newDocument(call, (await newVault(call)).id);
    const share = await newShare(call, document.id, { access: 'anyone' });
    for (let opened = 0; opened < 5; opened += 1) {
      const access = await setup.anonymous('GET', `/shares/${share.shareToken}`);
      expect(access.status).toBe(200);
    }
    expect(await setup.stats(webhook.path)).toMatchObject({ droppedDeliveries: 3 });
    const shares = await call('GET', `/api/v1/documents/${document.id}/shares`);
    expect(shares.body.data).toMatchObject([{ accessCount: 5 }]);
  });

  test('events of a share fill half of a queue and leave the rest to other events', async () => {
    const setup = await start(deliveriesOf(6));
    const { developer: call } = setup;
    const document = await newDocument(call, (await newVault(call)).id);
    const share = await newShare(call, document.id, { access: 'anyone' });
    const events = ['document.share.accessed', 'vault.created'];
    const webhook = await listen({ server: setup, call, events, fields: { active: false } });
    for (let opened = 0; opened < 6; opened += 1) {
      await setup.anonymous('GET', `/shares/${share.shareToken}`);
    }
    expect(await setup.stats(webhook.path)).toMatchObject({
      totalDeliveries: 3,
      droppedDeliveries: 3,
    });
    await setup.makeVaults(3);
    expect(await setup.stats(webhook.path)).toMatchObject({
      totalDeliveries: 6,
      droppedDeliveries: 3,
    });
    await setup.makeVaults(1);
    expect(await setup.stats(webhook.path)).toMatchObject({ droppedDeliveries: 4 });
    await setup.switchOn(webhook.path);
    const types = (await webhook.events()).map(({ type }) => type).toSorted();
    expect(types).toEqual([
      ...['document.share.accessed', 'document.share.accessed', 'document.share.accessed'],
      ...['vault.created', 'vault.created', 'vault.created'],
    ]);
  });

  test('events of other accounts fill half of the queue of an administrator', async () => {
    const server = await startWithAdministrator({
      ...deliveriesOf(4),
      log: pino({ level: 'silent' }),
    });
    const events = ['vault.created'];
    const webhook = await listen({ server, call: server.admin, events, fields: { active: false } });
    const own = await listen({ server, call: server.developer, events, fields: { active: false } });
    const stats = async (caller: Caller, path: string) => (await caller('GET', path)).body.stats;
    for (let made = 0; made < 4; made += 1) await newVault(server.developer);
    // The account itself uses all of its own queue.
    expect(await stats(server.developer, own.path)).toMatchObject({
      totalDeliveries: 4,
      droppedDeliveries: 0,
    });
    expect(await stats(server.admin, webhook.path)).toMatchObject({
      totalDeliveries: 2,
      droppedDeliveries: 2,
    });
    await newVault(server.admin);
    await newVault(server.admin);
    expect(await stats(server.admin, webhook.path)).toMatchObject({
      totalDeliveries: 4,
      droppedDeliveries: 2,
    });
  });

  test('POST /webhooks/{id}/test returns 400 queueFull while the queue is full and stores nothing', async () => {
    const setup = await start();
    const webhook = await setup.register({ active: false });
    await setup.makeVaults(2);
    const tested = await setup.developer('POST', `${webhook.path}/test`);
    expect(tested.status).toBe(201);
    const before = (await setup.events()).length;
    const refused = await setup.developer('POST', `${webhook.path}/test`);
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { details: { field: 'id', constraint: 'queueFull' } } },
    });
    expect(await setup.events()).toHaveLength(before);
    expect(await setup.stats(webhook.path)).toMatchObject({
      totalDeliveries: 2,
      droppedDeliveries: 0,
    });
    await setup.switchOn(webhook.path);
    await setup.settled();
    expect((await setup.developer('POST', `${webhook.path}/test`)).status).toBe(201);
  });

  test('retries of failed deliveries use no room of new ones', async () => {
    const setup = await start({ webhookRetryDelays: [], webhookHostPause: 0 });
    const reply = { status: 500 };
    const webhook = await listen({
      server: setup,
      call: setup.developer,
      events: ['vault.created'],
      reply: (response) => response.writeHead(reply.status).end(),
    });
    await setup.makeVaults(3);
    await setup.settled();
    await setup.switchOn(webhook.path, false);
    const retried = await setup.developer('POST', `${webhook.path}/deliveries/retry-failed`);
    expect(retried.body).toEqual({ retried: 3 });
    await setup.makeVaults(4);
    expect(await setup.stats(webhook.path)).toMatchObject({
      totalDeliveries: 6,
      droppedDeliveries: 1,
    });
    reply.status = 200;
    webhook.requests.splice(0);
    await setup.switchOn(webhook.path);
    await setup.settled();
    expect(webhook.requests).toHaveLength(6);
    await setup.makeVaults(1);
    await setup.settled();
    expect(await setup.stats(webhook.path)).toMatchObject({
      failedDeliveries: 0,
      droppedDeliveries: 1,
    });
  });

  test.each([
    ['free', 1],
    ['paid', 2],
    ['enterprise', 4],
  ] as const)(
    'the tier of the account limits a queue: %s, %i deliveries',
    async (defaultTier, room) => {
      const setup = await start({ ...deliveriesOf(1, 2, 4), defaultTier });
      const webhook = await setup.register({ active: false });
      await setup.makeVaults(5);
      expect(await setup.stats(webhook.path)).toMatchObject({
        totalDeliveries: room,
        droppedDeliveries: 5 - room,
      });
    },
  );

  test('a queue stays full after a restart, and is not logged again', async () => {
    const data = await dataFolder();
    const first = await start({ data });
    const webhook = await first.register({ active: false });
    await first.makeVaults(4);
    await first.close();
    const second = await start({ data });
    await second.makeVaults(1);
    expect(await second.stats(webhook.path)).toMatchObject({
      totalDeliveries: 3,
      droppedDeliveries: 2,
    });
    expect(second.warnings, 'the first server has logged it').toEqual([]);
    await second.switchOn(webhook.path);
    await second.settled();
    expect(webhook.requests).toHaveLength(3);
  });
});

describe('finished deliveries', () => {
  test('the sweeper keeps the latest ones up to the limit, and all pending deliveries', async () => {
    const setup = await start();
    const webhook = await setup.register();
    const other = await setup.register();
    await setup.developer('POST', `${webhook.path}/test`);
    for (let made = 0; made < 7; made += 1) {
      await setup.makeVaults(1);
      await setup.settled();
      setup.clock.advance(10);
    }
    await setup.switchOn(other.path, false);
    await setup.switchOn(webhook.path, false);
    await setup.makeVaults(3);
    const before = (await setup.developer('GET', `${webhook.path}/deliveries`)).body.data;
    expect(before).toHaveLength(11);

    setup.clock.advance(60_000);
    await setup.settled();
    const { data } = (await setup.developer('GET', `${webhook.path}/deliveries`)).body;
    expect(data).toEqual(before.slice(0, 6));
    const counts = { totalDeliveries: 10, failedDeliveries: 0, droppedDeliveries: 0 };
    expect(await setup.stats(webhook.path)).toMatchObject(counts);
    expect(await setup.count(other.path)).toBe(6);
    const kept = (await setup.events()).filter(({ type }) => type === 'vault.created');
    expect(kept, 'events are kept for 30 days, also that of the test').toHaveLength(11);
    await setup.switchOn(webhook.path);
    await setup.settled();
    expect(webhook.requests).toHaveLength(11);
  });

  test('the sweeper keeps an old delivery with a pending retry', async () => {
    const setup = await start();
    const webhook = await setup.register();
    for (let made = 0; made < 5; made += 1) {
      await setup.makeVaults(1);
      await setup.settled();
      setup.clock.advance(10);
    }
    const oldest = (await setup.developer('GET', `${webhook.path}/deliveries`)).body.data.at(-1);
    await setup.switchOn(webhook.path, false);
    await setup.developer('POST', `${webhook.path}/deliveries/${oldest.id}/retry`);
    setup.clock.advance(60_000);
    await setup.settled();
    const { data } = (await setup.developer('GET', `${webhook.path}/deliveries`)).body;
    expect(data).toHaveLength(3);
    expect(data.at(-1)).toMatchObject({ id: oldest.id, status: 'retrying' });
    await setup.switchOn(webhook.path);
    await setup.settled();
    expect(webhook.requests).toHaveLength(6);
  });

  test('GET of a delivery returns its latest 10 attempts', async () => {
    const setup = await start();
    const webhook = await setup.register();
    await setup.makeVaults(1);
    await setup.settled();
    const [{ id }] = (await setup.developer('GET', `${webhook.path}/deliveries`)).body.data;
    const path = `${webhook.path}/deliveries/${id}`;
    for (let retried = 0; retried < 11; retried += 1) {
      await setup.developer('POST', `${path}/retry`);
      await setup.settled();
    }
    const { attemptNumber, attempts } = (await setup.developer('GET', path)).body;
    expect(attemptNumber).toBe(12);
    const numbers = attempts.map((attempt: { attemptNumber: number }) => attempt.attemptNumber);
    expect(numbers).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });
});
