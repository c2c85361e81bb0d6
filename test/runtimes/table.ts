import type { Result } from './suite/suite.ts';

/** The results of a row. */
export interface RowResult {
  /** The runtime with its version. */
  readonly name: string;
  readonly how: string;
  readonly results: readonly Result[];
  /** Why there are no results: the runtime is missing or has failed. */
  readonly problem?: string;
  readonly ms: number;
}

const columns = ['runtime', 'client by', 'passed', 'failed', 'skipped', 'ms'];

/** Formats rows as a table, then lists skipped cases with reasons and failures with stacks. */
export function report(rows: readonly RowResult[]): string {
  const lines = rows.map(({ name, how, results, problem, ms }) => {
    const count = (outcome: Result['outcome']) =>
      String(results.filter((result) => result.outcome === outcome).length);
    if (problem !== undefined) return [name, how, '-', problem.split('\n')[0] ?? '', '', ''];
    return [name, how, count('passed'), count('failed'), count('skipped'), String(Math.round(ms))];
  });
  const table = align([columns, ...lines]);
  return [table, skipped(rows), ...failures(rows)].filter(Boolean).join('\n\n');
}

/** Whether there are rows, and every row has results without a failure. */
export function isGreen(rows: readonly RowResult[]): boolean {
  const isClean = ({ problem, results }: RowResult) =>
    problem === undefined &&
    results.length > 0 &&
    results.every(({ outcome }) => outcome !== 'failed');
  return rows.length > 0 && rows.every(isClean);
}

function align(lines: readonly (readonly string[])[]): string {
  const widths = columns.map((_, n) => Math.max(...lines.map((line) => line[n]?.length ?? 0)));
  const pad = (cell: string, n: number) =>
    n < 2 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0);
  return lines.map((line) => line.map(pad).join('  ').trimEnd()).join('\n');
}

function skipped(rows: readonly RowResult[]): string {
  const runtimes = new Map<string, Set<string>>();
  for (const { name, results } of rows) {
    for (const { outcome, name: testCase, reason } of results) {
      if (outcome !== 'skipped') continue;
      const line = `skipped: ${testCase} (${reason})`;
      runtimes.set(line, (runtimes.get(line) ?? new Set()).add(name));
    }
  }
  return [...runtimes].map(([line, names]) => `${line}: ${[...names].join(', ')}`).join('\n');
}

function failures(rows: readonly RowResult[]): string[] {
  return rows.flatMap(({ name, how, results, problem }) => [
    ...(problem === undefined ? [] : [`${name} (${how}): ${problem}`]),
    ...results
      .filter(({ outcome }) => outcome === 'failed')
      .map((result) => `${name} (${how}): ${result.name}\n${result.reason}`),
  ]);
}
