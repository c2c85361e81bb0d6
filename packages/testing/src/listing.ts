import type { Page } from '@document-vault/sdk';
import { fold, naturalOrder, paginationOf } from './generated/rules/lists.ts';

/** Whether a text contains another, in any letter case. */
export function contains(text: string | null, part: string | undefined): boolean {
  return !part || (text !== null && fold(text).includes(fold(part)));
}

export interface ListQuery<Column extends string> {
  readonly page: number;
  readonly pageSize: number;
  readonly sortBy: Column;
  readonly sortOrder?: 'asc' | 'desc' | undefined;
}

/** Returns one page of rows: by default times in descending, other values in ascending order. */
export function toPage<Column extends string, Row extends Record<Column, string | number>, Item>(
  rows: readonly Row[],
  query: ListQuery<Column>,
  present: (row: Row) => Item,
): Page<Item> {
  const { page, pageSize } = query;
  const shown = inOrder(rows, query).slice((page - 1) * pageSize, page * pageSize);
  return { data: shown.map(present), pagination: paginationOf(rows.length, query) };
}

/** Ids break ties. */
function inOrder<Column extends string, Row extends Record<Column, string | number>>(
  rows: readonly Row[],
  { sortBy, sortOrder = naturalOrder(sortBy) }: ListQuery<Column>,
): Row[] {
  const keyOf = (row: Row): string | number => {
    const value: string | number = row[sortBy];
    return typeof value === 'string' ? fold(value) : value;
  };
  const compare = (a: Row, b: Row) => Number(keyOf(a) > keyOf(b)) - Number(keyOf(a) < keyOf(b));
  const ascending = [...rows].sort(compare);
  return sortOrder === 'asc' ? ascending : ascending.reverse();
}
