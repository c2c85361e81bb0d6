import type { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { Backlog } from '../domain/webhooks/backlog.ts';
import type { DurationCounts } from '../durations.ts';
import type { ObjectStoreStatistics } from '../store/contents/s3/object-store.ts';
import type { DatabaseStatus } from '../store/driver.ts';

/** The sources of metrics that no request or delivery records. */
export interface MetricsSources {
  readonly version: string;
  readonly clock: Clock;
  readonly databaseStatus: DatabaseStatus;
  /** Undefined: contents are in the database. */
  readonly objects: { readonly statistics: ObjectStoreStatistics } | undefined;
  readonly backlog: Backlog;
  readonly log: { warn(facts: object, message: string): void };
}

/** What requests and deliveries have recorded. */
export interface RecordedCounts {
  /** By `operationId`; `none` counts requests outside the contract. */
  readonly operations: ReadonlyMap<
    string,
    {
      /** Responses by status. */
      readonly statuses: ReadonlyMap<number, number>;
      readonly durations: { readonly counts: DurationCounts };
    }
  >;
  readonly attempts: Readonly<Record<'acknowledged' | 'failed', number>>;
  readonly attemptDurations: { readonly counts: DurationCounts };
  /** Deliveries that failed after their last attempt. */
  readonly givenUp: number;
  readonly dropped: number;
}

/** The input of one page of metrics. */
export interface MetricsState extends MetricsSources {
  readonly recorder: RecordedCounts;
  /** Since the previous page. */
  readonly eventLoopDelay: ReturnType<typeof monitorEventLoopDelay>;
  /** Milliseconds between two samples of the event loop. */
  readonly eventLoopResolutionMs: number;
}

export interface MetricsPage {
  readonly contentType: string;
  readonly text: string;
}

type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

interface Description {
  readonly name: string;
  readonly help: string;
}

/** Renders one page, with a registry of its own. */
export async function renderMetrics(state: MetricsState): Promise<MetricsPage> {
  const registry = new Registry();
  describeRequests(registry, state);
  await describeDeliveries(registry, state);
  describeStore(registry, state);
  describeObjects(registry, state);
  describeProcess(registry, state);
  return { contentType: registry.contentType, text: await registry.metrics() };
}

function describeRequests(registry: Registry, { recorder }: MetricsState): void {
  const operations = [...recorder.operations];
  counter(
    registry,
    { name: 'document_vault_http_requests_total', help: 'Requests by operation and status.' },
    operations.flatMap(([operation, { statuses }]) =>
      [...statuses].map(([status, value]) => ({
        labels: { operation, status: String(status) },
        value,
      })),
    ),
  );
  histogram(
    registry,
    {
      name: 'document_vault_http_request_duration_seconds',
      help: 'Time from the arrival of a request to its response.',
    },
    operations.map(([operation, { durations }]) => ({
      labels: { operation },
      ...durations.counts,
    })),
  );
}

async function describeDeliveries(registry: Registry, state: MetricsState): Promise<void> {
  const { recorder } = state;
  const name = (rest: string) => `document_vault_deliver${rest}`;
  await describeQueue(registry, state);
  counter(
    registry,
    { name: name('y_attempts_total'), help: 'Delivery attempts by outcome.' },
    Object.entries(recorder.attempts).map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
  counter(
    registry,
    { name: name('ies_given_up_total'), help: 'Deliveries that failed for good.' },
    [{ value: recorder.givenUp }],
  );
  counter(
    registry,
    {
      name: name('ies_dropped_total'),
      help: 'Deliveries that were not queued, because the queue of their webhook was full.',
    },
    [{ value: recorder.dropped }],
  );
  histogram(
    registry,
    { name: name('y_attempt_duration_seconds'), help: 'Duration of delivery attempts.' },
    [recorder.attemptDurations.counts],
  );
}

/** Omits the metrics of the queue while the store cannot be read, so that the rest of the page works. */
async function describeQueue(
  registry: Registry,
  { backlog, clock, log }: MetricsState,
): Promise<void> {
  try {
    const now = clock.now();
    const open = await backlog.countOpen();
    const since = await backlog.waitingSince(now);
    const name = (rest: string) => `document_vault_deliver${rest}`;
    const add = (rest: string, help: string, value: number) =>
      gauge(registry, { name: name(rest), help }, value);
    add('ies_open', 'Deliveries that are pending or retrying.', open);
    const lag = since === undefined ? 0 : (now - since) / 1000;
    add('y_lag_seconds', 'How long the oldest due delivery has waited for its attempt.', lag);
  } catch (err) {
    log.warn({ err }, 'the metrics of the delivery queue could not be read');
  }
}

function describeObjects(registry: Registry, { objects }: MetricsState): void {
  if (!objects) return;
  const { requests, failures } = objects.statistics;
  const count = (name: string, help: string, value: number) =>
    counter(registry, { name: `document_vault_contents_${name}`, help }, [{ value }]);
  count('requests_total', 'Requests to the object store of contents.', requests);
  count('failures_total', 'Requests to the object store that failed after repetitions.', failures);
}

function describeStore(registry: Registry, { databaseStatus }: MetricsState): void {
  const { transactions, commits, checkpoints, failedCheckpoints, commitDurations } =
    databaseStatus.statistics;
  const name = (rest: string) => `document_vault_store_${rest}`;
  const count = (rest: string, help: string, value: number) =>
    counter(registry, { name: name(rest), help }, [{ value }]);
  count('transactions_total', 'Durable transactions.', transactions);
  count('commits_total', 'Commits; several transactions can share one.', commits);
  count('checkpoints_total', 'Checkpoints of the write-ahead log.', checkpoints);
  count('failed_checkpoints_total', 'Checkpoints that failed.', failedCheckpoints);
  histogram(registry, { name: name('commit_duration_seconds'), help: 'Duration of commits.' }, [
    commitDurations,
  ]);
  gauge(
    registry,
    { name: name('damaged'), help: '1 after the database was found damaged.' },
    databaseStatus.damage ? 1 : 0,
  );
}

/** Uses the metric names that dashboards for Node expect. */
function describeProcess(
  registry: Registry,
  { version, eventLoopDelay, eventLoopResolutionMs }: MetricsState,
): void {
  const nanosecond = 1e-9;
  const delays = {
    mean: eventLoopDelay.mean,
    max: eventLoopDelay.max,
    p50: eventLoopDelay.percentile(50),
    p99: eventLoopDelay.percentile(99),
  };
  for (const [which, delay] of Object.entries(delays)) {
    gauge(
      registry,
      {
        name: `nodejs_eventloop_lag_${which}_seconds`,
        help: `Event-loop delay since the previous page, ${which}.`,
      },
      // The histogram contains intervals between samples. NaN means that no sample was taken.
      Number.isNaN(delay) ? 0 : Math.max(0, delay * nanosecond - eventLoopResolutionMs / 1000),
    );
  }
  eventLoopDelay.reset();

  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const microsecond = 1e-6;
  const cpu = (kind: string, used: number) =>
    counter(
      registry,
      { name: `process_cpu_${kind}_seconds_total`, help: `Processor time, ${kind}.` },
      [{ value: used * microsecond }],
    );
  cpu('user', user);
  cpu('system', system);
  gauge(registry, { name: 'process_resident_memory_bytes', help: 'Resident memory.' }, rss);
  gauge(registry, { name: 'nodejs_heap_size_used_bytes', help: 'Heap in use.' }, heapUsed);
  gauge(
    registry,
    { name: 'process_start_time_seconds', help: 'Start of the process, Unix time.' },
    performance.timeOrigin / 1000,
  );
  const labels = { version, node: process.version };
  new Gauge({
    name: 'document_vault_info',
    help: 'Versions of server and Node, as labels.',
    labelNames: Object.keys(labels),
    registers: [registry],
  }).set(labels, 1);
}

function gauge(registry: Registry, description: Description, value: number): void {
  new Gauge({ ...description, registers: [registry] }).set(value);
}

function counter(registry: Registry, description: Description, samples: readonly Sample[]): void {
  // Without samples the library would render a zero without labels.
  if (samples.length === 0) return;
  const metric = new Counter({
    ...description,
    labelNames: Object.keys(samples[0]?.labels ?? {}),
    registers: [registry],
  });
  for (const { labels = {}, value } of samples) metric.inc(labels, value);
}

type LabelledCounts = DurationCounts & { readonly labels?: Labels };

function histogram(
  registry: Registry,
  description: Description,
  series: readonly LabelledCounts[],
): void {
  registry.registerMetric(new CountedHistogram(description, series));
}

/** A histogram of observations that were counted elsewhere. */
class CountedHistogram extends Histogram<string> {
  readonly #description: Description;
  readonly #series: readonly LabelledCounts[];

  constructor(description: Description, series: readonly LabelledCounts[]) {
    super({ ...description, registers: [] });
    this.#description = description;
    this.#series = series;
  }

  override async get() {
    // A plain histogram, since get() of the base class would call this method again.
    const described = await new Histogram({ ...this.#description, registers: [] }).get();
    return { ...described, values: this.#series.flatMap((counts) => this.#values(counts)) };
  }

  /** Recent versions of the library call this method instead of get(). */
  getForPromString() {
    return this.get();
  }

  #values({ labels = {}, bounds, counts, sum }: LabelledCounts) {
    const { name } = this.#description;
    let cumulated = 0;
    const buckets = counts.map((count, index) => {
      cumulated += count;
      const le = bounds[index] ?? '+Inf';
      return { labels: { ...labels, le }, value: cumulated, metricName: `${name}_bucket` };
    });
    return [
      ...buckets,
      { labels, value: sum, metricName: `${name}_sum` },
      { labels, value: cumulated, metricName: `${name}_count` },
    ];
  }
}
