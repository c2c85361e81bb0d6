import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findChromium } from '../chromium.ts';
import { folder } from './bundles.ts';
import { chromiumDriver } from './drivers/chromium.ts';
import { type Driver, processDriver } from './drivers/process.ts';
import { workerdDriver } from './drivers/workerd.ts';

/** A row of the table: one way to run the suite. */
export interface Row {
  /** Name of the runtime. */
  readonly name: string;
  /** Path of the executable, undefined when it is not installed. */
  readonly program: string | undefined;
  /** How the suite loads the client: from the installed package, or in a bundle for browsers. */
  readonly how: 'import' | 'require' | 'bundle';
  readonly driver: (program: string) => Driver;
}

const installed = fileURLToPath(new URL('installed/', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Installs the runtimes of `installed/package.json`, 900 MB, unless they are installed already. */
export function installRuntimes(): void {
  const wanted = readFileSync(`${installed}package-lock.json`, 'utf8');
  const note = `${installed}node_modules/.installed-lock.json`;
  if (existsSync(note) && readFileSync(note, 'utf8') === wanted) return;
  // `npm ci` would fail when the registry lacks builds for other platforms.
  const install = ['install', '--no-save', '--prefix', installed];
  execFileSync('npm', install, { cwd: installed, stdio: 'inherit' });
  writeFileSync(note, wanted);
}

const bin = (name: string) => `${installed}node_modules/.bin/${name}`;

/** Returns two rows for a runtime that has ES modules and CommonJS. */
function importAndRequire(runtime: 'node' | 'bun', name: string, program: string): Row[] {
  const row = (how: 'import' | 'require', file: string): Row => ({
    name,
    program,
    how,
    driver: (found) => processDriver(runtime, found, [`${folder}${file}`]),
  });
  return [row('import', 'named.js'), row('require', 'named.cjs')];
}

/** Returns all rows, in the order of the table. */
export function allRows(): readonly Row[] {
  const denoFlags = ['run', '--allow-net', '--allow-env', '--no-remote', '--no-config'];
  return [
    ...importAndRequire('node', 'Node', `${installed}node_modules/node20/bin/node`),
    ...importAndRequire('node', 'Node', `${installed}node_modules/node22/bin/node`),
    ...importAndRequire('node', 'Node', `${root}node_modules/node/bin/node`),
    ...importAndRequire('node', 'Node', `${installed}node_modules/node26/bin/node`),
    ...importAndRequire('bun', 'Bun', bin('bun')),
    {
      name: 'Deno',
      program: bin('deno'),
      how: 'bundle',
      driver: (deno) => processDriver('deno', deno, [...denoFlags, `${folder}process.js`]),
    },
    {
      name: 'workerd',
      program: bin('workerd'),
      how: 'bundle',
      driver: (workerd) => workerdDriver(workerd, folder),
    },
    { name: 'Chromium', program: findChromium(), how: 'bundle', driver: chromiumDriver },
  ];
}
