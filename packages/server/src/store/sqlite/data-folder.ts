import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { isBusy } from './connection.ts';
import { DatabaseInUseError } from './errors.ts';

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

// Synchronising a file saves its content. The file's name is an entry of its folder, and is lost with
// the power until the folder is synchronised as well (POSIX, `fsync`).

/** Makes a folder for its owner alone, and its missing parents. They survive a power loss. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const above = dirname(resolve(first));
  for (let parent = dirname(resolve(path)); parent !== above; parent = dirname(parent)) {
    await syncFolder(parent);
  }
  await syncFolder(above);
}

/** Saves the content of a file. */
export function syncFile(path: string): Promise<void> {
  return sync(path, 'r+');
}

/** Saves which files a folder has. */
export async function syncFolder(path: string): Promise<void> {
  // Windows synchronises no folders, and refuses the attempt.
  if (process.platform !== 'win32') await sync(path, 'r');
}

async function sync(path: string, flags: 'r' | 'r+'): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What SQLite puts beside a database file, by the end of its name. */
export const companions = ['-journal', '-wal', '-shm'] as const;

/** An empty file beside `file`, for its owner alone, in which the new `file` is prepared. */
export async function createDraft(file: string): Promise<string> {
  const draft = `${file}.partial-${randomBytes(4).toString('hex')}`;
  const handle = await open(draft, 'wx', 0o600);
  await handle.close();
  return draft;
}

/** Removes the drafts of `file` that killed processes have left. No other process may be at work on one. */
export async function removeDrafts(file: string): Promise<void> {
  const names = await readdir(dirname(file));
  const drafts = names.filter((name) => name.startsWith(`${basename(file)}.partial-`));
  for (const name of drafts) await rm(join(dirname(file), name));
}

/** Removes a database with the files that SQLite puts beside it, as far as they exist. */
export async function removeDatabase(file: string): Promise<void> {
  for (const part of [file, ...companions.map((end) => file + end)]) {
    await rm(part, { force: true });
  }
}

/** Puts the draft in the place of `file`, atomically. It survives a power loss. */
export async function publishDraft(draft: string, file: string): Promise<void> {
  await syncFile(draft);
  await rename(draft, file);
  await syncFolder(dirname(file));
}
