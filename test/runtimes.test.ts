/**
 * What `npm run test:runtimes` runs in every runtime, here in this Node and from the sources.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cases } from './runtimes/suite/cases/index.ts';
import { control } from './runtimes/suite/control.ts';
import { runCase } from './runtimes/suite/suite.ts';
import { type RunningWorld, startWorld } from './runtimes/world.ts';

let running: RunningWorld;
beforeAll(async () => {
  running = await startWorld();
});
afterAll(() => running.close());

test.for(cases)('$name', async (one, { skip }) => {
  const world = { ...running.world, runtime: 'node' } as const;
  await control(world, 'reset');
  const { outcome, reason } = await runCase(one, world);
  if (outcome === 'skipped') skip(reason);
  expect(outcome, reason).toBe('passed');
});
