import { afterEach, beforeEach } from 'vitest';
import { resolveConfig } from '../../../src/config/config.ts';
import { type Attempt, createAttempt } from '../../../src/delivery/attempt.ts';
import { startWorker, type Worker, type WorkerOptions } from '../../../src/delivery/worker.ts';
import type { QueuedDelivery } from '../../../src/store/rows/webhooks/deliveries.ts';
import { openDatabase, type TestDatabase } from './database.ts';
import { type Reply, startReceiver } from './receiver.ts';

export const minute = 60_000;

/** The database of the running test. */
export let database: TestDatabase;
/** Log lines of failed attempts of the running test. */
export const warned: { facts: object; message: string }[] = [];
/** Log entries of the workers of the running test. */
export const logged: { level: string; facts: object; message: string }[] = [];
const cleanups: (() => unknown)[] = [];

/** Gives every test of the file a new database, and stops its workers and receivers after it. */
export function useWorkers(): void {
  beforeEach(async () => {
    logged.length = 0;
    warned.length = 0;
    database = await openDatabase();
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    await database.close();
  });
}

const log = {
  error: (facts: object, message: string) => void logged.push({ level: 'error', facts, message }),
  warn: (facts: object, message: string) => void warned.push({ facts, message }),
};

/** Limits per host that no test reaches. */
const unlimited = {
  concurrency: 1000,
  newConcurrencyOfAll: 1000,
  newConcurrency: 1000,
  newPerMinute: 1_000_000,
  maxPauseMs: 0,
  resolve: async () => [],
};

export function start(options: Partial<WorkerOptions> = {}): Worker {
  const { clock, store } = database;
  const worker = startWorker({
    store,
    clock,
    attempt: createAttempt({ clock, timeoutMs: 10_000, allowPrivate: true, userAgent: 'test' }),
    retryDelays: resolveConfig({}).webhookRetryDelays,
    concurrency: 8,
    concurrencyPerWebhook: 2,
    hosts: unlimited,
    log,
    ...options,
  });
  cleanups.push(() => worker.close(0));
  return worker;
}

export async function receiver(reply?: Reply) {
  const started = await startReceiver(reply);
  cleanups.push(started.close);
  return started;
}

/**
 * Attempts that run until the test ends them.
 *
 * @param durationMs reported duration of each attempt in milliseconds; default 10,000
 */
export function heldAttempts(durationMs = 10_000) {
  const running: { delivery: QueuedDelivery; end: (error?: string) => void }[] = [];
  const started: string[] = [];
  let changed = Promise.withResolvers<void>();
  const attempt: Attempt = (delivery, signal) =>
    new Promise((resolve) => {
      const startedAt = database.clock.now();
      const held = {
        delivery,
        end: (error: string | null = null) => {
          running.splice(running.indexOf(held), 1);
          const statusCode = error === null ? 200 : 500;
          resolve({ startedAt, statusCode, durationMs, error, responseBody: '' });
        },
      };
      signal.addEventListener('abort', () => held.end('the server was stopped'));
      running.push(held);
      started.push(delivery.id);
      changed.resolve();
      changed = Promise.withResolvers();
    });
  return {
    attempt,
    running,
    /** Ids of deliveries in the order in which their attempts began. */
    started,
    ofWebhook: (id: string) => running.filter(({ delivery }) => delivery.webhookId === id),
    /** Resolves once that many attempts have begun. */
    begun: async (count: number) => {
      while (started.length < count) await changed.promise;
    },
  };
}
