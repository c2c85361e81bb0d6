import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { readingDialect } from '../../src/store/postgres/dialect.ts';
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts';
import { databaseFile } from '../../src/store/sqlite/driver.ts';
import { testsPostgres, urlOfFolder } from './postgres/databases.ts';
import { openPsql } from './postgres/psql.ts';

/** SQL of 32 random bytes, for tests that insert many rows. */
export const randomDigest = testsPostgres ? 'SHA256(RANDOM()::text::bytea)' : 'randomblob(32)';

/** Creates a data folder, which is removed after the running test. */
export async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'document-vault-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/**
 * Returns a function that makes a data folder at its first call, and at each later call a copy of it, which takes a
 * hundredth of the time. SQLite only: no server uses the folder when it is made.
 */
export function madeOnce<Made extends { readonly data: string }>(
  make: () => Promise<Made>,
): () => Promise<Made> {
  const template = async () => {
    const made = await make();
    const names = await readdir(made.data);
    const read = async (name: string) => [name, await readFile(join(made.data, name))] as const;
    return { made, files: await Promise.all(names.map(read)) };
  };
  let loading: ReturnType<typeof template> | undefined;
  return async () => {
    loading ??= template();
    const { made, files } = await loading;
    const data = await dataFolder();
    for (const [name, bytes] of files) await writeFile(join(data, name), bytes, { mode: 0o600 });
    return { ...made, data };
  };
}

/** Opens the database of a folder directly, to read or change it. */
export function inDatabase<Result>(
  folder: string,
  work: (database: Database.Database) => Result,
): Result {
  const url = urlOfFolder(folder);
  if (url !== undefined) return work(openPsql(url) as Database.Database);
  const database = new Database(join(folder, databaseFile), { fileMustExist: true });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Counts the rows of a table. */
export function rowsIn(folder: string, table: string): number {
  return inDatabase(folder, (database) =>
    Number(database.prepare(`SELECT COUNT(*) FROM ${table}`).pluck().get()),
  );
}

/** Tables of health checks, leases, limits and counted requests. */
const written =
  "'health_probe', 'instance_history', 'leases', 'request_windows', 'query_windows', 'failure_budgets'";

/** All rows of all tables, without those that change all the time. */
export function everyRow(folder: string): Record<string, unknown[]> {
  return inDatabase(folder, (database) => {
    const { tables } = testsPostgres ? readingDialect : sqliteDialect;
    const names = database
      .prepare(`SELECT name FROM (${tables}) t WHERE name NOT IN (${written}) ORDER BY name`)
      .pluck()
      .all() as string[];
    // PostgreSQL moves a row when it is changed.
    const order = testsPostgres ? 'ORDER BY CAST(t AS TEXT)' : '';
    const rowsOf = (name: string) => database.prepare(`SELECT * FROM "${name}" t ${order}`).all();
    return Object.fromEntries(names.map((name) => [name, rowsOf(name)]));
  });
}

/** Everything that is stored: the file of SQLite, or all values of PostgreSQL. To search it for what must not be there. */
export function storedBytes(folder: string): Buffer {
  if (!testsPostgres) return readFileSync(join(folder, databaseFile));
  const values = Object.values(everyRow(folder))
    .flat()
    .flatMap((row) => Object.values(row as Record<string, unknown>));
  return Buffer.concat(
    values.map((value) => (Buffer.isBuffer(value) ? value : Buffer.from(`${value}\0`))),
  );
}

/** The used bytes of the instance: the sum over its accounts. */
export function usedBytes(folder: string): number {
  return inDatabase(folder, (database) =>
    Number(
      database.prepare('SELECT COALESCE(SUM(total_size), 0) FROM account_usage').pluck().get(),
    ),
  );
}

/** Makes an account an administrator in the database. */
export function makeAdmin(folder: string, email: string): void {
  const changed = inDatabase(folder, (database) =>
    database.prepare(`UPDATE users SET role = 'admin' WHERE email = ?`).run(email),
  );
  if (changed.changes !== 1) throw new Error(`There is no account ${email}.`);
}
