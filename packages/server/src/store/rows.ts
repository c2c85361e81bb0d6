import type { SqlParameters, SqlValue } from './driver.ts';

/** Maximum number of rows in one statement. Each number of rows is a prepared statement of its own. */
const maxRows = 32;

/** A statement with its parameters, to be spread into a call of `Queries`. */
type BoundStatement = readonly [sql: string, parameters: SqlParameters];

/**
 * Returns a function that binds several rows to one statement. The text is built once per number of rows: building
 * and hashing it again would take longer than the changes of one row.
 *
 * @param columns the names of the values, in their order
 * @param toSql receives the list after VALUES: `(@a0, @b0), (@a1, @b1)`
 */
export function rowStatement<Row extends Readonly<Record<string, SqlValue>>>(
  columns: readonly (keyof Row & string)[],
  toSql: (values: string) => string,
): (rows: readonly Row[]) => BoundStatement {
  /** The names of the parameters by row. */
  const names: string[][] = [];
  /** By number of rows. */
  const texts: string[] = [];
  const namesOf = (row: number) => {
    names[row] ??= columns.map((column) => `${column}${row}`);
    return names[row];
  };
  const textOf = (length: number) => {
    const lists = Array.from({ length }, (_, row) => `(@${namesOf(row).join(', @')})`);
    return toSql(lists.join(', '));
  };
  return (rows) => {
    const parameters: Record<string, SqlValue> = {};
    for (const [index, row] of rows.entries()) {
      const own = namesOf(index);
      for (const [place, column] of columns.entries()) {
        parameters[own[place] as string] = row[column] ?? null;
      }
    }
    texts[rows.length] ??= textOf(rows.length);
    return [texts[rows.length] as string, parameters];
  };
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
