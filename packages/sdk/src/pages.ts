import { rethrow, VaultError } from './errors.ts';
import type { PageQuery, Pagination } from './generated/types.ts';
import type { ApiPromise, ApiResult } from './http/responses.ts';
import type { CallOptions } from './options.ts';

/** One page of a list. */
export interface Page<T> {
  /** The items of the page, in the requested order; empty past the end. */
  data: T[];
  /** Position of the page in the list. */
  pagination: Pagination;
}

/** Options of a list. */
export interface ListOptions extends CallOptions {
  /** Maximum number of items that an iteration yields. @default all */
  maxItems?: number | undefined;
}

/**
 * A list of items in pages. Awaited, it resolves to one page. Iterated, it yields every item, and
 * fetches each page when it is needed. It sends nothing before.
 *
 * An iteration yields no item twice when others are inserted meanwhile, and skips none when others are
 * deleted. After a page has failed, the next step fetches that page again. It rejects after 100 pages in
 * a row without a new item.
 *
 * @example
 * const { data, pagination } = await client.vaults.list({ pageSize: 50 });
 * for await (const vault of client.vaults.list({}, { maxItems: 500 })) console.log(vault.name);
 */
export interface List<T> extends Promise<Page<T>>, AsyncIterable<T> {
  /** Resolves to the page with its response, request id and rate limit. */
  withResponse(): Promise<ApiResult<Page<T>>>;
  /** Iterates over the pages. Each is fetched when it is needed. */
  pages(): AsyncIterableIterator<Page<T>>;
}

/** How a list gets its pages and identifies its items. */
export interface ListSource<T> {
  /** The caller's query. */
  query: PageQuery;
  options: ListOptions;
  /** Fetches one page; without `pageSize` it has the service's default size. */
  load: (query: PageQuery) => ApiPromise<Page<T>>;
  id: (item: T) => unknown;
}

const largestPage = 100;

/** Pages in a row without a new item. A malicious service can name a next page forever. */
const maxStalePages = 100;

/** Creates the list of a source. */
export function listOf<T>(source: ListSource<T>): List<T> {
  let first: ApiPromise<Page<T>> | undefined;
  const once = () => {
    first ??= source.load(source.query);
    return first;
  };
  return {
    // biome-ignore lint/suspicious/noThenProperty: a list is a promise that starts when it is awaited.
    then: (onValue, onError) => once().then(onValue, onError),
    catch: (onError) => once().catch(onError),
    finally: (onEnd) => once().finally(onEnd),
    withResponse: () => once().withResponse(),
    pages: () => iterate(source, (page) => [page]),
    [Symbol.asyncIterator]: () => iterate(source, ({ data }) => data),
    [Symbol.toStringTag]: 'List',
  };
}

/** Reads the next page; undefined after the last one. It can be called again after a failure. */
type PageReader<T> = () => Promise<Page<T> | undefined>;

function pageReader<T>({ load, id, query, options }: ListSource<T>): PageReader<T> {
  const { maxItems = Infinity } = options;
  const pageSize = query.pageSize ?? Math.min(largestPage, Math.max(1, maxItems));
  const seen = new Set<unknown>();
  const start = query.page ?? 1;
  let next: number | undefined = start;
  let total = 0;
  let stale = 0;
  return async () => {
    if (next === undefined || seen.size >= maxItems) return undefined;
    const { data, pagination } = await load({ ...query, page: next, pageSize });
    const fresh = data.filter((item) => !seen.has(id(item))).slice(0, maxItems - seen.size);
    for (const item of fresh) seen.add(id(item));
    stale = fresh.length > 0 ? 0 : stale + 1;
    if (stale > maxStalePages) throw new VaultError('Too many pages without a new item');
    const gone = total - pagination.totalCount;
    total = pagination.totalCount;
    // Deletions have moved unread items to pages that were read already.
    if (gone > 0 && next > start) next = Math.max(start, next - Math.ceil(gone / pageSize));
    else next = pagination.hasNextPage ? next + 1 : undefined;
    return { data: fresh, pagination };
  };
}

/** Iterates over the values of each page. After a failure, the next step reads the page again. */
function iterate<T, V>(
  source: ListSource<T>,
  valuesOf: (page: Page<T>) => V[],
): AsyncIterableIterator<V> {
  const nextPage = pageReader(source);
  let values: Iterator<V> = [].values();
  let ended = false;
  let last: Promise<unknown> = Promise.resolve();
  const step = async (): Promise<IteratorResult<V, undefined>> => {
    while (!ended) {
      const result = values.next();
      if (!result.done) return result;
      const page = await nextPage();
      if (page) values = valuesOf(page).values();
      else ended = true;
    }
    return { done: true, value: undefined };
  };
  return {
    // One step at a time: two at once would fetch the same page.
    next: () => {
      const result = last.then(step, step).catch(rethrow());
      last = result;
      return result;
    },
    return: async () => {
      ended = true;
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
