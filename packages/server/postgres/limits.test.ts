import { describe, expect, test } from 'vitest';
import { createRateLimits } from '../src/domain/limits/rate-limits.ts';
import { createSharedWindows } from '../src/domain/limits/shared-windows.ts';
import { TestClock } from '../src/lib/clock.ts';
import type { PostgresDriver } from '../src/store/postgres/driver.ts';
import { dataFolder } from '../test/support/data-folder.ts';
import { migratedTemplate } from '../test/support/postgres/databases.ts';
import {
  type CallOptions,
  startTestServer,
  type TestServerOptions,
} from '../test/support/server.ts';
import { openTestPostgres } from '../test/support/store/driver.ts';

// Each server is as if in a process of its own: it shares nothing in memory with the other.

async function startTwo(options: TestServerOptions) {
  const data = await dataFolder();
  const clock = new TestClock();
  const start = () => startTestServer({ data, clock, ...options });
  const first = await start();
  const second = await start();
  return {
    first,
    second,
    callers: [first.developer, second.withKey(first.apiKey)] as const,
  };
}

describe('limits of two servers with one database', () => {
  test('requests of an account above the minute return 429 at both, and never more than the limit are accepted', async () => {
    const limit = 100;
    const { first, callers } = await startTwo({
      requestsPerMinute: { enterprise: limit },
      requestsPerHour: { enterprise: 250 },
    });
    const accepted = async (count: number) => {
      const replies = await Promise.all(
        Array.from({ length: count }, (_, index) =>
          callers[index % 3 === 0 ? 0 : 1]('GET', '/api/v1/vaults'),
        ),
      );
      const statuses = replies.map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([200, 429]));
      return statuses.filter((status) => status === 200).length;
    };
    expect(await accepted(160)).toBe(limit);
    first.clock.advance(60_000);
    expect(await accepted(160)).toBe(limit);
    first.clock.advance(60_000);
    // What remains of the hour, without the batch that a server has reserved and not used.
    const remaining = await accepted(160);
    expect(remaining).toBeLessThanOrEqual(50);
    expect(remaining).toBeGreaterThanOrEqual(45);
  });

  test('both servers spend one budget of GraphQL points and queries', async () => {
    const { callers } = await startTwo({
      graphqlPoints: { enterprise: 20 },
      requestsPerMinute: { enterprise: 1000 },
    });
    const query: CallOptions = { body: { query: '{ me { id } }' } };
    const statuses: number[] = [];
    for (let round = 0; round < 30; round += 1) {
      const call = callers[round % 2 === 0 ? 0 : 1];
      statuses.push((await call('POST', '/graphql', query)).status);
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.slice(20).every((status) => status === 429)).toBe(true);
  });

  test('wrong passwords at both servers count together, and a right one resets them at both', async () => {
    const { first, second } = await startTwo({});
    const { email, password } = first.account ?? expect.fail();
    const logIn = async (index: number, guess: string) => {
      const { anonymous } = index % 2 === 0 ? first : second;
      return (await anonymous('POST', '/auth/login', { body: { email, password: guess } })).status;
    };
    for (let guess = 0; guess < 9; guess += 1) expect(await logIn(guess, 'wrong')).toBe(401);
    expect(await logIn(0, password)).toBe(200);
    for (let guess = 0; guess < 10; guess += 1) expect(await logIn(guess, 'wrong')).toBe(401);
    expect(await logIn(0, password)).toBe(429);
    expect(await logIn(1, password)).toBe(429);
    first.clock.advance(60_000);
    expect(await logIn(1, password)).toBe(200);
  });

  test('of 30 concurrent wrong passwords at both servers, 10 are checked', async () => {
    const { first, second } = await startTwo({});
    const { email } = first.account ?? expect.fail();
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        (index % 2 ? first : second).anonymous('POST', '/auth/login', {
          body: { email, password: 'wrong' },
        }),
      ),
    );
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(20);
  });
});

describe('shared windows', () => {
  async function countersOf(driver: PostgresDriver, processes: number, limit: number) {
    const clock = new TestClock();
    const everyTier = (max: number) => ({ free: max, paid: max, enterprise: max });
    const limits = { requestsPerHour: everyTier(limit * 10), requestsPerMinute: everyTier(limit) };
    const all = Array.from({ length: processes }, () =>
      createRateLimits(clock, limits, createSharedWindows(driver.counters)),
    );
    return { clock, all };
  }

  test.each([10, 100, 1000])(
    'four processes accept at most %d concurrent requests a minute',
    async (limit) => {
      const driver = await openTestPostgres(migratedTemplate);
      try {
        const { clock, all } = await countersOf(driver, 4, limit);
        for (let round = 0; round < 3; round += 1) {
          const states = await Promise.all(
            Array.from({ length: 2 * limit }, (_, index) =>
              all[index % 4]?.count('account', 'free'),
            ),
          );
          const accepted = states.filter((state) => state?.retryAfter === undefined).length;
          expect(accepted).toBe(limit);
          clock.advance(60_000);
        }
      } finally {
        await driver.close();
      }
    },
  );

  test('a process whose clock is behind counts in the window of the others', async () => {
    const driver = await openTestPostgres(migratedTemplate);
    try {
      const { clock, all } = await countersOf(driver, 1, 10);
      const ahead = await countersOf(driver, 1, 10);
      ahead.clock.advance(60_000);
      for (let index = 0; index < 10; index += 1) await ahead.all[0]?.count('account', 'free');
      expect(await all[0]?.count('account', 'free')).toMatchObject({ retryAfter: 60 });
      clock.advance(60_000);
      expect(await all[0]?.count('account', 'free')).toMatchObject({ retryAfter: 60 });
    } finally {
      await driver.close();
    }
  });
});
