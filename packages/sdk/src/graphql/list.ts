import { type List, type ListOptions, listOf, type Page, type PageQuery } from '../pages.ts';
import type { GraphqlPromise, GraphqlResult } from './request.ts';

/** A list as REST has it; the result of a page tells its cost too. */
export interface GraphqlList<T> extends List<T> {
  /** The page and the answer it came in. */
  withResponse(): Promise<GraphqlResult<Page<T>>>;
}

/** What every list is asked for. */
interface PageVariables {
  page?: number | null | undefined;
  pageSize?: number | null | undefined;
}

/** Where a list comes from. */
export interface Listing<T, Q extends PageVariables> {
  query: Q;
  options: ListOptions | undefined;
  load: (query: Q) => GraphqlPromise<Page<T>>;
}

/** Makes the list of a field. */
export function createGraphqlList<T extends { id: string }, Q extends PageVariables>({
  query,
  options = {},
  load,
}: Listing<T, Q>): GraphqlList<T> {
  const list = listOf<T>({
    // To GraphQL, null is as good as nothing.
    query: query as PageQuery,
    options,
    load: (query) => load(query as Q),
    id: ({ id }) => id,
  });
  // Its answers are those of `load`.
  return list as GraphqlList<T>;
}
