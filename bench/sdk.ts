/** The client's calls, encryption and import, beside bare `fetch` and Web Crypto and its peers. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseSdkArguments } from './arguments.ts';
import { describeMachine, onPeerCores, splitCores } from './machine.ts';
import { installedVersion, isInstalled } from './peers/installed.ts';
import {
  type CallFigures,
  type ImportFigures,
  median,
  type SdkFigures,
  saveResults,
} from './results.ts';
import type { EncryptionFigures } from './sdk/encryption.ts';
import { peers } from './sdk/peers/index.ts';
import { judgeSdk, reportSdk } from './sdk-report.ts';
import { failWhenMissed } from './targets.ts';

const program = fileURLToPath(new URL('programs/sdk.ts', import.meta.url));
const encryption = fileURLToPath(new URL('programs/encryption.ts', import.meta.url));
const typeCheck = fileURLToPath(new URL('programs/type-check.ts', import.meta.url));
/** Enough for a median that one slow start does not move; on a busy machine, in the time there is. */
const imports = { most: 15, fewest: 5, milliseconds: 40_000 };

export async function sdk(args: readonly string[]): Promise<void> {
  const { seconds } = parseSdkArguments(args);
  const cores = splitCores();
  const run = (...words: string[]) => output(onPeerCores(cores, [process.execPath, ...words]));
  const installed = peers.flatMap(({ packageName = '' }) =>
    isInstalled(packageName) ? [packageName] : [],
  );
  const calls: Omit<SdkFigures, 'encryption'> = JSON.parse(
    await run(program, '--seconds', `${seconds}`),
  );
  const figures = { ...calls, encryption: await measureEncryption(seconds, run) };
  const results = {
    machine: describeMachine(cores),
    seconds,
    versions: installed.map(installedVersion),
    figures,
    imports: await measureImports(
      ['@document-vault/sdk', '@document-vault/sdk/crypto', ...installed],
      run,
    ),
    typeCheck: JSON.parse(await run(typeCheck)),
  };
  await saveResults('sdk', results);
  console.log(reportSdk(results));
  failWhenMissed(judgeSdk(results));
}

type Run = (...words: string[]) => Promise<string>;

/** Pairs of processes. */
const encryptionRounds = 5;

/**
 * Compares the cipher with Web Crypto. Each has processes of its own: in one process, each would pay for pages that
 * the garbage of the other made the allocator return.
 */
async function measureEncryption(seconds: number, run: Run): Promise<CallFigures> {
  process.stderr.write('… encryption\n');
  const measure = async (name: string): Promise<EncryptionFigures> =>
    JSON.parse(await run(encryption, name, '--seconds', `${seconds / encryptionRounds}`));
  const rounds: { bare: EncryptionFigures; own: EncryptionFigures }[] = [];
  while (rounds.length < encryptionRounds) {
    rounds.push({ bare: await measure('bare'), own: await measure('cipher') });
  }
  return {
    microseconds: median(rounds.map(({ own }) => own.byClock)),
    ratio: median(rounds.map(({ bare, own }) => own.byClock / bare.byClock)),
    ratioByProcessor: median(rounds.map(({ bare, own }) => own.byProcessor / bare.byProcessor)),
  };
}

/** Each in a fresh process, in turns. */
async function measureImports(packages: readonly string[], run: Run): Promise<ImportFigures[]> {
  process.stderr.write('… imports\n');
  const times = packages.map((name) => ({ name, milliseconds: [] as number[] }));
  const latest = performance.now() + imports.milliseconds;
  for (let round = 0; round < imports.most; round += 1) {
    if (round >= imports.fewest && performance.now() > latest) break;
    for (const { name, milliseconds } of times) {
      const url = import.meta.resolve(name);
      const script = `const start = performance.now(); await import(${JSON.stringify(url)}); console.log(performance.now() - start);`;
      milliseconds.push(Number(await run('--input-type=module', '--eval', script)));
    }
  }
  return times.map(({ name, milliseconds }) => ({ name, milliseconds: median(milliseconds) }));
}

/** What a process of its own prints, in which nothing else has been loaded. */
function output([command = '', ...args]: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const kill = () => child.kill();
    const child = execFile(command, args, (error, text) => {
      process.off('exit', kill);
      if (error) reject(error);
      else resolve(text);
    });
    child.stderr?.pipe(process.stderr, { end: false });
    process.once('exit', kill);
  });
}
