import { expect, test } from 'vitest';
import { migrationsOf } from '../../src/store/migrations.ts';

/** What a schema says about tables and indexes, statement by statement, without comments. */
function definitions(sql: string): string[] {
  const statements = sql
    .replaceAll(/--[^\n]*/g, '')
    // Triggers and functions end with a semicolon at the start of a line or after their body.
    .replaceAll(/CREATE TRIGGER.*?(?=\n\S)/gs, (text) => (text.includes('BEGIN') ? '' : text))
    .replaceAll(/^END;$/gm, '')
    .replaceAll(/CREATE FUNCTION.*?\$\$;/gs, '')
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim());
  return statements.filter((statement) => /^CREATE (TABLE|(UNIQUE )?INDEX) /.test(statement));
}

/** Indexes for searches, which SQLite has as tables of FTS5, and what several processes need. */
const ofPostgres =
  / USING gin |^CREATE TABLE leases |^CREATE (TABLE|INDEX) (request_windows|query_windows|failure_budgets)/;

/** Rewrites a statement of SQLite as PostgreSQL's: types, and what only one of them has. */
function rewritten(statement: string): string {
  return statement
    .replace(/\) STRICT(, WITHOUT ROWID)?$/, ')')
    .replaceAll(
      /\bnumber INTEGER PRIMARY KEY( AUTOINCREMENT)?/g,
      'number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    )
    .replaceAll(/\bINTEGER\b/g, 'BIGINT')
    .replaceAll(/\bBLOB\b/g, 'BYTEA')
    .replaceAll(/([(,] ?\w+) TEXT\b/g, '$1 TEXT COLLATE "C"')
    .replaceAll(/\) VIRTUAL\b/g, ') STORED')
    .replaceAll("x'01'", String.raw`'\x01'`);
}

test('the migrations of SQLite and PostgreSQL have the same numbers and names', async () => {
  const [sqlite, postgres] = [await migrationsOf('sqlite'), await migrationsOf('postgres')];
  const titles = (list: typeof sqlite) => list.map(({ version, name }) => `${version} ${name}`);
  expect(titles(postgres)).toEqual(titles(sqlite));
});

test('each migration has the same tables, columns, constraints and indexes for both databases', async () => {
  const [sqlite, postgres] = [await migrationsOf('sqlite'), await migrationsOf('postgres')];
  for (const [index, { name, sql }] of sqlite.entries()) {
    const expected = definitions(sql).map(rewritten);
    expect(expected.length, name).toBeGreaterThan(0);
    const found = definitions(postgres[index]?.sql ?? '').filter((one) => !ofPostgres.test(one));
    expect(found, name).toEqual(expected);
  }
});
