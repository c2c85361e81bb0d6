import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import type { ConsoleFiles } from './build.ts';

/** Everything that a build reads: files, and folders with all that they contain. */
const inputs = [
  '../../package-lock.json',
  'build.ts',
  'index.html',
  'src',
  '../sdk/src',
  '../server/file-worker',
  '../webhook-verify/src',
].map((path) => fileURLToPath(new URL(path, import.meta.url)));

const cacheFolder = fileURLToPath(
  new URL('../../node_modules/.cache/document-vault-console/', import.meta.url),
);

let latest: { readonly version: string; readonly files: Promise<ConsoleFiles> } | undefined;

/** Returns the files that were returned before, even if the sources have changed since. */
export function sameConsole(): Promise<ConsoleFiles> {
  return latest?.files ?? currentConsole();
}

/**
 * Returns the console of the present sources. A build takes seconds, so its files are kept on the disk: later processes
 * read them until the sources change.
 */
export async function currentConsole(): Promise<ConsoleFiles> {
  const version = await versionOf(inputs);
  if (latest?.version === version) return latest.files;
  const files = cachedConsole(cacheFolder, version);
  latest = { version, files };
  // The next request tries again.
  files.catch(() => {
    latest = undefined;
  });
  return files;
}

/** Returns the files that the cache has of a version, or builds them. */
export async function cachedConsole(folder: string, version: string): Promise<ConsoleFiles> {
  const path = join(folder, version);
  // A file that a crash has cut off, or that a later Node.js has written, counts as missing.
  const kept: ConsoleFiles | undefined = await readFile(path)
    .then((bytes) => deserialize(bytes))
    .catch(() => undefined);
  if (kept) return kept;
  // Loaded for a build alone: Vite takes longer to load than the files.
  const { buildConsole } = await import('./build.ts');
  const files = await buildConsole();
  // Without a cache, for example on a read-only disk, each process builds.
  await keep(folder, version, files).catch(() => undefined);
  return files;
}

/** Replaces what the cache has. Another process never reads half of a file. */
async function keep(folder: string, version: string, files: ConsoleFiles): Promise<void> {
  await mkdir(folder, { recursive: true });
  // Another process may have built the same version meanwhile.
  const others = (await readdir(folder)).filter((name) => name !== version);
  const unfinished = join(folder, `${version}.${process.pid}`);
  await writeFile(unfinished, serialize(files));
  await rename(unfinished, join(folder, version));
  await Promise.all(others.map((name) => rm(join(folder, name), { force: true })));
}

/** Returns a text that changes with the name, the size or the time of any file. */
export async function versionOf(paths: readonly string[]): Promise<string> {
  const files = (await Promise.all(paths.map(filesOf))).flat();
  const facts = await Promise.all(
    files.toSorted().map(async (file) => {
      const { size, mtimeMs } = await stat(file);
      return `${file} ${size} ${mtimeMs}`;
    }),
  );
  return createHash('sha256').update(facts.join('\n')).digest('hex').slice(0, 32);
}

async function filesOf(path: string): Promise<string[]> {
  if ((await stat(path)).isFile()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}
