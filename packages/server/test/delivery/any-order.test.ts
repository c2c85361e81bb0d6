import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Attempt } from '../../src/delivery/attempt.ts';
import type { LimitOptions } from '../../src/delivery/host-limit.ts';
import type { HostsOptions } from '../../src/delivery/hosts.ts';
import { startWorker, type Worker, type WorkerOptions } from '../../src/delivery/worker.ts';
import type { TestClock } from '../../src/lib/clock.ts';
import { openDatabase, type TestDatabase } from '../support/delivery/database.ts';

interface Limits {
  readonly concurrency: number;
  readonly concurrencyPerWebhook: number;
  readonly hosts: LimitOptions & Pick<HostsOptions, 'newConcurrencyOfAll'>;
}

/** Three hosts that share an address, and one with another address. */
const urls = ['http://127.0.0.1:9/', 'http://one.test:9/', 'http://two.test:9/', 'http://[::1]:9/'];

/** Returns the address of a URL. */
const addressOf = (url: string) => (url.includes('::1') ? '::1' : '127.0.0.1');

/** The course of one attempt. */
const attemptPlan = fc.record({
  /** Turns of the event loop until it ends. */
  turns: fc.nat(4),
  durationMs: fc.constantFrom(0, 3, 40, 200),
  fails: fc.boolean(),
});

/** Changes while deliveries are attempted. */
const change = fc.oneof(
  fc.record({ does: fc.constant('deliver' as const), webhook: fc.nat(3), count: fc.nat(12) }),
  fc.record({ does: fc.constant('switch' as const), webhook: fc.nat(3), active: fc.boolean() }),
  fc.record({ does: fc.constant('remove' as const), webhook: fc.nat(3) }),
  fc.record({ does: fc.constant('retry' as const), which: fc.nat(40) }),
  fc.record({ does: fc.constant('retryFailed' as const), webhook: fc.nat(3) }),
  fc.record({ does: fc.constant('break' as const), calls: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ does: fc.constant('wait' as const), ms: fc.constantFrom(1, 10, 100) }),
  fc.record({ does: fc.constant('pass' as const), turns: fc.nat(6) }),
);
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;
type AttemptPlan = typeof attemptPlan extends fc.Arbitrary<infer Value> ? Value : never;

async function turnsPass(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
}

/** Creates scripted attempts. `faults` lists attempts that were repeated too early or exceeded a limit. */
function scriptedAttempts(attemptPlans: readonly AttemptPlan[], clock: TestClock, limits: Limits) {
  const running = new Map<string, { webhookId: string; url: string }>();
  const faults: string[] = [];
  /** How often each delivery was sent. */
  const sent = new Map<string, number>();
  let begun = 0;
  const attempt: Attempt = async ({ id, webhookId, url }) => {
    const { turns, durationMs, fails } = attemptPlans[begun % attemptPlans.length] as AttemptPlan;
    begun += 1;
    if (running.has(id)) faults.push(`${id} is attempted twice at once`);
    running.set(id, { webhookId, url });
    sent.set(id, (sent.get(id) ?? 0) + 1);
    const others = [...running.values()];
    const ofWebhook = others.filter((other) => other.webhookId === webhookId).length;
    const ofAddress = others.filter((other) => addressOf(other.url) === addressOf(url)).length;
    if (ofAddress > limits.hosts.concurrency) faults.push(`${url} has too many`);
    if (ofWebhook > limits.concurrencyPerWebhook) faults.push(`${webhookId} has too many`);
    if (running.size > limits.concurrency) faults.push('too many in all');
    const startedAt = clock.now();
    await turnsPass(turns);
    running.delete(id);
    const error = fails ? 'status 500' : null;
    return { startedAt, statusCode: fails ? 500 : 200, durationMs, error, responseBody: '' };
  };
  return { attempt, faults, sent };
}

/** Wraps the store so that the next calls can be made to fail. */
function fragileStore({ store }: TestDatabase) {
  const state = { failures: 0 };
  const unlessBroken = <T>(call: () => Promise<T>): Promise<T> => {
    if (state.failures === 0) return call();
    state.failures -= 1;
    return Promise.reject(new Error('disk gone'));
  };
  const { deliveries } = store;
  const fragile: WorkerOptions['store'] = {
    deliveries: {
      queues: () => unlessBroken(() => deliveries.queues()),
      first: (...queue) => unlessBroken(() => deliveries.first(...queue)),
      findQueued: (ids) => unlessBroken(() => deliveries.findQueued(ids)),
    },
    transaction: (work) => unlessBroken(() => store.transaction(work)),
  };
  return { state, store: fragile };
}

interface Setting {
  readonly database: TestDatabase;
  readonly webhooks: readonly string[];
  /** Ids of all deliveries that were ever queued. */
  readonly deliveries: string[];
  readonly worker: Worker;
  readonly storeState: { failures: number };
  /** Whether deliveries can wait for their host until the clock advances. */
  readonly waitsForHosts: boolean;
}

/**
 * Applies a change as callers of the service would.
 *
 * @returns whether the service wakes the worker after it
 */
