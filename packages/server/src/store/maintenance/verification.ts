import { OperatorError } from '../../lib/operator-error.ts';
import type { Queries } from '../driver.ts';
import { MigrationError, pendingIn, readHistory } from '../migrations.ts';
import type { Snapshot } from '../snapshot.ts';

/** Rows by table. */
export type RowCounts = Readonly<Record<string, number>>;

/**
 * Verifies a database and counts its rows.
 *
 * @param name names the database in errors, for example its path
 * @throws OperatorError when it is damaged or has no document vault
 * @throws MigrationError when it has migrations that this version does not know
 */
export async function verify(snapshot: Snapshot, name: string): Promise<RowCounts> {
  const [damage] = await snapshot.integrity();
  if (damage !== undefined) throw new OperatorError(`${name} is damaged: ${damage}.`);

  const tables = await snapshot.tables();
  const history = tables.includes('schema_migrations') ? await readHistory(snapshot.reader) : [];
  if (history.length === 0) {
    throw new OperatorError(`${name} is not the database of a document vault.`);
  }
  try {
    await pendingIn(snapshot.reader);
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    throw new MigrationError(`${name}: ${error.message}`, { cause: error });
  }
  return countRowsOfTables(snapshot.reader, tables);
}

/** Counts the rows of each table. */
export async function countRowsOfTables(
  queries: Queries,
  tables: readonly string[],
): Promise<RowCounts> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const row = await queries.get<{ total: number }>(
      `/* all rows */ SELECT COUNT(*) AS total FROM "${table}"`,
    );
    counts[table] = row?.total ?? 0;
  }
  return counts;
}

/** Counts the contents that are in an object store. A copy of the database does not have them. */
export async function countObjects({ reader }: Snapshot): Promise<number> {
  const row = await reader.get<{ total: number }>(
    "/* all rows */ SELECT COUNT(*) AS total FROM content_objects WHERE state = 'taken' AND due_at IS NULL",
  );
  return row?.total ?? 0;
}
