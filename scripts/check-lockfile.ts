/**
 * Fails when `npm ci` would fail on another platform, or when the lockfile names a registry.
 *
 * npm omits an optional dependency it cannot find when it writes the lockfile, and says nothing.
 * A native package then lacks its builds for the other platforms.
 */
import { readFile } from 'node:fs/promises';

interface LockedPackage {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lockfile = new URL('../package-lock.json', import.meta.url);
const { packages } = JSON.parse(await readFile(lockfile, 'utf8')) as {
  packages: Readonly<Record<string, LockedPackage>>;
};

/** Whether a package at `folder` finds `name`: in its own node_modules or in one above it. */
function isLocked(name: string, folder: string): boolean {
  for (let at = folder; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    if (`${at === '' ? '' : `${at}/`}node_modules/${name}` in packages) return true;
    if (at === '') return false;
  }
}

const problems = Object.entries(packages).flatMap(
  ([folder, { optionalDependencies, resolved, link }]) => [
    ...Object.keys(optionalDependencies ?? {})
      .filter((name) => !isLocked(name, folder))
      .map((name) => `${folder}: its optional dependency ${name} is not in the lockfile`),
    ...(resolved !== undefined && !link ? [`${folder}: "resolved" names a registry`] : []),
  ],
);

if (problems.length > 0) {
  console.error(problems.join('\n'));
  console.error('Pin the newest version whose platform packages are all published, then make the');
  console.error(
    'lockfile from nothing: remove node_modules and package-lock.json, run npm install.',
  );
  process.exitCode = 1;
}
