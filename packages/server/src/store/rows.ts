import type { SqlParameters, SqlValue } from './driver.ts';

/** Maximum number of rows in one statement. Each number of rows is a prepared statement of its own. */
const maxRows = 32;

/** Rows of values in one statement. */
export interface RowValues {
  /** The list after VALUES: `(@a0, @b0), (@a1, @b1)`. */
  readonly sql: string;
  readonly parameters: SqlParameters;
}

/**
 * Returns the values of several rows.
 *
 * @param columns the names of the values, in their order
 */
export function rowValues<Row extends Readonly<Record<string, SqlValue>>>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
): RowValues {
  const parameters: Record<string, SqlValue> = {};
  const lists = rows.map((row, index) => {
    const names = columns.map((column) => {
      parameters[`${column}${index}`] = row[column] ?? null;
      return `@${column}${index}`;
    });
    return `(${names.join(', ')})`;
  });
  return { sql: lists.join(', '), parameters };
}

/** Splits items into lists of at most 32, none of which contains a key twice. */
export function batches<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  const lists: Item[][] = [];
  let keys = new Set<string>();
  for (const item of items) {
    const key = keyOf(item);
    if (lists.length === 0 || keys.size >= maxRows || keys.has(key)) {
      lists.push([]);
      keys = new Set();
    }
    lists.at(-1)?.push(item);
    keys.add(key);
  }
  return lists;
}
