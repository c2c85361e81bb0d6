import { execFileSync } from 'node:child_process';

type Value = string | number | null;

interface Statement {
  run(...values: Value[]): { readonly changes: number };
  get(...values: Value[]): unknown;
  all(...values: Value[]): unknown[];
  /** The first column of each row in the place of the row. */
  pluck(): Statement;
}

/** The part of better-sqlite3 that tests use, over a PostgreSQL database: synchronous, through psql. */
export interface PsqlDatabase {
  prepare(sql: string): Statement;
  exec(sql: string): void;
}

export function openPsql(url: string): PsqlDatabase {
  const psql = (sql: string): string =>
    execFileSync('psql', [url, '-XqAt', '-v', 'ON_ERROR_STOP=1'], { input: sql, encoding: 'utf8' });
  const rows = (sql: string): Record<string, unknown>[] => {
    const text = psql(`SELECT COALESCE(JSON_AGG(t), '[]') FROM (${sql}) t;`);
    return JSON.parse(text);
  };
  function prepare(sql: string, plucks = false): Statement {
    const all = (...values: Value[]): unknown[] => {
      const found = rows(bound(sql, values));
      return plucks ? found.map((row) => Object.values(row)[0]) : found;
    };
    return {
      all,
      get: (...values) => all(...values)[0],
      run(...values) {
        const text = psql(
          `WITH changed AS (${bound(sql, values)} RETURNING 1) SELECT COUNT(*) FROM changed;`,
        );
        return { changes: Number(text) };
      },
      pluck: () => prepare(sql, true),
    };
  }
  return { prepare: (sql) => prepare(sql), exec: (sql) => void psql(sql) };
}

/** Writes the values in the places of the question marks. */
function bound(sql: string, values: readonly Value[]): string {
  const rest = [...values];
  return sql.replaceAll('?', () => literal(rest.shift() ?? null));
}

function literal(value: Value): string {
  if (value === null) return 'NULL';
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}
