/** Rates of calls that take turns, so that what drifts drifts for everybody. */
import { performance } from 'node:perf_hooks';
import type { Body, Call } from './contestants.ts';

/** Milliseconds: short enough for many, long enough for the collector to have its share in each. */
const sliceLength = 25;
/** Slices until the engine has compiled what is called often. */
const warmUps = 10;

export interface Slice {
  readonly callsPerSecond: number;
  /** By processor time of all threads, which does not pass while others have the core. */
  readonly callsPerProcessorSecond: number;
}

/** Rounds there are in any case. */
const fewest = 5;

/**
 * What each slice has shown: first by call, in the order given, then by round. On a machine that is so
 * busy that it takes four times as long as asked, there are fewer rounds.
 */
export async function takeTurns(
  calls: readonly Call[],
  body: Body,
  secondsEach: number,
): Promise<Slice[][]> {
  const turns = calls.map((call) => ({ call, slices: [] as Slice[] }));
  const rounds = Math.max(1, Math.round((1000 * secondsEach) / sliceLength));
  const latest = performance.now() + 4000 * secondsEach * calls.length;
  for (let round = -warmUps; round < rounds; round += 1) {
    if (round >= fewest && performance.now() > latest) break;
    // Another order each time, so that no contestant always follows the one with the most garbage.
    for (const { call, slices } of shuffled(turns)) {
      const slice = await measureSlice(call, body);
      if (round >= 0) slices.push(slice);
    }
  }
  return turns.map(({ slices }) => slices);
}

async function measureSlice(call: Call, body: Body): Promise<Slice> {
  const first = call(body);
  const returnsPromise = first instanceof Promise;
  // What it starts would be measured otherwise.
  await first;
  const startOfProcessor = process.cpuUsage();
  const start = performance.now();
  let count = 0;
  let elapsed = 0;
  do {
    if (returnsPromise) for (let i = 0; i < 8; i += 1) await call(body);
    else for (let i = 0; i < 8; i += 1) call(body);
    count += 8;
    elapsed = performance.now() - start;
  } while (elapsed < sliceLength);
  const { user, system } = process.cpuUsage(startOfProcessor);
  return {
    callsPerSecond: (1000 * count) / elapsed,
    callsPerProcessorSecond: (1e6 * count) / (user + system),
  };
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
