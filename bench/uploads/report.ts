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

function servers({ sink, stores }: LargeFigures): [title: string, transfers: Transfers][] {
  const named = Object.entries(stores).map(([name, transfers]): [string, Transfers] => [
    `vault, contents in ${name === 's3' ? 'S3' : 'the database'}`,
    transfers,
  ]);
  return [['bare node:http', sink], ...named];
}

/** Everything that was measured. */
export function transferTable(figures: LargeFigures): string {
  const size = figures.size / mebibyte;
  const rows = ways.flatMap((way) =>
    servers(figures).map(([title, transfers]): Cell[] => {
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
  const [bare, ...vaults] = servers(figures);
  return vaults.flatMap(([title, transfers]) =>
    ways.flatMap((way) => {
      const [sink, vault] = [bare?.[1][way], transfers[way]];
      const name = (what: string) => `${way}, ${title}: ${what}`;
      return targetsOf(vault, sink).map(({ name: what, ...target }) =>
        judgementOf({ ...target, name: name(what) }),
      );
    }),
  );
}

function targetsOf(vault: Transfer, bare: Transfer | undefined): Measured[] {
  const ratio = (of: (transfer: Transfer) => number) =>
    bare === undefined ? undefined : of(bare) / of(vault);
  return [
    atMost(96, 'memory of the server above idle in MiB', aboveIdle(vault.server)),
    atMost(96, 'memory of the client above idle in MiB', aboveIdle(vault.client)),
    atLeast(
      0.5,
      'bytes/s × those of bare node:http',
      ratio(({ seconds }) => seconds),
    ),
    atLeast(0.5, 'bytes per processor second × those of bare node:http', ratio(processorOf)),
    atMost(100, 'longest wait of a small request in ms', longest(vault.waits)),
  ];
}

function atMost(limit: number, name: string, reached: number | undefined): Measured {
  return { name, bound: 'at most', limit, reached };
}

function atLeast(limit: number, name: string, reached: number | undefined): Measured {
  return { name, bound: 'at least', limit, reached };
}

function longest(waits: readonly number[]): number {
  return waits.reduce((most, wait) => Math.max(most, wait), 0);
}
