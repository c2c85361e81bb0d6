import { expect, test } from 'vitest';
import { createSweeper, retentionSteps, type SweepStep } from '../src/domain/sweeper.ts';
import { TestClock } from '../src/lib/clock.ts';
import type { Repositories, Store } from '../src/store/store.ts';

/** A step with `count` rows to remove. It records the limits it was called with. */
function backlog(name: string, count: number, failure?: Error) {
  const state = { left: count, limits: [] as number[] };
  const step: SweepStep = {
    name,
    async sweep(limit) {
      state.limits.push(limit);
      if (failure) throw failure;
      const swept = Math.min(limit, state.left);
      state.left -= swept;
      return swept;
    },
  };
  return { ...step, state };
}

function sweepAll(
  steps: readonly SweepStep[],
  { limit = 10, signal = new AbortController().signal } = {},
) {
  const errors: object[] = [];
  const log = { error: (facts: object) => void errors.push(facts) };
  return createSweeper({ steps, log, limit })(signal).then(() => errors);
}

test('the sweeper repeats its steps in batches until nothing is left', async () => {
  const steps = [backlog('none', 0), backlog('some', 35), backlog('exactly', 20)];
  expect(await sweepAll(steps)).toEqual([]);
  expect(steps.map(({ state }) => state.left)).toEqual([0, 0, 0]);
  for (const { state } of steps) expect(new Set(state.limits)).toEqual(new Set([10]));
});

test('steps alternate, so that a long backlog delays no other step', async () => {
  const order: string[] = [];
  const recorded = (step: SweepStep): SweepStep => ({
    ...step,
    sweep: (limit) => {
      order.push(step.name);
      return step.sweep(limit);
    },
  });
  await sweepAll([recorded(backlog('long', 25)), recorded(backlog('short', 0))]);
  expect(order).toEqual(['long', 'short', 'long', 'short', 'long', 'short']);
});

test('a step that fails does not stop the others, and is logged once a sweep', async () => {
  const failure = new Error('no disk');
  const broken = backlog('broken', 0, failure);
  const sound = backlog('sound', 95);
  expect(await sweepAll([broken, sound])).toEqual([{ err: failure, step: 'broken' }]);
  expect(broken.state.limits).toHaveLength(1);
  expect(sound.state.left).toBe(0);
});

test('the event loop runs between the steps', async () => {
  const step = backlog('long', 1000);
  let others = 0;
  const other = () => {
    others += 1;
    if (step.state.left > 0) setImmediate(other);
  };
  setImmediate(other);
  await sweepAll([step]);
  expect(others).toBeGreaterThanOrEqual(100);
});

test('an aborted sweep ends after the current step', async () => {
  const closing = new AbortController();
  const first = backlog('first', 1000);
  const second = backlog('second', 1000);
  const closes: SweepStep = {
    name: 'closes',
    async sweep() {
      closing.abort();
      return 0;
    },
  };
  await sweepAll([first, closes, second], { signal: closing.signal });
  expect(first.state.left).toBe(990);
  expect(second.state.left).toBe(1000);
});

test('the removal of events reads them again when its transaction runs again or fails', async () => {
  const reads: string[] = [];
  const events = {
    async removeUnneeded({ after }: { after: string }) {
      reads.push(after);
      return [`${after}e`];
    },
  };
  const attempts = ['conflict', 'failure', 'success', 'success'];
  async function transaction<T>(work: (tx: Repositories) => Promise<T>): Promise<T> {
    const result = await work({ events } as unknown as Repositories);
    const outcome = attempts.shift();
    if (outcome === 'failure') throw new Error('no disk');
    return outcome === 'conflict' ? transaction(work) : result;
  }
  const store = { transaction } as unknown as Store;
  const limits = { free: 10, paid: 10, enterprise: 10 };
  const steps = retentionSteps({ store, clock: new TestClock(), limits, grace: 0 });
  const step = steps.find(({ name }) => name === 'remove events');
  await expect(step?.sweep(100)).rejects.toThrow('no disk');
  await step?.sweep(100);
  await step?.sweep(100);
  expect(reads).toEqual(['', '', '', 'e']);
});
