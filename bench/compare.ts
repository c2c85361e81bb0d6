/** This server beside its peers, on one machine in one run. */
import { type CompareArguments, parseCompareArguments } from './arguments.ts';
import { compareIn } from './compare-scenarios.ts';
import { compareStarts } from './compare-starts.ts';
import { measureGraphql } from './graphql.ts';
import { measureLogins } from './logins.ts';
import { describeMachine, pinLoad, type Surroundings, splitCores } from './machine.ts';
import { documentVault } from './peers/document-vault.ts';
import { peers } from './peers/index.ts';
import { installedVersion } from './peers/installed.ts';
import { onlyLet, type RunningPeer, startPeer, withScratchFolder } from './process.ts';
import { report } from './report.ts';
import { type Results, saveResults } from './results.ts';
import { scenarios } from './scenarios.ts';
import { failWhenMissed, judge } from './targets.ts';

export async function compare(args: readonly string[]): Promise<void> {
  const asked = parseCompareArguments(args);
  const cores = splitCores();
  pinLoad(cores);
  const results = await withScratchFolder((scratch) => measure(asked, { scratch, cores }));
  await saveResults('comparison', results);
  console.log(report(results));
  failWhenMissed(judge(results));
}

async function measure(asked: CompareArguments, { scratch, cores }: Surroundings) {
  const { connections, seconds, only, starts } = asked;
  const extent = { connections, seconds };
  const machine = describeMachine(cores);
  const running: RunningPeer[] = [];
  for (const peer of peers.filter(({ name }) => asked.peers.includes(name))) {
    tell(`${peer.title} starts`);
    running.push(await startPeer(peer, { scratch, cores }));
  }
  const measured: Results['scenarios'] = {};
  // Before anything that writes: its own p99 is that of a server at rest.
  const own = running.find(({ peer }) => peer === documentVault);
  const processes = running.map(({ process }) => process);
  if (own) onlyLet(own.process, processes);
  const logins = own && only.includes('logins') ? await measureLogins(own, extent) : undefined;
  const graphql = own && only.includes('graphql') ? await measureGraphql(own, extent) : undefined;
  for (const scenario of scenarios.filter(({ name }) => only.includes(name))) {
    tell(scenario.title);
    measured[scenario.name] = await compareIn(scenario, running, extent);
  }
  for (const process of processes) await process.stop();
  if (only.includes('start')) tell(`${starts} starts`);
  const start = only.includes('start')
    ? await compareStarts(running, { scratch, cores, times: starts })
    : undefined;
  return {
    machine,
    ...extent,
    peers: running.map(({ peer: { name, title, packages, durability } }) => ({
      name,
      title,
      versions: packages.map(installedVersion),
      durability,
    })),
    scenarios: measured,
    ...(start && { start }),
    ...(logins && { logins }),
    ...(graphql && { graphql }),
  } satisfies Results;
}

/** What happens meanwhile; the tables alone go to standard output. */
function tell(text: string): void {
  process.stderr.write(`… ${text}\n`);
}
