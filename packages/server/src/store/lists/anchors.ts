import type { Queries, SqlParameters, SqlValue } from '../driver.ts';

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

/** Rows between two remembered places: as many as an index passes in a fraction of a millisecond. */
const stride = 1000;

/** Lists whose places are remembered at once. */
const listLimit = 256;

/** The last row before a place. */
export interface Place {
  readonly value: SqlValue;
  readonly key: SqlValue;
}

/** A list that begins at a place. */
export interface Rest {
  readonly where: readonly string[];
  readonly parameters: SqlParameters;
  /** Rows before its beginning. */
  readonly passed: number;
}

/** Where the rows of one list stand, as long as the list does not change. */
export interface Places {
  /** The list from a place at most a few thousand rows before `offset` on. */
  near(queries: Queries, list: Ordered, offset: number): Promise<Rest>;
}

interface Remembered {
  readonly changes: number;
  readonly places: Place[];
}

/**
 * Remembers which row stands at every 1,000th place of long lists. A page far behind is then found
 * without passing all rows before it, as long as nothing has changed; else they are passed once.
 */
export class PlaceMemory {
  readonly #lists = new Map<string, Remembered>();

  /** @param changes a number that is another one whenever the list may have changed */
  of(changes: number): Places {
    return { near: (queries, list, offset) => this.#near(queries, { list, changes, offset }) };
  }

  clear(): void {
    this.#lists.clear();
  }

  async #near(
    queries: Queries,
    { list, changes, offset }: { list: Ordered; changes: number; offset: number },
  ): Promise<Rest> {
    const { where, parameters } = list;
    const wanted = Math.floor(offset / stride);
    if (wanted === 0) return { where, parameters, passed: 0 };
    const places = this.#remembered(list, changes);
    while (places.length < wanted) {
      const known = places.length;
      const next = await placeBehind(queries, { list, distance: stride, place: places.at(-1) });
      if (next === undefined) break;
      // Another request may have found the same place meanwhile.
      if (places.length === known) places.push(next);
    }
    const passed = Math.min(wanted, places.length);
    return { ...from(list, places[passed - 1]), passed: passed * stride };
  }

  #remembered(list: Ordered, changes: number): Place[] {
    const { table, where, parameters } = list;
    const name = JSON.stringify([table, where, parameters, order(list)]);
    const known = this.#lists.get(name);
    // What was used last stands last.
    this.#lists.delete(name);
    const remembered = known?.changes === changes ? known : { changes, places: [] };
    this.#lists.set(name, remembered);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > listLimit && oldest !== undefined) this.#lists.delete(oldest);
    return remembered.places;
  }
}

/** The rows of a list behind a place. */
export function from(list: Ordered, place: Place | undefined): Omit<Rest, 'passed'> {
  if (place === undefined) return list;
  const { where, parameters, orderBy, key = 'id', direction } = list;
  const comparison = direction === 'asc' ? '>' : '<';
  return {
    where: [...where, `(${orderBy}, ${key}) ${comparison} (@fromValue, @fromKey)`],
    parameters: { ...parameters, fromValue: place.value, fromKey: place.key },
  };
}

/** The place so many rows behind another one, or behind the beginning; undefined when there are fewer. */
export async function placeBehind(
  queries: Queries,
  { list, distance, place }: { list: Ordered; distance: number; place: Place | undefined },
): Promise<Place | undefined> {
  const { where, parameters } = from(list, place);
  const { table, orderBy, key = 'id' } = list;
  return queries.get<Place>(
    `SELECT ${orderBy} AS value, ${key} AS "key" FROM ${table} ${allOf(where)} ${order(list)}
     LIMIT 1 OFFSET CAST(@offset AS INTEGER)`,
    { ...parameters, offset: distance - 1 },
  );
}
