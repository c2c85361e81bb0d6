import { Durations } from '../durations.ts';
import type { AttemptResult } from '../store/repositories/deliveries.ts';

/** In seconds: from an answer out of memory to an upload over a slow line. */
const requestBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** In seconds; an attempt has ten by default. */
const attemptBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export interface OperationCounts {
  /** How many answers, by status. */
  readonly statuses: Map<number, number>;
  readonly durations: Durations;
}

/**
 * What happens, counted where it happens. Plain numbers, since requests wait for them; they are put
 * into the form of a metrics library when somebody asks.
 */
export class Recorder {
  /** By `operationId`; under `none` what was no operation. */
  readonly operations = new Map<string, OperationCounts>();
  readonly attempts = { acknowledged: 0, failed: 0 };
  readonly attemptDurations = new Durations(attemptBounds);
  /** How often a delivery has failed for good: after its last automatic attempt, or a retry by hand. */
  givenUp = 0;

  request(operation: string, status: number, milliseconds: number): void {
    let counts = this.operations.get(operation);
    if (counts === undefined) {
      counts = { statuses: new Map(), durations: new Durations(requestBounds) };
      this.operations.set(operation, counts);
    }
    counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1);
    counts.durations.observe(milliseconds);
  }

  /** Counts an attempt once it is recorded. */
  attempt({ delivery, attempt, outcome }: AttemptResult): void {
    this.attempts[attempt.error === null ? 'acknowledged' : 'failed'] += 1;
    this.attemptDurations.observe(attempt.durationMs);
    if (outcome.status === 'failed' && !delivery.test) this.givenUp += 1;
  }
}
