import type {
  AttemptOutcome,
  AttemptRecord,
  QueuedDelivery,
} from '../store/repositories/deliveries.ts';

/** A failed attempt. */
export interface EndedAttempt {
  /** Counted from 1. */
  readonly attemptNumber: number;
  /** Epoch milliseconds. */
  readonly endedAt: number;
}

/** When the next attempt is due, in epoch milliseconds; undefined when there is none. */
export type Schedule = (ended: EndedAttempt) => number | undefined;

/** @param delays milliseconds from the end of the first attempt to the second, from there to the third, and so on */
export function createSchedule(delays: readonly number[]): Schedule {
  return ({ attemptNumber, endedAt }) => {
    const delay = delays[attemptNumber - 1];
    return delay === undefined ? undefined : endedAt + delay;
  };
}

/** Whether no attempt follows this one: of a test, and of a delivery that had ended and was opened again. */
function hasOneAttempt({ test, retry }: Pick<QueuedDelivery, 'test' | 'retry'>): boolean {
  return test || retry === 'once' || retry === 'bulk';
}

/** What an attempt that ended at that moment makes of its delivery. */
export function outcomeOf(
  ended: {
    readonly delivery: Pick<QueuedDelivery, 'attemptNumber' | 'test' | 'retry'>;
    readonly attempt: Pick<AttemptRecord, 'error'>;
    readonly endedAt: number;
  },
  schedule: Schedule,
): AttemptOutcome {
  const { delivery, attempt, endedAt } = ended;
  if (attempt.error === null) return { status: 'succeeded', completedAt: endedAt };
  const attemptNumber = delivery.attemptNumber + 1;
  const nextAttemptAt = hasOneAttempt(delivery) ? undefined : schedule({ attemptNumber, endedAt });
  return nextAttemptAt === undefined
    ? { status: 'failed', completedAt: endedAt }
    : { status: 'retrying', nextAttemptAt };
}
