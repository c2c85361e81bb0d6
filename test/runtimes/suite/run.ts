import { cases } from './cases/index.ts';
import { control } from './control.ts';
import { type Environment, type Result, runCase } from './suite.ts';

/** Runs all cases one after another. The servers are reset before each case. */
export async function runAll(environment: Environment): Promise<Result[]> {
  const results: Result[] = [];
  for (const testCase of cases) {
    await control(environment, 'reset');
    results.push(await runCase(testCase, environment));
  }
  return results;
}
