import { expect, it } from 'vitest';
import type { Pass } from '../../src/delivery/hosts.ts';
import { Lanes } from '../../src/delivery/webhook-limiter.ts';

function lanesWith(webhookId: string, ids: readonly string[]): Lanes {
  const lanes = new Lanes({ limit: 2 });
  lanes.add(webhookId, destination, ids);
  return lanes;
}

const destination = { url: 'http://127.0.0.1:9/', userId: 'ada' };
/** A host that takes everything. */
const enter = () => ({}) as Pass;

const idsOf = (taken: readonly { readonly id: string }[]) => taken.map(({ id }) => id);

it('starts no more than the limit of each webhook, and none beyond the room', () => {
  const lanes = lanesWith('a', ['a1', 'a2', 'a3']);
  lanes.add('b', destination, ['b1', 'b2', 'b3']);
  expect(idsOf(lanes.take(3, enter))).toEqual(['a1', 'a2', 'b1']);
  expect(idsOf(lanes.take(9, enter))).toEqual(['b2']);
  expect(lanes.take(9, enter)).toEqual([]);
  expect(lanes.running).toBe(4);
  expect(lanes.free('a')).toBe(0);
  expect(lanes.free('c')).toBe(2);
});

it('gives the place of what has ended to the next in order', () => {
  const lanes = lanesWith('a', ['a1', 'a2', 'a3']);
  lanes.take(9, enter);
  expect(lanes.isDry('a')).toBe(false);
  lanes.end('a', 1);
  expect(idsOf(lanes.take(9, enter))).toEqual(['a3']);
  expect(lanes.isDry('a')).toBe(true);
});

it('keeps more ready for a fast receiver, few for one less fast, and none for a slow one', () => {
  const shortage = (durationMs: number) => {
    const lanes = lanesWith('a', ['a1']);
    lanes.take(1, enter);
    lanes.end('a', durationMs);
    return lanes.shortage('a');
  };
  expect(shortage(0)).toBe(64);
  expect(shortage(15)).toBe(64);
  expect(shortage(250)).toBe(4);
  expect(shortage(1_000)).toBe(1);
  expect(shortage(1_001)).toBe(0);
  expect(shortage(10_000)).toBe(0);
});

it('is short of nothing while half of what it keeps ready is there', () => {
  const lanes = lanesWith('a', ['a1']);
  lanes.take(1, enter);
  lanes.end('a', 250);
  lanes.add('a', destination, ['a2', 'a3', 'a4', 'a5', 'a6']);
  lanes.take(2, enter);
  expect(lanes.shortage('a')).toBe(0);
  lanes.end('a', 250);
  lanes.take(1, enter);
  expect(lanes.shortage('a')).toBe(2);
});

it('gives back what it kept ready for a receiver that has become slow', () => {
  const lanes = lanesWith('a', ['a1']);
  lanes.take(1, enter);
  lanes.end('a', 1);
  lanes.release('a', 'a1');
  lanes.add('a', destination, ['a2', 'a3', 'a4', 'a5']);
  lanes.take(2, enter);
  lanes.end('a', 10_000);
  expect(lanes.isDry('a')).toBe(true);
  expect(lanes.held('a')).toEqual(new Set(['a2', 'a3']));
});

it('holds a delivery until it is released, so that nobody takes it up twice', () => {
  const lanes = lanesWith('a', ['a1']);
  expect(lanes.held('a')).toEqual(new Set(['a1']));
  lanes.take(1, enter);
  lanes.end('a', 1);
  expect(lanes.held('a')).toEqual(new Set(['a1']));
  lanes.release('a', 'a1');
  expect(lanes.held('a')).toEqual(new Set());
});

it('forgets what is ready, and nothing that runs', () => {
  const lanes = lanesWith('a', ['a1', 'a2', 'a3']);
  lanes.take(1, enter);
  lanes.clear();
  expect(lanes.held('a')).toEqual(new Set(['a1']));
  expect(lanes.take(9, enter)).toEqual([]);
  expect(lanes.running).toBe(1);
});
