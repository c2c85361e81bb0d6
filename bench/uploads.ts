/**
 * Measures what large uploads and downloads cost: memory, time and processor time beside a bare server, and how
 * long small requests wait meanwhile.
 *
 *     npm run bench:uploads
 *
 * Without options, it writes its figures into the README.
 */
import { parseArgs } from 'node:util';
import { writeFigures } from './figures.ts';
import { describeMachine } from './machine.ts';
import { withScratchFolder } from './process.ts';
import { saveResults } from './results.ts';
import { failWhenMissed, judgementTable } from './targets.ts';
import { measureJson } from './uploads/json.ts';
import { measureLarge, type StoreName, storeNames } from './uploads/large.ts';
import { judgeUploads, transferTable } from './uploads/report.ts';

const mebibyte = 2 ** 20;

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '1024' },
    stores: { type: 'string', default: storeNames.join(',') },
    json: { type: 'boolean', default: true },
  },
  allowNegative: true,
});

const size = Number(values.size) * mebibyte;
if (!Number.isInteger(size) || size < 16 * mebibyte) {
  throw new Error(`--size ${values.size}: a whole number of MiB from 16 on`);
}
const named = values.stores.split(',');
const stores = named.map((name): StoreName => {
  const store = storeNames.find((known) => known === name);
  if (!store) throw new Error(`--stores ${name}: choose from ${storeNames.join(', ')}`);
  return store;
});

const machine = describeMachine(undefined);
console.log(`${machine}\n`);
await withScratchFolder(async (scratch) => {
  const figures = await measureLarge({ scratch, size, stores });
  console.log(`${transferTable(figures)}\n`);
  const judgements = judgeUploads(figures);
  if (values.json) judgements.push(...(await measureJson(scratch)));
  console.log(judgementTable(judgements));
  await saveResults('uploads', { machine, judgements });
  failWhenMissed(judgements);
});
if (process.argv.length === 2) await writeFigures();
