/**
 * Floors: the least that this server has to reach. They are ratios, since only ratios hold from machine to machine.
 * Add no code to exceed one.
 */
import type { Judgement, PeerFigures, Results, StartFigures, StartTime } from './results.ts';
import type { ScenarioName } from './scenarios.ts';
import { table } from './table.ts';

export interface Target {
  readonly name: string;
  readonly bound: Bound;
  readonly limit: number;
  /** By the clock. Undefined when the run has not measured what it takes. */
  reached(results: Results): number | undefined;
  /** By processor time, which other work on the machine disturbs less. Where it is known, it is judged. */
  byProcessor?(results: Results): number | undefined;
}

type Bound = 'at least' | 'at most';

export interface Measured extends Pick<Judgement, 'name' | 'reached' | 'byProcessor'> {
  readonly bound: Bound;
  readonly limit: number;
}

/** Judges by processor time where it is known, and by the clock elsewhere. */
export function judgementOf({ name, bound, limit, ...measured }: Measured): Judgement {
  const [reached, byProcessor] = [known(measured.reached), known(measured.byProcessor)];
  const judged = byProcessor ?? reached;
  const met = judged !== undefined && (bound === 'at least' ? judged >= limit : judged <= limit);
  const target = `${bound === 'at least' ? '≥' : '≤'} ${limit}`;
  return { name, target, reached, byProcessor, met };
}

/** NaN and Infinity come from figures that a system does not have, or from runs without a response. */
function known(value: number | undefined): number | undefined {
  return Number.isFinite(value) ? value : undefined;
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
  return a === undefined || b === undefined ? undefined : known(a / b);
}

function rateTarget(scenario: ScenarioName, limit: number): Target {
  return {
    name: `${scenario}: requests/s × those of bare Koa at NORMAL`,
    bound: 'at least',
    limit,
    reached: (results) =>
      ratio(
        figures(results, scenario, own)?.requestsPerSecond,
        figures(results, scenario, 'koa')?.requestsPerSecond,
      ),
    byProcessor: (results) =>
      ratio(
        figures(results, scenario, 'koa')?.processorMicroseconds,
        figures(results, scenario, own)?.processorMicroseconds,
      ),
  };
}

function startTarget(folder: keyof StartFigures): Target {
  const own = (results: Results) => startOf(results, 'vault', folder);
  const koa = (results: Results) => startOf(results, 'koa', folder);
  return {
    name: `start on an ${folder} folder: time × that of bare Koa`,
    bound: 'at most',
    limit: 3,
    reached: (results) => ratio(own(results)?.milliseconds, koa(results)?.milliseconds),
    byProcessor: (results) =>
      ratio(own(results)?.processorMilliseconds, koa(results)?.processorMilliseconds),
  };
}

function startOf(
  { start }: Results,
  peer: string,
  folder: keyof StartFigures,
): StartTime | undefined {
  const time = start?.[peer]?.[folder];
  return time && 'milliseconds' in time ? time : undefined;
}

export const targets: readonly Target[] = [
  rateTarget('get', 0.5),
  rateTarget('list', 1),
  rateTarget('create', 0.6),
  rateTarget('upload', 0.5),
  startTarget('existing'),
  startTarget('empty'),
  {
    name: 'get while 20 log in: p99 × its own without',
    bound: 'at most',
    limit: 3,
    reached: ({ logins }) => ratio(logins?.during.p99, logins?.alone.p99),
  },
  {
    name: 'a page of vaults by GraphQL: requests/s × those of REST',
    bound: 'at least',
    limit: 0.45,
    reached: ({ graphql }) =>
      ratio(graphql?.graphql.requestsPerSecond, graphql?.rest.requestsPerSecond),
    byProcessor: ({ graphql }) =>
      ratio(graphql?.rest.processorMicroseconds, graphql?.graphql.processorMicroseconds),
  },
];

/** Holds a run against the targets that it has measured. */
export function judge(results: Results): Judgement[] {
  return targets.flatMap(({ reached, byProcessor, ...target }) => {
    const byClock = reached(results);
    if (byClock === undefined) return [];
    return [judgementOf({ ...target, reached: byClock, byProcessor: byProcessor?.(results) })];
  });
}

/** Makes the process fail when a target that was measured is not met. */
export function failWhenMissed(judgements: readonly Judgement[]): void {
  if (judgements.some(({ reached, met }) => reached !== undefined && !met)) process.exitCode = 1;
}

export function mark({ reached, met }: Pick<Judgement, 'reached' | 'met'>): string {
  if (reached === undefined) return '– not measured';
  return met ? '✓ met' : '✗ not met';
}

/** `reached` is what is judged; `by clock` stands beside it where processor time is judged. */
export function judgementTable(judgements: readonly Judgement[]): string {
  const rows = judgements.map(({ name, target, reached, byProcessor, met }) => [
    mark({ reached, met }),
    name,
    target,
    (byProcessor ?? reached)?.toFixed(2) ?? '–',
    byProcessor === undefined ? '' : (reached?.toFixed(2) ?? '–'),
  ]);
  const byProcessor = judgements.some((judgement) => judgement.byProcessor !== undefined);
  return table(['', 'target', 'wanted', 'reached', ...(byProcessor ? ['by clock'] : [])], rows);
}
