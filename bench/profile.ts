/** Where the processor's time goes in this server, scenario by scenario. */
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import type { Profiler } from 'node:inspector';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ProfileArguments, parseProfileArguments } from './arguments.ts';
import { addSlice, emptyMeasurement } from './load.ts';
import { describeMachine, pinLoad, type Surroundings, splitCores } from './machine.ts';
import { documentVault } from './peers/document-vault.ts';
import type { Peer } from './peers/peer.ts';
import { startPeer, withScratchFolder } from './process.ts';
import { type Time, type Times, timesOf } from './profile-times.ts';
import { figuresOf } from './results.ts';
import { loadOf, type Scenario, scenarios } from './scenarios.ts';
import { table } from './table.ts';

/** Seconds of load before the profile starts. */
const warmUpSeconds = 2;

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

export async function profile(args: readonly string[]): Promise<void> {
  const asked = parseProfileArguments(args);
  await mkdir(asked.folder, { recursive: true });
  const cores = splitCores();
  pinLoad(cores);
  console.log(
    `${asked.connections} connections, ${asked.seconds} s each; ${describeMachine(cores)}`,
  );
  for (const scenario of scenarios.filter(({ name }) => asked.only.includes(name))) {
    await withScratchFolder((scratch) => profileScenario(scenario, asked, { scratch, cores }));
  }
}

async function profileScenario(
  scenario: Scenario,
  { seconds, connections, folder, top }: ProfileArguments,
  { scratch, cores }: Surroundings,
): Promise<void> {
  const file = resolve(folder, `${scenario.name}.cpuprofile`);
  const part = join(scratch, 'profile');
  const { target, process: server } = await startPeer(fromSources, {
    scratch,
    cores,
    nodeOptions: ['--import', fileURLToPath(new URL('profiler.ts', import.meta.url))],
    environment: { PROFILE_FILE: part },
  });
  const load = loadOf(scenario, target, connections);
  await addSlice(emptyMeasurement(), load, warmUpSeconds);
  process.kill(server.pid, 'SIGUSR2');
  const measured = emptyMeasurement();
  await addSlice(measured, load, seconds);
  process.kill(server.pid, 'SIGUSR2');
  const times = timesOf(await written(part));
  await server.stop();
  await copyFile(part, file);

  const { requestsPerSecond } = figuresOf(measured);
  console.log(
    `\n${scenario.title}: ${Math.round(requestsPerSecond)} requests/s while profiled, ` +
      `${(1e6 / requestsPerSecond).toFixed(1)} µs each; ${file}`,
  );
  print(times, { responses: measured.responses, top });
}

/** The profiled process writes the file in one go; half of it is no JSON. */
async function written(file: string): Promise<Profiler.Profile> {
  for (;;) {
    try {
      return JSON.parse(await readFile(file, 'utf8')) as Profiler.Profile;
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (!missing && !(error instanceof SyntaxError)) throw error;
      await delay(50);
    }
  }
}

function print(
  { total, byFunction, byPackage, withCalls }: Times,
  { responses, top }: { readonly responses: number; readonly top: number },
): void {
  const show = (title: string, times: readonly Time[]) =>
    console.log(
      table(
        ['share', 'µs/request', title],
        times
          .slice(0, top)
          .map(({ name, microseconds }) => [
            `${((100 * microseconds) / total).toFixed(1)} %`,
            (microseconds / responses).toFixed(2),
            name,
          ]),
      ),
      '\n',
    );
  show('self time by package', byPackage);
  show('self time by function', byFunction);
  show("this server's functions with what they call, up to the next await", withCalls);
}
