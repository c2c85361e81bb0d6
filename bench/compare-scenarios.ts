/** All peers in one scenario after the other, in turns so that what drifts drifts for everybody. */
import { addSlice, emptyMeasurement, type Load, type Measurement } from './load.ts';
import { onlyLet, processorSeconds, type RunningPeer, residentMemory } from './process.ts';
import { figuresOf, type PeerFigures, type Unable } from './results.ts';
import { loadOf, type Scenario } from './scenarios.ts';

export interface Extent {
  readonly connections: number;
  /** Measured for every peer in every scenario. */
  readonly seconds: number;
}

const sliceSeconds = 1;

export type ScenarioFigures = Record<string, PeerFigures | Unable>;

interface Turn {
  readonly runningPeer: RunningPeer;
  readonly load: Load;
  readonly measured: Measurement;
  processorSeconds: number;
}

export async function compareIn(
  scenario: Scenario,
  running: readonly RunningPeer[],
  { connections, seconds }: Extent,
): Promise<ScenarioFigures> {
  const processes = running.map(({ process }) => process);
  const turns = running
    .filter(({ peer }) => peer.unable?.[scenario.name] === undefined)
    .map((runningPeer): Turn => {
      const load = loadOf(scenario, runningPeer.target, connections);
      return { runningPeer, load, measured: emptyMeasurement(), processorSeconds: 0 };
    });
  for (const { runningPeer, load } of turns) {
    onlyLet(runningPeer.process, processes);
    await checkAnswer(scenario, runningPeer, load);
    await warmUp(load);
  }
  const rounds = Math.max(1, Math.round(seconds / sliceSeconds));
  for (let round = 0; round < rounds; round += 1) {
    for (const turn of turns) {
      onlyLet(turn.runningPeer.process, processes);
      await take(turn, seconds / rounds);
    }
  }
  return Object.fromEntries(
    running.map(({ peer }) => {
      const turn = turns.find(({ runningPeer }) => runningPeer.peer === peer);
      const unable = { reason: peer.unable?.[scenario.name] ?? 'no response within a slice' };
      return [peer.name, turn && turn.measured.responses > 0 ? summarise(turn) : unable];
    }),
  );
}

/** Until the engine has compiled what is called often. */
async function warmUp(load: Load): Promise<void> {
  const measured = emptyMeasurement();
  for (let slice = 0; slice < 8 && measured.responses < 4_000; slice += 1) {
    await addSlice(measured, load, sliceSeconds);
  }
}

async function take(turn: Turn, seconds: number): Promise<void> {
  const { pid } = turn.runningPeer.process;
  const before = processorSeconds(pid);
  await addSlice(turn.measured, turn.load, seconds);
  turn.processorSeconds += processorSeconds(pid) - before;
}

function summarise({ runningPeer, measured, processorSeconds }: Turn): PeerFigures {
  return {
    ...figuresOf(measured),
    processorMicroseconds: (1e6 * processorSeconds) / measured.responses,
    residentMemory: residentMemory(runningPeer.process.pid),
  };
}

/** The load checks the status of every response. The body is checked once, here. */
async function checkAnswer(
  { title, status, holds }: Scenario,
  { peer }: RunningPeer,
  { url, headers, requests: [request] }: Load,
): Promise<void> {
  if (!request) throw new Error(`${title} sends nothing`);
  const response = await fetch(url + request.path, {
    method: request.method,
    headers: { 'content-type': 'application/json', ...headers },
    body: request.body ?? null,
  });
  const text = await response.text();
  if (response.status !== status || (peer.stores && !holds(JSON.parse(text)))) {
    throw new Error(
      `${peer.title} responds to ${title} with ${response.status} ${text.slice(0, 300)}`,
    );
  }
}
