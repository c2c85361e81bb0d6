import { setImmediate } from 'node:timers/promises';
import type { Queries, SqlValue } from '../driver.ts';
import {
  type Anchor,
  allOf,
  anchorAfter,
  between,
  countRows,
  type Ordered,
  order,
} from './anchors.ts';

/** Rows of a step. A row that is hidden takes a third of a microsecond, so a step ends within a few milliseconds. */
const defaultStep = 5000;

interface FilteredRange {
  /** The conditions of the rows in the range, which no index covers. */
  readonly conditions: readonly string[];
  /** Rows of a step. Default: 5,000. */
  readonly step: number | undefined;
  readonly offset: number;
  readonly limit: number;
}

/**
 * Splits a list into parts of as many rows, in list order, with other requests in between. It must not run in a
 * transaction.
 */
export async function* inSteps(
  queries: Queries,
  list: Ordered,
  distance: number,
): AsyncGenerator<Ordered> {
  for (let start: Anchor | undefined; ; await setImmediate()) {
    const end = await anchorAfter(queries, { list, distance, anchor: start });
    yield { ...list, ...between(list, start, end) };
    if (end === undefined) return;
    start = end;
  }
}

/** Counts the rows that meet conditions, in steps. */
export async function countInSteps(
  queries: Queries,
  list: Ordered,
  { conditions, step }: { readonly conditions: readonly string[]; readonly step: number },
): Promise<number> {
  let total = 0;
  for await (const part of inSteps(queries, list, step)) {
    total += await countRows(queries, { ...part, where: [...part.where, ...conditions] });
  }
  return total;
}

/**
 * Returns the keys of a range of rows that meet conditions. It passes the rows in steps, because a hundred thousand
 * other rows can stand before the range.
 *
 * @param list all rows, also those that do not meet the conditions
 */
export async function keysInSteps(
  queries: Queries,
  list: Ordered,
  { conditions, step = defaultStep, offset, limit }: FilteredRange,
): Promise<SqlValue[]> {
  const keys: SqlValue[] = [];
  let left = offset;
  for await (const rows of inSteps(queries, list, step)) {
    const part = { ...rows, where: [...rows.where, ...conditions] };
    const skipped = left === 0 ? 0 : Math.min(left, await countRows(queries, part));
    left -= skipped;
    if (left > 0) continue;
    const range = { offset: skipped, limit: limit - keys.length };
    keys.push(...(await keysIn(queries, part, range)));
    if (keys.length === limit) break;
  }
  return keys;
}

async function keysIn(
  queries: Queries,
  part: Ordered,
  range: { readonly offset: number; readonly limit: number },
): Promise<SqlValue[]> {
  const { table, key = 'id', where, parameters } = part;
  const rows = await queries.all<{ key: SqlValue }>(
    `SELECT ${key} AS "key" FROM ${table} ${allOf(where)} ${order(part)}
     LIMIT @limit OFFSET @offset`,
    { ...parameters, ...range },
  );
  return rows.map((row) => row.key);
}
