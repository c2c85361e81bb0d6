import { monitorEventLoopDelay } from 'node:perf_hooks';
import { recent } from '../recent.ts';
import { Recorder } from './recorder.ts';
import { eventLoopResolution, type MetricsPage, type MetricsSources } from './state.ts';

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
  const eventLoopDelay = monitorEventLoopDelay({ resolution: eventLoopResolution });
  eventLoopDelay.enable();
  return {
    recorder,
    page: recent({
      clock: sources.clock,
      forMs: goodFor,
      async find() {
        // Loaded when it is asked for: a start does not wait for it.
        const { renderMetrics } = await import('./page.ts');
        return renderMetrics({ ...sources, recorder, eventLoopDelay });
      },
    }),
    close() {
      eventLoopDelay.disable();
    },
  };
}
