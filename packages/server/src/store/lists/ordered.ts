import type { SqlParameters } from '../driver.ts';

/** Rows of a table in an order. */
export interface Ordered {
  readonly table: string;
  /** Conditions that all hold; none means every row. */
  readonly where: readonly string[];
  readonly parameters: SqlParameters;
  /** A column, and its direction; ties are broken by `id` in the same direction. */
  readonly orderBy: string;
  readonly direction: 'asc' | 'desc';
  /** The column that identifies a row; default `id`. */
  readonly key?: string;
}

export function opposite(direction: 'asc' | 'desc'): 'asc' | 'desc' {
  return direction === 'asc' ? 'desc' : 'asc';
}

/** The WHERE clause of these conditions. */
export function allOf(conditions: readonly string[]): string {
  return conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
}

/** The ORDER BY clause of an order. */
export function order({ orderBy, direction, key = 'id' }: Ordered, alias = ''): string {
  return `ORDER BY ${alias}${orderBy} ${direction}, ${alias}${key} ${direction}`;
}
