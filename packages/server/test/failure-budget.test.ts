import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPasswordCheck } from '../src/domain/accounts/password-check.ts';
import { createMemoryWindows } from '../src/domain/limits/windows.ts';
import { systemClock } from '../src/lib/clock.ts';

function start({ failures = 3, recoveryMs = 1000, maxKeys = 10 } = {}) {
  const windows = createMemoryWindows({ maxKeys });
  const chargeOf = (key: string) => [{ key, failures, recoveryMs }];
  /** Returns the milliseconds to wait; 0 when it is charged. */
  const charge = async (key: string, now: number) =>
    (await windows.charge(chargeOf(key), now))?.waitMs ?? 0;
  return { windows, charge, refund: (key: string) => windows.refund(chargeOf(key)) };
}

test('a charge counts until it is refunded', async () => {
  const { windows, charge, refund } = start({ failures: 1 });
  expect(await charge('a', 0)).toBe(0);
  expect(await charge('a', 0)).toBe(1000);
  expect(await charge('b', 0)).toBe(0);
  await refund('a');
  expect(await charge('a', 0)).toBe(0);
  await windows.restore(['a']);
  await refund('a');
  expect([await charge('a', 0), await charge('a', 0)]).toEqual([0, 1000]);
});

test('budgets are charged together or not at all', async () => {
  const { windows, charge } = start({ failures: 1 });
  await charge('a', 0);
  const both = ['a', 'b'].map((key) => ({ key, failures: 1, recoveryMs: 1000 }));
  expect(await windows.charge(both, 400)).toEqual({ key: 'a', waitMs: 600 });
  expect(await charge('b', 400)).toBe(0);
});

test('above twice maxKeys, the budget that was charged first is dropped', async () => {
  const { charge } = start({ failures: 1, maxKeys: 1 });
  for (const key of ['a', 'b', 'c']) await charge(key, 0);
  expect(await charge('c', 0)).toBe(1000);
  expect(await charge('b', 0)).toBe(1000);
  expect(await charge('a', 0)).toBe(0);
});

test('a clock that is set back makes no wait longer than one recovery', async () => {
  const { charge } = start({ failures: 2 });
  for (const now of [1_000_000, 1_000_000]) await charge('a', now);
  expect(await charge('a', 0)).toBe(1000);
  expect(await charge('a', 1000)).toBe(1000);
  expect(await charge('a', 1_001_000)).toBe(0);
});

test('failures stay within the budget for any distribution of attempts over time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        failures: fc.integer({ min: 1, max: 5 }),
        recoveryMs: fc.integer({ min: 1, max: 10_000 }),
        pauses: fc.array(fc.integer({ min: 0, max: 15_000 }), { maxLength: 100 }),
      }),
      async ({ failures, recoveryMs, pauses }) => {
        const { charge } = start({ failures, recoveryMs });
        let now = 0;
        let count = 0;
        let wait = 0;
        for (const pause of pauses) {
          now += pause;
          wait = await charge('a', now);
          if (wait === 0) count += 1;
          expect(wait).toBeLessThanOrEqual(recoveryMs);
          expect(count).toBeLessThanOrEqual(failures + now / recoveryMs + 1e-6);
        }
        expect(await charge('a', now + (wait || recoveryMs))).toBe(0);
      },
    ),
  );
});

test('a right password restores the account, and refunds its address alone', async () => {
  const charged: string[][] = [];
  const refunded: string[][] = [];
  const keysOf = (charges: readonly { readonly key: string }[]) => charges.map(({ key }) => key);
  const windows = {
    charge: async (charges: Parameters<typeof keysOf>[0]) => {
      charged.push(keysOf(charges));
      return undefined;
    },
    refund: async (charges: Parameters<typeof keysOf>[0]) => void refunded.push(keysOf(charges)),
    restore: async () => {},
  };
  const check = createPasswordCheck({
    clock: systemClock,
    store: { loginPlaces: { isKnown: async () => false } },
    windows,
    passwords: { verify: async (password) => password === 'right' },
  });
  const attempt = {
    userId: 'u',
    email: 'a@example.com',
    ipAddress: '192.0.2.1',
    passwordHash: 'h',
  };
  expect(await check(attempt, 'wrong')).toBe(false);
  expect(refunded).toEqual([]);
  expect(await check(attempt, 'right')).toBe(true);
  expect(charged[1]).toHaveLength(2);
  expect(refunded).toEqual([['address 192.0.2.1']]);
});
