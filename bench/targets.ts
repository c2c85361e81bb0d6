/** What this server has to reach: ratios, since only they hold from machine to machine. */
import type { PeerFigures, Results, StartFigures } from './results.ts';
import type { ScenarioName } from './scenarios.ts';
import { table } from './table.ts';

export interface Target {
  readonly name: string;
  readonly bound: 'at least' | 'at most';
  readonly limit: number;
  /** Undefined when the run has not measured what it takes. */
  reached(results: Results): number | undefined;
  /** The same from processor time alone, which other work on the machine disturbs less. */
  byProcessor?(results: Results): number | undefined;
}

export interface Judgement {
  readonly name: string;
  readonly target: string;
  /** undefined: the run was too short to measure it. */
  readonly reached: number | undefined;
  readonly byProcessor?: number | undefined;
  readonly met: boolean;
}

const own = 'vault';

function figures(
  { scenarios }: Results,
  scenario: ScenarioName,
  peer: string,
): PeerFigures | undefined {
  const found = scenarios[scenario]?.[peer];
  return found && 'responses' in found ? found : undefined;
}

export function ratio(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b;
}

function rateTarget(
  scenario: ScenarioName,
  limit: number,
  [peer, title]: readonly [name: string, title: string],
): Target {
  return {
    name: `${scenario}: requests/s × those of ${title}`,
    bound: 'at least',
    limit,
    reached: (results) =>
      ratio(
        figures(results, scenario, own)?.requestsPerSecond,
        figures(results, scenario, peer)?.requestsPerSecond,
      ),
    byProcessor: (results) =>
      ratio(
        figures(results, scenario, peer)?.processorMicroseconds,
        figures(results, scenario, own)?.processorMicroseconds,
      ),
  };
}

function startTarget(folder: keyof StartFigures): Target {
  return {
    name: `start on an ${folder} folder: time × that of bare Koa`,
    bound: 'at most',
    limit: 3,
    reached({ start }) {
      const [a, b] = [start?.[own]?.[folder], start?.koa?.[folder]];
      return typeof a === 'number' && typeof b === 'number' ? a / b : undefined;
    },
  };
}

const koa = ['koa', 'bare Koa at NORMAL'] as const;
const fastify = ['fastify', 'Fastify at FULL'] as const;

export const targets: readonly Target[] = [
  rateTarget('get', 0.6, koa),
  rateTarget('list', 1.1, koa),
  rateTarget('create', 1, koa),
  rateTarget('create', 3, fastify),
  rateTarget('upload', 0.6, koa),
  startTarget('existing'),
  startTarget('empty'),
  {
    name: 'get while 20 log in: p99 × its own without',
    bound: 'at most',
    limit: 3,
    reached: ({ logins }) => logins && logins.during.p99 / logins.alone.p99,
  },
];

/** Holds a run against the targets that it has measured. */
export function judge(results: Results): Judgement[] {
  return targets.flatMap(({ name, bound, limit, reached, byProcessor }) => {
    const value = reached(results);
    if (value === undefined) return [];
    const met = bound === 'at least' ? value >= limit : value <= limit;
    const target = `${bound === 'at least' ? '≥' : '≤'} ${limit}`;
    return [{ name, target, reached: value, byProcessor: byProcessor?.(results), met }];
  });
}

function mark({ reached, met }: Pick<Judgement, 'reached' | 'met'>): string {
  if (reached === undefined) return '– not measured';
  return met ? '✓ met' : '✗ not met';
}

export function judgementTable(judgements: readonly Judgement[]): string {
  const rows = judgements.map(({ name, target, reached, byProcessor = Number.NaN, met }) => [
    mark({ reached, met }),
    name,
    target,
    reached?.toFixed(2) ?? '–',
    Number.isNaN(byProcessor) ? '' : byProcessor.toFixed(2),
  ]);
  const known = judgements.some(({ byProcessor }) => byProcessor !== undefined);
  return table(['', 'target', 'wanted', 'reached', ...(known ? ['by CPU'] : [])], rows);
}
