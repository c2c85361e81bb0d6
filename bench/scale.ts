/**
 * Measures how the cost of responses grows with the amount of data: a thousand documents and vaults in one
 * account beside a million documents and a hundred thousand vaults, one connection, in turns.
 *
 *     npm run bench:scale -- [documents, default 1000000] [repetitions, default 101]
 *
 * With its defaults, it writes its figures into the README.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFigures } from './figures.ts';
import { describeMachine } from './machine.ts';
import { median, type ScaleFigures, saveResults } from './results.ts';
import { type Case, cases } from './scale/cases.ts';
import { fill, type Size } from './scale/fill.ts';
import { judgeScale, reportScale } from './scale-report.ts';
import { failWhenMissed } from './targets.ts';

const usualDocuments = 1_000_000;
const documents = Number(process.argv[2] ?? usualDocuments);
const repetitions = Number(process.argv[3] ?? 101);

interface Side {
  readonly size: Size;
  readonly process: ChildProcess;
  readonly url: string;
  readonly keys: Readonly<Record<'owner' | 'admin', string>>;
  readonly vaultId: string;
  readonly documentId: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

async function start(size: Size): Promise<Side> {
  const folder = mkdtempSync(join(tmpdir(), 'document-vault-scale-'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  const began = performance.now();
  const facts = await fill(folder, size);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`filled with ${size.documents} documents and ${size.vaults} vaults in ${seconds} s`);
  const child = fork(new URL('./scale/server.ts', import.meta.url), [folder], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [{ url }] = await once(child, 'message');
  return { size, process: child, url, ...facts };
}

/** Milliseconds until the whole response has arrived. */
function time(side: Side, { path, as = 'owner' }: Case): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(
      side.url + path(side),
      { agent, headers: { 'x-api-key': side.keys[as] } },
      (response) => {
        response.resume();
        response.once('end', () => {
          if (response.statusCode === 200) resolve(performance.now() - began);
          else reject(new Error(`${path(side)}: ${response.statusCode}`));
        });
      },
    );
    sent.once('error', reject);
    sent.end();
  });
}

async function residentMemory({ process: child }: Side): Promise<number> {
  child.send('memory');
  const [bytes] = await once(child, 'message');
  return bytes;
}

const machine = describeMachine(undefined);
const small = await start({ documents: 1000, vaults: 1000, vaultsWithDocuments: 100 });
const large = await start({
  documents,
  vaults: Math.max(1000, documents / 10),
  vaultsWithDocuments: 100,
});
const figures: ScaleFigures[] = [];
for (const scenario of cases) {
  const first = await time(large, scenario);
  await time(small, scenario);
  const smallTimes: number[] = [];
  const largeTimes: number[] = [];
  const began = performance.now();
  // A slow one is repeated less.
  for (let n = 0; n < repetitions && (n < 5 || performance.now() - began < 5000); n += 1) {
    smallTimes.push(await time(small, scenario));
    largeTimes.push(await time(large, scenario));
  }
  const [few, many] = [median(smallTimes), median(largeTimes)];
  const { name, target = 2 } = scenario;
  figures.push({ name, target, few, many, first });
}
const memory = { few: await residentMemory(small), many: await residentMemory(large) };
for (const { process: child } of [small, large]) {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

const results = { machine, ...large.size, memory, figures };
console.log(reportScale(results));
await saveResults('scale', results);
if (documents === usualDocuments) await writeFigures();
failWhenMissed(judgeScale(results));
