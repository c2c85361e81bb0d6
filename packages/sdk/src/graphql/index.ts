export type * from '../generated/graphql.ts';
/** A prepared document for every field of the schema. */
export * as documents from '../generated/graphql-documents.ts';
export { createGraphql, type DeliveriesQuery, type Graphql } from './client.ts';
export {
  type GraphqlError,
  type GraphqlFailure,
  isGraphqlError,
  partialData,
} from './errors.ts';
export type {
  GraphqlCallOptions,
  GraphqlCost,
  GraphqlList,
  GraphqlPromise,
  GraphqlResult,
  TypedDocument,
} from './request.ts';
