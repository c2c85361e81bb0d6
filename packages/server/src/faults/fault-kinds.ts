import type { OperationId } from '../contract/contract.ts';
import type { Shape } from '../domain/shapes.ts';

/** An operation of the contract by its `operationId`, or `graphql` for `POST /graphql`. */
export type FaultOperation = OperationId | 'graphql';

/** The requests that a fault affects. */
export interface FaultOptions {
  /** Operations, such as `createVault`. @default all operations */
  operations?: FaultOperation | readonly FaultOperation[] | undefined;
  /** Number of requests, retries of a client included; `Infinity` for all until `restore()`. @default 1 */
  times?: number | undefined;
}

/** Options of the fault `rateLimit`: 429 `RATE_LIMIT_EXCEEDED`. */
export interface RateLimitOptions extends FaultOptions {
  /** The requested wait, in whole seconds. @default 1 */
  retryAfter?: number | undefined;
}

/** Options of the fault `error`: an error of the service. */
export interface ErrorOptions extends FaultOptions {
  /** Error code; it determines the status. @default INTERNAL_ERROR */
  code?: Shape<'ErrorCode'> | undefined;
  /** `details` of the error. @default {} */
  details?: Readonly<Record<string, unknown>> | undefined;
}

/** Options of the fault `delay`: a slow service. */
export interface DelayOptions extends FaultOptions {
  /** Milliseconds of the clock until the operation runs. @default 1_000 */
  milliseconds?: number | undefined;
}

/** Options of the fault `networkError`: a connection that ends without a response. */
export interface NetworkErrorOptions extends FaultOptions {
  /** Whether the connection ends before or after the operation runs. @default before */
  when?: 'before' | 'after' | undefined;
}

/** Options of the fault `expireTokens`: 401 `EXPIRED_TOKEN` for the access tokens issued so far. */
export interface ExpireTokensOptions {
  /** Whether the refresh tokens issued so far can still be exchanged. @default works */
  refresh?: 'works' | 'fails' | undefined;
}

/** The kinds of faults, with their options. */
export interface FaultKinds {
  /** Responds 429 `RATE_LIMIT_EXCEEDED` with `Retry-After`. The operation does not run. */
  rateLimit: RateLimitOptions;
  /** Responds with an error of the service. The operation does not run. */
  error: ErrorOptions;
  /** Runs the operation later, or not at all if the client gives up before. `restore()` ends the delay. */
  delay: DelayOptions;
  /** Does not respond until `restore()`. The operation runs then, unless the client gave up before. */
  stall: FaultOptions;
  /** Ends the connection without a response. */
  networkError: NetworkErrorOptions;
  /** Runs the operation, and ends the connection after half of the response body. */
  truncate: FaultOptions;
  /** Responds 401 `EXPIRED_TOKEN` to the access tokens issued so far, until `restore()`. */
  expireTokens: ExpireTokensOptions;
}

/** An injected fault. */
export interface Fault {
  /** Number of requests that it has affected. */
  readonly calls: number;
  /** Ends the fault. Its stalled and delayed requests continue. */
  restore(): void;
}

/** Injects a fault. Of several that match a request, the oldest affects it. */
export type InjectFault = <Kind extends keyof FaultKinds>(
  kind: Kind,
  options?: FaultKinds[Kind],
) => Fault;

/** A test feature was used with invalid arguments, or in production mode. */
export class TestFeatureError extends Error {
  override readonly name = 'TestFeatureError';
}
