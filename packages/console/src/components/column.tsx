import type { ComponentChildren } from 'preact';
import { formatNumber } from '../messages/format.ts';
import { Time, type TimeForm } from './time.tsx';

type Cell = string | number | boolean | null;

/** A column of an export. */
export interface ExportColumn<T> {
  /** Its name, which is that of the property that it has. */
  readonly id: string;
  /** @default the property; a list is one text */
  readonly exported?: (row: T) => Cell;
}

/** A column of a table and of its export. */
export interface Column<T> extends ExportColumn<T> {
  readonly label: string;
  readonly cell: (row: T) => ComponentChildren;
  /** The order of the first click, if the contract sorts by this property. */
  readonly sort?: 'asc' | 'desc' | undefined;
  readonly isNumber?: boolean;
}

/** Returns the value of a row in an export. */
export function exportedValue<T>({ id, exported }: ExportColumn<T>, row: T): Cell {
  if (exported) return exported(row);
  const value = (row as Readonly<Record<string, Cell | readonly string[] | undefined>>)[id];
  return typeof value === 'object' && value ? value.join(' ') : (value ?? null);
}

/** A column of a number. */
export function numberColumn<Id extends string>(
  id: Id,
  label: string,
  { format = formatNumber, sort }: { format?: (value: number) => string; sort?: 'desc' },
): Column<Readonly<Record<Id, number>>> {
  return { id, label, sort, isNumber: true, cell: (row) => format(row[id]) };
}

interface TimeOptions {
  readonly form: TimeForm;
  /** In the place of null. @default a dash */
  readonly none?: string;
  readonly sort?: 'desc';
}

/** A column of a moment. */
export function timeColumn<Id extends string>(
  id: Id,
  label: string,
  { sort, ...shown }: TimeOptions,
): Column<Readonly<Record<Id, string | null>>> {
  return { id, label, sort, cell: (row) => <Time at={row[id]} {...shown} /> };
}
