import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TestClock } from '../src/clock.ts';
import { createFailureBudget } from '../src/domain/accounts/login-throttle.ts';

function start({ failures = 3, recoveryMs = 1000, capacity = 10 } = {}) {
  const clock = new TestClock();
  const budget = createFailureBudget({ clock, failures, recoveryMs, capacity });
  /** Tries when it may, and fails; answers whether it might. */
  const fail = (key: string) => {
    if (budget.wait(key) > 0 || budget.isCommitted(key)) return false;
    budget.begin(key);
    budget.end(key, 'failed');
    return true;
  };
  return { clock, budget, fail };
}

test('what runs is taken to fail until it has ended', () => {
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

test('no more keys are remembered than the capacity, those that failed last', () => {
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

test('what has recovered is forgotten', () => {
  const { clock, budget, fail } = start();
  for (const key of ['a', 'b', 'c']) fail(key);
  clock.advance(1000);
  fail('d');
  expect(budget.size).toBe(1);
});

test('failures never outrun the budget, however the tries are spread', () => {
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
            // As long as it says, and no longer.
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
