import { naturalOrder, paginationOf } from '../generated/rules/lists.ts';
import type { PageRequest, Rows } from '../store/lists/listing.ts';
import type { Shape } from './shapes.ts';

export interface Page<Item> {
  readonly data: Item[];
  readonly pagination: Shape<'Pagination'>;
}

/** Wraps the rows of one page. */
export function toPage<Row, Item>(
  { rows, totalCount }: Rows<Row>,
  request: PageRequest,
  present: (row: Row) => Item,
): Page<Item> {
  return { data: rows.map(present), pagination: paginationOf(totalCount, request) };
}

/**
 * Returns the page of each parent, in their order. A parent without a list has an empty page: it can have
 * been deleted since it was read.
 */
export function toPages<Row, Item>(
  parentIds: readonly string[],
  lists: ReadonlyMap<string, Rows<Row>>,
  form: (rows: Rows<Row>) => Page<Item>,
): Page<Item>[] {
  return parentIds.map((id) => form(lists.get(id) ?? { rows: [], totalCount: 0 }));
}

/** Returns the id of each resource. */
export function idsOf(resources: readonly { readonly id: string }[]): string[] {
  return resources.map(({ id }) => id);
}

/** A page request with an optional sort direction. */
export interface ListQuery<Column extends string> extends PageRequest {
  readonly sortBy: Column;
  readonly sortOrder?: 'asc' | 'desc' | undefined;
}

/** Sets the default direction: times descending, everything else ascending. */
export function inOrder<Query extends ListQuery<string>>(
  query: Query,
): Query & { readonly sortOrder: 'asc' | 'desc' } {
  return { ...query, sortOrder: query.sortOrder ?? naturalOrder(query.sortBy) };
}
