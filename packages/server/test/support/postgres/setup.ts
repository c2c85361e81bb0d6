import { startCluster } from './cluster.ts';

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
  return () => cluster.remove();
}
