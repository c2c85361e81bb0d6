import { Connection, isSqliteError } from './connection.ts';
import { writerSettings } from './settings.ts';

/**
 * Copies a database into a file without its free space, which can contain deleted and overwritten values.
 * Empties the WAL of the original first.
 *
 * @param copy a new or empty file
 */
export function writeCompactCopy(file: string, copy: string): void {
  const connection = new Connection(file, {
    readonly: false,
    busyTimeout: 0,
    settings: writerSettings('full'),
  });
  try {
    connection.all('PRAGMA wal_checkpoint(TRUNCATE)');
    connection.run('VACUUM INTO @copy', { copy });
  } finally {
    connection.close();
  }
}

/** Runs a statement on a database file that no other connection uses. Afterwards the file has no WAL. */
export function changeStandingAlone(file: string, sql: string): void {
  const connection = new Connection(file, {
    readonly: false,
    busyTimeout: 0,
    settings: [
      { pragma: 'journal_mode', value: 'DELETE', expected: 'delete' },
      { pragma: 'synchronous', value: 'FULL', expected: 2 },
    ],
  });
  try {
    connection.run(sql);
  } finally {
    connection.close();
  }
}

/**
 * Writes the WAL of a database into its file, so that the file alone is complete. Leaves a damaged database
 * unchanged.
 */
export function settleFile(file: string): void {
  try {
    const connection = new Connection(file, {
      readonly: false,
      busyTimeout: 0,
      settings: writerSettings('full'),
    });
    try {
      connection.all('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      connection.close();
    }
  } catch (error) {
    if (!isSqliteError(error)) throw error;
  }
}
