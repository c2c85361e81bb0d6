/**
 * Where the processor's time goes in this server, scenario by scenario.
 *
 *     npm run bench:profile -- --only get,create --seconds 5
 */
import { mkdir, readFile, rename } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseProfileArguments } from './arguments.ts';
import { addSlice, emptyMeasurement } from './load.ts';
import { describeMachine, pinLoad, splitCores } from './machine.ts';
import { documentVault } from './peers/document-vault.ts';
import type { Peer } from './peers/peer.ts';
import { startPeer, withScratchFolder } from './process.ts';
import { type Time, type Times, timesOf } from './profile-times.ts';
import { type Scenario, scenarios } from './scenarios.ts';

const connections = 50;

/** The same program unbundled, so that the profile names files and lines that one can open. */
const sources = fileURLToPath(new URL('../packages/server/src/main.ts', import.meta.url));
const fromSources: Peer = {
  ...documentVault,
  command: (place) => [
    '--conditions=@document-vault/source',
    sources,
    ...documentVault.command(place).slice(1),
  ],
};

const { seconds, only, folder, top } = parseProfileArguments(process.argv.slice(2));
await mkdir(folder, { recursive: true });
const cores = splitCores();
pinLoad(cores);
console.log(`${connections} connections, ${seconds} s each; ${describeMachine(cores)}`);
for (const scenario of scenarios.filter(({ name }) => only.includes(name))) await profile(scenario);

async function profile(scenario: Scenario): Promise<void> {
  const file = resolve(folder, `${scenario.name}.cpuprofile`);
  const { measured, times } = await withScratchFolder(async (scratch) => {
    const { target, process: server } = await startPeer(fromSources, {
      scratch,
      cores,
      nodeOptions: ['--import', fileURLToPath(new URL('profiler.ts', import.meta.url))],
      environment: { PROFILE_FILE: `${file}.part` },
    });
    const load = { ...target, requests: scenario.requests(target), status: scenario.status };
    await addSlice(emptyMeasurement(), { ...load, connections }, 2);
    process.kill(server.pid, 'SIGUSR2');
    const measured = emptyMeasurement();
    await addSlice(measured, { ...load, connections }, seconds);
    process.kill(server.pid, 'SIGUSR2');
    await written(`${file}.part`);
    await server.stop();
    await rename(`${file}.part`, file);
    return { measured, times: timesOf(JSON.parse(await readFile(file, 'utf8'))) };
  });
  const microseconds = (1e6 * measured.seconds) / measured.answers;
  console.log(
    `\n${scenario.title}: ${Math.round(measured.answers / measured.seconds)} requests/s while ` +
      `profiled, ${microseconds.toFixed(1)} µs each; ${file}`,
  );
  print(times, measured.answers);
}

/** The profiled process writes the file in one go. */
async function written(file: string): Promise<void> {
  for (;;) {
    try {
      JSON.parse(await readFile(file, 'utf8'));
      return;
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (!missing && !(error instanceof SyntaxError)) throw error;
      await delay(50);
    }
  }
}

function print({ total, byFunction, byPackage, withCalls }: Times, answers: number): void {
  const row = ({ name, microseconds }: Time) =>
    `${((100 * microseconds) / total).toFixed(1).padStart(6)} %` +
    `${(microseconds / answers).toFixed(2).padStart(8)} µs/request  ${name}`;
  const table = (title: string, times: readonly Time[]) =>
    console.log([`  ${title}`, ...times.slice(0, top).map(row)].join('\n'));
  table('self time by package', byPackage);
  table('self time by function', byFunction);
  table("this server's functions with what they call, up to the next await", withCalls);
}
