import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../src/lib/clock.ts';

const hour = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a timer rings once, at its time, also after more than 24 days', () => {
  const wake = vi.fn();
  systemClock.at(Date.now() + 40 * 24 * hour, wake);
  vi.advanceTimersByTime(40 * 24 * hour - 1);
  expect(wake).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(wake).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(hour);
  expect(wake).toHaveBeenCalledTimes(1);
});

test('a timer rings within a minute after the system time was set forward or the machine slept', () => {
  const wake = vi.fn();
  systemClock.at(Date.now() + 4 * hour, wake);
  vi.setSystemTime(Date.now() + 5 * hour);
  vi.advanceTimersByTime(60_001);
  expect(wake).toHaveBeenCalledTimes(1);
});

test('a timer in the past rings at once, and a cancelled one never', () => {
  const wake = vi.fn();
  systemClock.at(Date.now() - 1, wake);
  const cancel = systemClock.at(Date.now() + 2 * hour, wake);
  vi.advanceTimersByTime(hour);
  cancel();
  vi.advanceTimersByTime(2 * hour);
  expect(wake).toHaveBeenCalledTimes(1);
  expect(vi.getTimerCount()).toBe(0);
});
