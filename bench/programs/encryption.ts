/** Measures one kind of encryption in this process alone; prints microseconds as JSON. */
import { parseArgs } from 'node:util';
import { median } from '../results.ts';
import { type EncryptionFigures, encryptions, isEncryption } from '../sdk/encryption.ts';
import { takeTurns } from '../verify/turns.ts';

const { values, positionals } = parseArgs({
  options: { seconds: { type: 'string', default: '2' } },
  allowPositionals: true,
});
const [name = ''] = positionals;
if (!isEncryption(name)) throw new Error(`${name}: choose from ${Object.keys(encryptions)}`);
const [slices = []] = await takeTurns([await encryptions[name]()], '', Number(values.seconds));
const figures: EncryptionFigures = {
  byClock: 1e6 / median(slices.map(({ callsPerSecond }) => callsPerSecond)),
  byProcessor: 1e6 / median(slices.map(({ callsPerProcessorSecond }) => callsPerProcessorSecond)),
};
process.stdout.write(JSON.stringify(figures));
