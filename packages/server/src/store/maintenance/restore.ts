import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { OperatorError } from '../../lib/operator-error.ts';
import { readSealingState } from '../sealed-rows.ts';
import { masterKeyId } from '../sealing.ts';
import { changeStandingAlone, settleFile } from '../sqlite/closed-file.ts';
import {
  companions,
  lockFolder,
  makeFolder,
  replaceDatabase,
  syncFolder,
} from '../sqlite/data-folder.ts';
import { databaseFileIn } from '../sqlite/driver.ts';
import { type FileSnapshot, openSnapshot } from '../sqlite/snapshot.ts';
import { countObjects, type RowCounts, verify } from './verification.ts';

export interface RestoreOptions {
  /** Created when missing. */
  readonly folder: string;
  /** A backup, or any database of a document vault. */
  readonly file: string;
  /** Epoch milliseconds; part of the name of the replaced database. */
  readonly now: number;
  /** The master key of the next start; null when it is unknown. */
  readonly masterKey: KeyObject | null;
}

export interface Restoration {
  /** The restored database; absolute path. */
  readonly file: string;
  /** The new path of the replaced database; null when there was none. */
  readonly replaced: string | null;
  /** Id of the master key that sealed the secrets; null when they are plain. */
  readonly masterKeyId: string | null;
  readonly rows: RowCounts;
  /** Contents in S3, which the database needs and `file` does not have. */
  readonly contentsInS3: number;
}

/**
 * Replaces the database of a folder by a verified copy of `file`, atomically. The replaced database stays
 * beside the new one. An error leaves the folder's database unchanged.
 *
 * @throws DatabaseInUseError while a server uses the folder
 * @throws OperatorError, MigrationError when `file` cannot be restored, when another key than `masterKey` sealed its
 * secrets, and when the disk has no room for the copy
 */
export async function restore(options: RestoreOptions): Promise<Restoration> {
  const { folder, file } = options;
  const source = openSnapshot(resolve(file));
  try {
    await makeFolder(resolve(folder));
    const lock = lockFolder(resolve(folder), 'alone');
    try {
      return await replace(source, options);
    } finally {
      lock.release();
    }
  } finally {
    await source.close();
  }
}

async function replace(source: FileSnapshot, options: RestoreOptions): Promise<Restoration> {
  const { folder, now } = options;
  const target = databaseFileIn(folder);
  return replaceDatabase(target, async (draft) => {
    await source.copyTo(draft);
    const verified = await verifyFile(draft, options);
    // Cursors of the replaced database are refused: they could skip events of this one.
    changeStandingAlone(draft, "DELETE FROM server_secrets WHERE name = 'event-cursors'");
    return { file: target, replaced: await keep(target, now), ...verified };
  });
}

async function verifyFile(
  draft: string,
  { file, masterKey }: RestoreOptions,
): Promise<Pick<Restoration, 'masterKeyId' | 'rows' | 'contentsInS3'>> {
  const copied = openSnapshot(draft);
  try {
    const rows = await verify(copied, file);
    const { keyId } = await readSealingState(copied.reader);
    const given = masterKey && masterKeyId(masterKey);
    if (keyId !== null && given !== null && given !== keyId) {
      throw new OperatorError(
        `The secrets in ${file} are sealed with master key ${keyId}; the key that is set is ${given}. Set key ${keyId} to restore it.`,
      );
    }
    return { masterKeyId: keyId, rows, contentsInS3: await countObjects(copied) };
  } finally {
    await copied.close();
  }
}

/**
 * Gives the old database a second name, and removes its WAL: SQLite would apply it to the new database.
 *
 * @returns the second name; null without an old database
 */
async function keep(target: string, now: number): Promise<string | null> {
  const kept = `${target}.before-restore-${new Date(now).toISOString().replaceAll(':', '')}`;
  const exists = existsSync(target);
  if (exists) settleFile(target);
  for (const end of companions) {
    if (!existsSync(target + end)) continue;
    // Only a database that is too damaged to be settled still needs its WAL.
    if (exists && end !== '-shm') await rename(target + end, kept + end);
    else await rm(target + end);
  }
  if (exists) await link(target, kept);
  // Otherwise a power loss could leave the old WAL beside the new database, and SQLite would apply it.
  await syncFolder(dirname(target));
  return exists ? kept : null;
}
