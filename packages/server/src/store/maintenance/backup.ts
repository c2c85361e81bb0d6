import { realpath, stat } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { OperatorError } from '../../lib/operator-error.ts';
import { readSealingState } from '../sealed-rows.ts';
import { replaceDatabase } from '../sqlite/data-folder.ts';
import { databaseFileIn } from '../sqlite/driver.ts';
import { type FileSnapshot, openSnapshot } from '../sqlite/snapshot.ts';
import { countObjects, countRowsOfTables, type RowCounts, verify } from './verification.ts';

export interface BackupOptions {
  readonly folder: string;
  /** Path of the backup. */
  readonly file: string;
  /** Whether an existing file may be replaced. */
  readonly overwrite: boolean;
}

export interface Backup {
  /** Absolute path. */
  readonly file: string;
  readonly sizeBytes: number;
  /** Id of the master key that sealed the secrets; null when they are plain. */
  readonly masterKeyId: string | null;
  readonly rows: RowCounts;
  /** Contents in S3, which the backup does not have. */
  readonly contentsInS3: number;
}

/** A file exists at the path of the backup. */
export class FileExistsError extends Error {
  override readonly name = 'FileExistsError';

  constructor(file: string) {
    super(`${file} exists already.`);
  }
}

/**
 * Copies the database of a folder into one file, even while a server writes to it. The copy contains the
 * rows that were committed at its start. It gets its name after it was verified, and only its owner can
 * read it.
 *
 * @throws FileExistsError, OperatorError, MigrationError
 */
export async function backUp({ folder, file, overwrite }: BackupOptions): Promise<Backup> {
  const target = resolve(file);
  const snapshot = openSnapshot(databaseFileIn(folder));
  try {
    await assertWritable(target, folder, overwrite);
    return await replaceDatabase(target, async (draft) => {
      await snapshot.copyTo(draft);
      const rows = await verifyCopy(snapshot, draft);
      const { size } = await stat(draft);
      const { keyId: masterKeyId } = await readSealingState(snapshot.reader);
      const contentsInS3 = await countObjects(snapshot);
      return { file: target, sizeBytes: size, masterKeyId, rows, contentsInS3 };
    });
  } finally {
    await snapshot.close();
  }
}

/** Rejects the data folder, anything but a file, and an existing file without `overwrite`. */
async function assertWritable(target: string, folder: string, overwrite: boolean): Promise<void> {
  const place = await realFolder(dirname(target));
  const home = await realpath(folder);
  if (place === home || place.startsWith(home + sep)) {
    throw new OperatorError(
      `${target} is in the data folder ${folder}. A backup there is lost together with the database: name a file in another folder.`,
    );
  }
  const found = await stat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found && !found.isFile()) throw new OperatorError(`${target} is not a file.`);
  if (found && !overwrite) throw new FileExistsError(target);
}

async function realFolder(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new OperatorError(`There is no folder ${folder}.`, { cause: error });
  }
}

async function verifyCopy(snapshot: FileSnapshot, draft: string): Promise<RowCounts> {
  const copied = openSnapshot(draft);
  try {
    const rows = await verify(copied, 'The copy');
    const expected = await countRowsOfTables(snapshot.reader, await snapshot.tables());
    if (JSON.stringify(rows) !== JSON.stringify(expected)) {
      throw new OperatorError('The copy does not have as many rows as the database.');
    }
    return rows;
  } finally {
    await copied.close();
  }
}
