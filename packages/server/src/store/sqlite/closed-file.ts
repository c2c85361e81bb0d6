import { Connection, isSqliteError } from './connection.ts';
import { writerSettings } from './settings.ts';

/**
 * Copies the rows of a database into a file, and nothing else: what was deleted or overwritten stays
 * behind in the free space of the original, whose log is emptied into it first.
 *
 * @param copy a file that is new or empty
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

/** Runs a statement on a database file that nothing else has open. The file then needs no log beside it. */
export function changeStandingAlone(file: string, sql: string): void {
  const connection = new Connection(file, {
    readonly: false,
    busyTimeout: 0,
    settings: [
      { pragma: 'journal_mode', value: 'DELETE', answer: 'delete' },
      { pragma: 'synchronous', value: 'FULL', answer: 2 },
    ],
  });
  try {
    connection.run(sql);
  } finally {
    connection.close();
  }
}

/**
 * Brings what stands in the log of a database into its file, so that the file is all there is. A
 * damaged database stays as it is.
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
