/** This server on SQLite, and on PostgreSQL with one process and with two. */
import { createHistogram, performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { ArgumentError, type DatabasesArguments, parseDatabasesArguments } from './arguments.ts';
import { makeBacklog } from './backlog.ts';
import { databaseTable } from './databases-report.ts';
import { startReceiver } from './deliveries.ts';
import { addSlice, emptyMeasurement, type Measurement } from './load.ts';
import { describeMachine } from './machine.ts';
import { documentVault } from './peers/document-vault.ts';
import {
  freePort,
  launch,
  type PeerProcess,
  processorSeconds,
  startPeer,
  withScratchFolder,
} from './process.ts';
import { type DatabaseFigures, figuresOf, saveResults } from './results.ts';
import { contractPaths, loadOf, type Scenario, scenarios, type Target } from './scenarios.ts';

const webhooks = 32;

/** Milliseconds between two looks at the deliveries, and looks without a new one until the rest is given up. */
const lookMs = 50;
const patience = 600;

/** One or several processes on one database. */
interface Setup {
  readonly title: string;
  readonly targets: readonly Target[];
  readonly processes: readonly PeerProcess[];
}

interface Deliveries {
  readonly setup: Setup;
  readonly perSecond: number;
}

export async function databases(args: readonly string[]): Promise<void> {
  const asked = parseDatabasesArguments(args);
  const { BENCH_DATABASE_URL: url } = process.env;
  if (!url) throw new ArgumentError('BENCH_DATABASE_URL must name an empty PostgreSQL database');
  await withScratchFolder((scratch) => measure(asked, { scratch, url }));
}

interface Place {
  readonly scratch: string;
  readonly url: string;
}

async function measure(asked: DatabasesArguments, { scratch, url }: Place): Promise<void> {
  const machine = describeMachine(undefined);
  const environment = { DOCUMENT_VAULT_DATABASE_URL: url };
  const surroundings = { scratch, cores: undefined };
  const sqlite = await startPeer(documentVault, surroundings);
  const first = await startPeer({ ...documentVault, name: 'postgres', environment }, surroundings);
  const setups: Setup[] = [
    { title: 'SQLite', targets: [sqlite.target], processes: [sqlite.process] },
    { title: 'PostgreSQL', targets: [first.target], processes: [first.process] },
  ];
  const sent: Deliveries[] = [];
  for (const setup of setups) sent.push(await deliver(setup, asked.backlog, scratch));

  const port = await freePort();
  const second = await launch({
    name: 'second process',
    args: documentVault.command({ folder: first.folder, port }),
    environment,
    folder: first.folder,
    url: `http://127.0.0.1:${port}${contractPaths.vaults}`,
    logFile: `${scratch}/second.log`,
    cores: undefined,
  });
  const both: Setup = {
    title: 'PostgreSQL, 2 processes',
    targets: [first.target, { ...first.target, url: `http://127.0.0.1:${port}` }],
    processes: [first.process, second],
  };
  setups.push(both);
  sent.push(await deliver(both, asked.backlog, scratch));

  const measured = scenarios.filter(({ name }) => name !== 'session');
  const figures: DatabaseFigures[] = [];
  for (const scenario of measured) figures.push(...(await compare(scenario, setups, asked)));
  for (const { process } of [sqlite, first]) await process.stop();
  await second.stop();
  for (const { setup, perSecond } of sent) {
    const title = `deliveries to ${webhooks} webhooks`;
    figures.push({ title, database: setup.title, perSecond });
  }
  await saveResults('databases', { machine, figures });
  console.log(`${machine}\n\n${databaseTable(figures)}`);
}

/** In turns of a second, after one that warms up. */
async function compare(
  scenario: Scenario,
  setups: readonly Setup[],
  { seconds, connections }: DatabasesArguments,
): Promise<DatabaseFigures[]> {
  const turns = setups.map((setup) => ({ setup, measured: emptyMeasurement(), used: 0 }));
  for (let round = 0; round <= seconds; round += 1) {
    for (const turn of turns) {
      const before = usedBy(turn.setup);
      const total = round === 0 ? emptyMeasurement() : turn.measured;
      await addSecond(total, scenario, turn.setup, connections);
      if (round > 0) turn.used += usedBy(turn.setup) - before;
    }
  }
  return turns.map(({ setup, measured, used }) => {
    const { requestsPerSecond, p50, p99, responses } = figuresOf(measured);
    const processorMicroseconds = (1e6 * used) / responses;
    const request = { title: scenario.title, database: setup.title };
    return { ...request, perSecond: requestsPerSecond, p50, p99, processorMicroseconds };
  });
}

/** Each process gets its part of the connections. */
async function addSecond(
  total: Measurement,
  scenario: Scenario,
  { targets }: Setup,
  connections: number,
): Promise<void> {
  const parts = targets.map((target) => ({
    load: loadOf(scenario, target, Math.ceil(connections / targets.length)),
    measured: { ...emptyMeasurement(), latency: createHistogram() },
  }));
  await Promise.all(parts.map(({ load, measured }) => addSlice(measured, load, 1)));
  for (const { measured } of parts) {
    total.responses += measured.responses;
    total.latency.add(measured.latency);
  }
  total.rates.push(parts.reduce((sum, { measured }) => sum + (measured.rates[0] ?? 0), 0));
}

function usedBy({ processes }: Setup): number {
  return processes.reduce((sum, { pid }) => sum + processorSeconds(pid), 0);
}

/** Sends a backlog, from the moment at which the webhooks are switched on. */
async function deliver(setup: Setup, size: number, scratch: string): Promise<Deliveries> {
  const [target] = setup.targets;
  if (!target) throw new Error(`${setup.title} has no process`);
  const receiver = await startReceiver({ scratch, cores: undefined });
  const backlog = await makeBacklog(target, {
    url: `${receiver.url}/vault`,
    webhooks,
    deliveries: size,
  });
  const start = performance.now();
  await backlog.release();
  let arrived = 0;
  let end = start;
  for (let idle = 0; arrived < backlog.size && idle < patience; idle += 1) {
    const { distinct } = await receiver.counts();
    if (distinct > arrived) {
      arrived = distinct;
      end = performance.now();
      idle = 0;
    }
    await delay(lookMs);
  }
  await backlog.pending();
  await backlog.remove();
  await receiver.process.stop();
  return { setup, perSecond: (1000 * arrived) / (end - start) };
}
