export type * from '../generated/graphql.ts';
export * as documents from '../generated/graphql.ts';
export { createGraphql, type DeliveriesQuery, type Graphql } from './client.ts';
export type { TypedDocument } from './document.ts';
export {
  type GraphqlError,
  type GraphqlFailure,
  isGraphqlError,
  partialData,
} from './failures.ts';
export type { GraphqlFetch } from './fetch.ts';
export type { GraphqlList } from './list.ts';
export type {
  GraphqlCallOptions,
  GraphqlCost,
  GraphqlPromise,
  GraphqlResult,
} from './request.ts';
