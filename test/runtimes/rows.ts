import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findChromium } from '../chromium.ts';
import { folder } from './bundles.ts';
import { chromiumDriver } from './drivers/chromium.ts';
import { type Driver, processDriver } from './drivers/process.ts';
import { workerdDriver } from './drivers/workerd.ts';

/** One line of the table. */
export interface Row {
  readonly name: string;
  /** Undefined when it is not installed. */
  readonly program: string | undefined;
  /** How it gets at the client: by the package's name, or in a bundle made as for browsers. */
  readonly how: 'import' | 'require' | 'bundle';
  readonly driver: (program: string) => Driver;
}

const installed = fileURLToPath(new URL('installed/', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Installs what the runtimes' package.json names, unless that is there: hundreds of megabytes. */
export function installRuntimes(): void {
  const wanted = readFileSync(`${installed}package-lock.json`, 'utf8');
  const note = `${installed}node_modules/.installed-lock.json`;
  if (existsSync(note) && readFileSync(note, 'utf8') === wanted) return;
  // Not `npm ci`: that insists on the builds for other platforms, which a registry may not have.
  const install = ['install', '--no-save', '--prefix', installed];
  execFileSync('npm', install, { cwd: installed, stdio: 'inherit' });
  writeFileSync(note, wanted);
}

const bin = (name: string) => `${installed}node_modules/.bin/${name}`;

/** A runtime that has modules of both kinds. */
function both(runtime: 'node' | 'bun', name: string, program: string): Row[] {
  const row = (how: 'import' | 'require', file: string): Row => ({
    name,
    program,
    how,
    driver: (found) => processDriver(runtime, found, [`${folder}${file}`]),
  });
  return [row('import', 'named.js'), row('require', 'named.cjs')];
}

/** Every row of the table. */
export function allRows(): readonly Row[] {
  const denoFlags = ['run', '--allow-net', '--allow-env', '--no-remote', '--no-config'];
  return [
    ...both('node', 'Node', `${installed}node_modules/node20/bin/node`),
    ...both('node', 'Node', `${installed}node_modules/node22/bin/node`),
    ...both('node', 'Node', `${root}node_modules/node/bin/node`),
    ...both('node', 'Node', `${installed}node_modules/node26/bin/node`),
    ...both('bun', 'Bun', bin('bun')),
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
