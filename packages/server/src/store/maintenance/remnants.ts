import { existsSync } from 'node:fs';
import { changeStandingAlone, writeCompactCopy } from '../sqlite/closed-file.ts';
import {
  companions,
  type FolderLock,
  lockFolder,
  removeDrafts,
  replaceDatabase,
} from '../sqlite/data-folder.ts';
import { databaseFileIn } from '../sqlite/driver.ts';

/** Free space of the database may still contain earlier forms of secrets (see `cause`). */
export class RemnantsError extends Error {
  override readonly name = 'RemnantsError';

  constructor(reason: string, options?: ErrorOptions) {
    super(
      `The stored secrets are sealed, but their earlier forms may remain in free space of the database file, because the file could not be rewritten: ${reason}. The next start tries again.`,
      options,
    );
  }
}

/**
 * Rewrites the database of a folder without its free space, which can contain earlier forms of sealed
 * secrets. Replaces the file atomically. Needs disk space for a second copy of the database.
 *
 * @throws RemnantsError when the database could not be rewritten, for example because a command uses it; it is
 * unchanged
 */
export async function eraseRemnants(folder: string): Promise<void> {
  const file = databaseFileIn(folder);
  let lock: FolderLock | undefined;
  try {
    lock = lockFolder(folder, 'alone');
    // Each start tries again, so drafts of killed starts must not fill the disk.
    await removeDrafts(file);
    await replaceDatabase(file, async (draft) => {
      writeCompactCopy(file, draft);
      changeStandingAlone(draft, 'UPDATE sealing SET has_remnants = 0 WHERE id = 1');
      // SQLite must not apply the WAL of the old file to the new one.
      if (companions.some((end) => existsSync(file + end))) {
        throw new Error('another process, such as a backup, reads the database');
      }
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RemnantsError(reason, { cause: error });
  } finally {
    lock?.release();
  }
}
