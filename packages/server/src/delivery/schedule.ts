import type {
  AttemptOutcome,
  AttemptRecord,
  QueuedDelivery,
} from '../store/repositories/deliveries.ts';

/** A failed attempt. */
export interface FailedAttempt {
  /** Counted from 1. */
  readonly attemptNumber: number;
  /** Epoch milliseconds. */
  readonly endedAt: number;
}

/** Returns when the next attempt is due, in epoch milliseconds; undefined when none follows. */
export type Schedule = (failed: FailedAttempt) => number | undefined;

/** @param delays milliseconds between the end of an attempt and the next attempt, in order */
export function createSchedule(delays: readonly number[]): Schedule {
  return ({ attemptNumber, endedAt }) => {
    const delay = delays[attemptNumber - 1];
    return delay === undefined ? undefined : endedAt + delay;
  };
}

/** Whether no retry follows: test deliveries, and deliveries that a caller retried after their end. */
function hasOneAttempt({ test, retry }: Pick<QueuedDelivery, 'test' | 'retry'>): boolean {
  return test || retry === 'once' || retry === 'bulk';
}

/** Returns the next state of a delivery after an attempt. */
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
