import type { OperationId } from '../contract/contract.ts';
import type * as faults from '../generated/rules/faults.ts';

export type { ExpireTokensOptions, Fault } from '../generated/rules/faults.ts';

/** An operation of the contract by its `operationId`, or `graphql` for `POST /graphql`. */
export type FaultOperation = OperationId | 'graphql';

/** The requests that a fault affects. */
export type FaultOptions = faults.FaultOptions<FaultOperation>;
/** Options of the fault `rateLimit`: 429 `RATE_LIMIT_EXCEEDED`. */
export type RateLimitOptions = faults.RateLimitOptions<FaultOperation>;
/** Options of the fault `error`: an error of the service. */
export type ErrorOptions = faults.ErrorOptions<FaultOperation>;
/** Options of the fault `delay`: a slow service. */
export type DelayOptions = faults.DelayOptions<FaultOperation>;
/** Options of the fault `networkError`: a connection that ends without a response. */
export type NetworkErrorOptions = faults.NetworkErrorOptions<FaultOperation>;
/** The kinds of faults, with their options. */
export type FaultKinds = faults.FaultKinds<FaultOperation>;

/** A test feature was used with invalid arguments, or in production mode. */
export class TestFeatureError extends Error {
  override readonly name = 'TestFeatureError';
}
