import type { Queries } from '../driver.ts';

/** Rows that are looked for by their whole name; each takes a millisecond or two. */
const sampleSize = 1000;

/** Problems of one kind that are named. */
const namedProblems = 10;

interface SearchIndex {
  readonly index: string;
  readonly table: string;
  /** The column of the index and the folded one that it is made from. */
  readonly column: string;
  readonly name: string;
}

const searchIndexes: readonly SearchIndex[] = [
  { index: 'vault_search', table: 'vaults', column: 'name', name: 'name_folded' },
  { index: 'document_search', table: 'documents', column: 'name', name: 'file_name_folded' },
];

/**
 * Where the search indexes and the rows differ. What an index is made of inside, `PRAGMA
 * integrity_check` has looked at.
 */
export async function searchIndexProblems(queries: Queries): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const searchIndex of searchIndexes) {
    for (const sql of [missing(searchIndex), excess(searchIndex), stale(searchIndex)]) {
      const rows = await queries.all<{ problem: string }>(sql);
      problems.push(...rows.map(({ problem }) => problem));
    }
  }
  return problems;
}

/** The rows behind the last complete 128 are not in their index yet. */
function missing({ index, table }: SearchIndex): string {
  return `/* all rows */ SELECT id || ' of ${table} is missing in ${index}' AS problem
    FROM ${table} LEFT JOIN ${index} ON ${index}.rowid = number
    WHERE number <= (SELECT MAX(number) FROM ${table}) / 128 * 128 AND ${index}.rowid IS NULL
    ORDER BY number LIMIT ${namedProblems}`;
}

function excess({ index, table }: SearchIndex): string {
  return `/* all rows */ SELECT '${index} has row ' || ${index}.rowid || ', and ${table} has not' AS problem
    FROM ${index} LEFT JOIN ${table} ON number = ${index}.rowid
    WHERE number IS NULL LIMIT ${namedProblems}`;
}

/** The query language has no NUL, and the index nothing of names below three characters. */
function stale({ index, table, column, name }: SearchIndex): string {
  return `/* all rows */ SELECT id || ' of ${table} has another name in ${index}' AS problem FROM (
      SELECT id, number, ${name} AS name FROM ${table}
      WHERE number % ((SELECT MAX(number) FROM ${table}) / ${sampleSize} + 1) = 0
    ) sample
    WHERE LENGTH(name) >= 3 AND INSTR(name, CHAR(0)) = 0
      AND EXISTS (SELECT 1 FROM ${index} WHERE rowid = number)
      AND NOT EXISTS (
        SELECT 1 FROM ${index}
        WHERE ${index} MATCH '${column} : "' || REPLACE(sample.name, '"', '""') || '"' AND rowid = number
      )
    ORDER BY number LIMIT ${namedProblems}`;
}
