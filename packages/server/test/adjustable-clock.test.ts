import { describe, expect, test } from 'vitest';
import { startServer } from '../src/index.ts';
import { AdjustableClock, TestClock } from '../src/lib/clock.ts';

const hour = 3_600_000;

/** A promise that resolves when `wake` is called. */
function alarm(): { wake: () => void; rung: Promise<void> } {
  let wake: () => void = () => undefined;
  const rung = new Promise<void>((resolve) => {
    wake = resolve;
  });
  return { wake, rung };
}

describe('AdjustableClock', () => {
  test('now() equals the system time before the first advance()', () => {
    const clock = new AdjustableClock();
    const before = Date.now();
    const shown = clock.now();
    expect(shown).toBeGreaterThanOrEqual(before);
    expect(shown).toBeLessThanOrEqual(Date.now());
  });

  test('now() is ahead of the system time by the sum of all advances', () => {
    const clock = new AdjustableClock();
    clock.advance(hour);
    clock.advance(hour);
    expect(clock.now() - Date.now()).toBeLessThanOrEqual(2 * hour);
    expect(clock.now() - Date.now()).toBeGreaterThan(2 * hour - 5_000);
  });

  test.each([new AdjustableClock(), new TestClock()])(
    'advance() rounds a part of a millisecond up: %o',
    (clock) => {
      const before = clock.now();
      clock.advance(hour + 0.25);
      expect(clock.now()).toSatisfy(Number.isInteger);
      expect(clock.now() - before).toBeGreaterThan(hour);
    },
  );

  test('advance() runs the due alarms in order of time, and now() is the time of each', () => {
    const clock = new AdjustableClock();
    const start = clock.now();
    const rung: [string, number][] = [];
    const at = (name: string, time: number) =>
      clock.at(time, () => rung.push([name, clock.now() - time]));
    at('second', start + 2 * hour);
    at('first', start + hour);
    const cancel = at('cancelled', start + hour);
    at('later', start + 4 * hour);
    cancel();
    clock.advance(3 * hour);
    expect(rung.map(([name]) => name)).toEqual(['first', 'second']);
    for (const [, late] of rung) {
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThan(5_000);
    }
    clock.advance(hour);
    expect(rung.map(([name]) => name)).toEqual(['first', 'second', 'later']);
    clock.advance(hour);
    expect(rung).toHaveLength(3);
  });

  test('advance() also runs alarms that a running alarm sets within the advanced time', () => {
    const clock = new AdjustableClock();
    const start = clock.now();
    const rung: string[] = [];
    clock.at(start + hour, () => {
      rung.push('first');
      clock.at(start + 2 * hour, () => rung.push('second'));
    });
    clock.advance(3 * hour);
    expect(rung).toEqual(['first', 'second']);
  });

  test('an alarm also runs in real time, including one that advance() brought closer', async () => {
    const clock = new AdjustableClock();
    const soon = alarm();
    const brought = alarm();
    clock.at(clock.now() + 5, soon.wake);
    clock.at(clock.now() + hour, brought.wake);
    clock.advance(hour - 5);
    await Promise.all([soon.rung, brought.rung]);
  });
});

test('startServer() without a clock starts at the system time, and its clock can be advanced', async () => {
  const server = await startServer({ port: 0, data: ':memory:', logLevel: 'silent' });
  try {
    // biome-ignore lint/suspicious/noExplicitAny: responses of two shapes
    const call = async (path: string, init: RequestInit = {}): Promise<any> =>
      (await fetch(server.url + path, init)).json();
    const { email, password } = server.account ?? expect.fail();
    const { accessToken } = await call('/auth/login', {
      method: 'POST',
      body: JSON.stringify({ email, password }),
      headers: { 'content-type': 'application/json' },
    });
    const headers = { authorization: `Bearer ${accessToken}` };
    expect(await call('/api/v1/users/me', { headers })).toMatchObject({ email });
    server.clock.advance(hour);
    expect(await call('/api/v1/users/me', { headers })).toMatchObject({
      error: { code: 'EXPIRED_TOKEN' },
    });
  } finally {
    await server.close();
  }
});
