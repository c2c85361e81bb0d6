import type { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../clock.ts';
import type { Backlog } from '../domain/webhooks/backlog.ts';
import type { Condition } from '../store/driver.ts';
import type { Recorder } from './recorder.ts';

/** Milliseconds between two looks at the event loop. */
export const eventLoopResolution = 20;

/** Where the metrics come from that nobody records. */
export interface MetricsSources {
  readonly version: string;
  readonly clock: Clock;
  readonly condition: Condition;
  readonly backlog: Backlog;
  readonly log: { warn(facts: object, message: string): void };
}

/** Everything that one page of metrics is made from. */
export interface MetricsState extends MetricsSources {
  readonly recorder: Recorder;
  /** Since the last page. */
  readonly eventLoopDelay: ReturnType<typeof monitorEventLoopDelay>;
}

export interface MetricsPage {
  readonly contentType: string;
  readonly text: string;
}
