import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startLeasedWorker } from '../../src/app/leased-worker.ts';
import type { Worker } from '../../src/delivery/worker.ts';
import type { LeaseRequest } from '../../src/store/driver.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Milliseconds that a lease lasts after its last renewal. */
const leaseMs = 30_000;

interface StartedWorker {
  readonly claim: (webhookIds: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly idle: Set<string>;
  isClosed: boolean;
  wakes: number;
}

/** The rows of a database with leases, by the clock of the tests. */
function leaseTable() {
  const rows = new Map<string, { holder: string; expiresAt: number }>();
  return {
    rows,
    async take({ names, holder, durationMs }: LeaseRequest) {
      const taken = names.filter((name) => {
        const row = rows.get(name);
        return !row || row.holder === holder || row.expiresAt <= Date.now();
      });
      for (const name of taken) rows.set(name, { holder, expiresAt: Date.now() + durationMs });
      return new Set(taken);
    },
    async release({ names, holder }: Pick<LeaseRequest, 'names' | 'holder'>) {
      for (const name of names) if (rows.get(name)?.holder === holder) rows.delete(name);
    },
    removeExpired: async () => 0,
  };
}

/** A process whose workers do nothing but claim webhooks. */
function startProcess(
  leases: ReturnType<typeof leaseTable>,
  closeWorker: () => Promise<void> = async () => undefined,
) {
  const warnings: string[] = [];
  const workers: StartedWorker[] = [];
  const worker = startLeasedWorker({
    leases,
    start(claim): Worker {
      const started: StartedWorker = { claim, idle: new Set(), isClosed: false, wakes: 0 };
      workers.push(started);
      return {
        wake() {
          started.wakes += 1;
        },
        isInFlight: () => false,
        isServed: () => false,
        isIdle: (webhookId) => started.idle.has(webhookId),
        settled: async () => undefined,
        async close() {
          started.isClosed = true;
          await closeWorker();
        },
      };
    },
    log: { warn: (_, message) => warnings.push(message) },
  });
  return {
    worker,
    warnings,
    workers,
    /** Claims webhooks with due deliveries, as the last worker does at each look. */
    claim: async (...webhookIds: string[]) => [
      ...((await workers.at(-1)?.claim(webhookIds)) ?? []),
    ],
  };
}

test('a webhook is served by the process that claims it first', async () => {
  const leases = leaseTable();
  const [first, second] = [startProcess(leases), startProcess(leases)];
  expect(await first.claim('a', 'b')).toEqual(['a', 'b']);
  expect(await second.claim('a', 'b', 'c')).toEqual(['c']);
  expect(second.worker.isServed('a')).toBe(true);
  expect(second.worker.isServed('d')).toBe(false);
});

test('a worker looks again for webhooks of another process, and then takes released ones', async () => {
  const leases = leaseTable();
  const [first, second] = [startProcess(leases), startProcess(leases)];
  await first.claim('a');
  await second.claim('a');
  await first.worker.close();
  // The refusal is remembered until the next look.
  expect(await second.claim('a')).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(second.workers[0]?.wakes).toBe(1);
  expect(await second.claim('a')).toEqual(['a']);
  expect(second.worker.isServed('a')).toBe(false);
});

test('leases that are renewed stay with their process', async () => {
  const leases = leaseTable();
  const [first, second] = [startProcess(leases), startProcess(leases)];
  await first.claim('a');
  await vi.advanceTimersByTimeAsync(10 * leaseMs);
  expect(await second.claim('a')).toEqual([]);
  expect(first.workers.map(({ isClosed }) => isClosed)).toEqual([false]);
});

test('the webhook of an idle worker is released at the second renewal after its last delivery', async () => {
  const leases = leaseTable();
  const { workers, claim } = startProcess(leases);
  await claim('busy', 'idle');
  workers[0]?.idle.add('idle');
  await vi.advanceTimersByTimeAsync(10_000);
  expect([...leases.rows.keys()]).toEqual(['webhook busy', 'webhook idle']);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([...leases.rows.keys()]).toEqual(['webhook busy']);
  expect(await claim('idle')).toEqual(['idle']);
});

test('a killed process loses its webhooks to another one within 32 seconds', async () => {
  const leases = leaseTable();
  const second = startProcess(leases);
  await leases.take({ names: ['webhook a'], holder: 'killed', durationMs: leaseMs });
  const killedAt = Date.now();
  while ((await second.claim('a')).length === 0) await vi.advanceTimersByTimeAsync(1_000);
  expect(Date.now() - killedAt).toBeLessThanOrEqual(32_000);
});

test.each(['hangs', 'fails'])(
  'a worker whose renewal %s is closed before its leases end, and another one starts',
  async (how) => {
    const leases = leaseTable();
    const { workers, claim } = startProcess(leases);
    await claim('a');
    const { take } = leases;
    leases.take = () =>
      how === 'hangs' ? new Promise(() => undefined) : Promise.reject(new Error('no connection'));
    await vi.advanceTimersByTimeAsync(leaseMs - 1);
    expect(workers.map(({ isClosed }) => isClosed)).toEqual([true, false]);
    leases.take = take;
    await vi.advanceTimersByTimeAsync(1);
    expect(await claim('a')).toEqual(['a']);
  },
);

test('a renewal that ends after its worker was replaced leaves the leases of the next worker', async () => {
  const leases = leaseTable();
  const [first, second] = [startProcess(leases), startProcess(leases)];
  await first.claim('busy', 'idle');
  first.workers[0]?.idle.add('idle');
  await vi.advanceTimersByTimeAsync(15_000);
  const { take } = leases;
  const late = Promise.withResolvers<void>();
  leases.take = (request) => late.promise.then(() => take(request));
  await vi.advanceTimersByTimeAsync(leaseMs);
  expect(first.workers.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  leases.take = take;
  expect(await first.claim('busy', 'idle')).toEqual(['busy', 'idle']);
  late.resolve();
  await vi.advanceTimersByTimeAsync(1);
  expect(await second.claim('busy', 'idle')).toEqual([]);
});

test('a worker that is replaced releases its leases', async () => {
  const leases = leaseTable();
  const [first, second] = [startProcess(leases), startProcess(leases)];
  await first.claim('a', 'b');
  leases.rows.set('webhook a', { holder: 'other', expiresAt: Date.now() + leaseMs });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(first.workers.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  expect(await second.claim('a', 'b')).toEqual(['b']);
});

test('a worker that has lost a lease to another process is replaced', async () => {
  const leases = leaseTable();
  const { workers, claim } = startProcess(leases);
  await claim('a', 'b');
  leases.rows.set('webhook a', { holder: 'other', expiresAt: Date.now() + leaseMs });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(workers.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  expect(await claim('a', 'b')).toEqual(['b']);
});

test('close() closes the worker and releases its leases', async () => {
  const leases = leaseTable();
  const { worker, workers, claim } = startProcess(leases);
  await claim('a', 'b');
  await worker.close();
  expect(workers.map(({ isClosed }) => isClosed)).toEqual([true]);
  expect(leases.rows.size).toBe(0);
});

test('close() waits until the leases of a worker that was replaced are released', async () => {
  const leases = leaseTable();
  const { worker, workers, claim } = startProcess(leases);
  await claim('a', 'b');
  const { release } = leases;
  const late = Promise.withResolvers<void>();
  leases.release = (request) => late.promise.then(() => release(request));
  leases.rows.set('webhook a', { holder: 'other', expiresAt: Date.now() + leaseMs });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(workers).toHaveLength(2);
  let hasClosed = false;
  const closing = worker.close().then(() => {
    hasClosed = true;
  });
  await vi.advanceTimersByTimeAsync(1);
  expect(hasClosed).toBe(false);
  late.resolve();
  await closing;
  expect([...leases.rows.keys()]).toEqual(['webhook a']);
});

test('a worker that cannot be closed when its leases expire is logged', async () => {
  const leases = leaseTable();
  const { warnings, claim } = startProcess(leases, () => Promise.reject(new Error('stuck')));
  await claim('a');
  leases.take = () => new Promise(() => undefined);
  await vi.advanceTimersByTimeAsync(leaseMs);
  expect(warnings).toEqual(['the deliveries that ran were not ended in order']);
});
