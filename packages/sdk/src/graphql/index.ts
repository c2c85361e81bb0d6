export type * from '../generated/graphql.ts';
/** A document, ready to be sent, for every field of the schema. */
export * as documents from '../generated/graphql-documents.ts';
export { createGraphql, type DeliveriesQuery, type Graphql } from './client.ts';
export type { TypedDocument } from './document.ts';
export {
  type GraphqlError,
  type GraphqlFailure,
  isGraphqlError,
  partialData,
} from './failures.ts';
export type { GraphqlList } from './list.ts';
export type {
  GraphqlCallOptions,
  GraphqlCost,
  GraphqlPromise,
  GraphqlResult,
} from './request.ts';
