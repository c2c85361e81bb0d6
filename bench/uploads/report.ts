import type { Judgement } from '../results.ts';
import { type Cell, table } from '../table.ts';
import { judgementOf, type Measured } from '../targets.ts';
import type { LargeFigures, Transfer, Transfers } from './large.ts';
import type { Usage } from './stations.ts';

const mebibyte = 2 ** 20;
const aboveIdle = ({ idle, peak }: Usage) => (peak - idle) / mebibyte;
const processorOf = ({ client, server }: Transfer) =>
  client.processorSeconds + server.processorSeconds;

const ways = ['upload', 'download'] as const;

interface Measurement {
  readonly title: string;
  readonly transfers: Transfers;
  /** The object store without the vault; undefined for contents in the database. */
  readonly objects?: Transfers | undefined;
}

function vaults({ stores, objects }: LargeFigures): Measurement[] {
  return Object.entries(stores).map(([name, transfers]) =>
    name === 's3'
      ? { title: 'vault, contents in S3', transfers, objects }
      : { title: 'vault, contents in the database', transfers },
  );
}

/** Everything that was measured. */
export function transferTable(figures: LargeFigures): string {
  const size = figures.size / mebibyte;
  const all: Measurement[] = [
    { title: 'bare node:http', transfers: figures.sink },
    ...vaults(figures),
  ];
  if (figures.objects) {
    all.push({ title: 'the object store without a vault', transfers: figures.objects });
  }
  const rows = ways.flatMap((way) =>
    all.map(({ title, transfers }): Cell[] => {
      const { seconds, client, server, objectsSeconds, waits } = transfers[way];
      return [
        `${way}: ${title}`,
        (size / seconds).toFixed(0),
        ...[server, client].flatMap((usage) => [
          usage.processorSeconds.toFixed(2),
          (usage.idle / mebibyte).toFixed(0),
          aboveIdle(usage).toFixed(0),
        ]),
        objectsSeconds?.toFixed(2) ?? '',
        longest(waits).toFixed(0),
      ];
    }),
  );
  const heads = ['server CPU s', 'idle MiB', 'above', 'client CPU s', 'idle MiB', 'above'];
  const lastHeads = ['object store CPU s', 'longest wait ms'];
  return table([`${size} MiB`, 'MiB/s', ...heads, ...lastHeads], rows);
}

/** Judges each way through each store against the targets and the bare server. */
export function judgeUploads(figures: LargeFigures): Judgement[] {
  return vaults(figures).flatMap(({ title, transfers, objects }) =>
    ways.flatMap((way) => {
      const measured = [
        ...targetsOf(transfers[way], figures.sink[way]),
        ...(objects ? [besideStore(transfers[way], objects[way])] : []),
      ];
      return measured.map(({ name, ...target }) =>
        judgementOf({ ...target, name: `${way}, ${title}: ${name}` }),
      );
    }),
  );
}

/** By the clock: the store's own work is in both rates, and waiting for it too. */
function besideStore(vault: Transfer, objects: Transfer): Measured {
  const name = 'bytes/s × those of the object store without a vault';
  return atLeast(0.5, name, objects.seconds / vault.seconds);
}

function targetsOf(vault: Transfer, bare: Transfer): Measured[] {
  const ratio = (of: (transfer: Transfer) => number) => of(bare) / of(vault);
  return [
    atMost(96, 'memory of the server above idle in MiB', aboveIdle(vault.server)),
    atMost(96, 'memory of the client above idle in MiB', aboveIdle(vault.client)),
    {
      ...atLeast(
        0.5,
        'bytes/s × those of bare node:http',
        ratio(({ seconds }) => seconds),
      ),
      byProcessor: ratio(processorOf),
    },
    atMost(100, 'longest wait of a small request in ms', longest(vault.waits)),
  ];
}

function atMost(limit: number, name: string, reached: number): Measured {
  return { name, bound: 'at most', limit, reached };
}

function atLeast(limit: number, name: string, reached: number): Measured {
  return { name, bound: 'at least', limit, reached };
}

function longest(waits: readonly number[]): number {
  return waits.reduce((most, wait) => Math.max(most, wait), 0);
}
