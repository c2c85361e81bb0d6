import { setImmediate } from 'node:timers/promises';
import type { Queries } from '../driver.ts';
import type { PageRequest, Rows } from './listing.ts';

/** Rows read between two yields to the event loop. It takes a few milliseconds. */
const stretch = 1_000;

export interface Scan<Row> extends PageRequest {
  readonly table: string;
  readonly columns: string;
  /** A column with unique texts and an index. */
  readonly orderBy: string;
  readonly direction: 'asc' | 'desc';
  matches(row: Row): boolean;
}

/**
 * Returns one page of the rows that match, by reading all rows in list order. For lists of administrators, which
 * need no index for each filter. It yields to the event loop, so this must not run inside a transaction.
 */
export async function scanRows<Row>(queries: Queries, scan: Scan<Row>): Promise<Rows<Row>> {
  const { table, columns, orderBy, direction, matches, page, pageSize } = scan;
  const isBeyond = direction === 'asc' ? '>' : '<';
  const first = (page - 1) * pageSize;
  const rows: Row[] = [];
  let totalCount = 0;
  for (let last: string | undefined; ; await setImmediate()) {
    const read = await queries.all<Row & { readonly position: string }>(
      `SELECT ${columns}, ${orderBy} AS position FROM ${table}
       ${last === undefined ? '' : `WHERE ${orderBy} ${isBeyond} @last`}
       ORDER BY ${orderBy} ${direction} LIMIT ${stretch}`,
      last === undefined ? {} : { last },
    );
    for (const { position, ...row } of read) {
      last = position;
      if (!matches(row as Row)) continue;
      if (totalCount >= first && rows.length < pageSize) rows.push(row as Row);
      totalCount += 1;
    }
    if (read.length < stretch) return { rows, totalCount };
  }
}
