import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, statfsSync, statSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { OperatorError } from '../../lib/operator-error.ts';
import { isBusy } from './connection.ts';
import { DatabaseInUseError } from './errors.ts';

/** The lock file of a data folder. */
export const lockFile = 'lock';

export interface FolderLock {
  release(): void;
}

/**
 * How a process uses a data folder: one `server` at a time, any number of commands `beside` it, or one
 * process `alone`.
 */
export type FolderUse = 'server' | 'beside' | 'alone';

/**
 * The locks of SQLite have these rules: many SHARED locks, one RESERVED lock beside them, and one EXCLUSIVE
 * lock that excludes all others (https://sqlite.org/lockingv3.html). The query takes the SHARED lock.
 */
const lockStatements: Readonly<Record<FolderUse, string>> = {
  server: 'BEGIN IMMEDIATE',
  beside: 'BEGIN; SELECT COUNT(*) FROM sqlite_schema',
  alone: 'BEGIN EXCLUSIVE',
};

/**
 * Locks a data folder for this process. The lock is a transaction on an empty database beside the data.
 * The operating system releases it when the process ends. No other code may open the file, because closing
 * it anywhere in this process would release the lock (POSIX, `fcntl`).
 *
 * @throws DatabaseInUseError when another process uses the folder in a way that excludes this one
 */
export function lockFolder(folder: string, use: FolderUse): FolderLock {
  const file = join(folder, lockFile);
  makeLockFile(file);
  const database = new Database(file, { timeout: 0 });
  try {
    // In memory, so that a killed process leaves no journal.
    database.pragma('journal_mode = MEMORY');
    database.exec(lockStatements[use]);
  } catch (error) {
    database.close();
    throw isBusy(error) ? new DatabaseInUseError(folder, { cause: error }) : error;
  }
  return { release: () => database.close() };
}

/**
 * Creates the lock file for its owner only: another user who can read it could lock it. An existing file
 * is not opened, because closing it would release a lock of this process.
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

/**
 * Creates a data folder for its owner only, with its missing parents. They survive a power loss.
 *
 * @throws OperatorError
 */
export async function makeFolder(path: string): Promise<void> {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) {
    missing.unshift(folder);
  }
  // One by one: with `recursive`, Node tries for ever in a folder such as /proc, in which nothing can be created.
  for (const folder of missing) await makeOne(folder, path);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new OperatorError(`${path} is a file. Name a folder with --data.`);
}

async function makeOne(folder: string, dataFolder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Another process has just created it.
    if (code === 'EEXIST') return;
    throw new OperatorError(
      `The data folder ${dataFolder} cannot be created: ${message}. Name another one with --data.`,
      { cause: error },
    );
  }
  await syncFolder(dirname(folder));
}

/** File systems of other machines, by the type that `statfs` reports (linux/magic.h). */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
]);

/**
 * Refuses a data folder on another machine. FUSE is accepted: it also serves local disks, and hides what it serves.
 *
 * @throws OperatorError
 */
export function requireLocalFolder(folder: string): void {
  // Other systems number their file systems in another way.
  if (process.platform !== 'linux') return;
  const name = networkFileSystems.get(statfsSync(folder).type >>> 0);
  if (name === undefined) return;
  throw new OperatorError(
    `The data folder ${folder} is on a network file system (${name}), whose locks do not protect the database from a ` +
      'second server. Name a folder on a local disk with --data, or use PostgreSQL (DOCUMENT_VAULT_DATABASE_URL).',
  );
}

/** Writes the entries of a folder to the disk. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot synchronize folders.
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

/** Suffixes of the files that SQLite creates beside a database. */
export const companions = ['-journal', '-wal', '-shm'] as const;

/**
 * Replaces a database atomically. The new one survives a power loss.
 *
 * @param prepare fills an empty file beside `file`, which only its owner can read. When it rejects, `file` stays
 */
export async function replaceDatabase<Result>(
  file: string,
  prepare: (draft: string) => Promise<Result>,
): Promise<Result> {
  const draft = `${file}.partial-${randomBytes(4).toString('hex')}`;
  const handle = await open(draft, 'wx', 0o600);
  await handle.close();
  try {
    const result = await prepare(draft);
    await sync(draft, 'r+');
    await rename(draft, file);
    await syncFolder(dirname(file));
    return result;
  } finally {
    for (const part of [draft, ...companions.map((end) => draft + end)]) {
      await rm(part, { force: true });
    }
  }
}

/** Deletes drafts of `file` that killed processes left. No other process may use one. */
export async function removeDrafts(file: string): Promise<void> {
  const names = await readdir(dirname(file));
  const drafts = names.filter((name) => name.startsWith(`${basename(file)}.partial-`));
  for (const name of drafts) await rm(join(dirname(file), name));
}
