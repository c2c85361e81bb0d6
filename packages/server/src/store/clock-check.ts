import type { Queries } from './driver.ts';

/** Milliseconds. Receivers refuse deliveries whose `webhook-timestamp` is further from their own clock. */
const tolerance = 5 * 60 * 1000;

/**
 * Compares the clock of this machine with the one of the database server.
 *
 * @param now the clock of this machine, in epoch milliseconds
 * @returns a sentence when they differ by more than 5 minutes; undefined otherwise, and without a database server
 */
export async function clockProblem(
  queries: Queries,
  now: () => number = Date.now,
): Promise<string | undefined> {
  const { clock } = queries.dialect;
  if (clock === undefined) return undefined;
  const row = await queries.get<{ time: number }>(`SELECT ${clock} AS time`);
  const ahead = now() - Number(row?.time);
  if (Math.abs(ahead) <= tolerance) return undefined;
  const seconds = Math.round(Math.abs(ahead) / 1000);
  const direction = ahead > 0 ? 'ahead of' : 'behind';
  return `the clock of this machine is ${seconds} s ${direction} the clock of the database server: set both by NTP`;
}
