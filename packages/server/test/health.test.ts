import { expect, test } from 'vitest';
import { createHealth, diskCheck, type HealthProbe } from '../src/domain/instances/health.ts';
import { TestClock } from '../src/lib/clock.ts';

const healthy: HealthProbe = { name: 'healthy', failure: 'unused', run: async () => undefined };

function healthOf(checks: readonly HealthProbe[], timeoutMs?: number) {
  const lines: object[] = [];
  const log = { warn: (facts: object) => lines.push(facts) };
  const clock = new TestClock();
  const timeout = timeoutMs === undefined ? {} : { timeoutMs };
  return { lines, clock, ...createHealth({ checks, clock, log, ...timeout }) };
}

test('check() returns healthy when every check passes', async () => {
  const { check, clock, lines } = healthOf([healthy, { ...healthy, name: 'second' }]);
  clock.advance(1000);
  expect(await check()).toEqual({
    status: 'healthy',
    checks: [
      { name: 'healthy', status: 'healthy', durationMs: expect.any(Number) },
      { name: 'second', status: 'healthy', durationMs: expect.any(Number) },
    ],
    checkedAt: '2026-01-01T00:00:01.000Z',
  });
  expect(lines).toEqual([]);
});

test('check() returns degraded with the message of the failing check', async () => {
  const { check } = healthOf([
    healthy,
    { ...healthy, name: 'failing', run: async () => 'Too hot' },
  ]);
  expect(await check()).toMatchObject({
    status: 'degraded',
    checks: [{ status: 'healthy' }, { name: 'failing', status: 'degraded', message: 'Too hot' }],
  });
});

test('check() reports a check that throws as degraded, and logs the cause without returning it', async () => {
  const cause = new Error('secret path /data');
  const run = async () => {
    throw cause;
  };
  const { check, lines } = healthOf([healthy, { name: 'disk', failure: 'The check failed', run }]);
  const report = await check();
  expect(report).toMatchObject({
    status: 'degraded',
    checks: [{ status: 'healthy' }, { status: 'degraded', message: 'The check failed' }],
  });
  expect(JSON.stringify(report)).not.toContain('secret');
  expect(lines).toEqual([{ err: cause, check: 'disk' }]);
});

test('check() reports a check that does not finish in time as degraded', async () => {
  const stuck: HealthProbe = {
    name: 'stuck',
    failure: 'The check timed out',
    run: () => new Promise(() => undefined),
  };
  const { check } = healthOf([stuck, healthy], 1);
  expect(await check()).toMatchObject({
    status: 'degraded',
    checks: [{ status: 'degraded', message: 'The check timed out' }, { status: 'healthy' }],
  });
});

test('concurrent calls of check() share one run, and a later call starts a new one', async () => {
  let runs = 0;
  const counted: HealthProbe = {
    ...healthy,
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

test('diskCheck() passes with minimumBytes free, and fails below', async () => {
  const check = (free: number) =>
    diskCheck({ freeBytes: async () => free, minimumBytes: 100 }).run();
  expect(await check(100)).toBeUndefined();
  expect(await check(99)).toBe('The disk has 99 bytes free; 100 are the minimum');
});
