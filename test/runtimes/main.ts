/**
 * `npm run test:runtimes` runs the conformance suite of the built client in every runtime, against the
 * real server.
 *
 *   node test/runtimes/main.ts [part of the name of a runtime]
 */
import { readFile } from 'node:fs/promises';
import { bundleSuite, folder } from './bundles.ts';
import { versionOf } from './drivers/process.ts';
import { startEnvironment } from './environment.ts';
import { allRows, installRuntimes, type Row } from './rows.ts';
import { isGreen, type RowResult, report } from './table.ts';

async function runRow({ name, how, program, driver }: Row): Promise<RowResult> {
  const startedAt = performance.now();
  const ms = () => performance.now() - startedAt;
  if (program === undefined) {
    const problem = `not installed: apt-get install ${name.toLowerCase()}`;
    return { name, how, results: [], problem, ms: 0 };
  }
  let versioned = name;
  try {
    versioned = `${name} ${await versionOf(program)}`;
    const { environment, close } = await startEnvironment(await pages());
    try {
      return { name: versioned, how, results: await driver(program)(environment), ms: ms() };
    } finally {
      await close();
    }
  } catch (error) {
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { name: versioned, how, results: [], problem, ms: ms() };
  }
}

/** Returns the page for browsers and its script. */
async function pages() {
  const html = '<!doctype html><title>Suite</title><script type="module" src="page.js"></script>';
  return new Map([
    ['index.html', { type: 'text/html', body: html }],
    ['page.js', { type: 'text/javascript', body: await readFile(`${folder}page.js`, 'utf8') }],
  ]);
}

const [wanted = ''] = process.argv.slice(2);
installRuntimes();
await bundleSuite();
const rows: RowResult[] = [];
for (const row of allRows()) {
  if (row.name.toLowerCase().includes(wanted.toLowerCase())) rows.push(await runRow(row));
}
console.log(report(rows));
process.exitCode = isGreen(rows) ? 0 : 1;
