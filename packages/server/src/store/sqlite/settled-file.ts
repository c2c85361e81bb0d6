import { Connection } from './connection.ts';
import { isSqliteError } from './failures.ts';
import { writerSettings } from './settings.ts';

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
