import { asVaultError } from './errors.ts';
import type { Api, Input, Operation, Output, PathsWith } from './http/api.ts';
import type { ApiPromise, ApiResult } from './http/api-promise.ts';
import type { CallOptions } from './options.ts';

/** Where a page stands in its list. */
export interface Pagination {
  /** From 1. */
  page: number;
  /** Items per page, as requested. */
  pageSize: number;
  /** Number of pages; 0 when the list is empty. */
  totalPages: number;
  /** Number of items on all pages. */
  totalCount: number;
  /** Whether a page follows. */
  hasNextPage: boolean;
  /** Whether a page precedes. */
  hasPreviousPage: boolean;
}

/** One page of a list. */
export interface Page<T> {
  /** The items of the page, in the requested order; empty past the end. */
  data: T[];
  /** Where the page stands. */
  pagination: Pagination;
}

/** Which page a list begins with, and how large its pages are. */
export interface PageQuery {
  /** From 1. @default 1 */
  page?: number;
  /** 1 to 100. @default 20 for one page, 100 when iterating */
  pageSize?: number;
}

/** Options of a list. */
export interface ListOptions extends CallOptions {
  /** The most items that an iteration yields. @default all */
  maxItems?: number | undefined;
}

/**
 * A list: awaited it is one page, iterated it is every item, page after page. Nothing is sent before
 * either begins. An iteration leaves out items that it has yielded already, which happens when others
 * are inserted meanwhile, and goes back for those that move to an earlier page when others are
 * deleted; after a page has failed, asking for the next item tries that page again.
 */
export interface List<T> extends Promise<Page<T>>, AsyncIterable<T> {
  /** The page and the answer it came in. */
  withResponse(): Promise<ApiResult<Page<T>>>;
  /** Every page, lazily. */
  pages(): AsyncIterableIterator<Page<T>>;
}

/** What a list of the contract holds. */
type Item<P extends PathsWith<'get'>> =
  Output<Operation<'get', P>> extends { data: (infer T)[] } ? T : never;

/** What a list is asked for, and how its items are told apart. */
type ListRequest<P extends PathsWith<'get'>> = Input<Operation<'get', P>> & {
  options: ListOptions;
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

/** How a list gets its pages and tells its items apart. */
export interface ListSource<T> {
  /** What the caller asked for. */
  query: PageQuery;
  options: ListOptions;
  /** Asks for one page; without `pageSize` it has the service's default size. */
  load: (query: PageQuery) => ApiPromise<Page<T>>;
  id: (item: T) => string;
}

const largestPage = 100;

/** Makes the list that an operation of the contract answers page by page. */
export function createList<P extends PathsWith<'get'>>(
  api: Api,
  path: P,
  request: ListRequest<P>,
): List<Item<P>> {
  const anyApi = api as unknown as AnyApi;
  const { options, id = ({ id }) => id, ...input } = request as unknown as AnyListRequest;
  const list = listOf({
    query: input.query,
    options,
    load: (query) => anyApi.call('get', path, { ...input, query }, options),
    id,
  });
  return list as List<Item<P>>;
}

/** Makes the list of a source. */
export function listOf<T>(source: ListSource<T>): List<T> {
  let first: ApiPromise<Page<T>> | undefined;
  const once = () => {
    first ??= source.load(source.query);
    return first;
  };
  return {
    // biome-ignore lint/suspicious/noThenProperty: a list is a promise that begins when it is awaited.
    then: (onValue, onError) => once().then(onValue, onError),
    catch: (onError) => once().catch(onError),
    finally: (onEnd) => once().finally(onEnd),
    withResponse: () => once().withResponse(),
    pages: () => iterator(pageReader(source)),
    [Symbol.asyncIterator]: () => iterator(itemReader(pageReader(source))),
    [Symbol.toStringTag]: 'List',
  };
}

/** Reads the next value. After a failure it can be called again. */
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
  return async () => {
    if (next === undefined || seen.size >= maxItems) return end;
    const { data, pagination } = await load({ ...query, page: next, pageSize });
    const fresh = data.filter((item) => !seen.has(id(item))).slice(0, maxItems - seen.size);
    for (const item of fresh) seen.add(id(item));
    const gone = total - pagination.totalCount;
    total = pagination.totalCount;
    // What was deleted meanwhile has moved items that were not read yet to pages that were.
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
    // One step at a time: two at once would ask for the same page.
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
