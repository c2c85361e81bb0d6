import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFile, syncFolder } from '../durable-files.ts';

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
