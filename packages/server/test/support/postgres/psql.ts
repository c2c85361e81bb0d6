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
  /** Returns the foreign keys of rows without parent. */
  pragma(name: 'foreign_key_check'): unknown[];
}

export function openPsql(url: string): PsqlDatabase {
  const psql = (sql: string): string =>
    execFileSync('psql', [url, '-XqAt', '-v', 'ON_ERROR_STOP=1'], { input: sql, encoding: 'utf8' });
  const rows = (sql: string): Record<string, unknown>[] => {
    const text = psql(`SELECT COALESCE(JSON_AGG(t), '[]') FROM (${sql}) t;`);
    return JSON.parse(text, (_, value) =>
      isBytes(value) ? Buffer.from(value.slice(2), 'hex') : value,
    );
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
  return {
    prepare: (sql) => prepare(sql),
    exec: (sql) => void psql(translatedTrigger(sql)),
    pragma: () => rows(foreignKeys).filter((key) => rows(orphansOf(key)).length > 0),
  };
}

/** PostgreSQL writes bytes as `\x` and hex digits. */
function isBytes(value: unknown): value is string {
  return typeof value === 'string' && /^\\x[0-9a-f]*$/.test(value);
}

/** Rewrites a trigger of SQLite that raises an error, which tests use to let a statement fail. */
function translatedTrigger(sql: string): string {
  const creation =
    /^\s*CREATE TRIGGER (\w+) (.*?)\s+BEGIN SELECT RAISE\(\w+, '([^']*)'\); END;?\s*$/s;
  return sql
    .replace(
      creation,
      `CREATE FUNCTION $1() RETURNS trigger LANGUAGE plpgsql AS $$$$ BEGIN RAISE EXCEPTION '$3'; END $$$$;
       CREATE TRIGGER $1 $2 FOR EACH ROW EXECUTE FUNCTION $1();`,
    )
    .replace(/^\s*DROP TRIGGER (\w+)\s*$/, 'DROP FUNCTION $1 CASCADE');
}

/** Each has one column. */
const foreignKeys = `SELECT c.conrelid::regclass::text AS child, a.attname AS column,
    c.confrelid::regclass::text AS parent, b.attname AS key
  FROM pg_constraint c
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
    JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = c.confkey[1]
  WHERE c.contype = 'f'`;

function orphansOf({ child, column, parent, key }: Record<string, unknown>): string {
  return `SELECT 1 AS found FROM ${child} WHERE ${column} NOT IN (SELECT ${key} FROM ${parent}) LIMIT 1`;
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
