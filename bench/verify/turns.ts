/** Measures the rates of calls in turns, so that a drift of the machine affects all of them. */
import { performance } from 'node:perf_hooks';
import type { Body, Call } from './contestants.ts';

/** Milliseconds. There are many slices, and each contains garbage collections. */
const sliceLength = 25;
/** Rounds before the first measured one: the engine compiles functions that are called often. */
const warmUps = 10;

export interface Slice {
  readonly callsPerSecond: number;
  /** By processor time of all threads. It does not pass while other processes use the core. */
  readonly callsPerProcessorSecond: number;
}

/** Minimum number of measured rounds. */
const fewest = 5;

/**
 * Measures calls in turns. On a machine so busy that the rounds take more than four times the given time, there are
 * fewer rounds.
 *
 * @returns the slices of each call, in the order of `calls`, by round
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
    // In another order each time: otherwise one call would always follow the call with the most garbage.
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
  // Otherwise, work that this call has started would be measured.
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
