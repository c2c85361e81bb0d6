import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseFileIn } from '../drivers/sqlite/driver.ts';
import type { Finding } from './checks.ts';
import { companions } from './database-files.ts';

/** Whether what is stored is kept from the other users of the machine. */
export async function examinePermissions(folder: string): Promise<Finding> {
  const database = databaseFileIn(folder);
  const files = [
    database,
    ...companions.map((end) => database + end),
    join(folder, 'development.json'),
  ];
  const problems: string[] = [];
  for (const file of files) {
    const mode = await modeOf(file);
    // Windows has no such permissions.
    if (process.platform === 'win32' || mode === undefined || (mode & 0o077) === 0) continue;
    problems.push(`${file} is open to other users (${mode.toString(8)}): chmod 600 closes it`);
  }
  return { name: 'permissions', title: 'The files are readable for their owner alone', problems };
}

async function modeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mode & 0o777;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
