import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Clock } from '../lib/clock.ts';
import type { DatabaseName, Driver, Queries } from './driver.ts';

/** A numbered step of the schema. */
export interface Migration {
  /** Counts from 1 without gaps. */
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file with `\n` line ends, in lower-case hexadecimal. */
  readonly checksum: string;
}

/** The record of a migration that the database has applied. */
export type AppliedMigration = Pick<Migration, 'version' | 'name' | 'checksum'>;

/** The method of a driver that only migrations use. */
export interface ScriptRunner {
  /** Runs a script of any number of statements, together with `record`, as one transaction. */
  runScript(sql: string, record: (queries: Queries) => Promise<void>): Promise<void>;
}

/** A migration failed and was rolled back, or its file or the history of the database is wrong. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** Below this file in the sources, below its chunk in the bundle. */
const folders: Readonly<Record<DatabaseName, URL>> = {
  sqlite: new URL('./sqlite/migrations/', import.meta.url),
  postgres: new URL('./postgres/migrations/', import.meta.url),
};

const fileName = /^(\d{4})_([a-z0-9_]+)\.sql$/;

/** Returns the migrations of this version for a database, in order. */
export function migrationsOf(database: DatabaseName): Promise<Migration[]> {
  return readMigrations(folders[database]);
}

/**
 * Reads the migrations of a folder, in order.
 *
 * @throws MigrationError for a file that is not named `NNNN_name.sql`, a repeated number or a gap
 */
export async function readMigrations(from: URL): Promise<Migration[]> {
  const names = (await readdir(from)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map((name, index) => readMigration(new URL(name, from), name, index + 1)),
  );
}

async function readMigration(file: URL, title: string, expected: number): Promise<Migration> {
  const [, number, name] = fileName.exec(title) ?? [];
  if (number === undefined || name === undefined) {
    throw new MigrationError(`The migration ${title} is not named NNNN_name.sql.`);
  }
  if (Number(number) !== expected) {
    throw new MigrationError(
      `The migration ${title} must have number ${expected}. Numbers count from 0001 without gaps or repetitions.`,
    );
  }
  // A checkout on Windows may have changed the line ends, which must not change the checksum.
  const sql = (await readFile(file, 'utf8')).replaceAll('\r\n', '\n');
  const checksum = createHash('sha256').update(sql).digest('hex');
  return { version: expected, name, sql, checksum };
}

/**
 * Returns the migrations that the database has not applied yet.
 *
 * @throws MigrationError when the applied migrations are not the first of the known ones
 */
export function pendingMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  const newest = applied.at(-1);
  if (newest && newest.version > known.length) {
    throw new MigrationError(
      `The database has schema ${describe(newest)}. The newest schema of this version is ${known.length}. Start the version that wrote the database, or a later one.`,
    );
  }
  for (const [index, migration] of known.slice(0, newest?.version ?? 0).entries()) {
    const found = applied[index];
    if (found?.version !== migration.version) {
      throw new MigrationError(
        `The history of the database lacks ${describe(migration)}. Restore a backup.`,
      );
    }
    if (found.name !== migration.name || found.checksum !== migration.checksum) {
      throw new MigrationError(
        `The database has applied ${describe(found)} with checksum ${found.checksum}. This version has ${describe(migration)} with checksum ${migration.checksum}. Start the version that wrote the database. In development, restore the file of the migration and add a new one.`,
      );
    }
  }
  return known.slice(applied.length);
}

function describe({ version, name }: AppliedMigration): string {
  return `${String(version).padStart(4, '0')}_${name}`;
}

export interface MigrateOptions {
  readonly clock: Clock;
  /** Default: the migrations of this version. */
  readonly migrations?: readonly Migration[];
}

/**
 * Updates the schema. Each migration and its record are one transaction.
 *
 * @returns the applied migrations
 * @throws MigrationError when the history differs from the files, or a migration fails (see `cause`)
 */
export async function migrate(
  driver: Driver & ScriptRunner,
  { clock, migrations }: MigrateOptions,
): Promise<readonly Migration[]> {
  const sql = createHistory[driver.reader.dialect.name];
  await driver.transaction((queries) => queries.run(sql));
  const pending = await pendingIn(driver.reader, migrations);
  for (const migration of pending) await apply(driver, migration, clock);
  return pending;
}

/**
 * Whether the database has applied all migrations of this version.
 *
 * @throws MigrationError when the history differs from the files
 */
export async function hasCurrentSchema(queries: Queries): Promise<boolean> {
  const { dialect } = queries;
  const history = await queries.get(
    `/* all rows */ SELECT 1 FROM (${dialect.tables}) t WHERE name = 'schema_migrations'`,
  );
  if (!history) return false;
  return (await pendingIn(queries)).length === 0;
}

/**
 * Returns the migrations that a database with a history has not applied yet.
 *
 * @param known default: the migrations of this version
 * @throws MigrationError when the history differs from the files
 */
export async function pendingIn(
  queries: Queries,
  known?: readonly Migration[],
): Promise<readonly Migration[]> {
  const all = known ?? (await migrationsOf(queries.dialect.name));
  return pendingMigrations(all, await readHistory(queries));
}

/** Returns the migrations that the database has applied, in order. */
export function readHistory(queries: Queries): Promise<AppliedMigration[]> {
  return queries.all<AppliedMigration>(
    'SELECT version, name, checksum FROM schema_migrations ORDER BY version',
  );
}

const createHistory: Readonly<Record<DatabaseName, string>> = {
  sqlite: `CREATE TABLE IF NOT EXISTS schema_migrations (
    version    INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    checksum   TEXT NOT NULL,
    applied_at INTEGER NOT NULL
  ) STRICT`,
  postgres: `CREATE TABLE IF NOT EXISTS schema_migrations (
    version    BIGINT PRIMARY KEY,
    name       TEXT COLLATE "C" NOT NULL,
    checksum   TEXT COLLATE "C" NOT NULL,
    applied_at BIGINT NOT NULL
  )`,
};

async function apply(driver: ScriptRunner, migration: Migration, clock: Clock): Promise<void> {
  const { version, name, checksum, sql } = migration;
  try {
    await driver.runScript(sql, async (queries) => {
      await queries.run(
        'INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (@version, @name, @checksum, @now)',
        { version, name, checksum, now: clock.now() },
      );
    });
  } catch (error) {
    throw new MigrationError(`The migration ${describe(migration)} failed and was rolled back.`, {
      cause: error,
    });
  }
}
