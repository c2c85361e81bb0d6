const minute = 60_000;

/** Milliseconds from the end of one attempt to the start of the next: with the first, six attempts in all. */
export const retryDelays: readonly number[] = [
  1 * minute,
  5 * minute,
  15 * minute,
  60 * minute,
  240 * minute,
];

/** A failed attempt. */
export interface EndedAttempt {
  /** Counted from 1. */
  readonly attemptNumber: number;
  /** Epoch milliseconds. */
  readonly endedAt: number;
}

/** When the next attempt is due, in epoch milliseconds; undefined when there is none. */
export type Schedule = (ended: EndedAttempt) => number | undefined;

/** @param delays milliseconds before the second attempt, the third, and so on; default {@link retryDelays} */
export function createSchedule(delays: readonly number[] = retryDelays): Schedule {
  return ({ attemptNumber, endedAt }) => {
    const delay = delays[attemptNumber - 1];
    return delay === undefined ? undefined : endedAt + delay;
  };
}
