import type { SqlValue } from './driver.ts';

/** Maximum number of rows in one statement. Each number of rows is a prepared statement of its own. */
const maxRows = 32;

/** Returns the list after VALUES, `(@v0, @v1), (@v2, @v3)`, and its parameters. */
export function valueLists(rows: readonly (readonly SqlValue[])[]) {
  const parameters: Record<string, SqlValue> = {};
  let count = 0;
  const lists = rows.map((row) => {
    const names = row.map((value) => {
      const name = `v${count}`;
      parameters[name] = value;
      count += 1;
      return `@${name}`;
    });
    return `(${names.join(', ')})`;
  });
  return { values: lists.join(', '), parameters };
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
