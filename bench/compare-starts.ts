/** How long it takes from the start of a process to its first response. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cores } from './machine.ts';
import type { Peer, Place } from './peers/peer.ts';
import { freePort, launch, processorSeconds, type RunningPeer } from './process.ts';
import { median, type StartFigures, type StartTime } from './results.ts';
import { contractPaths } from './scenarios.ts';

export interface StartOptions {
  readonly scratch: string;
  readonly cores: Cores | undefined;
  /** Starts that the median is taken of. */
  readonly times: number;
}

/** For peers that have run and are stopped now. */
export async function compareStarts(
  stopped: readonly RunningPeer[],
  { scratch, cores, times }: StartOptions,
): Promise<Record<string, StartFigures>> {
  const turns = stopped.map((each) => ({
    ...each,
    existing: [] as StartTime[],
    empty: [] as StartTime[],
  }));
  const empty = join(scratch, 'empty');
  for (let time = 0; time < times; time += 1) {
    for (const turn of turns) {
      const { peer, target, folder } = turn;
      const { headers } = target;
      turn.existing.push(await firstAnswer({ peer, folder, headers, scratch, cores }));
      if (peer.needsData !== undefined) continue;
      await mkdir(empty);
      turn.empty.push(await firstAnswer({ peer, folder: empty, headers: {}, scratch, cores }));
      await rm(empty, { recursive: true });
    }
  }
  return Object.fromEntries(
    turns.map(({ peer, existing, empty }) => [
      peer.name,
      {
        existing: medians(existing),
        empty: peer.needsData === undefined ? medians(empty) : { reason: peer.needsData },
      },
    ]),
  );
}

function medians(times: readonly StartTime[]): StartTime {
  return {
    milliseconds: median(times.map(({ milliseconds }) => milliseconds)),
    processorMilliseconds: median(times.map((time) => time.processorMilliseconds)),
  };
}

interface Start {
  readonly peer: Peer;
  readonly folder: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly scratch: string;
  readonly cores: Cores | undefined;
}

async function firstAnswer({ peer, folder, headers, scratch, cores }: Start): Promise<StartTime> {
  const place: Place = { folder, port: await freePort() };
  const started = await launch({
    name: peer.title,
    args: peer.command(place),
    environment: peer.environment,
    folder,
    url: `http://127.0.0.1:${place.port}${contractPaths.vaults}`,
    headers,
    logFile: join(scratch, `${peer.name}-start.log`),
    cores,
  });
  const processorMilliseconds = 1000 * processorSeconds(started.pid);
  await started.stop();
  return { milliseconds: started.firstAnswerMs, processorMilliseconds };
}
