import { expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/config.ts';
import { outcomeOf } from '../../src/delivery/schedule.ts';
import { queuedDelivery } from '../support/delivery/queued.ts';

const minute = 60_000;

/** The state after the failure of an attempt, counted from 1. */
function afterFailure(attempt: number, retryDelays: readonly number[]) {
  const delivery = queuedDelivery({ attemptNumber: attempt - 1 });
  return outcomeOf({ delivery, attempt: { error: 'no' }, endedAt: 1_000 }, retryDelays);
}

const ordinary = resolveConfig({}).webhookRetryDelays;
const failed = { status: 'failed', completedAt: 1_000 };

test.each([
  { attempt: 1, delay: 1 * minute },
  { attempt: 2, delay: 5 * minute },
  { attempt: 3, delay: 15 * minute },
  { attempt: 4, delay: 60 * minute },
  { attempt: 5, delay: 240 * minute },
])('attempt $attempt is followed by a retry $delay ms after its end', ({ attempt, delay }) => {
  const expected = { status: 'retrying', nextAttemptAt: 1_000 + delay };
  expect(afterFailure(attempt, ordinary)).toEqual(expected);
});

test.each([6, 7, 100])('no retry follows attempt %i', (attempt) => {
  expect(afterFailure(attempt, ordinary)).toEqual(failed);
});

test('outcomeOf uses the given delays', () => {
  expect(afterFailure(1, [10, 0])).toEqual({ status: 'retrying', nextAttemptAt: 1_010 });
  expect(afterFailure(2, [10, 0])).toEqual({ status: 'retrying', nextAttemptAt: 1_000 });
  expect(afterFailure(3, [10, 0])).toEqual(failed);
});

test('outcomeOf without delays allows one attempt', () => {
  expect(afterFailure(1, [])).toEqual(failed);
});
