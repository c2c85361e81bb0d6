import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What SQLite puts beside a database file, by the end of its name. */
export const companions = ['-journal', '-wal', '-shm'] as const;

/** An empty file beside `file`, for its owner alone, in which the new `file` is prepared. */
export async function createDraft(file: string): Promise<string> {
  const draft = `${file}.partial-${randomBytes(4).toString('hex')}`;
  const handle = await open(draft, 'wx', 0o600);
  await handle.close();
  return draft;
}

/** Removes a database with everything beside it; what does not exist is no matter. */
export async function removeDatabase(file: string): Promise<void> {
  for (const part of [file, ...companions.map((end) => file + end)]) {
    await rm(part, { force: true });
  }
}

/** Puts the draft in the place of `file`, atomically, and answers when that survives a power loss. */
export async function publishDraft(draft: string, file: string): Promise<void> {
  await sync(draft, 'r+');
  await rename(draft, file);
  await sync(dirname(file), 'r');
}

async function sync(path: string, flags: 'r' | 'r+'): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
