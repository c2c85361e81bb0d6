import type { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { Backlog } from '../domain/webhooks/backlog.ts';
import type { DurationCounts } from '../durations.ts';
import type { DatabaseStatus } from '../store/driver.ts';

/** The sources of metrics that no request or delivery records. */
export interface MetricsSources {
  readonly version: string;
  readonly clock: Clock;
  readonly databaseStatus: DatabaseStatus;
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

/** Puts what has been counted into the library's form; a registry lives for one page. */
export async function renderMetrics(state: MetricsState): Promise<MetricsPage> {
  const registry = new Registry();
  describeRequests(registry, state);
  await describeDeliveries(registry, state);
  describeStore(registry, state);
  describeProcess(registry, state);
  return { contentType: registry.contentType, text: await registry.metrics() };
}

function describeRequests(registry: Registry, { recorder }: MetricsState): void {
  const operations = [...recorder.operations];
  counter(
    registry,
    { name: 'document_vault_http_requests_total', help: 'Requests answered.' },
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
      help: 'From the arrival of a request to its answer.',
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
    { name: name('y_attempts_total'), help: 'Attempts to deliver, by how they ended.' },
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
    { name: name('y_attempt_duration_seconds'), help: 'How long an attempt to deliver took.' },
    [recorder.attemptDurations.counts],
  );
}

/** Absent while the store cannot be read; the page is needed then most of all. */
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
    add('ies_open', 'Deliveries that have not ended.', open);
    const lag = since === undefined ? 0 : (now - since) / 1000;
    add('y_lag_seconds', 'How long a due delivery has waited for its webhook to be served.', lag);
  } catch (err) {
    log.warn({ err }, 'the queue of deliveries could not be measured');
  }
}

function describeStore(registry: Registry, { databaseStatus }: MetricsState): void {
  const { transactions, commits, checkpoints, failedCheckpoints, commitDurations } =
    databaseStatus.statistics;
  const name = (rest: string) => `document_vault_store_${rest}`;
  const count = (rest: string, help: string, value: number) =>
    counter(registry, { name: name(rest), help }, [{ value }]);
  count('transactions_total', 'Transactions made durable.', transactions);
  count('commits_total', 'Commits that made them so.', commits);
  count('checkpoints_total', 'Checkpoints of the write-ahead log.', checkpoints);
  count('failed_checkpoints_total', 'Checkpoints that failed.', failedCheckpoints);
  histogram(registry, { name: name('commit_duration_seconds'), help: 'How long a commit took.' }, [
    commitDurations,
  ]);
  gauge(
    registry,
    { name: name('damaged'), help: '1 once the database was found damaged.' },
    databaseStatus.damage ? 1 : 0,
  );
}

/** Under the names that dashboards for Node know. */
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
        help: `Event-loop delay since the last page, ${which}.`,
      },
      // What is measured is from one look to the next; not a number stands for no look at all.
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
    help: 'Versions, as labels.',
    labelNames: Object.keys(labels),
    registers: [registry],
  }).set(labels, 1);
}

function gauge(registry: Registry, description: Description, value: number): void {
  new Gauge({ ...description, registers: [registry] }).set(value);
}

function counter(registry: Registry, description: Description, samples: readonly Sample[]): void {
  // With nothing counted the library would show a zero without labels.
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

/** A histogram whose observations have been counted elsewhere. */
class CountedHistogram extends Histogram<string> {
  readonly #description: Description;
  readonly #series: readonly LabelledCounts[];

  constructor(description: Description, series: readonly LabelledCounts[]) {
    super({ ...description, registers: [] });
    this.#description = description;
    this.#series = series;
  }

  override async get() {
    // Of a plain one, since its own way leads back here through the method below.
    const described = await new Histogram({ ...this.#description, registers: [] }).get();
    return { ...described, values: this.#series.flatMap((counts) => this.#values(counts)) };
  }

  /** The registry asks this one first, where the library has it. */
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
