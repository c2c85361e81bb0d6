/** Iteration over the pages of a list. */
import { VaultError } from './errors.ts';
import type { PageQuery, Pagination } from './generated/types.ts';

/** One page of a list. */
export interface Page<T> {
  /** The items of the page, in the requested order; empty past the end. */
  data: T[];
  /** Position of the page in the list. */
  pagination: Pagination;
}

/** Where an iteration gets its pages, and how it identifies their items. */
export interface PageSource<T> {
  /** The caller's query. */
  query: PageQuery;
  options: { maxItems?: number | undefined };
  /** Fetches one page; without `pageSize` it has the service's default size. */
  load: (query: PageQuery) => Promise<Page<T>>;
  id: (item: T) => unknown;
}

/** Largest page of the service. */
const largestPage = 100;

/** Pages in a row without a new item. A malicious service can name a next page forever. */
const maxStalePages = 100;

/** Reads the next page; undefined after the last one. It can be called again after a failure. */
type PageReader<T> = () => Promise<Page<T> | undefined>;

function pageReader<T>({ load, id, query, options }: PageSource<T>): PageReader<T> {
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

/**
 * Iterates over pages or items. After a failure, the next step reads the page again.
 *
 * @throws VaultError from a step when the pages have no end
 */
export function iterate<T, V>(
  source: PageSource<T>,
  byPage: boolean,
): AsyncIterableIterator<V, undefined> {
  const nextPage = pageReader(source);
  let values: Iterator<V> = [].values();
  let ended = false;
  let last: Promise<unknown> = Promise.resolve();
  const step = async (): Promise<IteratorResult<V, undefined>> => {
    while (!ended) {
      const result = values.next();
      if (!result.done) return result;
      const page = await nextPage();
      if (page) values = ((byPage ? [page] : page.data) as V[]).values();
      else ended = true;
    }
    return { done: true, value: undefined };
  };
  return {
    // One step at a time: two at once would fetch the same page.
    next: () => {
      const result = last.then(step, step);
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
