import { randomUUID } from 'node:crypto';
import { createAttempt } from '../delivery/attempt.ts';
import { type AddressOptions, createResolve } from '../delivery/targets.ts';
import { startWorker, type Worker, type WorkerOptions } from '../delivery/worker.ts';
import { createHealthMonitor } from '../domain/instances/health.ts';
import { createHistoryRecording, type InstanceActivity } from '../domain/instances/history.ts';
import type { Services } from '../domain/services.ts';
import { createSweeper, retentionSteps, type SweepStep } from '../domain/sweeper.ts';
import type { UnitOfWork } from '../domain/unit-of-work.ts';
import { type Clock, type Periodic, startPeriodic } from '../lib/clock.ts';
import { version } from '../lib/version.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { objectRemoval } from '../store/contents/s3/sweeping.ts';
import type { SharedCounters } from '../store/counters.ts';
import type { FreePages, Leases } from '../store/driver.ts';
import type { Store } from '../store/store.ts';
import { CommitUnknownError } from '../store/store-errors.ts';
import { startLeasedWorker } from './leased-worker.ts';
import type { AppOptions } from './options.ts';

/** Milliseconds from the end of one sweep to the next. */
const sweepInterval = 60_000;

/** Milliseconds between two checks of the instances' health. */
const healthInterval = 30_000;

/** Milliseconds between two records of the history. A killed process loses what it has counted since the last. */
const historyInterval = 60_000;

/** Milliseconds between two looks for commits of commands beside the server. */
const otherWritersInterval = 1_000;

export interface BackgroundParts {
  readonly services: Services;
  readonly work: UnitOfWork;
  readonly metrics: Metrics;
  readonly activity: InstanceActivity;
  /** The addresses that webhooks may connect to. */
  readonly addresses: AddressOptions;
}

export type Background = ReturnType<typeof startBackground>;

/** Starts the work that runs without a request. */
export function startBackground(options: AppOptions, parts: BackgroundParts) {
  const { store, clock, log } = options;
  const { services } = parts;
  const { leases, wakeUps } = store;
  const worker = leases
    ? startLeasedWorker({ leases, start: (claim) => startDeliveries(options, parts, claim), log })
    : startDeliveries(options, parts);
  const leased = leasedTasks(options, parts);
  const watch = startPeriodic({
    clock,
    intervalMs: otherWritersInterval,
    run: noticeOtherWriters(store, services, worker),
    onError: (err) => log.error({ err }, 'the changes of another process were not read'),
  });
  const recordHistory = createHistoryRecording({
    store,
    clock,
    activity: parts.activity,
    isOutcomeUnknown: (error) => error instanceof CommitUnknownError,
  });
  const history = startPeriodic({
    clock,
    intervalMs: historyInterval,
    run: recordHistory,
    onError: (err) => log.error({ err }, 'the history of the instances was not recorded'),
  });
  const tasks = [...leased.map(({ periodic }) => periodic), watch, history];
  const stopListening = wakeUps?.listen(() => worker.wake());
  return {
    /** Looks for due deliveries. Cheap. */
    wakeWorker(): void {
      worker.wake();
      wakeUps?.send();
    },
    inFlight: worker,
    /** Resolves when everything due has been swept and delivered. */
    async settled(): Promise<void> {
      await Promise.all(tasks.map((task) => task.settled()));
      await worker.settled();
    },
    /** @param graceMs milliseconds for the deliveries in flight */
    async close(graceMs: number): Promise<void> {
      stopListening?.();
      await Promise.all(tasks.map((task) => task.close()));
      await worker.close(graceMs);
      await recordHistory().catch((err) => log.warn({ err }, 'the last minute was not recorded'));
      for (const task of leased) {
        await task.release().catch((err) => log.warn({ err }, 'a lease was not released'));
      }
    },
  };
}

/** A task that one of several processes runs. */
interface LeasedTask {
  readonly periodic: Periodic;
  /** Lets another process run the task at once. */
  release(): Promise<void>;
}

/**
 * The tasks that one of several processes runs. Two can run one for a moment, when a run outlives the lease. The tasks
 * allow it: their transactions lock what they change.
 */
