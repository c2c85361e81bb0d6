/**
 * Measures how the cost of responses grows with the amount of data: a thousand documents and vaults in one
 * account beside a million documents and a hundred thousand vaults, one connection, in turns.
 *
 *     npm run bench:scale -- [documents, default 1000000] [repetitions, default 101]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Case, cases } from './scale/cases.ts';
import { fill, type Size } from './scale/fill.ts';

const documents = Number(process.argv[2] ?? 1_000_000);
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

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

async function residentMegabytes({ process: child }: Side): Promise<number> {
  child.send('memory');
  const [bytes] = await once(child, 'message');
  return Math.round(bytes / 1024 / 1024);
}

const small = await start({ documents: 1000, vaults: 1000, vaultsWithDocuments: 100 });
const large = await start({
  documents,
  vaults: Math.max(1000, documents / 10),
  vaultsWithDocuments: 100,
});
const results = [];
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
  const ratio = many / few;
  const { name, target = 2 } = scenario;
  results.push({ name, small: few, large: many, first, ratio, target, met: ratio <= target });
}
const memory = { small: await residentMegabytes(small), large: await residentMegabytes(large) };
for (const { process: child } of [small, large]) {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

console.log(
  `1,000 documents and 1,000 vaults beside ${large.size.documents} and ${large.size.vaults}, one connection, medians, Node ${process.version}`,
);
console.table(
  results.map(({ name, small, large, first, ratio, target, met }) => ({
    request: name,
    'small ms': small.toFixed(2),
    'large ms': large.toFixed(2),
    'first ms': first.toFixed(2),
    ratio: ratio.toFixed(2),
    target: `<= ${target}`,
    met: met ? 'yes' : 'no',
  })),
);
console.log(`resident: ${memory.small} MiB and ${memory.large} MiB`);
await writeFile(
  new URL('scale-results.json', import.meta.url),
  `${JSON.stringify({ node: process.version, small: small.size, large: large.size, memory, results }, null, 2)}\n`,
);
