/** Webhook deliveries beside a bare loop of POSTs, and what a long backlog costs in memory. */
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type DeliveriesArguments, parseDeliveriesArguments } from './arguments.ts';
import { type Backlog, makeBacklog, open } from './backlog.ts';
import { judgeDeliveries, reportDeliveries } from './deliveries-report.ts';
import { describeMachine, pinLoad, type Surroundings, splitCores } from './machine.ts';
import { documentVault } from './peers/document-vault.ts';
import {
  freePort,
  launch,
  onlyLet,
  type PeerProcess,
  processorSeconds,
  residentMemory,
  run,
  startPeer,
  withScratchFolder,
} from './process.ts';
import { type DeliveryFigures, type MemorySample, mean, saveResults } from './results.ts';
import { failWhenMissed, ratio } from './targets.ts';

const sliceSeconds = 1;
/** Milliseconds between two looks at the memory. */
const sampleInterval = 500;
/** Looks without anything new until the rest is given up. */
const patience = 60;

export async function deliveries(args: readonly string[]): Promise<void> {
  const asked = parseDeliveriesArguments(args);
  const cores = splitCores();
  pinLoad(cores);
  const machine = describeMachine(cores);
  const figures: DeliveryFigures[] = [];
  for (const course of coursesOf(asked)) {
    process.stderr.write(`… webhooks: ${course.webhooks}, deliveries: ${course.backlog}\n`);
    const figure = await withScratchFolder((scratch) => measure(course, { scratch, cores }));
    figures.push(figure);
  }
  const results = { machine, figures };
  await saveResults('deliveries', results);
  console.log(reportDeliveries(results));
  failWhenMissed(figures.flatMap(judgeDeliveries));
}

interface Course extends DeliveriesArguments {
  readonly webhooks: number;
  readonly atOnce: number;
}

/** By default two deliveries run at once for a webhook. */
function coursesOf(asked: DeliveriesArguments): Course[] {
  return [
    { ...asked, webhooks: 1, atOnce: 2, backlog: Math.ceil(asked.backlog / 2) },
    { ...asked, webhooks: 32, atOnce: 64 },
  ];
}

async function measure(course: Course, surroundings: Surroundings): Promise<DeliveryFigures> {
  const { webhooks, atOnce } = course;
  const receiver = await startReceiver(surroundings);
  const server = await startPeer({ ...documentVault, open }, surroundings);
  const backlog = await makeBacklog(server.target, {
    url: `${receiver.url}/vault`,
    webhooks,
    deliveries: course.backlog,
  });
  const loop = startLoop(`${receiver.url}/bare`, atOnce, surroundings);

  await backlog.release();
  const rates = await compareRates({ server: server.process, loop, receiver, ...course });
  await loop.stop();
  process.kill(server.process.pid, 'SIGCONT');
  const memory = await drain({ pid: server.process.pid, receiver, backlog });
  const pending = await backlog.pending();
  await server.process.stop();
  await receiver.process.stop();
  return { webhooks, atOnce, backlog: backlog.size, ...rates, pending, memory };
}

export interface Receiver {
  readonly url: string;
  readonly process: PeerProcess;
  /** Requests under each path, and distinct deliveries. */
  counts(): Promise<{ vault: number; bare: number; distinct: number }>;
}

export async function startReceiver({ scratch }: Surroundings): Promise<Receiver> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const process = await launch({
    name: 'receiver',
    args: [program('receiver.ts'), '--port', String(port)],
    folder: scratch,
    logFile: join(scratch, 'receiver.log'),
    // It stands where the load stands elsewhere.
    cores: undefined,
    url,
  });
  return {
    url,
    process,
    async counts() {
      const response = await fetch(url);
      const { counts, distinct } = (await response.json()) as {
        counts: Record<string, number>;
        distinct: number;
      };
      return { vault: counts['/vault'] ?? 0, bare: counts['/bare'] ?? 0, distinct };
    },
  };
}

function startLoop(url: string, connections: number, { scratch, cores }: Surroundings) {
  return run({
    args: [program('post-loop.ts'), '--url', url, '--connections', String(connections)],
    folder: scratch,
    logFile: join(scratch, 'post-loop.log'),
    cores,
  });
}

function program(name: string): string {
  return fileURLToPath(new URL(`programs/${name}`, import.meta.url));
}

interface Rivals {
  readonly server: PeerProcess;
  readonly loop: PeerProcess;
  readonly receiver: Receiver;
  readonly seconds: number;
  readonly backlog: number;
}

/** In turns, as long as the backlog lasts. */
async function compareRates({ server, loop, receiver, seconds, backlog }: Rivals) {
  const both = [server, loop];
  const slices: Record<'vault' | 'bare', Slice[]> = { vault: [], bare: [] };
  for (let round = -1; round < Math.max(1, Math.round(seconds / sliceSeconds)); round += 1) {
    for (const [path, running] of [
      ['vault', server],
      ['bare', loop],
    ] as const) {
      onlyLet(running, both);
      const start = performance.now();
      const before = await receiver.counts();
      const used = processorSeconds(running.pid);
      await delay(1000 * sliceSeconds);
      const seconds = processorSeconds(running.pid) - used;
      const after = await receiver.counts();
      if (after.vault >= backlog) return averages(slices);
      const posts = after[path] - before[path];
      const rate = (1000 * posts) / (performance.now() - start);
      // The first round warms up.
      if (round >= 0) slices[path].push({ rate, posts, seconds });
    }
  }
  return averages(slices);
}

interface Slice {
  /** POSTs per second. */
  readonly rate: number;
  readonly posts: number;
  /** Of processor time. */
  readonly seconds: number;
}

function averages({ vault, bare }: Readonly<Record<'vault' | 'bare', readonly Slice[]>>) {
  return {
    deliveriesPerSecond: rateOf(vault),
    barePostsPerSecond: rateOf(bare),
    deliveryMicroseconds: microsecondsOf(vault),
    barePostMicroseconds: microsecondsOf(bare),
  };
}

function rateOf(slices: readonly Slice[]): number | undefined {
  return slices.length === 0 ? undefined : mean(slices.map(({ rate }) => rate));
}

/** Processor time of a POST; undefined where it is not known. */
function microsecondsOf(slices: readonly Slice[]): number | undefined {
  const sum = (value: (slice: Slice) => number) =>
    slices.reduce((total, slice) => total + value(slice), 0);
  return ratio(
    1e6 * sum(({ seconds }) => seconds),
    sum(({ posts }) => posts),
  );
}

interface Draining {
  readonly pid: number;
  readonly receiver: Receiver;
  readonly backlog: Backlog;
}

/** Until every delivery has arrived, with the memory on the way. */
async function drain({ pid, receiver, backlog }: Draining): Promise<MemorySample[]> {
  const samples: MemorySample[] = [];
  const start = performance.now();
  for (;;) {
    const { distinct } = await receiver.counts();
    samples.push({
      seconds: (performance.now() - start) / 1000,
      delivered: distinct,
      residentMemory: residentMemory(pid),
    });
    if (distinct >= backlog.size) return samples;
    const seen = samples.at(-patience)?.delivered;
    if (seen === distinct) throw new Error(`nothing is delivered any more behind ${distinct}`);
    await delay(sampleInterval);
  }
}
