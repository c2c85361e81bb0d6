import { describe, expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/config.ts';
import { createSchedule } from '../../src/delivery/schedule.ts';

const minute = 60_000;
const ordinary = createSchedule(resolveConfig({}).webhookRetryDelays);

describe('the schedule', () => {
  test.each([
    { attemptNumber: 1, delay: 1 * minute },
    { attemptNumber: 2, delay: 5 * minute },
    { attemptNumber: 3, delay: 15 * minute },
    { attemptNumber: 4, delay: 60 * minute },
    { attemptNumber: 5, delay: 240 * minute },
  ])('waits $delay ms after attempt $attemptNumber has ended', ({ attemptNumber, delay }) => {
    expect(ordinary({ attemptNumber, endedAt: 1_000 })).toBe(1_000 + delay);
  });

  test.each([6, 7, 100])('gives up after attempt %i', (attemptNumber) => {
    expect(ordinary({ attemptNumber, endedAt: 1_000 })).toBeUndefined();
  });

  test('takes other delays', () => {
    const schedule = createSchedule([10, 0]);
    expect(schedule({ attemptNumber: 1, endedAt: 5 })).toBe(15);
    expect(schedule({ attemptNumber: 2, endedAt: 5 })).toBe(5);
    expect(schedule({ attemptNumber: 3, endedAt: 5 })).toBeUndefined();
  });

  test('without delays has one attempt', () => {
    expect(createSchedule([])({ attemptNumber: 1, endedAt: 5 })).toBeUndefined();
  });
});
