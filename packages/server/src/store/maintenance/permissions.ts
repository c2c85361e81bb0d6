import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseFileIn } from '../sqlite/driver.ts';
import { lockFile } from '../sqlite/folder-lock.ts';
import type { Finding } from './checks.ts';
import { companions } from './database-files.ts';

/** Checks that other users of the machine can neither read what is stored nor hold the lock. */
export async function examinePermissions(folder: string): Promise<Finding> {
  const database = databaseFileIn(folder);
  const files = [
    database,
    ...companions.map((end) => database + end),
    join(folder, 'development.json'),
    join(folder, lockFile),
  ];
  const problems: string[] = [];
  for (const [path, closing] of [
    [folder, 700],
    ...files.map((file) => [file, 600] as const),
  ] as const) {
    const mode = await modeOf(path);
    // Windows has no such permissions.
    if (process.platform === 'win32' || mode === undefined || (mode & 0o077) === 0) continue;
    problems.push(
      `${path} is open to other users (${mode.toString(8)}): chmod ${closing} closes it`,
    );
  }
  const title = 'The folder and its files are accessible for their owner alone';
  return { name: 'permissions', title, problems };
}

async function modeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mode & 0o777;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
