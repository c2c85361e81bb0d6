import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Backlog } from '../domain/webhooks/backlog.ts';
import { type Clock, cachedFor } from '../lib/clock.ts';
import type { ObjectStoreStatistics } from '../store/contents/s3/object-store.ts';
import type { CommitStatistics, DatabaseStatus } from '../store/driver.ts';
import type { AttemptResult } from '../store/rows/webhooks/deliveries.ts';

/** What metrics read when a page is rendered. */
export interface MetricsSources {
  readonly version: string;
  readonly clock: Clock;
  readonly databaseStatus: DatabaseStatus;
  /** Undefined: contents are in the database. */
  readonly objects: { readonly statistics: ObjectStoreStatistics } | undefined;
  readonly backlog: Backlog;
  readonly log: { warn(facts: object, message: string): void };
}

export interface Metrics {
  /** @param operation an `operationId`; `none` counts requests outside the contract */
  countRequest(operation: string, status: number, milliseconds: number): void;
  /** Counts an attempt after it is recorded. */
  countAttempt(result: AttemptResult): void;
  /** Counts a delivery that was not queued, because the queue of its webhook was full. */
  countDropped(): void;
  /** Renders all metrics in the text format of Prometheus. */
  page(): Promise<MetricsPage>;
}

export interface MetricsPage {
  readonly contentType: string;
  readonly text: string;
}

/** Age in milliseconds up to which a page is served again, so that frequent scrapes cost little. */
const pageMaxAgeMs = 1_000;

/** Seconds, from a response out of memory to an upload over a slow connection. */
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Seconds. The default timeout of an attempt is ten. */
const attemptBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Seconds, from a commit to an idle disk with a cache to a commit to a busy disk. */
const commitBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

let processMetrics: Registry | undefined;

/** Starts the metrics of one server. Several servers in one process share only those of the process. */
export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry();
  const deliveries = deliveryMetrics(registry);
  addQueue(registry, sources);
  addStore(registry, sources);
  addVersions(registry, sources);
  const ofProcess = metricsOfProcess();
  return {
    countRequest: requestCounter(registry),
    ...deliveries,
    page: cachedFor({
      clock: sources.clock,
      maxAgeMs: pageMaxAgeMs,
      async load() {
        const all = Registry.merge([registry, ofProcess]);
        return { contentType: all.contentType, text: await all.metrics() };
      },
    }),
  };
}

/** Returns the metrics of the process, with the names that dashboards for Node expect. */
function metricsOfProcess(): Registry {
  if (processMetrics) return processMetrics;
  processMetrics = new Registry();
  collectDefaultMetrics({ register: processMetrics });
  return processMetrics;
}

function requestCounter(registry: Registry): Metrics['countRequest'] {
  const requests = new Counter({
    name: 'document_vault_http_requests_total',
    help: 'Requests by operation and status.',
    labelNames: ['operation', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'document_vault_http_request_duration_seconds',
    help: 'Time from the arrival of a request to its response.',
    labelNames: ['operation'],
    buckets: requestBuckets,
    registers: [registry],
  });
  return (operation, status, milliseconds) => {
    requests.inc({ operation, status });
    durations.observe({ operation }, milliseconds / 1000);
  };
}

function deliveryMetrics(registry: Registry): Pick<Metrics, 'countAttempt' | 'countDropped'> {
  const attempts = new Counter({
    name: 'document_vault_delivery_attempts_total',
    help: 'Delivery attempts by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['acknowledged', 'failed']) attempts.inc({ outcome }, 0);
  const durations = new Histogram({
    name: 'document_vault_delivery_attempt_duration_seconds',
    help: 'Duration of delivery attempts.',
    buckets: attemptBuckets,
    registers: [registry],
  });
  const givenUp = new Counter({
    name: 'document_vault_deliveries_given_up_total',
    help: 'Deliveries that failed for good: after their last automatic attempt, or a manual retry.',
    registers: [registry],
  });
  const dropped = new Counter({
    name: 'document_vault_deliveries_dropped_total',
    help: 'Deliveries that were not queued, because the queue of their webhook was full.',
    registers: [registry],
  });
  return {
    countAttempt({ delivery, attempt, outcome }) {
      attempts.inc({ outcome: attempt.error === null ? 'acknowledged' : 'failed' });
      durations.observe(attempt.durationMs / 1000);
      if (outcome.status === 'failed' && !delivery.test) givenUp.inc();
    },
    countDropped: () => dropped.inc(),
  };
}

/** Omits the metrics of the queue while the store cannot be read, so that the rest of the page works. */
function addQueue(registry: Registry, { backlog, clock, log }: MetricsSources): void {
  const add = (name: string, help: string, read: () => Promise<number>) => {
    const gauge = new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        try {
          gauge.set(await read());
        } catch (err) {
          gauge.remove();
          log.warn({ err, metric: name }, 'a metric of the delivery queue could not be read');
        }
      },
    });
  };
  add('document_vault_deliveries_open', 'Deliveries that are pending or retrying.', () =>
    backlog.countOpen(),
  );
  const lagHelp = 'How long the oldest due delivery has waited for its attempt.';
  add('document_vault_delivery_lag_seconds', lagHelp, async () => {
    const now = clock.now();
    const since = await backlog.waitingSince(now);
    return since === undefined ? 0 : (now - since) / 1000;
  });
}

/** Adds the counts of the database, and of the object store if there is one. */
function addStore(registry: Registry, { databaseStatus, objects }: MetricsSources): void {
  const count = (name: string, help: string, read: () => number) => {
    new Counter({
      name: `document_vault_${name}_total`,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  };
  const database = (name: keyof CommitStatistics) => () => databaseStatus.statistics[name];
  count('store_transactions', 'Durable transactions.', database('transactions'));
  count('store_commits', 'Commits; several transactions can share one.', database('commits'));
  count('store_checkpoints', 'Checkpoints of the write-ahead log.', database('checkpoints'));
  count('store_failed_checkpoints', 'Checkpoints that failed.', database('failedCheckpoints'));
  const commits = new Histogram({
    name: 'document_vault_store_commit_duration_seconds',
    help: 'Duration of commits.',
    buckets: commitBuckets,
    registers: [registry],
  });
  databaseStatus.onCommit((durationMs) => commits.observe(durationMs / 1000));
  new Gauge({
    name: 'document_vault_store_damaged',
    help: '1 after the database was found damaged.',
    registers: [registry],
    collect() {
      this.set(databaseStatus.damage ? 1 : 0);
    },
  });
  if (!objects) return;
  const requestsHelp = 'Requests to the object store of contents.';
  count('contents_requests', requestsHelp, () => objects.statistics.requests);
  const failuresHelp = 'Requests to the object store that failed after repetitions.';
  count('contents_failures', failuresHelp, () => objects.statistics.failures);
}

function addVersions(registry: Registry, { version }: MetricsSources): void {
  const labels = { version, node: process.version };
  new Gauge({
    name: 'document_vault_info',
    help: 'Versions of server and Node, as labels.',
    labelNames: Object.keys(labels),
    registers: [registry],
  }).set(labels, 1);
}
