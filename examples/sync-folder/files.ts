import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

export interface LocalFile {
  /** The path relative to the folder, with `/` on every platform. */
  readonly name: string;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/** Returns the files of a folder and its subfolders, without links and other special files. */
export async function listFiles(folder: string): Promise<LocalFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const { size, mtimeMs } = await stat(path);
      return { name: relative(folder, path).replaceAll(sep, '/'), path, size, changedAt: mtimeMs };
    }),
  );
}

/** Maximum length of a name that can be encrypted, in bytes. */
const maxNameBytes = 160;

/**
 * Returns the name of a document for a path. It has no slash. A path that is too long is cut, and its SHA-256
 * added.
 */
export function nameOf(path: string): string {
  const name = path.replaceAll('%', '%25').replaceAll('/', '%2F');
  if (Buffer.byteLength(name) <= maxNameBytes) return name;
  const ending = `~${createHash('sha256').update(path).digest('hex')}`;
  const beginning = Buffer.from(name).subarray(0, maxNameBytes - ending.length);
  // `stream` leaves out a character that was cut.
  return new TextDecoder().decode(beginning, { stream: true }) + ending;
}
