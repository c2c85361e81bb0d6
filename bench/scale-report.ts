import type { Judgement, ScaleResults } from './results.ts';
import { table } from './table.ts';
import { judgementOf, mark } from './targets.ts';

/** Every request, with its judgement. */
export function reportScale({ machine, documents, vaults, memory, figures }: ScaleResults): string {
  const rows = figures.map(({ name, target, few, many, first }) => [
    mark(judgeRequest({ name, target, few, many })),
    name,
    few.toFixed(2),
    many.toFixed(2),
    first.toFixed(2),
    `≤ ${target}`,
    (many / few).toFixed(2),
  ]);
  const heads = ['', 'request', 'ms with few', 'ms with many', 'first', 'wanted', 'reached'];
  const mebibytes = (bytes: number) => Math.round(bytes / 2 ** 20);
  return [
    `1,000 documents and 1,000 vaults beside ${documents} and ${vaults}, one connection, medians; ${machine}`,
    table(heads, rows),
    `resident: ${mebibytes(memory.few)} MiB and ${mebibytes(memory.many)} MiB`,
  ].join('\n\n');
}

type Request = Pick<ScaleResults['figures'][number], 'name' | 'target' | 'few' | 'many'>;

function judgeRequest({ name, target, few, many }: Request): Judgement {
  return judgementOf({ name, bound: 'at most', limit: target, reached: many / few });
}

/** Of each target, the request that comes closest to it, and all that miss it. */
export function judgeScale({ figures }: ScaleResults): Judgement[] {
  const byTarget = Map.groupBy(figures, ({ target }) => target);
  return [...byTarget.values()].flatMap((requests) => {
    const sorted = requests.toSorted((a, b) => b.many / b.few - a.many / a.few);
    return sorted
      .map((request) => judgeRequest(request))
      .filter(({ met }, index) => index === 0 || !met)
      .map((judgement, index) => ({
        ...judgement,
        name: index === 0 ? `${judgement.name}, the slowest of ${requests.length}` : judgement.name,
      }));
  });
}
