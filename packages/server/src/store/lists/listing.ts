import type { Queries, SqlValue } from '../driver.ts';
import {
  allOf,
  type Conditions,
  countRows,
  type ListAnchors,
  type Ordered,
  order,
} from './anchors.ts';
import { countInSteps, keysInSteps } from './steps.ts';

export interface PageRequest {
  /** Starts at 1. */
  readonly page: number;
  readonly pageSize: number;
}

/** A page with its order. `Columns` has the sort columns by the names that requests use. */
export interface SortedPageRequest<Columns> extends PageRequest {
  readonly sortBy: keyof Columns;
  readonly sortOrder: 'asc' | 'desc';
}

/** A page of the rows of an account. */
export interface OwnedPageRequest<Columns> extends SortedPageRequest<Columns> {
  /** Null: the rows of all accounts. */
  readonly userId: string | null;
}

/** Returns the order and the page of a list. */
export function orderAndPage<Columns extends Readonly<Record<string, string>>>(
  { sortBy, sortOrder, page, pageSize }: SortedPageRequest<Columns>,
  columns: Columns,
) {
  return { orderBy: columns[sortBy], direction: sortOrder, page, pageSize };
}

/** The order of creation. */
export const byNumber = { orderBy: 'number', key: 'number' } as const;

export interface Listing extends Ordered, PageRequest {
  readonly columns: string;
  /**
   * Residual filter: conditions that the index of the order does not start with. The table needs a
   * column `number`. Few remaining rows are sorted; many are met soon in list order.
   */
  readonly residual?: readonly string[];
  /** Conditions by which an index finds few remaining rows. Default: `where` and `residual`. */
  readonly found?: readonly string[];
  /** Whether the order has no index, so that all rows are sorted. Callers limit their number. */
  readonly isUnindexed?: boolean;
  /** One of `where`, which hides rows that wait to be erased. Many of them can stand together. */
  readonly shown?: string | undefined;
  /** Rows that one statement passes and compares with the residual filter. Default: all. */
  readonly step?: number;
  /** Number of rows. Default: they are counted. */
  readonly totalCount?: number;
  /** Anchors of a long list. */
  readonly anchors?: ListAnchors;
}

export interface Rows<Row> {
  readonly rows: Row[];
  readonly totalCount: number;
}

/** Maps every row of a page. */
export function mapRows<Row, Item>(list: Rows<Row>, form: (row: Row) => Item): Rows<Item> {
  return { ...list, rows: list.rows.map(form) };
}

/**
 * Returns one page of a table. The keys of the page are found first, from an index on filter, order and
 * key, without reading the rows before the page. The rows are then read by key.
 */
export function listRows<Row>(queries: Queries, listing: Listing): Promise<Rows<Row>> {
  return inSnapshot(queries, listing, (snapshot) => listIn<Row>(snapshot, listing));
}

/**
 * Runs the reads of a page. A page in the second half is found from the end, by the number of rows: with a row added
 * in between, it would show other rows. The first page is found from the start, and needs no snapshot, unless it
 * searches: other pages wait for its scan and keep their connections, so that the scan needs a connection of its own.
 */
export function inSnapshot<T>(
  queries: Queries,
  { page, search }: Pick<PageRequest, 'page'> & { readonly search?: string | undefined },
  read: (queries: Queries) => Promise<T>,
): Promise<T> {
  return page === 1 && !search ? read(queries) : queries.snapshot(read);
}

async function listIn<Row>(queries: Queries, listing: Listing): Promise<Rows<Row>> {
  const { page, pageSize } = listing;
  const totalCount = listing.totalCount ?? (await count(queries, listing));
  const offset = (page - 1) * pageSize;
  // This also stops offsets above the largest integer of a database.
  if (offset >= totalCount) return { rows: [], totalCount };
  const limit = Math.min(pageSize, totalCount - offset);
  const behind = totalCount - offset - limit;
  if (behind >= offset) {
    return { rows: await slice<Row>(queries, listing, { offset, limit }), totalCount };
  }
  // A page in the second half is found from the end.
  const direction = listing.direction === 'asc' ? 'desc' : 'asc';
  const rows = await slice<Row>(queries, { ...listing, direction }, { offset: behind, limit });
  return { rows: rows.reverse(), totalCount };
}

function count(queries: Queries, listing: Listing): Promise<number> {
  const { where, residual = [], step } = listing;
  if (step === undefined) {
    return countRows(queries, { ...listing, where: [...where, ...residual] });
  }
  return countInSteps(queries, listing, { conditions: residual.map(onTheWay), step });
}

/** Up to this number, rows are sorted instead of found in list order. */
const maxSortedRows = 500;

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

/** Returns the query for the keys of a range. */
async function keysOf(queries: Queries, listing: Listing, { offset, limit }: Range) {
  const { table, orderBy, key = 'id', residual = [], totalCount, anchors, isUnindexed } = listing;
  const bounds = 'LIMIT @limit OFFSET @offset';
  if (residual.length > 0 && totalCount !== undefined && totalCount <= maxSortedRows) {
    return {
      sql: `SELECT ${key} FROM (
          SELECT ${[...new Set([key, orderBy])]} FROM ${table} WHERE number IN (
            SELECT number FROM ${table} ${allOf(listing.found ?? [...listing.where, ...residual])}
            LIMIT ${maxSortedRows}
          )
        ) page ${order(listing)} ${bounds}`,
      parameters: { ...listing.parameters, limit, offset },
    };
  }
  const residuals = residual.map(onTheWay);
  const { shown, step } = listing;
  if ((shown !== undefined || step !== undefined) && !isUnindexed) {
    const list = { ...listing, where: listing.where.filter((condition) => condition !== shown) };
    const conditions = [...(shown === undefined ? [] : [shown]), ...residuals];
    const keys = await keysInSteps(queries, list, { conditions, step, offset, limit });
    const type = key === 'number' ? 'integer' : 'text';
    return {
      sql: queries.dialect.elements('keys', type),
      parameters: { keys: JSON.stringify(keys) },
    };
  }
  const list = { ...listing, where: [...listing.where, ...residuals] };
  const { where, parameters, passed } =
    anchors && !isUnindexed ? await anchors.near(queries, list, offset) : { ...list, passed: 0 };
  return {
    sql: `${isUnindexed ? '/* all rows */ ' : ''}SELECT ${key} FROM ${table} ${allOf(where)} ${order(listing)} ${bounds}`,
    parameters: { ...parameters, limit, offset: offset - passed },
  };
}

/** Wraps a condition so that the planner chooses no index for it. */
export function onTheWay(condition: string): string {
  return `(${condition}) IS TRUE`;
}

/** Returns conditions that columns have values. Undefined and null are skipped. */
export function matching(values: Readonly<Record<string, SqlValue | undefined>>): Conditions {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  return {
    where: given.map(([column]) => `${column} = @${column}`),
    parameters: Object.fromEntries(given) as Record<string, SqlValue>,
  };
}
