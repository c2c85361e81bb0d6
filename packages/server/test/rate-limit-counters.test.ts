import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRateLimits } from '../src/domain/limits/rate-limits.ts';
import { createSharedWindows } from '../src/domain/limits/shared-windows.ts';
import { createMemoryWindows, type Windows } from '../src/domain/limits/windows.ts';
import { TestClock } from '../src/lib/clock.ts';
import { networkOf, siteOf } from '../src/lib/networks.ts';
import { migratedTemplate, testsPostgres } from './support/postgres/databases.ts';
import { openTestPostgres } from './support/store/driver.ts';

const minute = 60_000;
const hour = 60 * minute;

const limits = {
  requestsPerHour: { free: 7, paid: 4, enterprise: 1 },
  requestsPerMinute: { free: 3, paid: 9, enterprise: 1 },
};

const step = fc.record({
  wait: fc.oneof(fc.nat(2000), fc.nat(2 * minute), fc.nat(3 * hour)),
  key: fc.constantFrom('a', 'b', 'c'),
  tier: fc.constantFrom('free', 'paid', 'enterprise'),
  counts: fc.constantFrom('hourAndMinute', 'hour', undefined),
});

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Records every accepted request, and derives the state of the limits from them. */
function createModel() {
  const passed: { key: string; at: number; inMinute: boolean }[] = [];
  const since = (key: string, start: number) =>
    passed.filter((request) => request.key === key && request.at >= start);
  return ({ key, tier, counts }: Omit<Step, 'wait'>, now: number) => {
    const requestsPerHour = limits.requestsPerHour[tier];
    const requestsPerMinute = limits.requestsPerMinute[tier];
    const hourStart = now - (now % hour);
    const minuteStart = now - (now % minute);
    const inHour = () => since(key, hourStart).length;
    const inMinute = () => since(key, minuteStart).filter((request) => request.inMinute).length;
    const hourIsFull = inHour() >= requestsPerHour;
    const minuteIsFull = counts !== 'hour' && inMinute() >= requestsPerMinute;
    const isRefused = hourIsFull || minuteIsFull;
    if (counts && !isRefused) passed.push({ key, at: now, inMinute: counts !== 'hour' });
    const openAt = hourIsFull ? hourStart + hour : minuteStart + minute;
    return {
      tier,
      limit: requestsPerHour,
      remaining: Math.max(0, requestsPerHour - inHour()),
      resetAt: hourStart + hour,
      minute: {
        limit: requestsPerMinute,
        remaining: Math.max(0, requestsPerMinute - inMinute()),
        resetAt: minuteStart + minute,
      },
      retryAfter: isRefused ? Math.ceil((openAt - now) / 1000) : undefined,
    };
  };
}

/** Counters in a database, as several processes share them. */
async function inPostgres(): Promise<Windows> {
  const driver = await openTestPostgres(migratedTemplate);
  onTestFinished(() => driver.close());
  return createSharedWindows(driver.counters);
}

const kinds: [string, () => Promise<Windows>][] = [
  ['in memory', async () => createMemoryWindows()],
];
if (testsPostgres) kinds.push(['in PostgreSQL', inPostgres]);

describe.each(kinds)('counters %s', (_where, createCounters) => {
  test('limits are those of a full count of every request, at any time', async () => {
    const counters = await createCounters();
    const run = async (start: number, steps: Step[]) => {
      await counters.clear();
      const clock = new TestClock(start);
      const rateLimits = createRateLimits(clock, limits, counters);
      const model = createModel();
      for (const { wait, ...request } of steps) {
        clock.advance(wait);
        const { key, tier, counts } = request;
        const state = counts ? rateLimits.count(key, tier, counts) : rateLimits.inspect(key, tier);
        expect(await state).toEqual(model(request, clock.now()));
      }
    };
    const start = fc.nat(3 * hour);
    await fc.assert(fc.asyncProperty(start, fc.array(step, { maxLength: 60 }), run));
  });
});

test('a site is an IPv4 address, or the /48 network of an IPv6 address', () => {
  expect(siteOf('203.0.113.7')).toBe('203.0.113.7');
  expect(siteOf('2001:db8:1:2:3::4')).toBe('2001:db8:1::/48');
  expect(siteOf('2001:db8:1:ffff::')).toBe(siteOf('2001:db8:1::'));
  expect(siteOf('2001:db8:2::')).not.toBe(siteOf('2001:db8:1::'));
});

test('any number of addresses above maxKeys leaves the counts of accounts and apps', async () => {
  const counters = createMemoryWindows({ maxKeys: 3 });
  const once = { requestsPerHour: 1, requestsPerMinute: 1 };
  await counters.take('an account', 0, once);
  await counters.take('client:an app', 0, once);
  for (let count = 0; count < 10; count += 1) {
    await counters.take(`address:${count}`, 0, once);
  }
  expect(counters.known('an account', 0)).toEqual({ inHour: 1, inMinute: 1 });
  expect(counters.known('client:an app', 0)).toEqual({ inHour: 1, inMinute: 1 });
  expect(counters.known('address:0', 0)).toEqual({ inHour: 0, inMinute: 0 });
  expect(counters.known('address:9', 0)).toEqual({ inHour: 1, inMinute: 1 });
  await counters.clear();
  expect(counters.known('an account', 0)).toEqual({ inHour: 0, inMinute: 0 });
});

test('above maxKeys, the key that was counted first is dropped and starts again', async () => {
  const counters = createMemoryWindows({ maxKeys: 3 });
  const rateLimits = createRateLimits(new TestClock(), limits, counters);
  for (const key of ['a', 'a', 'b', 'c', 'b']) await rateLimits.count(key, 'free');
  await rateLimits.inspect('d', 'free');
  expect(await rateLimits.inspect('a', 'free')).toMatchObject({ remaining: 5 });
  await rateLimits.count('d', 'free');
  const states = ['a', 'b', 'c', 'd'].map((key) => rateLimits.inspect(key, 'free'));
  expect((await Promise.all(states)).map(({ remaining }) => remaining)).toEqual([7, 5, 6, 6]);
});

test.each([
  ['198.51.100.7', '198.51.100.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:0db8:0000::ffff:1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['not:an::address%', 'not:an::address%'],
  ['fe80::1%br-8f3a', 'fe80::1%br-8f3a'],
  ['', ''],
])('requests from the address %s count on %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
