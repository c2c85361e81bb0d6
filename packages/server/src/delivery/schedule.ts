import type {
  AttemptOutcome,
  AttemptRecord,
  QueuedDelivery,
} from '../store/rows/webhooks/deliveries.ts';

/** Whether no retry follows: test deliveries, and deliveries that a caller retried after their end. */
function hasOneAttempt({ test, retry }: Pick<QueuedDelivery, 'test' | 'retry'>): boolean {
  return test || retry === 'once' || retry === 'bulk';
}

/**
 * Returns the next state of a delivery after an attempt.
 *
 * @param retryDelays milliseconds between the end of a failed attempt and the next attempt, in order
 */
export function outcomeOf(
  ended: {
    readonly delivery: Pick<QueuedDelivery, 'attemptNumber' | 'test' | 'retry'>;
    readonly attempt: Pick<AttemptRecord, 'error'>;
    readonly endedAt: number;
  },
  retryDelays: readonly number[],
): AttemptOutcome {
  const { delivery, attempt, endedAt } = ended;
  if (attempt.error === null) return { status: 'succeeded', completedAt: endedAt };
  const delay = hasOneAttempt(delivery) ? undefined : retryDelays[delivery.attemptNumber];
  return delay === undefined
    ? { status: 'failed', completedAt: endedAt }
    : { status: 'retrying', nextAttemptAt: endedAt + delay };
}
