import type { Queries } from './driver.ts';

/** A counter that is not what a recount gives. */
export interface Miscount {
  /** The table, and in it the row: ids and values that identify it, with blanks between. */
  readonly counter: string;
  readonly stored: number;
  readonly counted: number;
}

interface Recount {
  readonly table: string;
  /** A query for `name` and `value` of every counter. */
  readonly stored: string;
  /** The same by counting; a counter it does not name is 0. */
  readonly counted: string;
}

/** A query that counts rows of a table once for each combination of these scopes and parts. */
function combinations(table: string, value: string, scopes: string[], parts: string[]): string {
  return scopes
    .flatMap((scope) => parts.map((part) => ({ scope, part })))
    .map(
      ({ scope, part }) =>
        `SELECT ${scope} || ' ' || ${part} AS name, SUM(${value}) AS value FROM ${table}
         WHERE ${part} IS NOT NULL GROUP BY 1`,
    )
    .join(' UNION ALL ');
}

/** Every counter that changes keep up, and how to count it anew. */
const recounts: readonly Recount[] = [
  {
    table: 'vaults.document_count',
    stored: 'SELECT id AS name, document_count AS value FROM vaults',
    counted: 'SELECT vault_id AS name, COUNT(*) AS value FROM documents GROUP BY vault_id',
  },
  {
    table: 'vaults.total_size',
    stored: 'SELECT id AS name, total_size AS value FROM vaults',
    counted: 'SELECT vault_id AS name, SUM(size_bytes) AS value FROM documents GROUP BY vault_id',
  },
  {
    table: 'vault_counts.active',
    stored: `SELECT scope || ' ' || category AS name, active AS value FROM vault_counts`,
    counted: combinations('vaults', 'is_active', ["''", 'user_id'], ["''", 'category']),
  },
  {
    table: 'vault_counts.inactive',
    stored: `SELECT scope || ' ' || category AS name, inactive AS value FROM vault_counts`,
    counted: combinations('vaults', '1 - is_active', ["''", 'user_id'], ["''", 'category']),
  },
  {
    table: 'document_counts.documents',
    stored: `SELECT scope || ' ' || mime_type AS name, documents AS value FROM document_counts`,
    counted: combinations('documents', '1', ["''", 'user_id', 'vault_id'], ["''", 'mime_type']),
  },
];

/**
 * Counts everything anew, which takes a while.
 *
 * @returns the counters that are wrong; none in a sound database.
 */
export async function findMiscounts(queries: Queries): Promise<Miscount[]> {
  const found: Miscount[] = [];
  for (const { table, stored, counted } of recounts) {
    const rows = await queries.all<{ name: string; stored: number; counted: number }>(
      `SELECT name, SUM(stored) AS stored, SUM(counted) AS counted FROM (
         SELECT name, value AS stored, 0 AS counted FROM (${stored}) s
         UNION ALL SELECT name, 0, value FROM (${counted}) c
       ) b GROUP BY name HAVING SUM(stored) <> SUM(counted) ORDER BY name`,
    );
    for (const { name, ...values } of rows) found.push({ counter: `${table} ${name}`, ...values });
  }
  return found;
}
