import { cases } from './cases/index.ts';
import { control } from './control.ts';
import { type Result, runCase, type World } from './suite.ts';

/** Runs every case, one after the other, each against servers that are as at their first start. */
export async function runAll(world: World): Promise<Result[]> {
  const results: Result[] = [];
  for (const one of cases) {
    await control(world, 'reset');
    results.push(await runCase(one, world));
  }
  return results;
}
