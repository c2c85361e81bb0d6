import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readSealingState } from '../sealed-rows.ts';
import {
  companions,
  createDraft,
  lockFile,
  publishDraft,
  removeDatabase,
} from '../sqlite/data-folder.ts';
import { databaseFile, databaseFileIn } from '../sqlite/driver.ts';
import { openSnapshot, type Snapshot } from '../sqlite/snapshot.ts';
import { countRows, type RowCounts, UnsoundDatabaseError, verify } from './verification.ts';

export interface BackupOptions {
  readonly folder: string;
  /** Where the backup goes. */
  readonly file: string;
  /** Whether a file that is there already may be replaced. */
  readonly overwrite: boolean;
}

export interface Backup {
  /** Absolute path. */
  readonly file: string;
  readonly sizeBytes: number;
  /** The master key that its secrets are sealed with; null: they are not sealed. */
  readonly masterKeyId: string | null;
  readonly rows: RowCounts;
}

/** The place that was named for a backup cannot be one. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** The place of a backup is taken. */
export class FileExistsError extends Error {
  override readonly name = 'FileExistsError';

  constructor(file: string) {
    super(`${file} exists already.`);
  }
}

/**
 * Copies the database of a folder into one file, while a server may go on writing: the copy holds
 * what was committed when it began. It is verified under another name before it gets its own, and
 * readable for its owner alone.
 *
 * @throws FileExistsError, BackupError, DatabaseCopyError
 * @throws DatabaseMissingError, DatabaseUnreadableError, UnsoundDatabaseError, MigrationError
 */
export async function backUp({ folder, file, overwrite }: BackupOptions): Promise<Backup> {
  const target = resolve(file);
  const snapshot = openSnapshot(databaseFileIn(folder));
  try {
    await refusePlace(target, folder, overwrite);
    const draft = await createDraft(target);
    try {
      await snapshot.copyTo(draft);
      const rows = await verifyCopy(snapshot, draft);
      const { size } = await stat(draft);
      const { keyId: masterKeyId } = await readSealingState(snapshot.reader);
      await publishDraft(draft, target);
      return { file: target, sizeBytes: size, masterKeyId, rows };
    } finally {
      await removeDatabase(draft);
    }
  } finally {
    await snapshot.close();
  }
}

/** The database and what stands beside it are never overwritten, a file only when that was asked for. */
async function refusePlace(target: string, folder: string, overwrite: boolean): Promise<void> {
  const place = join(await realFolder(dirname(target)), basename(target));
  const home = await realpath(folder);
  const own = join(home, databaseFile);
  const parts = [own, ...companions.map((end) => own + end), join(home, lockFile)];
  if (parts.includes(place)) {
    throw new BackupError(`${target} belongs to the database itself. Name another file.`);
  }
  const found = await stat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found && !found.isFile()) throw new BackupError(`${target} is not a file.`);
  if (found && !overwrite) throw new FileExistsError(target);
}

async function realFolder(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new BackupError(`There is no folder ${folder}.`, { cause: error });
  }
}

async function verifyCopy(snapshot: Snapshot, draft: string): Promise<RowCounts> {
  const copied = openSnapshot(draft);
  try {
    const rows = await verify(copied, 'The copy');
    const expected = await countRows(snapshot.reader, await snapshot.tables());
    if (JSON.stringify(rows) !== JSON.stringify(expected)) {
      throw new UnsoundDatabaseError('The copy does not hold the rows of the database.');
    }
    return rows;
  } finally {
    await copied.close();
  }
}
