import type { OperationId } from './contract.ts';
import type * as faults from './generated/rules/faults.ts';

export type { ExpireTokensOptions, Fault } from './generated/rules/faults.ts';

/** The requests that a fault affects. */
export type FaultOptions = faults.FaultOptions<OperationId>;
/** Options of the fault `rateLimit`: 429 `RATE_LIMIT_EXCEEDED`. */
export type RateLimitOptions = faults.RateLimitOptions<OperationId>;
/** Options of the fault `error`: an error of the service. */
export type ErrorOptions = faults.ErrorOptions<OperationId>;
/** Options of the fault `delay`: a slow service. */
export type DelayOptions = faults.DelayOptions<OperationId>;
/** Options of the fault `networkError`: a connection that ends without a response. */
export type NetworkErrorOptions = faults.NetworkErrorOptions<OperationId>;
/** The kinds of faults, with their options. */
export type FaultKinds = faults.FaultKinds<OperationId>;
