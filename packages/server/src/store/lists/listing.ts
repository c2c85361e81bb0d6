import type { Queries, SqlValue } from '../driver.ts';
import { allOf, type Ordered, opposite, order, type Places } from './anchors.ts';

export interface PageRequest {
  /** Starts at 1. */
  readonly page: number;
  readonly pageSize: number;
}

/** A page in a chosen order. */
export interface SortedPageRequest<Column extends string> extends PageRequest {
  readonly sortBy: Column;
  readonly sortOrder: 'asc' | 'desc';
}

export interface Listing extends Ordered, PageRequest {
  readonly columns: string;
  /**
   * Conditions that the order's index does not begin with, on a table whose rows have a `number`. Where
   * they leave few rows, those are sorted; where they leave many, the next ones are not far in the order.
   */
  readonly besides?: readonly string[];
  /** How many rows there are; default: they are counted. */
  readonly totalCount?: number;
  /** Where the rows of a long list stand. */
  readonly places?: Places;
}

export interface Rows<Row> {
  readonly rows: Row[];
  readonly totalCount: number;
}

/**
 * One page of a table. The page is found by key alone, so that an index on filter, order and key
 * answers it without touching the rows before it; the rows are then fetched by key.
 */
export async function listRows<Row>(queries: Queries, listing: Listing): Promise<Rows<Row>> {
  const { page, pageSize, totalCount = await countRows(queries, listing) } = listing;
  const offset = (page - 1) * pageSize;
  // Numbers above the largest integer of a database come no further than this.
  if (offset >= totalCount) return { rows: [], totalCount };
  const limit = Math.min(pageSize, totalCount - offset);
  const behind = totalCount - offset - limit;
  if (behind >= offset) {
    return { rows: await slice<Row>(queries, listing, { offset, limit }), totalCount };
  }
  // Nearer to the end, the page is found from there.
  const reversed = { ...listing, direction: opposite(listing.direction) };
  const rows = await slice<Row>(queries, reversed, { offset: behind, limit });
  return { rows: rows.reverse(), totalCount };
}

/** As many rows as are sorted rather than looked for in order. */
const fewRows = 500;

interface Range {
  readonly offset: number;
  readonly limit: number;
}

async function slice<Row>(queries: Queries, listing: Listing, range: Range): Promise<Row[]> {
  const { table, columns, key = 'id' } = listing;
  const keys = await keysOf(queries, listing, range);
  return queries.all<Row>(
    `SELECT ${columns} FROM ${table} t WHERE t.${key} IN (${keys.sql}) ${order(listing, 't.')}`,
    keys.parameters,
  );
}

/** The query for the keys of some rows. */
async function keysOf(queries: Queries, listing: Listing, { offset, limit }: Range) {
  const { table, orderBy, key = 'id', besides = [], totalCount, places } = listing;
  const bounds = 'LIMIT CAST(@limit AS INTEGER) OFFSET CAST(@offset AS INTEGER)';
  if (besides.length > 0 && totalCount !== undefined && totalCount <= fewRows) {
    return {
      sql: `SELECT ${key} FROM (
          SELECT ${key}, ${orderBy} FROM ${table} WHERE number IN (
            SELECT number FROM ${table} ${allOf([...listing.where, ...besides])} LIMIT ${fewRows}
          )
        ) few ${order(listing)} ${bounds}`,
      parameters: { ...listing.parameters, limit, offset },
    };
  }
  const list = { ...listing, where: [...listing.where, ...besides.map(onTheWay)] };
  const { where, parameters, passed } = places
    ? await places.near(queries, list, offset)
    : { ...list, passed: 0 };
  return {
    sql: `SELECT ${key} FROM ${table} ${allOf(where)} ${order(listing)} ${bounds}`,
    parameters: { ...parameters, limit, offset: offset - passed },
  };
}

/** The same condition, worded so that no index is chosen for its sake. */
function onTheWay(condition: string): string {
  return `(${condition}) IS TRUE`;
}

async function countRows(queries: Queries, listing: Listing): Promise<number> {
  const { table, where, besides = [], parameters } = listing;
  const counted = await queries.get<{ total: number }>(
    `SELECT COUNT(*) AS total FROM ${table} ${allOf([...where, ...besides])}`,
    parameters,
  );
  return counted?.total ?? 0;
}

export interface Conditions {
  readonly where: string[];
  readonly parameters: Record<string, SqlValue>;
}

/**
 * The conditions that these columns have these values; undefined asks for nothing.
 *
 * `IN` with one value, and the casts of a page's limits, because SQLite plans a statement anew at
 * every run when `=` beside ORDER BY or a join, or LIMIT, is given a bound value: ten times the cost
 * of running it.
 */
export function matching(values: Readonly<Record<string, SqlValue | undefined>>): Conditions {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return {
    where: given.map(([column]) => `${column} IN (@${column})`),
    parameters: Object.fromEntries(given) as Record<string, SqlValue>,
  };
}
