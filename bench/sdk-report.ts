import type { Judgement, SdkResults } from './results.ts';
import { table } from './table.ts';
import { judgementOf, judgementTable } from './targets.ts';

export function reportSdk(results: SdkResults): string {
  const { machine, versions, figures, imports, typeCheck } = results;
  const calls = figures.calls.map(({ title, microseconds, ratio, ratioByProcessor }) => [
    title,
    microseconds.toFixed(1),
    ratio.toFixed(2),
    ratioByProcessor.toFixed(2),
  ]);
  const missing = figures.missing.map((title) => [title, '–', 'not installed', '']);
  const rows = imports.map(({ name, milliseconds }) => [name, milliseconds.toFixed(1)]);
  return [
    `${machine}\nbeside ${versions.join(', ')}`,
    `one vault over a stub of fetch\n\n${table(['', 'µs', '× bare', 'by CPU'], [...calls, ...missing])}`,
    `import in a fresh process\n\n${table(['', 'ms'], rows)}`,
    `checking types, processor time beyond an empty file\n\n${table(
      ['', 'ms'],
      [
        ['a file that imports the client', typeCheck.importMilliseconds.toFixed(0)],
        ['a file with 50 calls', typeCheck.callsMilliseconds.toFixed(0)],
      ],
    )}`,
    judgementTable(judgeSdk(results)),
  ].join('\n\n');
}

export function judgeSdk({
  figures: { calls, encryption },
  imports,
  typeCheck,
}: SdkResults): Judgement[] {
  const [, byKey, bySession] = calls;
  return [
    atMost(1.6, 'a call by API key through the whole client: time × bare fetch', byKey),
    atMost(1.6, 'a call by session through the whole client: time × bare fetch', bySession),
    atMost(1.15, 'encryption of 16 MiB: time × bare subtle.encrypt', encryption),
    ...imports
      .slice(0, 2)
      .map(({ name, milliseconds }) =>
        atMost(10, `import of ${name}: milliseconds`, { ratio: milliseconds }),
      ),
    atMost(100, 'checking 50 calls beyond an empty file: milliseconds of processor time', {
      ratio: typeCheck.callsMilliseconds,
    }),
  ];
}

function atMost(
  limit: number,
  name: string,
  figures: { ratio: number; ratioByProcessor?: number } | undefined,
): Judgement {
  const [reached, byProcessor] = [figures?.ratio, figures?.ratioByProcessor];
  return judgementOf({ name, bound: 'at most', limit, reached, byProcessor });
}
