import { existsSync } from 'node:fs';
import { changeStandingAlone, writeCompactCopy } from '../sqlite/closed-file.ts';
import {
  companions,
  createDraft,
  lockFolder,
  publishDraft,
  removeDatabase,
  removeDrafts,
} from '../sqlite/data-folder.ts';
import { databaseFileIn } from '../sqlite/driver.ts';

/** Earlier forms of secrets may still stand in the free space of the database (see `cause`). */
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
 * Rewrites the database of a folder without its free space, where earlier forms of sealed secrets stand,
 * and replaces the file atomically. Needs as much disk space again as the database has.
 *
 * @throws RemnantsError the database is as it was
 * @throws DatabaseInUseError
 */
export async function eraseRemnants(folder: string): Promise<void> {
  const file = databaseFileIn(folder);
  const lock = lockFolder(folder);
  try {
    // Each start tries again: what killed ones left must not fill the disk.
    await removeDrafts(file);
    const draft = await createDraft(file);
    try {
      writeCompactCopy(file, draft);
      changeStandingAlone(draft, 'UPDATE sealing SET has_remnants = 0 WHERE id = 1');
      // The log of the old file must not be read as that of the new one.
      if (companions.some((end) => existsSync(file + end))) {
        throw new Error('another process, such as a backup, reads the database');
      }
      await publishDraft(draft, file);
    } finally {
      await removeDatabase(draft);
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RemnantsError(reason, { cause: error });
  } finally {
    lock.release();
  }
}
