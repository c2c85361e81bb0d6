import type Database from 'better-sqlite3';
import { DatabaseRefusedError } from './errors.ts';

/** Older versions can corrupt a database when one connection resets the WAL while another checkpoints. */
const oldestVersion = [3, 51, 3] as const;

export interface Setting {
  readonly pragma: string;
  readonly value: string | number;
  /** What reading the pragma must answer afterwards; none for what only a new database takes. */
  readonly answer?: string | number;
}

/** Every connection. The busy timeout comes before these, since each of them may have to wait. */
const common: readonly Setting[] = [
  // References between tables hold only where this is on, connection by connection.
  { pragma: 'foreign_keys', value: 'ON', answer: 1 },
  // A schema that somebody tampered with cannot call functions with side effects.
  { pragma: 'trusted_schema', value: 'OFF', answer: 0 },
  // Damaged pages are noticed when they are read instead of being misread.
  { pragma: 'cell_size_check', value: 'ON', answer: 1 },
  // Sorting leaves no file in a temporary folder whose disk and permissions are not ours.
  { pragma: 'temp_store', value: 'MEMORY', answer: 2 },
];

const writing: readonly Setting[] = [
  // Documents of megabytes are written a fifth faster than with 4 KiB, small rows a little slower.
  { pragma: 'page_size', value: 8192 },
  // Readers go on while a transaction is written, and a commit is one append.
  { pragma: 'journal_mode', value: 'WAL', answer: 'wal' },
  // On macOS a plain fsync leaves data in the cache of the drive; elsewhere without effect.
  { pragma: 'fullfsync', value: 'ON', answer: 1 },
  // The writer checkpoints in a turn of its own, not on top of the commit that crossed the limit.
  { pragma: 'wal_autocheckpoint', value: 0, answer: 0 },
  // The log of a few large uploads does not keep its disk space for ever.
  { pragma: 'journal_size_limit', value: 64 * 1024 * 1024, answer: 64 * 1024 * 1024 },
];

/** FULL: a confirmed commit survives a power loss. The library's own choice for WAL does not promise that. */
const durable: Setting = { pragma: 'synchronous', value: 'FULL', answer: 2 };

/** OFF: for a database that is thrown away anyway. */
const fleeting: Setting = { pragma: 'synchronous', value: 'OFF', answer: 0 };

// The reading connection is opened read-only; this also refuses temporary tables.
const reading: readonly Setting[] = [{ pragma: 'query_only', value: 'ON', answer: 1 }];

/** What the writing connection is set to. `private`: nobody looks at the database after it is closed. */
export function writerSettings(durability: 'full' | 'private'): readonly Setting[] {
  return [...common, ...writing, durability === 'full' ? durable : fleeting];
}

/** What the reading connection is set to. */
export const readerSettings: readonly Setting[] = [...common, ...reading];

/**
 * Sets a connection up and reads every setting back.
 *
 * @throws DatabaseRefusedError when a setting did not take.
 */
export function applySettings(database: Database.Database, settings: readonly Setting[]): void {
  for (const { pragma, value, answer } of settings) {
    database.pragma(`${pragma} = ${value}`);
    if (answer === undefined) continue;
    const actual = database.pragma(pragma, { simple: true });
    if (actual !== answer) {
      throw new DatabaseRefusedError(
        `The database ${database.name} did not take ${pragma} = ${value}: it answers ${actual}.`,
      );
    }
  }
}

/**
 * @param version as `sqlite_version()` answers it, for example `3.51.3`
 * @throws DatabaseRefusedError when it is older than 3.51.3.
 */
export function assertSqliteVersion(version: string): void {
  const parts = version.split('.').map(Number);
  const difference = oldestVersion
    .map((oldest, index) => (parts[index] ?? 0) - oldest)
    .find((part) => part !== 0);
  if (difference === undefined || difference > 0) return;
  throw new DatabaseRefusedError(
    `SQLite ${version} is too old: ${oldestVersion.join('.')} or newer is needed.`,
  );
}
