import { ServiceError } from '../errors.ts';
import type { PageRequest, Rows } from '../store/lists/listing.ts';
import type { Shape } from './shapes.ts';

export interface Page<Item> {
  readonly data: Item[];
  readonly pagination: Shape<'Pagination'>;
}

/** The paged envelope around the rows of one page. */
export function toPage<Row, Item>(
  { rows, totalCount }: Rows<Row>,
  { page, pageSize }: PageRequest,
  present: (row: Row) => Item,
): Page<Item> {
  const totalPages = Math.ceil(totalCount / pageSize);
  return {
    data: rows.map(present),
    pagination: {
      page,
      pageSize,
      totalPages,
      totalCount,
      hasNextPage: page < totalPages,
      hasPreviousPage: page > 1,
    },
  };
}

/** The page of each parent's list, in the order of the parents; an error in the place of a parent stays. */
export function toPages<Row, Item>(
  parents: readonly ({ readonly id: string } | ServiceError)[],
  lists: ReadonlyMap<string, Rows<Row>>,
  form: (rows: Rows<Row>) => Page<Item>,
): (Page<Item> | ServiceError)[] {
  return parents.map((parent) =>
    parent instanceof ServiceError
      ? parent
      : form(lists.get(parent.id) ?? { rows: [], totalCount: 0 }),
  );
}

/** The ids of the parents that are there. */
export function idsOf(parents: readonly ({ readonly id: string } | ServiceError)[]): string[] {
  return parents.flatMap((parent) => (parent instanceof ServiceError ? [] : [parent.id]));
}

/** What lists take: a page, and an order that may be left open. */
export interface ListQuery<Column extends string> extends PageRequest {
  readonly sortBy: Column;
  readonly sortOrder?: 'asc' | 'desc' | undefined;
}

/** Settles an open order: newest and latest first, everything else from small to large. */
export function inOrder<Query extends ListQuery<string>>(
  query: Query,
): Query & { readonly sortOrder: 'asc' | 'desc' } {
  const natural = query.sortBy.endsWith('At') ? 'desc' : 'asc';
  return { ...query, sortOrder: query.sortOrder ?? natural };
}
