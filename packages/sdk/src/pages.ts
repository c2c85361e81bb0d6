import { asVaultError, VaultError } from './errors.ts';
import type { PageQuery, Pagination } from './generated/types.ts';
import type { Api, Input, Operation, Output, PathsWith } from './http/api.ts';
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

/** The item of a list in the contract. */
type Item<P extends PathsWith<'get'>> =
  Output<Operation<'get', P>> extends { data: (infer T)[] } ? T : never;

/** The input of a list, and the property that identifies its items. */
type ListRequest<P extends PathsWith<'get'>> = Input<Operation<'get', P>> & {
  options: ListOptions | undefined;
  /** @default the item's `id` */
  id?: (item: Item<P>) => string;
};

/** A {@link ListRequest} of any path. */
type AnyListRequest = Omit<ListSource<{ id: string }>, 'load' | 'id'> & {
  id?: (item: { id: string }) => string;
};

/** An {@link Api} whose paths are any string. */
interface AnyApi {
  call<T>(method: 'get', path: string, input: object, options: CallOptions): ApiPromise<T>;
}

/** How a list gets its pages and identifies its items. */
export interface ListSource<T> {
  /** The caller's query. */
  query: PageQuery;
  options: ListOptions;
  /** Fetches one page; without `pageSize` it has the service's default size. */
  load: (query: PageQuery) => ApiPromise<Page<T>>;
  id: (item: T) => string;
}

const largestPage = 100;

/** Pages in a row without a new item. A malicious service can name a next page forever. */
const maxStalePages = 100;

/** Creates the list of an operation. */
export function createList<P extends PathsWith<'get'>>(
  api: Api,
  path: P,
  request: ListRequest<P>,
): List<Item<P>> {
  const anyApi = api as unknown as AnyApi;
  const {
    query = {},
    options = {},
    id = ({ id }) => id,
    ...input
  } = request as unknown as AnyListRequest;
  const list = listOf({
    query,
    options,
    load: (query) => anyApi.call('get', path, { ...input, query }, options),
    id,
  });
  return list as List<Item<P>>;
}

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
    pages: () => iterator(pageReader(source)),
    [Symbol.asyncIterator]: () => iterator(itemReader(pageReader(source))),
    [Symbol.toStringTag]: 'List',
  };
}

/** Reads the next value. It can be called again after a failure. */
type Reader<T> = () => Promise<IteratorResult<T, undefined>>;

const end = { done: true, value: undefined } as const;

function pageReader<T>(source: ListSource<T>): Reader<Page<T>> {
  const { load, id, query, options } = source;
  const { maxItems = Infinity } = options;
  const pageSize = query.pageSize ?? Math.min(largestPage, Math.max(1, maxItems));
  const seen = new Set<string>();
  const start = query.page ?? 1;
  let next: number | undefined = start;
  let total = 0;
  let stale = 0;
  return async () => {
    if (next === undefined || seen.size >= maxItems) return end;
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
    return { done: false, value: { data: fresh, pagination } };
  };
}

function itemReader<T>(readPage: Reader<Page<T>>): Reader<T> {
  let items: Iterator<T> = [].values();
  return async () => {
    for (;;) {
      const item = items.next();
      if (!item.done) return item;
      const page = await readPage();
      if (page.done) return end;
      items = page.value.data.values();
    }
  };
}

function iterator<T>(read: Reader<T>): AsyncIterableIterator<T> {
  let ended = false;
  let last: Promise<unknown> = Promise.resolve();
  const step = async (): Promise<IteratorResult<T, undefined>> => {
    const result = ended ? end : await read().catch(rethrow);
    ended ||= result.done === true;
    return result;
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
      return end;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function rethrow(error: unknown): never {
  throw asVaultError(error);
}
