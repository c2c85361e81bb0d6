import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { MasterKeyError, readSealingState } from '../sealed-rows.ts';
import { masterKeyId } from '../sealing.ts';
import { settleFile } from '../sqlite/closed-file.ts';
import {
  companions,
  createDraft,
  lockFolder,
  makeFolder,
  publishDraft,
  removeDatabase,
  syncFolder,
} from '../sqlite/data-folder.ts';
import { databaseFileIn } from '../sqlite/driver.ts';
import { openSnapshot, type Snapshot } from '../sqlite/snapshot.ts';
import { type RowCounts, verify } from './verification.ts';

export interface RestoreOptions {
  /** Made when missing. */
  readonly folder: string;
  /** A backup, or any database of a document vault. */
  readonly file: string;
  /** Epoch milliseconds; it is in the name of the replaced database. */
  readonly now: number;
  /** The key that the server will be started with; null: none is known. */
  readonly masterKey: KeyObject | null;
}

export interface Restoration {
  /** The database that was restored; absolute path. */
  readonly file: string;
  /** Where the database is that stood there before; null: there was none. */
  readonly replaced: string | null;
  /** The master key that its secrets are sealed with; null: they are not sealed. */
  readonly masterKeyId: string | null;
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
 * @throws MasterKeyError when `file` is sealed with another key than `masterKey`; likewise.
 */
export async function restore(options: RestoreOptions): Promise<Restoration> {
  const { folder, file } = options;
  const source = openSnapshot(resolve(file));
  try {
    await makeFolder(resolve(folder));
    const lock = lockFolder(resolve(folder));
    try {
      return await replace(source, options);
    } finally {
      lock.release();
    }
  } finally {
    await source.close();
  }
}

async function replace(source: Snapshot, options: RestoreOptions): Promise<Restoration> {
  const { folder, now } = options;
  const target = databaseFileIn(folder);
  const draft = await createDraft(target);
  try {
    await source.copyTo(draft);
    const verified = await verifyFile(draft, options);
    const replaced = await keep(target, now);
    await publishDraft(draft, target);
    return { file: target, replaced, ...verified };
  } finally {
    await removeDatabase(draft);
  }
}

async function verifyFile(
  draft: string,
  { file, masterKey }: RestoreOptions,
): Promise<Pick<Restoration, 'masterKeyId' | 'rows'>> {
  const copied = openSnapshot(draft);
  try {
    const rows = await verify(copied, file);
    const { keyId } = await readSealingState(copied.reader);
    const given = masterKey && masterKeyId(masterKey);
    if (keyId !== null && given !== null && given !== keyId) {
      throw new MasterKeyError(
        `The secrets in ${file} are sealed with master key ${keyId}; the key that is set is ${given}. Set key ${keyId} to restore it.`,
      );
    }
    return { masterKeyId: keyId, rows };
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
