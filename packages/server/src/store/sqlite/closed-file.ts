import { Connection, isSqliteError } from './connection.ts';
import { type Setting, writerSettings } from './settings.ts';

/** For a file without a WAL. */
export const standAlone: readonly Setting[] = [
  { pragma: 'journal_mode', value: 'DELETE', expected: 'delete' },
  { pragma: 'synchronous', value: 'FULL', expected: 2 },
];

function change(
  file: string,
  settings: readonly Setting[],
  work: (connection: Connection) => void,
): void {
  const connection = new Connection(file, { readonly: false, busyTimeout: 0, settings });
  try {
    work(connection);
  } finally {
    connection.close();
  }
}

/**
 * Copies a database into a file without its free space, which can contain deleted and overwritten values.
 * Empties the WAL of the original first.
 *
 * @param copy a new or empty file
 */
export function writeCompactCopy(file: string, copy: string): void {
  change(file, writerSettings('full'), (connection) => {
    connection.all('PRAGMA wal_checkpoint(TRUNCATE)');
    connection.run('VACUUM INTO @copy', { copy });
  });
}

/** Runs a statement on a database file that no other connection uses. Afterwards the file has no WAL. */
export function changeStandingAlone(file: string, sql: string): void {
  change(file, standAlone, (connection) => connection.run(sql));
}

/**
 * Writes the WAL of a database into its file, so that the file alone is complete. Leaves a damaged database
 * unchanged.
 */
export function settleFile(file: string): void {
  try {
    change(file, writerSettings('full'), (connection) =>
      connection.all('PRAGMA wal_checkpoint(TRUNCATE)'),
    );
  } catch (error) {
    if (!isSqliteError(error)) throw error;
  }
}
