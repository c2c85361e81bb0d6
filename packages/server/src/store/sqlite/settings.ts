import type Database from 'better-sqlite3';
import { OperatorError } from '../../lib/operator-error.ts';

/** Older versions can corrupt a database when one connection resets the WAL while another checkpoints. */
const oldestVersion = [3, 51, 3] as const;

export interface Setting {
  readonly pragma: string;
  readonly value: string | number;
  /** The value that the pragma must report afterwards. Missing when only a new database takes the setting. */
  readonly expected?: string | number;
}

/** For every connection. */
const common: readonly Setting[] = [
  // SQLite enforces foreign keys only on connections with this setting.
  { pragma: 'foreign_keys', value: 'ON', expected: 1 },
  // A manipulated schema cannot call functions with side effects.
  { pragma: 'trusted_schema', value: 'OFF', expected: 0 },
  // Reports damaged pages when they are read, instead of misreading them.
  { pragma: 'cell_size_check', value: 'ON', expected: 1 },
  // Sorting writes no file to the temporary folder, which other users may read and which may be full.
  { pragma: 'temp_store', value: 'MEMORY', expected: 2 },
];

/** Bytes per page of a new database. */
export const pageBytes = 8192;

const writing: readonly Setting[] = [
  // Writes documents of several megabytes a fifth faster than 4 KiB, and small rows a little slower.
  { pragma: 'page_size', value: pageBytes },
  // The sweeper returns the pages of deleted contents to the disk.
  { pragma: 'auto_vacuum', value: 'INCREMENTAL' },
  // Readers continue while a transaction is written, and a commit is one append.
  { pragma: 'journal_mode', value: 'WAL', expected: 'wal' },
  // On macOS, a plain fsync leaves data in the cache of the drive. No effect elsewhere.
  { pragma: 'fullfsync', value: 'ON', expected: 1 },
  // The writer checkpoints in a turn of its own, so that no commit waits for a checkpoint.
  { pragma: 'wal_autocheckpoint', value: 0, expected: 0 },
  // Returns the disk space of the WAL after a few large uploads.
  { pragma: 'journal_size_limit', value: 64 * 1024 * 1024, expected: 64 * 1024 * 1024 },
];

/** FULL: a confirmed commit survives a power loss. The library's default for WAL does not guarantee that. */
const durable: Setting = { pragma: 'synchronous', value: 'FULL', expected: 2 };

/** OFF: for a database that is deleted when it is closed. */
const temporary: Setting = { pragma: 'synchronous', value: 'OFF', expected: 0 };

// The reading connection is opened read-only. This setting also rejects temporary tables.
const reading: readonly Setting[] = [{ pragma: 'query_only', value: 'ON', expected: 1 }];

/** Settings of the writing connection. `private`: the database is deleted when it is closed. */
export function writerSettings(durability: 'full' | 'private'): readonly Setting[] {
  return [...common, ...writing, durability === 'full' ? durable : temporary];
}

/** Settings of the reading connection. */
export const readerSettings: readonly Setting[] = [...common, ...reading];

/**
 * Applies settings to a connection and reads each back.
 *
 * @throws OperatorError when SQLite did not apply a setting
 */
export function applySettings(database: Database.Database, settings: readonly Setting[]): void {
  const isNew = database.pragma('page_count', { simple: true }) === 0;
  for (const { pragma, value, expected } of settings) {
    // `auto_vacuum` would write to an existing database, also when nothing changes.
    if (expected === undefined && !isNew) continue;
    database.pragma(`${pragma} = ${value}`);
    if (expected === undefined) continue;
    const actual = database.pragma(pragma, { simple: true });
    if (actual !== expected) {
      throw new OperatorError(
        `The database ${database.name} did not apply ${pragma} = ${value}: it reports ${actual}.`,
      );
    }
  }
}

/**
 * @param version as returned by `sqlite_version()`, for example `3.51.3`
 * @throws OperatorError when it is older than 3.51.3
 */
export function assertSqliteVersion(version: string): void {
  const parts = version.split('.').map(Number);
  const difference = oldestVersion
    .map((oldest, index) => (parts[index] ?? 0) - oldest)
    .find((part) => part !== 0);
  if (difference === undefined || difference > 0) return;
  throw new OperatorError(
    `SQLite ${version} is too old. ${oldestVersion.join('.')} or newer is required.`,
  );
}
