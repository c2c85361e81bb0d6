import type { ComponentChildren } from 'preact';

/** A column of a table and of its export. */
export interface Column<T> {
  readonly id: string;
  readonly label: string;
  readonly cell: (row: T) => ComponentChildren;
  /** The contract's `sortBy`, and the order of the first click. */
  readonly sort?: { readonly by: string; readonly first: 'asc' | 'desc' };
  readonly isNumber?: boolean;
  /** The value in an export; absent: the column is not exported. */
  readonly exported?: (row: T) => string | number | boolean | null;
}
