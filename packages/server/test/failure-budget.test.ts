import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TestClock } from '../src/clock.ts';
import { createFailureBudget } from '../src/domain/accounts/login-throttle.ts';

function start({ failures = 3, recoveryMs = 1000, capacity = 10 } = {}) {
  const clock = new TestClock();
  const budget = createFailureBudget({ clock, failures, recoveryMs, capacity });
  /** Makes a failed attempt if the budget allows one, and returns whether it did. */
  const fail = (key: string) => {
    if (budget.wait(key) > 0 || budget.isCommitted(key)) return false;
    budget.begin(key);
    budget.end(key, 'failed');
    return true;
  };
  return { clock, budget, fail };
}

test('a running attempt counts as failed until it ends', () => {
  const { budget, fail } = start();
  fail('a');
  budget.begin('a');
  expect(budget.isCommitted('a')).toBe(false);
  budget.begin('a');
  expect(budget.isCommitted('a')).toBe(true);
  expect(budget.wait('a')).toBe(0);
  expect(budget.isCommitted('b')).toBe(false);
  budget.end('a', 'other');
  expect(budget.isCommitted('a')).toBe(false);
});

test('the budget keeps the keys that failed last, up to its capacity', () => {
  const { budget, fail } = start({ failures: 1, capacity: 3 });
  for (const key of ['a', 'b', 'c', 'd', 'e']) fail(key);
  expect(budget.size).toBe(3);
  expect(['a', 'b', 'c', 'd', 'e'].map((key) => budget.wait(key) > 0)).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
});

test('the budget removes keys that have recovered', () => {
  const { clock, budget, fail } = start();
  for (const key of ['a', 'b', 'c']) fail(key);
  clock.advance(1000);
  fail('d');
  expect(budget.size).toBe(1);
});

test('failures stay within the budget for any distribution of attempts over time', () => {
  fc.assert(
    fc.property(
      fc.record({
        failures: fc.integer({ min: 1, max: 5 }),
        recoveryMs: fc.integer({ min: 1, max: 10_000 }),
        pauses: fc.array(fc.integer({ min: 0, max: 15_000 }), { maxLength: 100 }),
      }),
      ({ failures, recoveryMs, pauses }) => {
        const { clock, budget, fail } = start({ failures, recoveryMs });
        const begin = clock.now();
        let count = 0;
        for (const pause of pauses) {
          clock.advance(pause);
          if (fail('a')) count += 1;
          else {
            // The wait is never longer than one recovery.
            const wait = budget.wait('a');
            expect(wait).toBeGreaterThan(0);
            expect(wait).toBeLessThanOrEqual(recoveryMs);
          }
          const elapsed = clock.now() - begin;
          expect(count).toBeLessThanOrEqual(failures + elapsed / recoveryMs + 1e-6);
        }
        clock.advance(budget.wait('a'));
        expect(fail('a')).toBe(true);
      },
    ),
  );
});
