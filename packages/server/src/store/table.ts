import type { Queries, SqlParameters, SqlValue } from './driver.ts';
import type { Conditions } from './lists/anchors.ts';
import {
  type Listing,
  listRows,
  mapRows,
  orderAndPage,
  type Rows,
  type SortedPageRequest,
} from './lists/listing.ts';
import { findRows, listRowsOfEach, mapRowsOfEach } from './lists/listing-of-each.ts';

/** The properties of an item that are not stored as they are. */
export interface StoredForms<Item> {
  /** Stored as 0 and 1. */
  readonly flags?: readonly (keyof Item & string)[];
  /** Stored as JSON, and null as NULL. */
  readonly json?: readonly (keyof Item & string)[];
}

export interface TableOptions<Item, SortColumns> extends StoredForms<Item> {
  readonly name: string;
  /** As in SQL, with commas. The properties of an item have the same names in camel case. */
  readonly columns: string;
  /** The columns of the orders by the names that requests use. */
  readonly sortColumns?: SortColumns;
  /** The column that identifies a row. Default: `id`. */
  readonly key?: string;
}

/** A row as the database returns it. */
export type Row = Record<string, SqlValue>;

/** Converts a row in place, and returns it as the item. */
export function decode<Item>(row: Row, { flags = [], json = [] }: StoredForms<Item>): Item {
  const item: Record<string, unknown> = row;
  for (const name of flags) item[name] = row[name] === 1;
  for (const name of json) item[name] = row[name] && JSON.parse(row[name] as string);
  return item as Item;
}

/** A table with a row per item. */
export class Table<
  Item,
  SortColumns extends Readonly<Record<string, string>> = Readonly<Record<never, string>>,
> {
  readonly name: string;
  /** The columns of a SELECT. */
  readonly columns: string;
  readonly #insertion: string;
  readonly #names: readonly string[];
  readonly #forms: StoredForms<Item>;
  readonly #sortColumns: SortColumns;
  readonly #key: string;

  constructor(options: TableOptions<Item, SortColumns>) {
    const { name, columns, sortColumns = {} as SortColumns, key = 'id' } = options;
    this.name = name;
    this.#names = columns.split(',').map((column) => column.trim());
    this.#forms = options;
    this.#sortColumns = sortColumns;
    this.#key = key;
    this.columns = this.columnsOf();
    this.#insertion = this.insertionWith({});
  }

  /** Returns the columns of a SELECT that joins tables. */
  columnsOf(alias?: string): string {
    const prefix = alias === undefined ? '' : `${alias}.`;
    return this.#names.map((column) => `${prefix}${column} AS "${camelCase(column)}"`).join(', ');
  }

  /**
   * Returns a statement that inserts one item, with `parametersOf` it.
   *
   * @param further SQL of values by their columns, which an item does not have
   */
  insertionWith(further: Readonly<Record<string, string>>): string {
    const columns = [...this.#names, ...Object.keys(further)];
    const values = this.#names.map((column) => `@${camelCase(column)}`);
    return `INSERT INTO ${this.name} (${columns.join(', ')})
      VALUES (${[...values, ...Object.values(further)].join(', ')})`;
  }

  /** Returns a statement that changes these columns of one item, with `parametersOf` it. */
  update(columns: string): string {
    const changes = columns.split(',').map((column) => {
      const name = column.trim();
      return `${name} = @${camelCase(name)}`;
    });
    return `UPDATE ${this.name} SET ${changes.join(', ')} WHERE ${this.#key} = @${camelCase(this.#key)}`;
  }

  /** Converts a row in place, and returns it as the item. It can have further columns. */
  itemOf<Extended extends Item = Item>(row: Row): Extended {
    return decode<Item>(row, this.#forms) as Extended;
  }

  parametersOf(item: Item): Record<string, SqlValue> {
    const { flags = [], json = [] } = this.#forms;
    const parameters = { ...item } as Record<string, unknown>;
    for (const name of flags) parameters[name] = item[name] ? 1 : 0;
    for (const name of json) parameters[name] = item[name] && JSON.stringify(item[name]);
    return parameters as Record<string, SqlValue>;
  }

  async insert(queries: Queries, item: Item): Promise<void> {
    await queries.run(this.#insertion, this.parametersOf(item));
  }

  /** Returns an item; undefined when there is none. Locks its row inside a transaction. */
  find(queries: Queries, id: string): Promise<Item | undefined> {
    return this.first(queries, `${this.#key} = @id ${queries.dialect.lock()}`, { id });
  }

  /** @param tail the SELECT after WHERE, with its order, limit and lock */
  async first(queries: Queries, tail: string, parameters: SqlParameters) {
    const row = await queries.get<Row>(this.#select(tail), parameters);
    return row && this.itemOf(row);
  }

  /** @param tail the SELECT after WHERE, with its order, limit and lock */
  async all(queries: Queries, tail: string, parameters: SqlParameters): Promise<Item[]> {
    const rows = await queries.all<Row>(this.#select(tail), parameters);
    return rows.map((row) => this.itemOf(row));
  }

  /** Returns the existing items, in no order. */
  async findMany(queries: Queries, ids: readonly string[]): Promise<Item[]> {
    const rows = await findRows<Row>(
      queries,
      { table: this.name, columns: this.columns, key: this.#key },
      ids,
    );
    return rows.map((row) => this.itemOf(row));
  }

  async list(
    queries: Queries,
    request: SortedPageRequest<SortColumns>,
    conditions: Conditions & Pick<Listing, 'residual' | 'step'>,
  ): Promise<Rows<Item>> {
    const list = await listRows<Row>(queries, { ...this.#listing(request), ...conditions });
    return mapRows(list, (row) => this.itemOf(row));
  }

  /** Returns a page per parent. The index of the order starts with `parentColumn`. */
  async listOfEach(
    queries: Queries,
    request: SortedPageRequest<SortColumns>,
    of: Conditions & { readonly parentColumn: string; readonly parents: readonly string[] },
  ): Promise<Map<string, Rows<Item>>> {
    const lists = await listRowsOfEach<Row>(queries, { ...this.#listing(request), ...of });
    return mapRowsOfEach(lists, (row) => this.itemOf(row));
  }

  #listing(request: SortedPageRequest<SortColumns>) {
    const place = orderAndPage(request, this.#sortColumns);
    return { table: this.name, columns: this.columns, key: this.#key, ...place };
  }

  #select(tail: string): string {
    return `SELECT ${this.columns} FROM ${this.name} WHERE ${tail}`;
  }
}

function camelCase(column: string): string {
  return column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
