import { monitorEventLoopDelay } from 'node:perf_hooks';
import { cachedFor } from '../clock.ts';
import { Durations } from '../durations.ts';
import type { AttemptResult } from '../store/repositories/deliveries.ts';
import type { MetricsPage, MetricsSources, RecordedCounts } from './page.ts';

/** Milliseconds between two samples of the event loop. */
const eventLoopResolutionMs = 20;

export interface Metrics {
  readonly recorder: Recorder;
  /** Renders all metrics in the text format of Prometheus. */
  page(): Promise<MetricsPage>;
  /** Stops the measurement of the event loop. */
  close(): void;
}

/** Age in milliseconds up to which a page is served again, so that frequent scrapes cost little. */
const pageMaxAgeMs = 1_000;

/** Starts the metrics of one server. Several servers in one process have separate metrics. */
export function createMetrics(sources: MetricsSources): Metrics {
  const recorder = new Recorder();
  const eventLoopDelay = monitorEventLoopDelay({ resolution: eventLoopResolutionMs });
  eventLoopDelay.enable();
  return {
    recorder,
    page: cachedFor({
      clock: sources.clock,
      maxAgeMs: pageMaxAgeMs,
      async load() {
        // Imported at the first page, which keeps the start of the server short.
        const { renderMetrics } = await import('./page.ts');
        return renderMetrics({ ...sources, recorder, eventLoopDelay, eventLoopResolutionMs });
      },
    }),
    close() {
      eventLoopDelay.disable();
    },
  };
}

/** Seconds, from a response out of memory to an upload over a slow connection. */
const requestBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Seconds. The default timeout of an attempt is ten. */
const attemptBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

interface OperationCounts {
  /** Responses by status. */
  readonly statuses: Map<number, number>;
  readonly durations: Durations;
}

/**
 * Counts requests and attempts. It uses plain numbers because every request waits for it; `page.ts`
 * converts them for the metrics library.
 */
export class Recorder implements RecordedCounts {
  /** By `operationId`; `none` counts requests outside the contract. */
  readonly operations = new Map<string, OperationCounts>();
  readonly attempts = { acknowledged: 0, failed: 0 };
  readonly attemptDurations = new Durations(attemptBounds);
  /** Deliveries that failed for good: after their last automatic attempt, or after a manual retry. */
  givenUp = 0;
  /** Deliveries that were not queued, because the queue of their webhook was full. */
  dropped = 0;

  request(operation: string, status: number, milliseconds: number): void {
    let counts = this.operations.get(operation);
    if (counts === undefined) {
      counts = { statuses: new Map(), durations: new Durations(requestBounds) };
      this.operations.set(operation, counts);
    }
    counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1);
    counts.durations.observe(milliseconds);
  }

  /** Counts an attempt after it is recorded. */
  attempt({ delivery, attempt, outcome }: AttemptResult): void {
    this.attempts[attempt.error === null ? 'acknowledged' : 'failed'] += 1;
    this.attemptDurations.observe(attempt.durationMs);
    if (outcome.status === 'failed' && !delivery.test) this.givenUp += 1;
  }
}
