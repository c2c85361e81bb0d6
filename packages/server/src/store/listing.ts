import type { Queries, SqlParameters, SqlValue } from './driver.ts';

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

export interface Listing extends PageRequest {
  readonly table: string;
  readonly columns: string;
  /** Conditions that all hold; none means every row. */
  readonly where: readonly string[];
  readonly parameters: SqlParameters;
  /** A column, and its direction; ties are broken by `id` in the same direction. */
  readonly orderBy: string;
  readonly direction: 'asc' | 'desc';
  /** The column that identifies a row; default `id`. */
  readonly key?: string;
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
  const { table, columns, parameters, orderBy, direction, page, pageSize, key = 'id' } = listing;
  const where = listing.where.length > 0 ? `WHERE ${listing.where.join(' AND ')}` : '';
  const order = (alias: string) =>
    `ORDER BY ${alias}${orderBy} ${direction}, ${alias}${key} ${direction}`;

  const rows = await queries.all<Row>(
    `SELECT ${columns} FROM ${table} t WHERE t.${key} IN (
       SELECT ${key} FROM ${table} ${where} ${order('')} LIMIT CAST(@limit AS INTEGER) OFFSET CAST(@offset AS INTEGER)
     ) ${order('t.')}`,
    // Numbers above this one are no integers to a database; no table has as many rows.
    {
      ...parameters,
      limit: pageSize,
      offset: Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER),
    },
  );
  const counted = await queries.get<{ total: number }>(
    `SELECT COUNT(*) AS total FROM ${table} ${where}`,
    parameters,
  );
  return { rows, totalCount: counted?.total ?? 0 };
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

/** The text that search and sorting by name compare. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** A LIKE pattern (ESCAPE '\') that finds `text` anywhere in a folded column. */
export function containing(text: string): string {
  return `%${fold(text).replace(/[\\%_]/g, '\\$&')}%`;
}
