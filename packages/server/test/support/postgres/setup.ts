import { PostgresMissingError, startCluster } from './cluster.ts';
import { type Conflict, faultOf } from './conflicts.ts';

/** At `serializable`, a transaction that lacks a lock fails the run. Default: the isolation of the product. */
const isSerializable = process.env.ISOLATION === 'serializable';

/** @throws Error naming each statement without a lock that it needs */
function assertLocks(conflicts: readonly Conflict[]): void {
  const faults = conflicts.map(faultOf).filter((fault) => fault !== undefined);
  process.stdout.write(`${conflicts.length} conflicts, ${faults.length} without a lock\n`);
  if (faults.length === 0) return;
  const counts = [...Map.groupBy(faults, (fault) => fault)].sort(
    ([, a], [, b]) => b.length - a.length,
  );
  const lines = counts.map(([fault, { length }]) => `${length} × ${fault}`);
  throw new Error(`These statements lack a lock:\n${lines.join('\n')}`);
}

/** Ends the run with one line: a report of all test files, and a stack, would hide how to get PostgreSQL. */
function endWithoutPostgres(error: unknown): never {
  if (!(error instanceof PostgresMissingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

/** Starts PostgreSQL once for all test files, and prepares the databases that the tests copy. */
export default async function setup(): Promise<() => Promise<void>> {
  const cluster = await startCluster({ isSerializable }).catch(endWithoutPostgres);
  try {
    process.env.TEST_POSTGRES_URL = cluster.url;
    // Loaded after the variable is set.
    const { prepareTemplates } = await import('./templates.ts');
    await prepareTemplates();
  } catch (error) {
    await cluster.remove();
    throw error;
  }
  return async () => {
    try {
      if (isSerializable) assertLocks(await cluster.conflicts());
    } finally {
      await cluster.remove();
    }
  };
}
