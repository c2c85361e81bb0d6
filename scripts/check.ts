/**
 * Runs every `check:…` script of the repository, as many at once as there are processors, and prints
 * what those that fail have to say.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';

const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));

/** The longest begin first, so that no long one runs alone at the end. */
const longest = ['check:packages', 'check:types'];
const waiting = Object.keys(manifest.scripts)
  .filter((name) => name.startsWith('check:'))
  .sort((a, b) => longest.indexOf(b) - longest.indexOf(a));

function run(name: string): Promise<{ output: string; passed: boolean }> {
  return new Promise((resolve) => {
    execFile('npm', ['run', '--silent', name], { maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ output: stdout + stderr, passed: error === null }),
    );
  });
}

async function work(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const begin = performance.now();
    const { output, passed } = await run(name);
    const seconds = ((performance.now() - begin) / 1_000).toFixed(0);
    if (!passed) {
      process.exitCode = 1;
      console.error(output);
    }
    console.log(`${passed ? 'passed' : 'FAILED'} ${name} (${seconds} s)`);
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, work));
