import { setImmediate } from 'node:timers/promises';
import type { Queries, SqlValue } from '../driver.ts';
import {
  type Anchor,
  allOf,
  anchorAfter,
  between,
  type ListTail,
  type Ordered,
  order,
} from './anchors.ts';

/** Rows of a step. A hidden row takes a third of a microsecond, so a step ends within a few milliseconds. */
const stepRows = 5000;

interface ShownRange {
  /** The conditions of the shown rows, which no index covers. */
  readonly shown: readonly string[];
  readonly offset: number;
  readonly limit: number;
}

/**
 * Returns the keys of a range of shown rows. It passes the rows in steps, with other requests in between, because
 * a hundred thousand hidden rows can stand before the range. It must not run in a transaction.
 *
 * @param list all rows, also hidden ones
 */
export async function shownKeys(
  queries: Queries,
  list: Ordered,
  { shown, offset, limit }: ShownRange,
): Promise<SqlValue[]> {
  const keys: SqlValue[] = [];
  let left = offset;
  let anchor: Anchor | undefined;
  for (;;) {
    const end = await anchorAfter(queries, { list, distance: stepRows, anchor });
    const { where, parameters } = between(list, anchor, end);
    const step = { ...list, where: [...where, ...shown], parameters };
    const skipped = left === 0 ? 0 : Math.min(left, await count(queries, step));
    left -= skipped;
    if (left === 0) {
      const range = { offset: skipped, limit: limit - keys.length };
      keys.push(...(await keysIn(queries, step, range)));
    }
    if (keys.length === limit || end === undefined) return keys;
    anchor = end;
    await setImmediate();
  }
}

type Step = Ordered & Omit<ListTail, 'passed'>;

async function count(queries: Queries, { table, where, parameters }: Step): Promise<number> {
  const counted = await queries.get<{ shown: number }>(
    `SELECT COUNT(*) AS shown FROM ${table} ${allOf(where)}`,
    parameters,
  );
  return counted?.shown ?? 0;
}

async function keysIn(
  queries: Queries,
  step: Step,
  range: { readonly offset: number; readonly limit: number },
): Promise<SqlValue[]> {
  const { table, key = 'id', where, parameters } = step;
  const rows = await queries.all<{ key: SqlValue }>(
    `SELECT ${key} AS "key" FROM ${table} ${allOf(where)} ${order(step)}
     LIMIT @limit OFFSET @offset`,
    { ...parameters, ...range },
  );
  return rows.map((row) => row.key);
}
