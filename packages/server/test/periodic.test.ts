import { expect, test } from 'vitest';
import { startPeriodic, TestClock } from '../src/lib/clock.ts';

function counting(run: (count: number) => Promise<void> = async () => undefined) {
  const clock = new TestClock();
  const errors: unknown[] = [];
  let runs = 0;
  const periodic = startPeriodic({
    clock,
    intervalMs: 1000,
    run: () => {
      runs += 1;
      return run(runs);
    },
    onError: (error) => errors.push(error),
  });
  return { clock, errors, periodic, runs: () => runs };
}

test('run is called at the start, and one interval after the end of each run', async () => {
  const { clock, periodic, runs } = counting();
  expect(runs()).toBe(1);
  await periodic.settled();
  clock.advance(999);
  expect(runs()).toBe(1);
  clock.advance(1);
  expect(runs()).toBe(2);
  await periodic.settled();
  await periodic.close();
});

test('runs never overlap, however far the clock moves', async () => {
  let end: () => void = () => undefined;
  const { clock, periodic, runs } = counting(
    () =>
      new Promise((resolve) => {
        end = resolve;
      }),
  );
  clock.advance(60_000);
  expect(runs()).toBe(1);
  end();
  const settled = periodic.settled();
  await expect.poll(runs).toBe(2);
  end();
  await settled;
  expect(runs()).toBe(2);
  await periodic.close();
});

test('settled runs again when the clock has moved by an interval during the run', async () => {
  const { clock, periodic, runs } = counting();
  clock.advance(999);
  await periodic.settled();
  expect(runs()).toBe(1);
  clock.advance(1000);
  clock.advance(1000);
  expect(runs()).toBe(2);
  await Promise.all([periodic.settled(), periodic.settled()]);
  expect(runs()).toBe(3);
  await periodic.close();
});

test('a failed run is reported to onError, and the next one still runs', async () => {
  const failure = new Error('no disk');
  const { clock, errors, periodic, runs } = counting(async (count) => {
    if (count === 1) throw failure;
  });
  await periodic.settled();
  expect(errors).toEqual([failure]);
  clock.advance(1000);
  await periodic.settled();
  expect(runs()).toBe(2);
  expect(errors).toEqual([failure]);
  await periodic.close();
});

test('close waits for the current run and prevents further runs', async () => {
  let end: () => void = () => undefined;
  const { clock, periodic, runs } = counting(
    () =>
      new Promise((resolve) => {
        end = resolve;
      }),
  );
  let isClosed = false;
  const closing = periodic.close().then(() => {
    isClosed = true;
  });
  await Promise.resolve();
  expect(isClosed).toBe(false);
  end();
  await closing;
  clock.advance(10_000);
  expect(runs()).toBe(1);
});

test('close aborts the signal of the current run', async () => {
  const clock = new TestClock();
  const periodic = startPeriodic({
    clock,
    intervalMs: 1000,
    run: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    onError: (error) => expect.fail(String(error)),
  });
  await periodic.close();
});
