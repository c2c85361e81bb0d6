import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

export interface LocalFile {
  /** The path from the folder on, with `/` on every platform. */
  readonly name: string;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/** The files of a folder and its folders; links and other special files are left out. */
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

/** A path as the name of a document, which can hold no slash. */
export function escapePath(path: string): string {
  return path.replaceAll('%', '%25').replaceAll('/', '%2F');
}

/** The path that {@link escapePath} was given. */
export function unescapePath(name: string): string {
  return name.replaceAll('%2F', '/').replaceAll('%25', '%');
}
