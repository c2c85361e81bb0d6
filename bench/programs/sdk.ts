/** Measures calls and encryption of the client, in this process alone; prints figures as JSON. */
import { parseArgs } from 'node:util';
import { median, type SdkFigures } from '../results.ts';
import { makeReady } from '../sdk/contestants.ts';
import { encryptions } from '../sdk/encryption.ts';
import { bare, own, ownHttp, ownSession } from '../sdk/own.ts';
import { peers } from '../sdk/peers/index.ts';
import { type Slice, takeTurns } from '../verify/turns.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '2' } } });
const seconds = Number(values.seconds);

// First, while the heap is small: what the collector does for the calls of others would be counted.
const encryption = await measureEncryption();
const figures = { ...(await measureCalls()), encryption };
process.stdout.write(JSON.stringify(figures));

async function measureCalls(): Promise<Pick<SdkFigures, 'calls' | 'missing'>> {
  process.stderr.write('… calls\n');
  const all = [bare, own, ownSession, ownHttp, ...peers];
  const ready = (await Promise.all(all.map(makeReady))).filter((one) => one !== undefined);
  const turns = await takeTurns(
    ready.map(({ call }) => call),
    '',
    seconds,
  );
  const [reference = []] = turns;
  return {
    calls: ready.map(({ title }, index) => ({ title, ...compare(turns[index] ?? [], reference) })),
    missing: all
      .filter(({ title }) => !ready.some((one) => one.title === title))
      .map(({ title }) => title),
  };
}

async function measureEncryption(): Promise<SdkFigures['encryption']> {
  process.stderr.write('… encryption\n');
  // A slice is several documents, and takes many times as long as the others: all the time that turns
  // may take is used up, since a few of them say nothing.
  const [reference = [], own = []] = await takeTurns(await encryptions(), '', seconds);
  return compare(own, reference);
}

/** Slices of one round are held against each other: a moment's disturbance hits both. */
function compare(slices: readonly Slice[], reference: readonly Slice[]): SdkFigures['encryption'] {
  const cost = (rateOf: (slice: Slice) => number) =>
    median(slices.map((slice, round) => rateOf(reference[round] ?? slice) / rateOf(slice)));
  return {
    microseconds: 1e6 / median(slices.map(({ callsPerSecond }) => callsPerSecond)),
    ratio: cost(({ callsPerSecond }) => callsPerSecond),
    ratioByProcessor: cost(({ callsPerProcessorSecond }) => callsPerProcessorSecond),
  };
}
