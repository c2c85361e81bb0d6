import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { databaseFile } from '../../src/store/sqlite/driver.ts';

/** A folder of its own for the running test. */
export async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'document-vault-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Looks into, or changes, the database of a folder that no server has open. */
export function inDatabase<Result>(
  folder: string,
  work: (database: Database.Database) => Result,
): Result {
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

/** Every row of every table, but for that of the health checks, which write all the time. */
export function everyRow(folder: string): Record<string, unknown[]> {
  return inDatabase(folder, (database) => {
    const names = database
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'health_probe'`)
      .pluck()
      .all() as string[];
    return Object.fromEntries(
      names.map((name) => [name, database.prepare(`SELECT * FROM "${name}"`).all()]),
    );
  });
}

/** What the instance says is used, in bytes. */
export function usedBytes(folder: string): number {
  return inDatabase(folder, (database) =>
    Number(database.prepare('SELECT used_bytes FROM instances').pluck().get()),
  );
}

/** The only way to an administrator, so far. */
export function makeAdmin(folder: string, email: string): void {
  const changed = inDatabase(folder, (database) =>
    database.prepare(`UPDATE users SET role = 'admin' WHERE email = ?`).run(email),
  );
  if (changed.changes !== 1) throw new Error(`there is no account ${email}`);
}
