import type { Attempt } from '../delivery/attempt.ts';
import type { Schedule } from '../delivery/schedule.ts';
import type { Recorder } from './recorder.ts';

interface Delivering {
  readonly attempt: Attempt;
  readonly schedule: Schedule;
}

/** The same, with every attempt and every end of the attempts counted. */
export function recordDeliveries(
  recorder: Recorder,
  { attempt, schedule }: Delivering,
): Delivering {
  return {
    async attempt(delivery, signal) {
      const record = await attempt(delivery, signal);
      if (!signal.aborted) recorder.attempt(record.error === null, record.durationMs);
      return record;
    },
    schedule(ended) {
      const next = schedule(ended);
      if (next === undefined) recorder.givenUp += 1;
      return next;
    },
  };
}
