import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

const execute = promisify(execFile);
const sources = ['sdk', 'testing', 'webhook-verify', 'server'] as const;

type Target = string | { readonly [condition: string]: Target };

/** What is read of a manifest. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly sideEffects?: boolean;
  readonly engines: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, Target>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** A package as its users get it. */
export interface InstalledPackage {
  readonly tarball: string;
  /** Where it is installed. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** Every file of the tarball, relative to the package. */
  readonly files: readonly string[];
  /** What is imported: its name and those of its subpaths with code. */
  readonly entries: readonly string[];
}

/** A project that has installed the packages, and beside them what they ask for. */
export interface Installation {
  readonly project: string;
  readonly packages: Readonly<Record<(typeof sources)[number], InstalledPackage>>;
}

declare module 'vitest' {
  interface ProvidedContext {
    installation: Installation;
  }
}

/** Packs what `npm run build` has built, and installs it for all tests of the folder. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const project = await mkdtemp(join(tmpdir(), 'document-vault-packages-'));
  const remove = () => rm(project, { recursive: true });
  try {
    provide('installation', { project, packages: await installAll(project) });
  } catch (error) {
    await remove();
    throw error;
  }
  return remove;
}

async function installAll(project: string): Promise<Installation['packages']> {
  const folders = sources.map((source) => resolve('packages', source));
  const options = ['--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', project];
  const { stdout } = await execute('npm', ['pack', ...options, ...folders], { maxBuffer: 2 ** 24 });
  const packed: { filename: string; name: string; files: { path: string }[] }[] = Object.values(
    JSON.parse(stdout),
  );
  const installed: [string, InstalledPackage][] = [];
  for (const { filename, name, files } of packed) {
    const tarball = join(project, filename);
    const paths = files.map(({ path }) => path);
    installed.push([name.replace(/^.*\//, ''), await install(project, { tarball, name, paths })]);
  }
  return Object.fromEntries(installed) as Installation['packages'];
}

async function install(
  project: string,
  { tarball, name, paths }: { tarball: string; name: string; paths: string[] },
): Promise<InstalledPackage> {
  const folder = join(project, 'node_modules', name);
  await mkdir(folder, { recursive: true });
  await execute('tar', ['-xzf', tarball, '--strip-components=1', '-C', folder]);
  const manifest: Manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const { dependencies, peerDependencies } = manifest;
  for (const needed of Object.keys({ ...dependencies, ...peerDependencies })) {
    if (needed.startsWith('@document-vault/')) continue;
    // A version that another package of this repository does not share.
    const own = join('packages', basename(name), 'node_modules', needed);
    if (existsSync(own)) await link(folder, needed, own);
    else await link(project, needed, join('node_modules', needed));
  }
  const entries = Object.entries(manifest.exports)
    .filter(([, target]) => typeof target !== 'string')
    .map(([subpath]) => manifest.name + subpath.slice(1));
  return { tarball, folder, manifest, files: paths, entries };
}

/** Installs a dependency of a project or of a package as a link to the copy in this repository. */
async function link(dependent: string, name: string, copy: string): Promise<void> {
  const path = join(dependent, 'node_modules', name);
  await mkdir(dirname(path), { recursive: true });
  await symlink(resolve(copy), path).catch((error) => {
    // Two packages need it.
    if (error.code !== 'EEXIST') throw error;
  });
}

/** Every file that a manifest names, relative to the package. */
export function targetsOf({ exports, bin = {} }: Manifest): string[] {
  const files: string[] = [];
  const visit = (target: Target): void => {
    if (typeof target === 'string') files.push(target.replace('./', ''));
    else for (const inner of Object.values(target)) visit(inner);
  };
  visit(exports);
  visit(bin);
  return [...new Set(files)];
}
