import type { Queries } from './driver.ts';

/**
 * Those whose rows belong to nothing else, what refers to others first. With them goes whatever
 * belongs to them. The history of the schema stays, and so do the server's own keys and secrets.
 */
const tables = ['events', 'users', 'vault_counts', 'document_counts', 'instances'] as const;

/** Empties every table that requests fill. */
export async function emptyTables(queries: Queries): Promise<void> {
  for (const table of tables) await queries.run(`/* all rows */ DELETE FROM ${table}`);
}
