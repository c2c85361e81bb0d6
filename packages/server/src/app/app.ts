import { statfsSync } from 'node:fs';
import { createIdempotency } from '../domain/idempotency.ts';
import { createReadiness, type Readiness } from '../domain/instances/health.ts';
import { InstanceActivity } from '../domain/instances/history.ts';
import { ensureInstance } from '../domain/instances/instances.ts';
import { createDiskSpace, type DiskSpace } from '../domain/limits/account-limits.ts';
import { createQueryBudgets } from '../domain/limits/query-budgets.ts';
import { createRateLimits } from '../domain/limits/rate-limits.ts';
import { createSharedWindows } from '../domain/limits/shared-windows.ts';
import { createMemoryWindows } from '../domain/limits/windows.ts';
import type { Services } from '../domain/services.ts';
import { createUnitOfWork } from '../domain/unit-of-work.ts';
import { createBacklog, type DeliveriesInFlight } from '../domain/webhooks/backlog.ts';
import type { Graphql, GraphqlOptions } from '../graphql/engine.ts';
import { createReplayChecks } from '../http/operations.ts';
import { createHttpServer, type HttpServer } from '../http/server.ts';
import { loadedOnce } from '../lib/clock.ts';
import { createIds } from '../lib/ids.ts';
import { version } from '../lib/version.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { createOAuthEndpoint } from '../oauth/endpoint.ts';
import type { DroppedDelivery } from '../store/rows/webhooks/deliveries.ts';
import { type Background, startBackground } from './background.ts';
import type { AppOptions } from './options.ts';
import { createServices } from './services.ts';

export interface App extends HttpServer {
  readonly services: Services;
  /** Resolves when everything due has been swept and delivered. */
  settled(): Promise<void>;
  /** Clears the state in memory, such as rate limits and login throttling, for tests. */
  forget(): Promise<void>;
  /** From now on, readiness fails and responses end their connections. */
  beginClosing(): void;
  /**
   * Ends the sweeper and the deliveries in flight.
   *
   * @param graceMs milliseconds for the deliveries in flight
   */
  close(graceMs: number): Promise<void>;
}

/** Logged once until the queue was empty again; the webhook's statistics count what is dropped. */
const droppedWarning = 'the queue is full: new events are not delivered to this webhook';

/** Wires the server. Commands wire the few services that they need in `cli/command-context.ts`. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, store, clock, log, databaseStatus, faults } = options;
  const ids = createIds(clock);
  await store.exclusively(() =>
    ensureInstance({ store, clock, ids, quotaBytes: config.instanceQuota, version }),
  );
  // The worker starts last: nothing calls it before `background` is set.
  const onDeliveries = () => background.wakeWorker();
  const { webhookDeliveries } = config;
  const onDropped = (dropped: readonly DroppedDelivery[]) => {
    for (const { webhookId, isFirst } of dropped) {
      metrics.countDropped();
      if (isFirst) log.warn({ webhookId }, droppedWarning);
    }
  };
  const work = createUnitOfWork({ store, clock, ids, webhookDeliveries, onDeliveries, onDropped });
  // In memory, or in the database that several processes share.
  const windows = store.counters ? createSharedWindows(store.counters) : createMemoryWindows();
  const inFlight: DeliveriesInFlight = {
    isInFlight: (webhookId, deliveryId) => background.inFlight.isInFlight(webhookId, deliveryId),
    isServed: (webhookId) => background.inFlight.isServed(webhookId),
  };
  const backlog = createBacklog(store, inFlight);
  // The same rules when a webhook is registered and when it is delivered to.
  const addresses = {
    allowPrivate: config.webhookAllowPrivate,
    allowedNetworks: config.webhookAllowedNetworks,
  };
  const disk = diskSpaceOf(options);
  const services = await createServices(options, {
    ids,
    work,
    windows,
    inFlight,
    backlog,
    addresses,
    disk,
    onDeliveries,
  });
  const idempotency = createIdempotency(store, clock);
  const metrics = createMetrics({
    version,
    databaseStatus,
    objects: options.objects,
    backlog,
    clock,
    log,
  });
  let closing = false;
  const activity = new InstanceActivity(clock);
  const replayChecks = createReplayChecks(services);
  const httpServer = createHttpServer({
    ...options,
    activity,
    ids,
    services,
    idempotency,
    replayChecks,
    rateLimits: createRateLimits(clock, config, windows),
    queryBudgets: createQueryBudgets(clock, config, windows),
    createOAuth: (parts) =>
      createOAuthEndpoint({
        ...services,
        ...parts,
        mode: config.oauth,
        clock,
        log,
        baseUrl: options.baseUrl,
      }),
    loadGraphql: graphqlLoader({
      services,
      idempotency,
      replayChecks,
      introspection: config.graphqlIntrospection,
    }),
    metrics,
    readiness: createServerReadiness(options, disk),
    isDamaged: () => databaseStatus.damage !== undefined,
    isClosing: () => closing,
    faultGuards: faults ? [faults.guard] : [],
  });
  const background: Background = startBackground(options, {
    services,
    work,
    addresses,
    metrics,
    activity,
  });
  return {
    ...httpServer,
    services,
    settled: () => background.settled(),
    async forget() {
      await windows.clear();
      services.oauth.forget();
      activity.clear();
    },
    beginClosing() {
      closing = true;
      faults?.clear();
    },
    async close(graceMs) {
      await background.close(graceMs);
    },
  };
}

/** Loads GraphQL at its first request: its library and schema take half as long as the rest of a start. */
function graphqlLoader(options: GraphqlOptions): () => Promise<Graphql> {
  return loadedOnce(async () => {
    const { createGraphql } = await import('../graphql/engine.ts');
    return createGraphql(options);
  });
}

/** Undefined for a database in memory, and for one on another machine. */
function diskSpaceOf({ config, store }: AppOptions): DiskSpace | undefined {
  const { data, databaseUrl, minFreeDisk } = config;
  if (data === ':memory:' || databaseUrl !== null) return undefined;
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(data);
    return bavail * bsize + (store.freePages?.bytes ?? 0);
  };
  return createDiskSpace({ freeBytes, minimumBytes: minFreeDisk });
}

/** A server is ready while its store is readable and writable and its disk has room. */
function createServerReadiness(
  { store, clock, log }: AppOptions,
  disk: DiskSpace | undefined,
): Readiness {
  return createReadiness({
    clock,
    checks: [
      {
        name: 'the store cannot be read and written',
        async check() {
          await store.instances.isEmpty();
          await store.probe(clock.now());
        },
      },
      {
        name: 'the clock is not the one of the database server',
        async check() {
          const problem = await store.clockProblem();
          if (problem !== undefined) throw new Error(problem);
        },
      },
      { name: 'the disk is nearly full', check: async () => disk?.refuseGrowth() },
    ],
    onFailure: (name, err) => log.warn({ err }, name),
  });
}
