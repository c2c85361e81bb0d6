import { ServiceError } from '../errors.ts';
import type { PageRequest, Rows } from '../store/lists/listing.ts';
import type { Shape } from './shapes.ts';

export interface Page<Item> {
  readonly data: Item[];
  readonly pagination: Shape<'Pagination'>;
}

/** Wraps the rows of one page. */
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

/** Returns the page of each parent, in their order. Errors stay in place. */
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

/** Returns the ids of the parents that are not errors. */
export function idsOf(parents: readonly ({ readonly id: string } | ServiceError)[]): string[] {
  return parents.flatMap((parent) => (parent instanceof ServiceError ? [] : [parent.id]));
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
  const natural = query.sortBy.endsWith('At') ? 'desc' : 'asc';
  return { ...query, sortOrder: query.sortOrder ?? natural };
}