async function apply(change: Change, setting: Setting): Promise<boolean> {
  const { database, webhooks, deliveries, worker } = setting;
  const { clock, store } = database;
  const webhookId = 'webhook' in change ? (webhooks[change.webhook] as string) : '';
  const isGone = webhookId !== '' && (await store.webhooks.find(webhookId)) === undefined;
  if (isGone) return false;
  switch (change.does) {
    case 'deliver':
      deliveries.push(...(await database.addDeliveries(webhookId, change.count)));
      return true;
    case 'switch':
      await database.setActive(webhookId, change.active);
      return change.active;
    case 'remove':
      await database.deleteWebhook(webhookId);
      return false;
    case 'retry':
      return store.transaction(async (tx) => {
        const delivery = await tx.deliveryLog.find(deliveries[change.which] ?? '');
        if (!delivery || worker.isInFlight(delivery.webhookId, delivery.id)) return false;
        await tx.deliveries.retry(delivery, clock.now());
        return true;
      });
    case 'retryFailed':
      await store.transaction((tx) =>
        tx.deliveries.reopenFailed({ webhookId, after: '', limit: 99, now: clock.now() }),
      );
      return true;
    case 'break':
      setting.storeState.failures = change.calls;
      return false;
    case 'wait':
      clock.advance(change.ms);
      return false;
    default:
      await turnsPass(change.turns);
      return false;
  }
}

/** Milliseconds after which each host accepts another attempt. */
const hostWait = 12_000;
/** Attempts per minute to a host that has not acknowledged any. */
const slowPace = 5;

/** Waits without waking the worker, which must find due deliveries by itself. */
async function nothingDueIsLeft({
  database,
  webhooks,
  deliveries,
  worker,
  waitsForHosts,
}: Setting): Promise<void> {
  const due = () => database.count(`next_attempt_at <= ${database.clock.now()}`);
  const isInFlight = (id: string) => webhooks.some((each) => worker.isInFlight(each, id));
  const giveUpAt = performance.now() + 30_000;
  while ((await due()) !== 0 || deliveries.some(isInFlight)) {
    if (performance.now() > giveUpAt)
      throw new Error('the worker does not look for due deliveries');
    await turnsPass(20);
    if (waitsForHosts) database.clock.advance(hostWait);
  }
}

const expectedErrors = new Set(['the store failed; deliveries wait', 'attempt was not recorded']);

const script = fc.record({
  attemptPlans: fc.array(attemptPlan, { minLength: 1, maxLength: 12 }),
  changes: fc.array(change, { minLength: 1, maxLength: 30 }),
  limits: fc.record({
    concurrency: fc.integer({ min: 1, max: 6 }),
    concurrencyPerWebhook: fc.integer({ min: 1, max: 3 }),
    hosts: fc.record({
      concurrency: fc.integer({ min: 2, max: 6 }),
      newConcurrencyOfAll: fc.integer({ min: 1, max: 4 }),
      newConcurrency: fc.integer({ min: 1, max: 2 }),
      newPerMinute: fc.constantFrom(slowPace, 1_000_000),
      maxPauseMs: fc.constantFrom(0, 10, hostWait),
    }),
  }),
});

test('after any sequence of changes and failures, every attempt is made once and within the limits', async () => {
  await fc.assert(
    fc.asyncProperty(script, async ({ attemptPlans, changes, limits }) => {
      const database = await openDatabase();
      const { clock } = database;
      const { attempt, faults, sent } = scriptedAttempts(attemptPlans, clock, limits);
      const error = (_facts: object, message: string) => {
        if (!expectedErrors.has(message)) faults.push(message);
      };
      const { store, state } = fragileStore(database);
      const resolve = async () => ['127.0.0.1'];
      const hosts = { ...limits.hosts, resolve };
      const retryDelays = [10, 100];
      const parts = { store, clock, attempt, retryDelays, ...limits, hosts };
      const webhooks: string[] = [];
      for (const url of urls) webhooks.push(await database.addWebhook({ url }));
      const worker = startWorker({ ...parts, log: { error, warn: () => {} } });
      const waitsForHosts = limits.hosts.newPerMinute === slowPace || limits.hosts.maxPauseMs > 0;
      const facts = { webhooks, deliveries: [], worker, waitsForHosts };
      const setting = { database, ...facts, storeState: state };
      try {
        for (const change of changes) if (await apply(change, setting)) worker.wake();
        state.failures = 0;
        for (const webhook of webhooks.keys()) {
          if (await apply({ does: 'switch', webhook, active: true }, setting)) worker.wake();
        }
        // First the pause of the worker after a failure of the store, then the delays.
        for (const passed of [1_000, 1_000, 100, 100, 100]) {
          clock.advance(passed);
          await nothingDueIsLeft(setting);
        }
        expect(faults).toEqual([]);
        await expectWholeLog(setting, sent);
        await worker.settled();
      } finally {
        await worker.close(0);
        await database.close();
      }
    }),
    { numRuns: 60 },
  );
});

/** Expects every delivery to have ended, and every attempt to be logged. */
async function expectWholeLog(
  { database, deliveries }: Setting,
  sent: ReadonlyMap<string, number>,
): Promise<void> {
  expect(await database.count('completed_at IS NULL')).toBe(0);
  for (const id of deliveries) {
    const delivery = await database.delivery(id);
    if (delivery === undefined) continue;
    const numbers = (await database.attempts(id)).map(({ attemptNumber }) => attemptNumber);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(numbers).toHaveLength(sent.get(id) ?? 0);
    expect(delivery.attemptNumber).toBe(numbers.length);
  }
}
