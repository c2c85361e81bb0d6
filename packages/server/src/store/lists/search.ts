import { setImmediate } from 'node:timers/promises';
import { fold } from '../../lib/case-folding.ts';
import type { Queries } from '../driver.ts';
import { AnchorCache, allOf, countRows, type Ordered, order } from './anchors.ts';
import { BlockCache } from './blocks.ts';
import { type Listing, listRows, onTheWay, type Rows } from './listing.ts';
import { inSteps } from './steps.ts';

/** Maximum number of matches to sort. More matches are dense enough to be found in list order. */
const maxSorted = 1000;

/** Maximum number of cached scans. */
const searchLimit = 64;

/** Rows of an account or vault that are searched in one statement. The lists of the index also have the rows of others. */
const maxUnsliced = 10_000;

/** Length of the n-grams in the search index. */
const gramLength = 3;

export interface Search extends Listing {
  readonly text: string;
  /** Counts the rows that are searched, also those that the residual filter excludes. */
  readonly countSearched: () => Promise<number>;
  /** The case-folded columns that are searched. */
  readonly columnsSearched: readonly string[];
  readonly index: {
    readonly name: string;
    /** The index columns of the searched columns. */
    readonly columns: readonly string[];
    /** Owner ids of the rows, by index column. */
    readonly belongingTo: Readonly<Record<string, string>>;
  };
  /** The column by which a scan of all rows is fastest. */
  readonly scanBy: string;
  /** Undefined inside a transaction, because its rows may never be committed. */
  readonly cache: MatchCache | undefined;
  /** Differs whenever the matches may have changed. Undefined: nothing is cached. */
  readonly revision: number | undefined;
}

interface ScanResult {
  readonly totalCount: number;
  /** Row numbers of the matches, complete up to `maxSorted`. */
  readonly numbers: readonly number[];
}

/** Caches scans, so that further pages and concurrent requests do not scan again. */
export class MatchCache {
  readonly #searches = new Map<string, Promise<ScanResult>>();

