import type { DatabaseFigures } from './results.ts';
import { table } from './table.ts';

export function databaseTable(figures: readonly DatabaseFigures[]): string {
  const head = ['', 'database', 'per second', 'p50 ms', 'p99 ms', 'CPU µs'];
  const rows = figures.map(({ title, database, perSecond, ...request }) => [
    title,
    database,
    Math.round(perSecond),
    request.p50?.toFixed(1) ?? '',
    request.p99?.toFixed(1) ?? '',
    request.processorMicroseconds?.toFixed() ?? '',
  ]);
  return table(head, rows);
}
