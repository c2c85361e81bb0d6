import { expect, test } from 'vitest';
import { TestClock } from '../src/clock.ts';
import { type Check, createHealth, diskCheck } from '../src/domain/instances/health.ts';

const well: Check = { name: 'well', failure: 'Never said', run: async () => undefined };

function healthOf(checks: readonly Check[], timeoutMs?: number) {
  const lines: object[] = [];
  const log = { warn: (facts: object) => lines.push(facts) };
  const clock = new TestClock();
  const timeout = timeoutMs === undefined ? {} : { timeoutMs };
  return { lines, clock, ...createHealth({ checks, clock, log, ...timeout }) };
}

test('is well when every check is', async () => {
  const { check, clock, lines } = healthOf([well, { ...well, name: 'second' }]);
  clock.advance(1000);
  expect(await check()).toEqual({
    status: 'healthy',
    checks: [
      { name: 'well', status: 'healthy', durationMs: expect.any(Number) },
      { name: 'second', status: 'healthy', durationMs: expect.any(Number) },
    ],
    checkedAt: '2026-01-01T00:00:01.000Z',
  });
  expect(lines).toEqual([]);
});

test('is degraded as soon as one check is, and says what is wrong', async () => {
  const { check } = healthOf([well, { ...well, name: 'ill', run: async () => 'Too hot' }]);
  expect(await check()).toMatchObject({
    status: 'degraded',
    checks: [{ status: 'healthy' }, { name: 'ill', status: 'degraded', message: 'Too hot' }],
  });
});

test('takes a check that fails for a bad sign, and keeps the cause for the log', async () => {
  const cause = new Error('secret path /data');
  const run = async () => {
    throw cause;
  };
  const { check, lines } = healthOf([well, { name: 'disk', failure: 'It cannot be told', run }]);
  const report = await check();
  expect(report).toMatchObject({
    status: 'degraded',
    checks: [{ status: 'healthy' }, { status: 'degraded', message: 'It cannot be told' }],
  });
  expect(JSON.stringify(report)).not.toContain('secret');
  expect(lines).toEqual([{ err: cause, check: 'disk' }]);
});

test('does not wait for a check that never answers', async () => {
  const stuck: Check = {
    name: 'stuck',
    failure: 'It does not answer',
    run: () => new Promise(() => undefined),
  };
  const { check } = healthOf([stuck, well], 1);
  expect(await check()).toMatchObject({
    status: 'degraded',
    checks: [{ status: 'degraded', message: 'It does not answer' }, { status: 'healthy' }],
  });
});

test('runs once for all who ask while it runs, and anew for who asks later', async () => {
  let runs = 0;
  const counted: Check = {
    ...well,
    run: async () => {
      runs += 1;
      return undefined;
    },
  };
  const { check } = healthOf([counted]);
  const reports = await Promise.all([check(), check(), check()]);
  expect(new Set(reports).size).toBe(1);
  expect(runs).toBe(1);
  await check();
  expect(runs).toBe(2);
});

test('a disk is full below its minimum, not at it', async () => {
  const check = (free: number) =>
    diskCheck({ freeBytes: async () => free, minimumBytes: 100 }).run();
  expect(await check(100)).toBeUndefined();
  expect(await check(99)).toBe('The disk has 99 bytes free; 100 are the minimum');
});
