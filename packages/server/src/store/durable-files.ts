import { mkdir, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

// Synchronising a file saves its content. The file's name is an entry of its folder, and is lost with
// the power until the folder is synchronised as well (POSIX, `fsync`).

/** Makes a folder for its owner alone, and its missing parents. They survive a power loss. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const above = dirname(resolve(first));
  for (let parent = dirname(resolve(path)); parent !== above; parent = dirname(parent)) {
    await syncFolder(parent);
  }
  await syncFolder(above);
}

/** Saves the content of a file. */
export function syncFile(path: string): Promise<void> {
  return sync(path, 'r+');
}

/** Saves which files a folder has. */
export async function syncFolder(path: string): Promise<void> {
  // Windows synchronises no folders, and refuses the attempt.
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
