import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const source = fileURLToPath(new URL('..', import.meta.url));
const repository = fileURLToPath(new URL('../../..', import.meta.url));
const tsup = join(
  dirname(createRequire(import.meta.url).resolve('tsup/package.json')),
  'dist/cli-default.js',
);

type Target = string | { readonly [condition: string]: Target };

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, Target>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** The package, built and installed in a folder of its own. */
export interface StagedPackage {
  /** The project that it is installed in. */
  readonly project: string;
  /** Where it is installed. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** What is imported: the name of the package and of its subpaths with code. */
  readonly entries: readonly string[];
  /** Runs a program in the project; rejects when it fails. */
  run(program: string, args: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

/** Builds the package beside nothing that its users do not have: its peers, no workspace. */
export async function stagePackage(): Promise<StagedPackage> {
  const project = await mkdtemp(join(tmpdir(), 'webhook-verify-package-'));
  const manifest: Manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'));
  const folder = join(project, 'node_modules', manifest.name);
  await cp(source, folder, {
    recursive: true,
    filter: (path) => !/\/(dist|node_modules)$/.test(path),
  });
  for (const peer of Object.keys(manifest.peerDependencies)) {
    await symlink(join(repository, 'node_modules', peer), join(project, 'node_modules', peer));
  }
  await execute(process.execPath, [tsup, '--out-dir', join(folder, 'dist')], { cwd: source });
  return {
    project,
    folder,
    manifest,
    entries: Object.keys(manifest.exports)
      .filter((subpath) => subpath !== './package.json')
      .map((subpath) => manifest.name + subpath.slice(1)),
    run: async (program, args) =>
      (await execute(program, args, { cwd: project, maxBuffer: 2 ** 24 })).stdout,
    remove: () => rm(project, { recursive: true }),
  };
}

/** Every file that the manifest names, relative to the package. */
export function targetsOf({ exports, bin }: Manifest): string[] {
  const files: string[] = [];
  const visit = (target: Target): void => {
    if (typeof target === 'string') files.push(target.replace('./', ''));
    else for (const inner of Object.values(target)) visit(inner);
  };
  visit(exports);
  visit(bin);
  return [...new Set(files)];
}
