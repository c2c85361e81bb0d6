import type { Queries, SqlValue } from '../driver.ts';
import { allOf, order } from './anchors.ts';
import { type Listing, mapRows, onTheWay, type Rows } from './listing.ts';

/** The lists of several parents, all with the same page and order. */
export interface ListingOfEach extends Omit<Listing, 'totalCount' | 'anchors'> {
  /** The column with the parent's id. The index of the order starts with it. */
  readonly parentColumn: string;
  readonly parents: readonly string[];
  /** Number of rows per parent. Default: they are counted. */
  readonly totals?: ReadonlyMap<string, number>;
}

/**
 * Returns one page per parent, with at most two statements in total. Each page is found by the index of
 * its parent, so it costs the same as a single list.
 *
 * @returns an entry for every parent
 */
export async function listRowsOfEach<Row>(
  queries: Queries,
  listing: ListingOfEach,
): Promise<Map<string, Rows<Row>>> {
  const { parents, page, pageSize } = listing;
  const totals = listing.totals ?? (await countRowsOfEach(queries, listing));
  const totalOf = (parent: string) => totals.get(parent) ?? 0;
  const lists = new Map(
    parents.map((parent) => [parent, { rows: [] as Row[], totalCount: totalOf(parent) }]),
  );
  const offset = (page - 1) * pageSize;
  const reached = parents.filter((parent) => totalOf(parent) > offset);
  for (const { parentId, ...row } of await pages(queries, listing, reached)) {
    lists.get(parentId)?.rows.push(row as Row);
  }
  return lists;
}

async function pages(queries: Queries, listing: ListingOfEach, parents: readonly string[]) {
  if (parents.length === 0) return [];
  const { table, columns, key = 'id', page, pageSize, parameters } = listing;
  const selection = `FROM ${table} ${allOf(ofOneParent(listing))} ${order(listing)}
     LIMIT @limit OFFSET @offset`;
  const { dialect } = queries;
  return queries.all<Readonly<Record<string, unknown>> & { readonly parentId: string }>(
    `SELECT page.value AS "parentId", ${columns}
     FROM (${dialect.elements('elements')}) page ${dialect.joinEach(table, key, selection)}
     ${order(listing, 't.')}`,
    { ...parameters, ...elements(parents), limit: pageSize, offset: (page - 1) * pageSize },
  );
}

async function countRowsOfEach(
  queries: Queries,
  listing: ListingOfEach,
): Promise<Map<string, number>> {
  const rows = await queries.all<{ parent: string; total: number }>(
    `SELECT page.value AS parent,
       (SELECT COUNT(*) FROM ${listing.table} ${allOf(ofOneParent(listing))}) AS total
     FROM (${queries.dialect.elements('elements')}) page`,
    { ...listing.parameters, ...elements(listing.parents) },
  );
  return new Map(rows.map(({ parent, total }) => [parent, total]));
}

/** Returns the conditions on the rows of the parent `page.value`. */
function ofOneParent({ parentColumn, where, residual = [] }: ListingOfEach): string[] {
  return [`${parentColumn} = page.value`, ...where, ...residual.map(onTheWay)];
}

function elements(values: readonly SqlValue[]) {
  return { elements: JSON.stringify(values) };
}

/** Returns the rows with these keys, in no order. Unknown keys are skipped. */
export function findRows<Row>(
  queries: Queries,
  { table, columns, key = 'id' }: Pick<Listing, 'table' | 'columns' | 'key'>,
  keys: readonly string[],
): Promise<Row[]> {
  return queries.all<Row>(
    `SELECT ${columns} FROM ${table} WHERE ${queries.dialect.among(key, 'elements')}`,
    elements(keys),
  );
}

/** Maps every row of the lists. */
export function mapRowsOfEach<Row, Item>(
  lists: ReadonlyMap<string, Rows<Row>>,
  form: (row: Row) => Item,
): Map<string, Rows<Item>> {
  return new Map([...lists].map(([parent, list]) => [parent, mapRows(list, form)]));
}
