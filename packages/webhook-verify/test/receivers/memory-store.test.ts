import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type MemoryStoreOptions, memoryStore } from '../../src/index.ts';

const day = 24 * 3_600_000;

const lease = 300_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A store, and the time since it was created. */
function storeAt(options: MemoryStoreOptions = {}) {
  const start = performance.now();
  const time = {
    get now() {
      return performance.now() - start;
    },
    set now(now: number) {
      vi.advanceTimersByTime(now - this.now);
    },
  };
  return { time, store: memoryStore(options) };
}

describe('memoryStore()', () => {
  test('keeps a handled event for 31 days, as long as maxAge accepts it', () => {
    const { time, store } = storeAt();
    store.complete('evt_1', 'a');
    store.complete('evt_2', 'a');
    time.now = 31 * day - 1;
    expect(store.claim('evt_1', 'a')).toBe('done');
    time.now = 31 * day;
    expect(store.claim('evt_2', 'a')).toBe('claimed');
  });

  test('keeps a repeated event for 31 more days', () => {
    const { time, store } = storeAt({ ttl: 100 });
    store.complete('evt_1', 'a');
    for (time.now = 99; time.now < 1000; time.now += 99) {
      expect(store.claim('evt_1', 'a')).toBe('done');
    }
  });

  test('removes the least recently repeated event when it is full', () => {
    const { store } = storeAt({ max: 2 });
    store.complete('evt_1', 'a');
    store.complete('evt_2', 'a');
    expect(store.claim('evt_1', 'a')).toBe('done');
    store.complete('evt_3', 'a');
    expect(['evt_1', 'evt_2', 'evt_3'].map((id) => store.claim(id, 'b'))).toEqual([
      'done',
      'claimed',
      'done',
    ]);
  });

  test('never removes a running event when it is full', () => {
    const { store } = storeAt({ max: 1 });
    for (const id of ['evt_1', 'evt_2', 'evt_3']) expect(store.claim(id, 'a')).toBe('claimed');
    for (const id of ['evt_4', 'evt_5']) store.complete(id, 'a');
    for (const id of ['evt_1', 'evt_2', 'evt_3']) expect(store.claim(id, 'b')).toBe('running');
  });

  test('lets a claim be taken over after 5 minutes, not earlier', () => {
    const { time, store } = storeAt();
    store.claim('evt_1', 'a');
    time.now = 299_999;
    expect(store.claim('evt_1', 'b')).toBe('running');
    time.now = 300_000;
    expect(store.claim('evt_1', 'b')).toBe('claimed');
    expect(store.claim('evt_1', 'c')).toBe('running');
  });

  test('does not depend on the system clock', () => {
    const { store } = storeAt();
    store.claim('evt_1', 'a');
    vi.setSystemTime(Date.now() + 2 * lease);
    expect(store.claim('evt_1', 'b')).toBe('running');
  });

  test('behaves as a simple model for any sequence of calls', () => {
    const step = fc.record({
      call: fc.constantFrom('claim', 'complete', 'release'),
      id: fc.constantFrom('evt_1', 'evt_2', 'evt_3'),
      token: fc.constantFrom('a', 'b'),
      later: fc.integer({ min: 0, max: 200_000 }),
    });
    const times = fc.integer({ min: 1, max: 1_000_000 });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), times, (steps, ttl) => {
        const { time, store } = storeAt({ ttl });
        const states = new Map<string, { done: boolean; token: string; until: number }>();
        for (const { call, id, token, later } of steps) {
          time.now += later;
          const kept = states.get(id);
          const state = kept && kept.until > time.now ? kept : undefined;
          if (call === 'claim') {
            const expected = state === undefined ? 'claimed' : state.done ? 'done' : 'running';
            expect(store.claim(id, token)).toBe(expected);
            if (expected === 'claimed')
              states.set(id, { done: false, token, until: time.now + lease });
            if (expected === 'done') states.set(id, { done: true, token, until: time.now + ttl });
          } else if (call === 'complete') {
            store.complete(id, token);
            states.set(id, { done: true, token, until: time.now + ttl });
          } else {
            store.release(id, token);
            if (state?.done === false && state.token === token) states.delete(id);
          }
        }
      }),
    );
  });
});