  of(
    { table, where, residual, parameters }: Matches,
    revision: number,
    look: () => Promise<ScanResult>,
  ): Promise<ScanResult> {
    const name = JSON.stringify([table, where, residual, parameters, revision]);
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

/** A list of the rows that contain a text. */
type Matches = Listing & Required<Pick<Listing, 'residual' | 'step'>>;

/**
 * Returns one page of the rows that contain a text. Few matches come from the search index and are
 * sorted. Many are found in list order and counted by a scan of all rows. Between the steps it yields to the event
 * loop, so this must not run inside a transaction that writes.
 */
export async function searchRows<Row>(queries: Queries, search: Search): Promise<Rows<Row>> {
  const { columnsSearched, text, countSearched, index, scanBy, cache, revision, ...listing } =
    search;
  const folded = fold(text);
  const either = columnsSearched.map((column) => queries.dialect.contains(column, 'search'));
  const matches: Matches = {
    ...listing,
    residual: [...(listing.residual ?? []), `(${either.join(' OR ')})`],
    parameters: { ...listing.parameters, search: folded },
    step: queries.dialect.comparedAtOnce(folded),
  };
  const candidates = await fromIndex(queries, {
    table: search.table,
    text: folded,
    countSearched,
    index,
  });
  if (candidates) return sorted(queries, listing, await matchesAmong(queries, matches, candidates));

  const look = () => scan(queries, matches, scanBy);
  const isCached = cache !== undefined && revision !== undefined;
  const { numbers, totalCount } = await (isCached ? cache.of(matches, revision, look) : look());
  if (totalCount <= maxSorted) return sorted(queries, listing, numbers);
  return listRows(queries, { ...matches, totalCount });
}

/**
 * Returns the numbers of the rows that may match; undefined when there are many, or when the index cannot search this
 * text. A long list is searched slice by slice, with other requests in between: where no row matches, the index walks
 * its whole lists.
 */
async function fromIndex(
  queries: Queries,
  { table, text, countSearched, index }: Pick<Search, 'table' | 'text' | 'countSearched' | 'index'>,
): Promise<number[] | undefined> {
  // The index cannot find shorter texts, and its query language has no NUL.
  if ([...text].length < gramLength || text.includes('\0')) return undefined;
  const { dialect } = queries;
  const { name, ...rest } = index;
  const numbers = new Set<number>();
  let found = 0;
  for (const slice of await slicesOf(queries, { table, countSearched })) {
    const candidates = dialect.candidates({ table, index: name, text, ...rest }, slice);
    if (!candidates) return undefined;
    const rows = await queries.all<{ number: number; found: number }>(candidates.sql, {
      ...candidates.parameters,
      limit: maxSorted + 1 - found,
    });
    for (const { number } of rows) numbers.add(number);
    found += rows.filter((row) => row.found === 1).length;
    if (found > maxSorted) return undefined;
    if (slice !== undefined) await setImmediate();
  }
  return [...numbers];
}

/** Returns the slices of a long list; undefined stands for all rows. */
async function slicesOf(
  queries: Queries,
  { table, countSearched }: Pick<Search, 'table' | 'countSearched'>,
): Promise<(number | undefined)[]> {
  const { sliceLength } = queries.dialect;
  if (!Number.isFinite(sliceLength) || (await countSearched()) <= maxUnsliced) return [undefined];
  const newest = await queries.get<{ number: number }>(
    `SELECT MAX(number) AS number FROM ${table}`,
  );
  const count = Math.floor((newest?.number ?? 0) / sliceLength) + 1;
  return Array.from({ length: count }, (_, slice) => slice);
}

/** Returns the numbers of those candidates that match. */
async function matchesAmong(
  queries: Queries,
  { table, where, residual, parameters, step }: Matches,
  candidates: readonly number[],
): Promise<number[]> {
  const among = queries.dialect.among('number', 'elements', 'integer');
  const conditions = allOf([among, ...[...where, ...residual].map(onTheWay)]);
  const numbers: number[] = [];
  for (let start = 0; start < candidates.length; start += step) {
    if (start > 0) await setImmediate();
    const elements = JSON.stringify(candidates.slice(start, start + step));
    const found = await queries.all<{ number: number }>(
      `SELECT number FROM ${table} ${conditions}`,
      { ...parameters, elements },
    );
    numbers.push(...found.map(({ number }) => number));
  }
  return numbers;
}

/** Returns one page of rows that contain the text. */
async function sorted<Row>(
  queries: Queries,
  listing: Listing,
  numbers: readonly number[],
): Promise<Rows<Row>> {
  const { table, columns, where, residual = [], parameters, page, pageSize, key = 'id' } = listing;
  const among = (column: string, type?: 'integer') =>
    queries.dialect.among(column, 'elements', type);
  // A row may have been moved or deleted since. Its text is not compared again.
  const conditions = [...where, ...residual].map(onTheWay);
  const keys = await queries.all<{ key: string }>(
    `SELECT ${key} AS "key" FROM ${table} ${allOf([among('number', 'integer'), ...conditions])} ${order(listing)}`,
    { ...parameters, elements: JSON.stringify(numbers) },
  );
  const offset = (page - 1) * pageSize;
  const onPage = keys.slice(offset, offset + pageSize).map((row) => row.key);
  const rows = await queries.all<Row>(
    `SELECT ${columns} FROM ${table} WHERE ${among(key, key === 'number' ? 'integer' : undefined)} ${order(listing)}`,
    { elements: JSON.stringify(onPage) },
  );
  return { rows, totalCount: keys.length };
}

/** Counts the matches and collects their row numbers up to `maxSorted`. */
async function scan(
  queries: Queries,
  { residual, step, ...matches }: Matches,
  orderBy: string,
): Promise<ScanResult> {
  const list: Ordered = { ...matches, orderBy, direction: 'asc' };
  const numbers: number[] = [];
  let totalCount = 0;
  for await (const part of inSteps(queries, list, step)) {
    const rows = { ...part, where: [...part.where, ...residual.map(onTheWay)] };
    if (totalCount <= maxSorted) {
      const found = await queries.all<{ number: number }>(
        `SELECT number FROM ${rows.table} ${allOf(rows.where)}`,
        rows.parameters,
      );
      numbers.push(...found.map(({ number }) => number));
      totalCount += found.length;
    } else {
      totalCount += await countRows(queries, rows);
    }
  }
  return { numbers, totalCount };
}

/** Caches of committed lists. */
export class ListCache {
  readonly anchors = new AnchorCache();
  readonly blocks = new BlockCache();
  readonly matches = new MatchCache();
  readonly #revision: () => number | undefined;

  /** @param revision returns the revision of all data; undefined when other processes can change it */
  constructor(revision: () => number | undefined) {
    this.#revision = revision;
  }

  /** The revision of lists over all accounts. */
  get revision(): number | undefined {
    return this.#revision();
  }

  /** Call it when all rows were deleted: the revisions of the lists start again from 0. */
  clear(): void {
    this.anchors.clear();
    this.blocks.clear();
    this.matches.clear();
  }
}
