import { expect, test } from 'vitest';
import type { Permit } from '../../src/delivery/hosts.ts';
import { WebhookLimiter } from '../../src/delivery/webhook-limiter.ts';

function limiterWith(webhookId: string, ids: readonly string[]): WebhookLimiter {
  const limiter = new WebhookLimiter(2);
  limiter.add(webhookId, receiver, ids);
  return limiter;
}

const receiver = { url: 'http://127.0.0.1:9/', userId: 'ada' };
/** A host without limits. */
const enter = () => ({}) as Permit;

const idsOf = (taken: readonly { readonly id: string }[]) => taken.map(({ id }) => id);

test('start respects the limit per webhook and the room', () => {
  const limiter = limiterWith('a', ['a1', 'a2', 'a3']);
  limiter.add('b', receiver, ['b1', 'b2', 'b3']);
  expect(idsOf(limiter.start(3, enter))).toEqual(['a1', 'a2', 'b1']);
  expect(idsOf(limiter.start(9, enter))).toEqual(['b2']);
  expect(limiter.start(9, enter)).toEqual([]);
  expect(limiter.running).toBe(4);
  expect(limiter.free('a')).toBe(0);
  expect(limiter.free('c')).toBe(2);
});

test('the end of an attempt lets the next prefetched delivery start', () => {
  const limiter = limiterWith('a', ['a1', 'a2', 'a3']);
  limiter.start(9, enter);
  expect(limiter.isEmpty('a')).toBe(false);
  limiter.end('a', 1);
  expect(idsOf(limiter.start(9, enter))).toEqual(['a3']);
  expect(limiter.isEmpty('a')).toBe(true);
});

test('shortage depends on the duration of the last attempt', () => {
  const shortage = (durationMs: number) => {
    const limiter = limiterWith('a', ['a1']);
    limiter.start(1, enter);
    limiter.end('a', durationMs);
    return limiter.shortage('a');
  };
  expect(shortage(0)).toBe(64);
  expect(shortage(15)).toBe(64);
  expect(shortage(250)).toBe(4);
  expect(shortage(1_000)).toBe(1);
  expect(shortage(1_001)).toBe(0);
  expect(shortage(10_000)).toBe(0);
});

test('shortage is 0 while half of the prefetch target is left', () => {
  const limiter = limiterWith('a', ['a1']);
  limiter.start(1, enter);
  limiter.end('a', 250);
  limiter.add('a', receiver, ['a2', 'a3', 'a4', 'a5', 'a6']);
  limiter.start(2, enter);
  expect(limiter.shortage('a')).toBe(0);
  limiter.end('a', 250);
  limiter.start(1, enter);
  expect(limiter.shortage('a')).toBe(2);
});

test('a slow attempt drops the prefetched deliveries', () => {
  const limiter = limiterWith('a', ['a1']);
  limiter.start(1, enter);
  limiter.end('a', 1);
  limiter.release('a', 'a1');
  limiter.add('a', receiver, ['a2', 'a3', 'a4', 'a5']);
  limiter.start(2, enter);
  limiter.end('a', 10_000);
  expect(limiter.isEmpty('a')).toBe(true);
  expect(limiter.known('a')).toEqual(new Set(['a2', 'a3']));
});

test('a delivery is known and in flight until it is released', () => {
  const limiter = limiterWith('a', ['a1']);
  expect(limiter.known('a')).toEqual(new Set(['a1']));
  expect(limiter.isInFlight('a', 'a1')).toBe(false);
  limiter.start(1, enter);
  expect(limiter.isInFlight('a', 'a1')).toBe(true);
  limiter.end('a', 1);
  expect(limiter.known('a')).toEqual(new Set(['a1']));
  expect(limiter.hasInFlight('a')).toBe(true);
  limiter.release('a', 'a1');
  expect(limiter.hasInFlight('a')).toBe(false);
  expect(limiter.known('a')).toEqual(new Set());
});

test('clear drops prefetched deliveries and keeps those in flight', () => {
  const limiter = limiterWith('a', ['a1', 'a2', 'a3']);
  limiter.start(1, enter);
  limiter.clear();
  expect(limiter.known('a')).toEqual(new Set(['a1']));
  expect(limiter.start(9, enter)).toEqual([]);
  expect(limiter.running).toBe(1);
});
