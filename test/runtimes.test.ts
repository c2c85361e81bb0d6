/** Runs the conformance suite in the current Node and from the sources, unlike `npm run test:runtimes`. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningEnvironment, startEnvironment } from './runtimes/environment.ts';
import { cases } from './runtimes/suite/cases/index.ts';
import { control } from './runtimes/suite/control.ts';
import { runCase } from './runtimes/suite/suite.ts';

let running: RunningEnvironment;
beforeAll(async () => {
  running = await startEnvironment();
});
afterAll(() => running.close());

test.for(cases)('$name', async (testCase, { skip }) => {
  const environment = { ...running.environment, runtime: 'node' } as const;
  await control(environment, 'reset');
  const { outcome, reason } = await runCase(testCase, environment);
  if (outcome === 'skipped') skip(reason);
  expect(outcome, reason).toBe('passed');
});