function leasedTasks(options: AppOptions, { services, work }: BackgroundParts): LeasedTask[] {
  const { store, clock, log } = options;
  const { leases } = store;
  const tasks = [
    {
      name: 'health',
      intervalMs: healthInterval,
      run: createHealthMonitor({ health: services.health, store, work }),
      problem: 'health was not recorded',
    },
    {
      name: 'sweeper',
      intervalMs: sweepInterval,
      run: createSweeper({ steps: sweepSteps(services, options), log }),
      problem: 'sweeping failed',
    },
  ];
  return tasks.map(({ name, intervalMs, run, problem }) => {
    // A killed process keeps the lease for two runs.
    const lease = { names: [name], holder: randomUUID(), durationMs: 2 * intervalMs };
    const periodic = startPeriodic({
      clock,
      intervalMs,
      async run(signal) {
        if (!leases || (await leases.take(lease)).size > 0) await run(signal);
      },
      onError: (err) => log.error({ err }, problem),
    });
    return { periodic, release: async () => leases?.release(lease) };
  });
}

/** After a command beside the server: delivers its events, and loads the signing keys that it rotated. */
function noticeOtherWriters(
  store: Store,
  { accessTokens }: Services,
  worker: Worker,
): () => Promise<void> {
  let noticed = store.otherWriters;
  return async () => {
    const { otherWriters } = store;
    if (otherWriters === noticed) return;
    worker.wake();
    await accessTokens.reload();
    noticed = otherWriters;
  };
}

function startDeliveries(
  { config, store, clock, log }: AppOptions,
  { metrics, activity, addresses }: BackgroundParts,
  claim?: WorkerOptions['claim'],
): Worker {
  return startWorker({
    store,
    clock,
    attempt: createAttempt({
      clock,
      timeoutMs: config.webhookTimeout,
      ...addresses,
      userAgent: `document-vault-webhooks/${version}`,
    }),
    retryDelays: config.webhookRetryDelays,
    onRecorded(result) {
      metrics.countAttempt(result);
      activity.attempt(result);
    },
    concurrency: config.webhookConcurrency,
    concurrencyPerWebhook: config.webhookConcurrencyPerWebhook,
    hosts: {
      concurrency: config.webhookConcurrencyPerHost,
      newConcurrencyOfAll: Math.ceil(config.webhookConcurrency / 2),
      newConcurrency: config.webhookConcurrencyPerNewHost,
      newPerMinute: config.webhookRatePerNewHost,
      maxPauseMs: config.webhookHostPause,
      resolve: createResolve(addresses),
    },
    claim,
    // Several processes share a database in which many transactions write at the same time.
    resultsPerWebhook: store.leases !== undefined,
    log,
  });
}

/** Changes that time causes, and retention. */
function sweepSteps(
  services: Services,
  { config, store, clock, objects }: AppOptions,
): SweepStep[] {
  const { shares, consents, oauthClients, uploads, accessTokens } = services;
  return [
    { name: 'expire shares', sweep: (limit) => shares.expire(limit) },
    { name: 'remove expired uploads', sweep: (limit) => uploads.expire(limit) },
    {
      name: 'remove deliveries of other accounts',
      sweep: (limit) => store.transaction((tx) => tx.webhooks.removeDeliveriesOfOthers(limit)),
    },
    { name: 'expire consents', sweep: (limit) => consents.expire(limit) },
    { name: 'end the access of deleted clients', sweep: (limit) => oauthClients.erase(limit) },
    { name: 'remove retired signing keys', sweep: () => accessTokens.removeRetired() },
    ...retentionSteps({
      store,
      clock,
      limits: config.webhookDeliveries,
      grace: config.contentsGrace,
    }),
    ...(store.freePages ? [pagesRelease(store.freePages)] : []),
    ...(store.counters ? [countersRemoval(store.counters, clock)] : []),
    ...(store.leases ? [leasesRemoval(store.leases)] : []),
    ...(objects
      ? [{ name: 'remove objects', sweep: objectRemoval({ store, clock, objects }) }]
      : []),
  ];
}

/** After the erasures of the same round, which free the pages. */
function pagesRelease(freePages: FreePages): SweepStep {
  return {
    name: 'return free pages to the disk',
    sweep: async (limit) => ((await freePages.release()) ? limit : 0),
  };
}

/** Leases of killed processes on webhooks that have no more deliveries. */
function leasesRemoval(leases: Leases): SweepStep {
  return { name: 'remove expired leases', sweep: (limit) => leases.removeExpired(limit) };
}

function countersRemoval(counters: SharedCounters, clock: Clock): SweepStep {
  return {
    name: 'remove past counters',
    sweep: async (limit) => ((await counters.removePast({ now: clock.now(), limit })) ? limit : 0),
  };
}
