import { setImmediate } from 'node:timers/promises';
import { fold } from '../../case-folding.ts';
import type { Queries } from '../driver.ts';
import {
  allOf,
  from,
  type Ordered,
  order,
  type Place,
  PlaceMemory,
  placeBehind,
} from './anchors.ts';
import { type Listing, listRows, type Rows } from './listing.ts';

/** As many finds as are sorted; more are dense enough to be met while walking in order. */
const fewFinds = 1000;

/** Rows looked through before other work of the process gets its turn. */
const stretch = 10_000;

/** Searches whose finds are remembered at once. */
const searchLimit = 64;

/** The length of what the search index holds. */
const gramLength = 3;

export interface Search extends Listing {
  readonly text: string;
  /** The folded columns that the text may stand in. */
  readonly columnsSearched: readonly string[];
  readonly index: {
    readonly name: string;
    /** Its columns, for those that are searched. */
    readonly columns: readonly string[];
    /** Ids that the rows belong to, by column of the index. */
    readonly belongingTo: Readonly<Record<string, string>>;
  };
  /** The order in which all rows are looked through fastest. */
  readonly lookThroughBy: string;
  /** None inside a transaction, whose rows may never be committed. */
  readonly memory: SearchMemory | undefined;
  /** A number that is another one whenever the finds may have changed. */
  readonly changes: number;
}

interface LookedThrough {
  readonly totalCount: number;
  /** Of the finds, as long as they are few. */
  readonly numbers: readonly number[];
}

/**
 * Remembers what looking through all rows has given, so that it is not done again for every page, nor
 * by requests that come while it is being done.
 */
export class SearchMemory {
  readonly #searches = new Map<string, Promise<LookedThrough>>();

  of(
    { table, where, besides, parameters }: Finds,
    changes: number,
    look: () => Promise<LookedThrough>,
  ): Promise<LookedThrough> {
    const name = JSON.stringify([table, where, besides, parameters, changes]);
    const known = this.#searches.get(name);
    if (known) return known;
    const search = look().catch((error: unknown) => {
      if (this.#searches.get(name) === search) this.#searches.delete(name);
      throw error;
    });
    this.#searches.set(name, search);
    const [oldest] = this.#searches.keys();
    if (this.#searches.size > searchLimit && oldest !== undefined) this.#searches.delete(oldest);
    return search;
  }

  clear(): void {
    this.#searches.clear();
  }
}

/** A listing of the rows that contain a text. */
type Finds = Listing & Required<Pick<Listing, 'besides'>>;

/**
 * One page of the rows that contain a text. Few finds are taken from the search index and sorted. Of
 * many, the page is found by walking in order, and their number by looking through all rows, a stretch
 * at a time: not for use inside a transaction.
 */
export async function searchRows<Row>(queries: Queries, search: Search): Promise<Rows<Row>> {
  const { columnsSearched, besides = [], parameters, text, ...listing } = search;
  const either = columnsSearched.map((column) => queries.dialect.contains(column, 'search'));
  const finds: Finds = {
    ...listing,
    besides: [...besides, `(${either.join(' OR ')})`],
    parameters: { ...parameters, search: fold(text) },
  };
  const candidates = await fromIndex(queries, search);
  if (candidates) return sorted(queries, finds, candidates);

  const look = () => lookThrough(queries, finds, search.lookThroughBy);
  const { memory, changes } = search;
  const { numbers, totalCount } = await (memory ? memory.of(finds, changes, look) : look());
  if (totalCount <= fewFinds) return sorted(queries, finds, numbers);
  return listRows(queries, { ...finds, totalCount });
}

/** The numbers of all rows that may contain the text; undefined when they are many, or the index cannot tell. */
async function fromIndex(queries: Queries, search: Search): Promise<number[] | undefined> {
  const text = fold(search.text);
  // The index tells nothing of shorter texts, and its query language has no NUL.
  if ([...text].length < gramLength || text.includes('\0')) return undefined;
  const { name, columns, belongingTo } = search.index;
  const { sql, parameters } = queries.dialect.candidates({
    table: search.table,
    index: name,
    columns,
    text,
    belongingTo,
  });
  const rows = await queries.all<{ number: number; found: number }>(sql, {
    ...parameters,
    limit: fewFinds + 1,
  });
  const found = rows.filter(({ found }) => found === 1).length;
  return found > fewFinds ? undefined : rows.map(({ number }) => number);
}

/** A page of the finds among these rows. */
async function sorted<Row>(
  queries: Queries,
  finds: Finds,
  numbers: readonly number[],
): Promise<Rows<Row>> {
  const { table, columns, where, besides, parameters, page, pageSize, key = 'id' } = finds;
  const among = (column: string) => `${column} IN (${queries.dialect.elements('elements')})`;
  const conditions = [...where, ...besides].map((condition) => `(${condition}) IS TRUE`);
  const keys = await queries.all<{ key: string }>(
    `SELECT ${key} AS "key" FROM ${table} ${allOf([among('number'), ...conditions])} ${order(finds)}`,
    { ...parameters, elements: JSON.stringify(numbers) },
  );
  const offset = (page - 1) * pageSize;
  const onPage = keys.slice(offset, offset + pageSize).map((row) => row.key);
  const rows = await queries.all<Row>(
    `SELECT ${columns} FROM ${table} WHERE ${among(key)} ${order(finds)}`,
    { elements: JSON.stringify(onPage) },
  );
  return { rows, totalCount: keys.length };
}

/** Counts the finds, and gives their numbers as long as they are few. */
async function lookThrough(
  queries: Queries,
  { besides, ...finds }: Finds,
  orderBy: string,
): Promise<LookedThrough> {
  const list: Ordered = { ...finds, orderBy, direction: 'asc' };
  const numbers: number[] = [];
  let totalCount = 0;
  for (let start: Place | undefined; ; await setImmediate()) {
    const end = await placeBehind(queries, { list, distance: stretch, place: start });
    const { where, parameters } = between(list, start, end);
    const rows = `FROM ${list.table} ${allOf([...where, ...besides])}`;
    if (totalCount <= fewFinds) {
      const found = await queries.all<{ number: number }>(`SELECT number ${rows}`, parameters);
      numbers.push(...found.map(({ number }) => number));
      totalCount += found.length;
    } else {
      const found = await queries.get<{ count: number }>(
        `SELECT COUNT(*) AS count ${rows}`,
        parameters,
      );
      totalCount += found?.count ?? 0;
    }
    if (end === undefined) return { numbers, totalCount };
    start = end;
  }
}

/** The rows of a list behind `start`, up to `end`. */
function between(list: Ordered, start: Place | undefined, end: Place | undefined) {
  const { where, parameters } = from(list, start);
  if (end === undefined) return { where, parameters };
  return {
    where: [...where, `(${list.orderBy}, ${list.key ?? 'id'}) <= (@endValue, @endKey)`],
    parameters: { ...parameters, endValue: end.value, endKey: end.key },
  };
}

/** What lists of committed rows remember between requests. */
export class ListMemory {
  readonly places = new PlaceMemory();
  readonly finds = new SearchMemory();

  /** For when the counts of changes, by which it knows what still holds, begin anew. */
  clear(): void {
    this.places.clear();
    this.finds.clear();
  }
}
