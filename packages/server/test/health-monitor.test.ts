import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createHealth,
  createHealthMonitor,
  type HealthProbe,
  storeCheck,
} from '../src/domain/instances/health.ts';
import { ensureInstance } from '../src/domain/instances/instances.ts';
import { createUnitOfWork } from '../src/domain/unit-of-work.ts';
import { TestClock } from '../src/lib/clock.ts';
import { createIds } from '../src/lib/ids.ts';
import { plainSealer } from '../src/store/sealing.ts';
import { createStore } from '../src/store/store.ts';
import { startWithAdministrator } from './support/administrator.ts';
import { roomy } from './support/delivery/database.ts';
import { held } from './support/held-receiver.ts';
import { newVault } from './support/resources.ts';
import { openTestDriver } from './support/store/driver.ts';
import { expectContractual, listen } from './support/webhook-events.ts';

const minute = 60_000;
const interval = 30_000;

/** A health monitor with its own store, and a disk check that `setDegraded` makes fail. */
async function openMonitor() {
  const clock = new TestClock();
  const ids = createIds(clock);
  const driver = await openTestDriver(clock);
  onTestFinished(() => driver.close());
  const store = createStore(driver, plainSealer);
  const instance = { store, clock, ids, quotaBytes: 1, version: '1.0.0' };
  await ensureInstance(instance);
  let isDegraded = false;
  const disk: HealthProbe = {
    name: 'disk',
    failure: '-',
    run: async () => (isDegraded ? 'The disk is full' : undefined),
  };
  const work = createUnitOfWork({
    store,
    clock,
    ids,
    webhookDeliveries: roomy,
    onDeliveries: () => undefined,
  });
  const log = { warn: () => undefined };
  const health = createHealth({ checks: [storeCheck(store, clock), disk], clock, log });
  return {
    clock,
    store,
    watch: createHealthMonitor({ health, store, work }),
    setDegraded: (value: boolean) => {
      isDegraded = value;
    },
    execute: (sql: string) => driver.transaction((queries) => queries.run(sql)),
    async statuses() {
      const rows = await driver.reader.all<{ status: string }>('SELECT status FROM instances');
      return rows.map(({ status }) => status);
    },
    /** All stored events, oldest first. */
    async reported() {
      const rows = await driver.reader.all<{ body: string }>(
        '/* all rows */ SELECT body FROM events ORDER BY id',
      );
      const events = rows.map(({ body }) => JSON.parse(body));
      for (const event of events) expectContractual(event);
      return events;
    },
  };
}

describe('a change of the health', () => {
  test('sets the status and emits degraded once, and recovered once', async () => {
    const { watch, setDegraded, statuses, reported, clock } = await openMonitor();
    await watch();
    expect(await reported()).toEqual([]);
    setDegraded(true);
    clock.advance(1000);
    for (let round = 0; round < 3; round += 1) await watch();
    expect(await statuses()).toEqual(['degraded']);
    const [degraded, ...others] = await reported();
    expect(others).toEqual([]);
    expect(degraded).toMatchObject({
      type: 'instance.health.degraded',
      data: {
        object: {
          status: 'degraded',
          checks: [{ name: 'store' }, { name: 'disk', message: 'The disk is full' }],
          checkedAt: '2026-01-01T00:00:01.000Z',
        },
      },
      context: { userId: null, requestId: null, instanceId: degraded.data.object.instanceId },
    });

    setDegraded(false);
    for (let round = 0; round < 3; round += 1) await watch();
    expect(await statuses()).toEqual(['healthy']);
    expect((await reported()).map(({ type }) => type)).toEqual([
      'instance.health.degraded',
      'instance.health.recovered',
    ]);
  });

  test('sets the status and emits an event for every instance', async () => {
    const { watch, setDegraded, statuses, reported, execute } = await openMonitor();
    await execute(`INSERT INTO instances (id, name, name_folded, region, version, status, is_active, quota_bytes,
      created_at, updated_at) VALUES ('019b8d2b-8c00-7db1-baa7-76cb5c5c64ab', 's', 's', 'r', '1', 'healthy', 1, 1, 0, 0)`);
    setDegraded(true);
    await watch();
    expect(await statuses()).toEqual(['degraded', 'degraded']);
    const events = await reported();
    expect(new Set(events.map(({ data }) => data.object.instanceId)).size).toBe(2);
  });
});

