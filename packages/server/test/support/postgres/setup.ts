import { isolation, startCluster } from './cluster.ts';

/** Prints how often each statement conflicted with another transaction. */
function printConflicts(conflicts: readonly string[]): void {
  const counts = Map.groupBy(conflicts, (statement) => statement);
  const byCount = [...counts].sort(([, a], [, b]) => b.length - a.length);
  for (const [statement, { length }] of byCount) process.stdout.write(`${length} × ${statement}\n`);
}

/** Starts PostgreSQL once for all test files, and prepares the databases that the tests copy. */
export default async function setup(): Promise<() => Promise<void>> {
  const cluster = await startCluster();
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
    if (isolation !== undefined) printConflicts(await cluster.conflicts());
    await cluster.remove();
  };
}
