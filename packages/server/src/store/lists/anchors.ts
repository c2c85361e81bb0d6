import type { Queries, SqlParameters, SqlValue } from '../driver.ts';

export interface Conditions {
  /** Joined by AND. Empty: all rows. */
  readonly where: readonly string[];
  readonly parameters: SqlParameters;
}

/** Rows of a table. */
export interface Selection extends Conditions {
  readonly table: string;
}

/** Rows of a table in a given order. */
export interface Ordered extends Selection {
  /** The sort column; it can be `key`, which otherwise breaks ties in the same direction. */
  readonly orderBy: string;
  readonly direction: 'asc' | 'desc';
  /** The column that identifies a row; default `id`. */
  readonly key?: string;
}

/** Returns the WHERE clause. */
export function allOf(conditions: readonly string[]): string {
  return conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
}

/** Returns the ORDER BY clause. */
export function order({ orderBy, direction, key = 'id' }: Ordered, alias = ''): string {
  const columns = orderBy === key ? [key] : [orderBy, key];
  return `ORDER BY ${columns.map((column) => `${alias}${column} ${direction}`).join(', ')}`;
}

/** Counts rows. */
export async function countRows(
  queries: Queries,
  { table, where, parameters }: Selection,
): Promise<number> {
  const counted = await queries.get<{ total: number }>(
    `SELECT COUNT(*) AS total FROM ${table} ${allOf(where)}`,
    parameters,
  );
  return counted?.total ?? 0;
}

/** Rows between two anchors. An index skips them in a fraction of a millisecond. */
const stride = 1000;

/** Rows between two fine anchors. To skip them takes less time than to read the rows of a page. */
const fineStride = 100;

/** Maximum number of fine anchors of a list. */
export const fineLimit = 200;

/** Maximum number of lists with cached anchors. */
const listLimit = 256;

/** A position in a list: sort value and key of the row before it. */
export interface Anchor {
  readonly value: SqlValue;
  readonly key: SqlValue;
}

/** The part of a list after an anchor. */
export interface ListTail extends Conditions {
  /** Number of rows before it. */
  readonly passed: number;
}

/** The anchors of one list, valid while the list stays unchanged. */
export interface ListAnchors {
  /** Returns the tail after the last anchor before `offset`. */
  near(queries: Queries, list: Ordered, offset: number): Promise<ListTail>;
}

interface CachedAnchors {
  readonly revision: number;
  /** Every 1,000th row. */
  readonly anchors: Anchor[];
  /** Some of every 100th row, by position. */
  readonly fine: Map<number, Anchor>;
}

/**
 * Caches every 1,000th row of long lists as an anchor, and every 100th row where pages were read. A deep page
 * starts at the nearest anchor. After a change of the list, the rows before the page are skipped once to find
 * the anchors again.
 */
export class AnchorCache {
  readonly #lists = new Map<string, CachedAnchors>();

  /** @param revision differs whenever the list may have changed */
  of(revision: number): ListAnchors {
    return { near: (queries, list, offset) => this.#near(queries, { list, revision, offset }) };
  }

  clear(): void {
    this.#lists.clear();
  }

  async #near(
    queries: Queries,
    { list, revision, offset }: { list: Ordered; revision: number; offset: number },
  ): Promise<ListTail> {
    const { where, parameters } = list;
    const passed = offset - (offset % fineStride);
    if (passed === 0) return { where, parameters, passed };
    const cached = this.#remembered(list, revision);
    const known = cached.fine.get(passed);
    if (known) return { ...from(list, known), passed };
    const coarse = await coarseAnchor(queries, { list, anchors: cached.anchors, offset });
    const distance = passed - coarse.passed;
    if (distance === 0) return { ...from(list, coarse.anchor), passed };
    const fine = await anchorAfter(queries, { list, distance, anchor: coarse.anchor });
    if (fine === undefined) return { ...from(list, coarse.anchor), passed: coarse.passed };
    keep(cached.fine, passed, fine);
    return { ...from(list, fine), passed };
  }

  #remembered(list: Ordered, revision: number): CachedAnchors {
    const { table, where, parameters } = list;
    const name = JSON.stringify([table, where, parameters, order(list)]);
    const known = this.#lists.get(name);
    // Moves the list to the end: the least recently used is first.
    this.#lists.delete(name);
    const isCurrent = known?.revision === revision;
    const remembered = isCurrent ? known : { revision, anchors: [], fine: new Map() };
    this.#lists.set(name, remembered);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > listLimit && oldest !== undefined) this.#lists.delete(oldest);
    return remembered;
  }
}

/** Returns the last of every 1,000th row before `offset`, and caches those before it. */
async function coarseAnchor(
  queries: Queries,
  { list, anchors, offset }: { list: Ordered; anchors: Anchor[]; offset: number },
): Promise<{ readonly anchor: Anchor | undefined; readonly passed: number }> {
  const wanted = Math.floor(offset / stride);
  while (anchors.length < wanted) {
    const known = anchors.length;
    const next = await anchorAfter(queries, { list, distance: stride, anchor: anchors.at(-1) });
    if (next === undefined) break;
    // A concurrent request may have added the same anchor.
    if (anchors.length === known) anchors.push(next);
  }
  const found = Math.min(wanted, anchors.length);
  return { anchor: anchors[found - 1], passed: found * stride };
}

/** Adds a fine anchor. Beyond the limit, the oldest one leaves. */
function keep(fine: Map<number, Anchor>, passed: number, anchor: Anchor): void {
  fine.set(passed, anchor);
  const [oldest] = fine.keys();
  if (fine.size > fineLimit && oldest !== undefined) fine.delete(oldest);
}

/** Restricts a list to the rows after an anchor. */
export function from(list: Ordered, anchor: Anchor | undefined): Conditions {
  if (anchor === undefined) return list;
  const { where, parameters, orderBy, key = 'id', direction } = list;
  const comparison = direction === 'asc' ? '>' : '<';
  return {
    where: [...where, `(${orderBy}, ${key}) ${comparison} (@fromValue, @fromKey)`],
    parameters: { ...parameters, fromValue: anchor.value, fromKey: anchor.key },
  };
}

/** Restricts a list to the rows after an anchor, up to another one. */
export function between(
  list: Ordered,
  start: Anchor | undefined,
  end: Anchor | undefined,
): Conditions {
  const { where, parameters } = from(list, start);
  if (end === undefined) return { where, parameters };
  const { orderBy, key = 'id', direction } = list;
  const comparison = direction === 'asc' ? '<=' : '>=';
  return {
    where: [...where, `(${orderBy}, ${key}) ${comparison} (@endValue, @endKey)`],
    parameters: { ...parameters, endValue: end.value, endKey: end.key },
  };
}

/** Returns the anchor `distance` rows after another one or the start; undefined past the end. */
export async function anchorAfter(
  queries: Queries,
  { list, distance, anchor }: { list: Ordered; distance: number; anchor: Anchor | undefined },
): Promise<Anchor | undefined> {
  const { where, parameters } = from(list, anchor);
  const { table, orderBy, key = 'id' } = list;
  return queries.get<Anchor>(
    `SELECT ${orderBy} AS value, ${key} AS "key" FROM ${table} ${allOf(where)} ${order(list)}
     LIMIT 1 OFFSET @offset`,
    { ...parameters, offset: distance - 1 },
  );
}