describe('while the store cannot be written to', () => {
  const full = `BEGIN SELECT RAISE(ABORT, 'disk full'); END`;
  const breakStore = async ({ execute }: Awaited<ReturnType<typeof openMonitor>>) => {
    await execute(`CREATE TRIGGER full_probe BEFORE UPDATE ON health_probe ${full}`);
    await execute(`CREATE TRIGGER full_instances BEFORE UPDATE ON instances ${full}`);
  };
  const repairStore = async ({ execute }: Awaited<ReturnType<typeof openMonitor>>) => {
    await execute('DROP TRIGGER full_probe');
    await execute('DROP TRIGGER full_instances');
  };

  test('rounds throw, and the first round after the repair emits degraded and recovered', async () => {
    const monitor = await openMonitor();
    const { watch, statuses, reported, clock } = monitor;
    await watch();
    await breakStore(monitor);
    for (let round = 0; round < 3; round += 1) {
      clock.advance(interval);
      await expect(watch()).rejects.toThrow('disk full');
    }
    expect(await reported()).toEqual([]);
    await repairStore(monitor);
    clock.advance(interval);
    await watch();
    await watch();
    expect(await statuses()).toEqual(['healthy']);
    expect(await reported()).toMatchObject([
      {
        type: 'instance.health.degraded',
        timestamp: '2026-01-01T00:02:00.000Z',
        data: { object: { checkedAt: '2026-01-01T00:00:30.000Z' } },
      },
      {
        type: 'instance.health.recovered',
        data: { object: { checkedAt: '2026-01-01T00:02:00.000Z' } },
      },
    ]);
  });

  test('a degradation that outlasts the repair emits degraded once, after the repair', async () => {
    const monitor = await openMonitor();
    const { watch, setDegraded, statuses, reported } = monitor;
    await watch();
    await breakStore(monitor);
    setDegraded(true);
    await expect(watch()).rejects.toThrow();
    await repairStore(monitor);
    await watch();
    await watch();
    expect(await statuses()).toEqual(['degraded']);
    expect(await reported()).toMatchObject([{ type: 'instance.health.degraded' }]);
  });

  test('a degradation that was reported before is not emitted again', async () => {
    const monitor = await openMonitor();
    const { watch, setDegraded, reported } = monitor;
    await watch();
    setDegraded(true);
    await watch();
    await breakStore(monitor);
    await watch();
    setDegraded(false);
    await watch();
    await repairStore(monitor);
    await watch();
    expect((await reported()).map(({ type }) => type)).toEqual([
      'instance.health.degraded',
      'instance.health.recovered',
    ]);
  });
});

test('the server checks its health every 30 seconds and emits events to administrators only', async () => {
  const server = await startWithAdministrator({ webhookConcurrency: 1 });
  const { admin, developer, clock, instanceId } = server;
  const gate = held();
  const events = ['vault.created', 'instance.health.degraded', 'instance.health.recovered'];
  const own = await listen({ server, call: developer, events, reply: gate.reply });
  const webhook = await listen({ server, call: admin, events, reply: gate.reply });
  const status = async () => (await developer('GET', `/instances/${instanceId}`)).body.status;
  await newVault(developer);
  await Promise.race([own.received(1), webhook.received(1)]);
  clock.advance(5 * minute);
  const nextStatus = () => {
    clock.advance(interval);
    return status();
  };
  await expect.poll(nextStatus).toBe('degraded');
  gate.release();
  await server.settled();
  clock.advance(interval - 1);
  await server.settled();
  expect(await status()).toBe('degraded');
  clock.advance(1);
  await server.settled();
  expect(await status()).toBe('healthy');

  expect((await own.events()).map(({ type }) => type)).toEqual(['vault.created']);
  const reported = await webhook.events();
  expect(reported.map(({ type }) => type)).toEqual([
    'vault.created',
    'instance.health.degraded',
    'instance.health.recovered',
  ]);
  expect(reported[1].data.object).toMatchObject({ instanceId, status: 'degraded' });
  expect(reported[2].data.object).toMatchObject({ instanceId, status: 'healthy' });
});
