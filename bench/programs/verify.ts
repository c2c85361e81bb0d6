/** Measures every contestant on every body, in this process alone; prints the figures as JSON. */
import { parseArgs } from 'node:util';
import { median, type VerificationFigures } from '../results.ts';
import { bodies, type SampleBody } from '../verify/bodies.ts';
import { type Body, type Contestant, checkThatItVerifies } from '../verify/contestants.ts';
import { own } from '../verify/own.ts';
import { peers } from '../verify/peers.ts';
import { raw } from '../verify/raw.ts';
import { type Slice, takeTurns } from '../verify/turns.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '1' } } });
const seconds = Number(values.seconds);
const all = [...raw, ...own, ...peers];
const shapes = [
  { as: 'bytes', toBody: (text: string): Body => Buffer.from(text) },
  { as: 'string', toBody: (text: string): Body => text },
] as const;
type Shape = (typeof shapes)[number];

const figures: VerificationFigures[] = [];
for (const sample of bodies) {
  for (const shape of shapes) figures.push(...(await measure(sample, shape)));
}
process.stdout.write(JSON.stringify(figures));

async function measure(sample: SampleBody, shape: Shape): Promise<VerificationFigures[]> {
  process.stderr.write(`… ${sample.title} as ${shape.as}\n`);
  const able = all.filter(({ takesBytes }) => takesBytes || shape.as === 'string');
  for (const one of able) await checkThatItVerifies(one, sample.text, shape.toBody);
  // Signed now: some signatures are good for five minutes.
  const calls = able.map(({ prepare }) => prepare(sample.text).right);
  const slices = await takeTurns(calls, shape.toBody(sample.text), seconds);
  const measured = able.map((one, index) => ({ ...one, slices: slices[index] ?? [] }));
  return measured.map(({ title, kind, parses, slices }) => {
    const reference = fastestRaw(measured, parses);
    return {
      body: sample.title,
      as: shape.as,
      title,
      kind,
      parses,
      perSecond: medianRate({ slices }),
      ratio: medianRatio(slices, reference, (slice) => slice.callsPerSecond),
      ratioByProcessor: medianRatio(slices, reference, (slice) => slice.callsPerProcessorSecond),
    };
  });
}

type Measured = Contestant & { readonly slices: readonly Slice[] };

/** The strictest of the references: the fastest of those that are written by hand. */
function fastestRaw(measured: readonly Measured[], parses: boolean): readonly Slice[] {
  return measured
    .filter((one) => one.kind === 'raw' && one.parses === parses)
    .reduce((a, b) => (medianRate(b) > medianRate(a) ? b : a)).slices;
}

function medianRate({ slices }: Pick<Measured, 'slices'>): number {
  return median(slices.map(({ callsPerSecond }) => callsPerSecond));
}

/** Slices of one round are held against each other: a moment's disturbance hits both. */
function medianRatio(
  slices: readonly Slice[],
  reference: readonly Slice[],
  rateOf: (slice: Slice) => number,
): number {
  const ratios = slices.flatMap((slice, round) => {
    const other = reference[round];
    return other ? [rateOf(slice) / rateOf(other)] : [];
  });
  return median(ratios);
}
