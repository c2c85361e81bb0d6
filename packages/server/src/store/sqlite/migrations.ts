import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Clock } from '../../clock.ts';
import type { Driver, Queries } from '../driver.ts';

/** One numbered step of the schema. */
export interface Migration {
  /** Counts from 1 without gaps. */
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file with `\n` line ends, in lower-case hexadecimal. */
  readonly checksum: string;
}

/** What the database remembers of a migration it went through. */
export type AppliedMigration = Pick<Migration, 'version' | 'name' | 'checksum'>;

/** What a driver offers beyond the port, for migrations alone. */
export interface ScriptRunner {
  /** Runs a script of any number of statements, together with `record`, as one transaction. */
  runScript(sql: string, record: (queries: Queries) => Promise<void>): Promise<void>;
}

/** A file, the history of the database, or a step itself is not as it has to be; nothing of the step is left. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** In the sources beside this file, in the bundle beside the chunk that holds it. */
const folder = new URL('./migrations/', import.meta.url);

const fileName = /^(\d{4})_([a-z0-9_]+)\.sql$/;

/**
 * The migrations of a folder, in order.
 *
 * @throws MigrationError for a file that is not named `NNNN_name.sql`, a repeated number or a gap.
 */
export async function readMigrations(from: URL = folder): Promise<Migration[]> {
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
      `The migration ${title} stands where number ${expected} is expected: numbers count from 0001, each once, without gaps.`,
    );
  }
  // A checkout on Windows may have changed the line ends, which changes nothing in SQL.
  const sql = (await readFile(file, 'utf8')).replaceAll('\r\n', '\n');
  const checksum = createHash('sha256').update(sql).digest('hex');
  return { version: expected, name, sql, checksum };
}

/**
 * The known migrations that the database has not gone through yet.
 *
 * @throws MigrationError when its history is not the beginning of the known one.
 */
export function pendingMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  const newest = applied.at(-1);
  if (newest && newest.version > known.length) {
    throw new MigrationError(
      `The database is at schema ${describe(newest)}, newer than ${known.length}, the newest this version knows. Start the version that wrote it, or a later one.`,
    );
  }
  for (const [index, migration] of known.slice(0, newest?.version ?? 0).entries()) {
    const found = applied[index];
    if (found?.version !== migration.version) {
      throw new MigrationError(`The history of the database lacks ${describe(migration)}.`);
    }
    if (found.name !== migration.name || found.checksum !== migration.checksum) {
      throw new MigrationError(
        `The database went through ${describe(found)} with checksum ${found.checksum}; the file is now ${describe(migration)} with checksum ${migration.checksum}. An applied migration never changes: put it back, and add a new one.`,
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
  /** Default: the migrations that belong to this version. */
  readonly migrations?: readonly Migration[];
}

/**
 * Brings the schema up to date, each step in a transaction of its own together with its record.
 *
 * @returns the steps that were taken, none when there was nothing to do.
 * @throws MigrationError when the history differs from the files, or a step fails (see `cause`).
 */
export async function migrate(
  driver: Driver & ScriptRunner,
  { clock, migrations }: MigrateOptions,
): Promise<readonly Migration[]> {
  const known = migrations ?? (await readMigrations());
  await driver.transaction((queries) => queries.run(createHistory));
  const pending = pendingMigrations(known, await readHistory(driver.reader));
  for (const migration of pending) await apply(driver, migration, clock);
  return pending;
}

/** The steps that the database went through, in order. */
export function readHistory(queries: Queries): Promise<AppliedMigration[]> {
  return queries.all<AppliedMigration>(
    'SELECT version, name, checksum FROM schema_migrations ORDER BY version',
  );
}

const createHistory = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version    INTEGER PRIMARY KEY,
  name       TEXT NOT NULL,
  checksum   TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT`;

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
    throw new MigrationError(
      `The migration ${describe(migration)} failed and left nothing behind.`,
      { cause: error },
    );
  }
}
