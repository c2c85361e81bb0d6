import { monitorEventLoopDelay } from 'node:perf_hooks';
import { recent } from '../clock.ts';
import { Durations } from '../durations.ts';
import type { AttemptResult } from '../store/repositories/deliveries.ts';
import type { MetricsPage, MetricsSources, RecordedCounts } from './page.ts';

/** Milliseconds between two samples of the event loop. */
const eventLoopResolutionMs = 20;

export interface Metrics {
  readonly recorder: Recorder;
  /** Everything, in the text format of Prometheus. */
  page(): Promise<MetricsPage>;
  /** Ends the measurement of the event loop. */
  close(): void;
}

/** Milliseconds that a page is good for, so that asking often costs no more. */
const goodFor = 1_000;

/** Starts to measure. Each server has its own, so that several in one process do not mix. */
export function createMetrics(sources: MetricsSources): Metrics {
  const recorder = new Recorder();
  const eventLoopDelay = monitorEventLoopDelay({ resolution: eventLoopResolutionMs });
  eventLoopDelay.enable();
  return {
    recorder,
    page: recent({
      clock: sources.clock,
      forMs: goodFor,
      async find() {
        // Loaded when it is asked for: a start does not wait for it.
        const { renderMetrics } = await import('./page.ts');
        return renderMetrics({ ...sources, recorder, eventLoopDelay, eventLoopResolutionMs });
      },
    }),
    close() {
      eventLoopDelay.disable();
    },
  };
}

/** In seconds: from an answer out of memory to an upload over a slow line. */
const requestBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** In seconds; an attempt has ten by default. */
const attemptBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

interface OperationCounts {
  /** How many answers, by status. */
  readonly statuses: Map<number, number>;
  readonly durations: Durations;
}

/**
 * What happens, counted where it happens. Plain numbers, since requests wait for them; they are put
 * into the form of a metrics library when somebody asks.
 */
export class Recorder implements RecordedCounts {
  /** By `operationId`; under `none` what was no operation. */
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
