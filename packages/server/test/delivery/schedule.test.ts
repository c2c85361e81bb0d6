import { describe, expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/config.ts';
import { createSchedule } from '../../src/delivery/schedule.ts';

const minute = 60_000;
const ordinary = createSchedule(resolveConfig({}).webhookRetryDelays);

describe('createSchedule', () => {
  test.each([
    { attemptNumber: 1, delay: 1 * minute },
    { attemptNumber: 2, delay: 5 * minute },
    { attemptNumber: 3, delay: 15 * minute },
    { attemptNumber: 4, delay: 60 * minute },
    { attemptNumber: 5, delay: 240 * minute },
  ])(
    'attempt $attemptNumber is followed by a retry $delay ms after its end',
    ({ attemptNumber, delay }) => {
      expect(ordinary({ attemptNumber, endedAt: 1_000 })).toBe(1_000 + delay);
    },
  );

  test.each([6, 7, 100])('no retry follows attempt %i', (attemptNumber) => {
    expect(ordinary({ attemptNumber, endedAt: 1_000 })).toBeUndefined();
  });

  test('createSchedule uses the given delays', () => {
    const schedule = createSchedule([10, 0]);
    expect(schedule({ attemptNumber: 1, endedAt: 5 })).toBe(15);
    expect(schedule({ attemptNumber: 2, endedAt: 5 })).toBe(5);
    expect(schedule({ attemptNumber: 3, endedAt: 5 })).toBeUndefined();
  });

  test('createSchedule without delays allows one attempt', () => {
    expect(createSchedule([])({ attemptNumber: 1, endedAt: 5 })).toBeUndefined();
  });
});
