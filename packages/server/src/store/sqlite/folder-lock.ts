import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DatabaseInUseError } from './errors.ts';
import { isBusy } from './failures.ts';

/** The file of a data folder that the lock is on. */
export const lockFile = 'lock';

export interface FolderLock {
  release(): void;
}

/**
 * Takes a data folder for this process. The lock is an exclusive transaction, open for good, on an
 * empty database beside the data: the operating system ends it with the process, however that
 * dies. No other code may open the file, since closing it anywhere in this process would release
 * the lock (POSIX, `fcntl`).
 *
 * @throws DatabaseInUseError when somebody else holds it.
 */
export function lockFolder(folder: string): FolderLock {
  const file = join(folder, lockFile);
  makeLockFile(file);
  const database = new Database(file, { timeout: 0 });
  try {
    // In memory, so that a killed process leaves no journal behind.
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw isBusy(error) ? new DatabaseInUseError(folder, { cause: error }) : error;
  }
  return { release: () => database.close() };
}

/**
 * Makes the lock file for its owner alone: another user who can read it could hold a lock on it. A file
 * that exists is not opened here, since closing it would release a lock of this process.
 */
function makeLockFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
