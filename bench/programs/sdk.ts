/** Measures calls of the client, in this process alone; prints figures as JSON. */
import { parseArgs } from 'node:util';
import { type CallFigures, median, type SdkFigures } from '../results.ts';
import { makeReady } from '../sdk/contestants.ts';
import { bare, own, ownHttp, ownSession } from '../sdk/own.ts';
import { peers } from '../sdk/peers/index.ts';
import { type Slice, takeTurns } from '../verify/turns.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '2' } } });
const seconds = Number(values.seconds);

process.stdout.write(JSON.stringify(await measureCalls()));

async function measureCalls(): Promise<Omit<SdkFigures, 'encryption'>> {
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

/** Slices of one round are held against each other: a moment's disturbance hits both. */
function compare(slices: readonly Slice[], reference: readonly Slice[]): CallFigures {
  const cost = (rateOf: (slice: Slice) => number) =>
    median(slices.map((slice, round) => rateOf(reference[round] ?? slice) / rateOf(slice)));
  return {
    microseconds: 1e6 / median(slices.map(({ callsPerSecond }) => callsPerSecond)),
    ratio: cost(({ callsPerSecond }) => callsPerSecond),
    ratioByProcessor: cost(({ callsPerProcessorSecond }) => callsPerProcessorSecond),
  };
}
