import type { PageQuery } from './generated/types.ts';
import type { ApiPromise, ApiResult } from './http/api-result.ts';
import { type CallOptions, requireKnown } from './options.ts';
import { iterate, type Page, type PageSource } from './page-iteration.ts';

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
 * deleted. A lost connection, 502 to 504 or 520 to 524 is retried for 30 seconds, unless `maxRetries` is 0.
 * After a page has failed, the next step fetches that page again. It rejects after 100 pages in a row
 * without a new item.
 *
 * @example
 * const { data, pagination } = await client.vaults.list({ pageSize: 50 });
 * for await (const vault of client.vaults.list({}, { maxItems: 500 })) console.log(vault.name);
 */
export interface List<T> extends Promise<Page<T>>, AsyncIterable<T> {
  /** Resolves to the page with its response, request id and rate limit. */
  withResponse(): Promise<ApiResult<Page<T>>>;
  /** Resolves to the response of the page. */
  asResponse(): Promise<Response>;
  /**
   * Fetches every page and resolves to all items.
   *
   * @param options - `maxItems`: maximum number of items. Default: that of the list
   * @example
   * const newest = await client.documents.list().toArray({ maxItems: 500 });
   */
  toArray(options?: Pick<ListOptions, 'maxItems'>): Promise<T[]>;
  /** Iterates over the pages. Each is fetched when it is needed. */
  pages(): AsyncIterableIterator<Page<T>>;
}

/** Options of the call for a page. */
export interface PageOptions extends ListOptions {
  iterated?: boolean;
}

/** How a list gets its pages and identifies its items. */
export interface ListSource<T> extends PageSource<T> {
  options: ListOptions;
  /** @param options - default: those of the list */
  load: (query: PageQuery, options?: PageOptions) => ApiPromise<Page<T>>;
}

/** Creates the list of a source. */
export function listOf<T>(source: ListSource<T>): List<T> {
  let first: ApiPromise<Page<T>> | undefined;
  const once = () => {
    first ??= source.load(source.query);
    return first;
  };
  const iterated = {
    ...source,
    load: (query: PageQuery) => source.load(query, { ...source.options, iterated: true }),
  };
  return {
    // biome-ignore lint/suspicious/noThenProperty: a list is a promise that starts when it is awaited.
    then: (onValue, onError) => once().then(onValue, onError),
    catch: (onError) => once().catch(onError),
    finally: (onEnd) => once().finally(onEnd),
    withResponse: () => once().withResponse(),
    asResponse: () => once().asResponse(),
    async toArray(given) {
      requireKnown(given, 'maxItems');
      const items: T[] = [];
      const all = iterate<T, T>({ ...iterated, options: { ...source.options, ...given } }, false);
      for await (const item of all) items.push(item);
      return items;
    },
    pages: () => iterate<T, Page<T>>(iterated, true),
    [Symbol.asyncIterator]: () => iterate<T, T>(iterated, false),
    [Symbol.toStringTag]: 'List',
  };
}
