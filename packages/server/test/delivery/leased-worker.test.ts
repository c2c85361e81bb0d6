import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startLeasedWorker } from '../../src/app/leased-worker.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Milliseconds that a lease lasts after its last renewal. */
const leaseMs = 30_000;

/** A process that asks for the lease. Each of its requests waits for `respond`. */
function startProcess(closeWorker: () => Promise<void> = async () => undefined) {
  const warnings: string[] = [];
  const requests: PromiseWithResolvers<boolean>[] = [];
  const released: string[] = [];
  const workers: { closed: boolean }[] = [];
  const worker = startLeasedWorker({
    leases: {
      take() {
        const request = Promise.withResolvers<boolean>();
        requests.push(request);
        return request.promise;
      },
      async release({ name }) {
        released.push(name);
      },
    },
    start() {
      const started = { closed: false };
      workers.push(started);
      return {
        wake: () => undefined,
        isInFlight: () => false,
        isServed: () => false,
        settled: async () => undefined,
        async close() {
          started.closed = true;
          await closeWorker();
        },
      };
    },
    log: { warn: (_, message) => warnings.push(message), info: () => undefined },
  });
  return {
    worker,
    warnings,
    requests,
    released,
    workers,
    /** Grants or refuses the oldest request. */
    async respond(granted: boolean) {
      requests.shift()?.resolve(granted);
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}

test('a worker runs while the process has the lease', async () => {
  const { workers, respond } = startProcess();
  await respond(false);
  expect(workers).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  await respond(true);
  expect(workers).toEqual([{ closed: false }]);
  await vi.advanceTimersByTimeAsync(10_000);
  await respond(false);
  expect(workers).toEqual([{ closed: true }]);
});

test('a worker whose lease is renewed runs on', async () => {
  const { workers, respond } = startProcess();
  await respond(true);
  for (let renewals = 0; renewals < 10; renewals += 1) {
    await vi.advanceTimersByTimeAsync(10_000);
    await respond(true);
  }
  expect(workers).toEqual([{ closed: false }]);
});

test.each(['hangs', 'fails'])(
  'a worker whose renewal %s is closed before the lease ends',
  async (how) => {
    const { workers, requests, respond } = startProcess();
    await respond(true);
    await vi.advanceTimersByTimeAsync(10_000);
    if (how === 'fails') requests.shift()?.reject(new Error('no connection'));
    await vi.advanceTimersByTimeAsync(leaseMs - 10_000 - 1);
    expect(workers).toEqual([{ closed: true }]);
  },
);

test('close() closes the worker and releases the lease', async () => {
  const { worker, workers, released, respond } = startProcess();
  await respond(true);
  await worker.close();
  expect(workers).toEqual([{ closed: true }]);
  expect(released).toEqual(['deliveries']);
});

test('close() releases a lease that is granted while the process closes', async () => {
  const { worker, workers, released, respond } = startProcess();
  const closed = worker.close();
  await respond(true);
  await closed;
  expect(workers).toEqual([]);
  expect(released).toEqual(['deliveries']);
});

test('a worker that cannot be closed when its lease expires is logged', async () => {
  const { warnings, workers, respond } = startProcess(() => Promise.reject(new Error('stuck')));
  await respond(true);
  await vi.advanceTimersByTimeAsync(leaseMs);
  expect(workers).toEqual([{ closed: true }]);
  expect(warnings).toEqual(['the deliveries that ran were not ended in order']);
});
