import { existsSync } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { databaseFileIn } from '../drivers/sqlite/driver.ts';
import { lockFolder } from '../drivers/sqlite/folder-lock.ts';
import { settleFile } from '../drivers/sqlite/settled-file.ts';
import { openSnapshot, type Snapshot } from '../drivers/sqlite/snapshot.ts';
import { makeFolder, syncFolder } from '../durable-files.ts';
import { companions, createDraft, publishDraft, removeDatabase } from './database-files.ts';
import { type RowCounts, verify } from './verification.ts';

export interface RestoreOptions {
  /** Made when missing. */
  readonly folder: string;
  /** A backup, or any database of a document vault. */
  readonly file: string;
  /** Epoch milliseconds; it is in the name of the replaced database. */
  readonly now: number;
}

export interface Restoration {
  /** The database that was restored; absolute path. */
  readonly file: string;
  /** Where the database is that stood there before; null: there was none. */
  readonly replaced: string | null;
  readonly rows: RowCounts;
}

/**
 * Puts a copy of `file` in the place of the folder's database, atomically, after the copy has been
 * verified. What was there before is kept beside it.
 *
 * @throws DatabaseInUseError while a server has the folder.
 * @throws DatabaseCopyError when there is no room for the copy.
 * @throws DatabaseMissingError, DatabaseUnreadableError, UnsoundDatabaseError, MigrationError when
 * `file` cannot be taken; the folder's database is as it was.
 */
export async function restore({ folder, file, now }: RestoreOptions): Promise<Restoration> {
  const source = openSnapshot(resolve(file));
  try {
    await makeFolder(resolve(folder));
    const lock = lockFolder(resolve(folder));
    try {
      return await replace(source, { folder, file, now });
    } finally {
      lock.release();
    }
  } finally {
    await source.close();
  }
}

async function replace(source: Snapshot, options: RestoreOptions): Promise<Restoration> {
  const { folder, file, now } = options;
  const target = databaseFileIn(folder);
  const draft = await createDraft(target);
  try {
    await source.copyTo(draft);
    const rows = await verifyFile(draft, file);
    const replaced = await keep(target, now);
    await publishDraft(draft, target);
    return { file: target, replaced, rows };
  } finally {
    await removeDatabase(draft);
  }
}

async function verifyFile(draft: string, name: string): Promise<RowCounts> {
  const copied = openSnapshot(draft);
  try {
    return await verify(copied, name);
  } finally {
    await copied.close();
  }
}

/** Gives the database a second name and takes away what is beside it: a log belongs to one file alone. */
async function keep(target: string, now: number): Promise<string | null> {
  const kept = `${target}.before-restore-${new Date(now).toISOString().replaceAll(':', '')}`;
  const exists = existsSync(target);
  if (exists) settleFile(target);
  for (const end of companions) {
    if (!existsSync(target + end)) continue;
    // Only a database too damaged to be settled still needs its log.
    if (exists && end !== '-shm') await rename(target + end, kept + end);
    else await rm(target + end);
  }
  if (exists) await link(target, kept);
  // Otherwise a power loss could leave the old log beside the new database, which would take it for its own.
  await syncFolder(dirname(target));
  return exists ? kept : null;
}
