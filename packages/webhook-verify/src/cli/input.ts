import { readFile } from 'node:fs/promises';
import { UsageError } from './failures.ts';
import type { Terminal } from './terminal.ts';

const sentences: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be read',
};

/**
 * The bytes of a file; without one, or for `-`, those of standard input.
 *
 * @throws {@link UsageError} when the file cannot be read
 */
export async function readBytes(file: string | undefined, terminal: Terminal): Promise<Uint8Array> {
  if (file === undefined || file === '-') return terminal.read();
  try {
    return await readFile(file);
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    throw new UsageError(`Cannot read ${file}: ${sentences[code] ?? code}.`, { cause });
  }
}
