// Generated from openapi/rules/faults.ts by `npm run generate`. Do not edit.

import type { ErrorCode } from './errors.ts';

// The faults that tests inject into a server and into the test kit. `Operation` names what they can affect.

/** The requests that a fault affects. */
export interface FaultOptions<Operation extends string> {
  /** Operations, such as `createVault`. @default all operations */
  operations?: Operation | readonly Operation[] | undefined;
  /** Number of requests, retries of a client included; `Infinity` for all until `restore()`. @default 1 */
  times?: number | undefined;
}

/** Options of the fault `rateLimit`: 429 `RATE_LIMIT_EXCEEDED`. */
export interface RateLimitOptions<Operation extends string> extends FaultOptions<Operation> {
  /** The requested wait, in whole seconds. @default 1 */
  retryAfter?: number | undefined;
}

/** Options of the fault `error`: an error of the service. */
export interface ErrorOptions<Operation extends string> extends FaultOptions<Operation> {
  /** Error code; it determines the status. @default INTERNAL_ERROR */
  code?: ErrorCode | undefined;
  /** `details` of the error. @default {} */
  details?: Readonly<Record<string, unknown>> | undefined;
}

/** Options of the fault `delay`: a slow service. */
export interface DelayOptions<Operation extends string> extends FaultOptions<Operation> {
  /** Milliseconds of the clock until the operation runs. @default 1_000 */
  milliseconds?: number | undefined;
}

/** Options of the fault `networkError`: a connection that ends without a response. */
export interface NetworkErrorOptions<Operation extends string> extends FaultOptions<Operation> {
  /** Whether the connection ends before or after the operation runs. @default before */
  when?: 'before' | 'after' | undefined;
}

/** Options of the fault `expireTokens`: 401 `EXPIRED_TOKEN` for the access tokens issued so far. */
export interface ExpireTokensOptions {
  /** Whether the refresh tokens issued so far can still be exchanged. @default works */
  refresh?: 'works' | 'fails' | undefined;
}

/** The kinds of faults, with their options. */
export interface FaultKinds<Operation extends string> {
  /** Responds 429 `RATE_LIMIT_EXCEEDED` with `Retry-After`. The operation does not run. */
  rateLimit: RateLimitOptions<Operation>;
  /** Responds with an error of the service. The operation does not run. */
  error: ErrorOptions<Operation>;
  /** Runs the operation later, or not at all if the client gives up before. `restore()` ends the delay. */
  delay: DelayOptions<Operation>;
  /** Does not respond until `restore()`. The operation runs then, unless the client gave up before. */
  stall: FaultOptions<Operation>;
  /** Ends the connection without a response. */
  networkError: NetworkErrorOptions<Operation>;
  /** Runs the operation, and ends the connection after half of the response body. */
  truncate: FaultOptions<Operation>;
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

/** Returns the fault as its test sees it. */
export function faultOf(counted: { readonly calls: number }, restore: () => void): Fault {
  return {
    get calls() {
      return counted.calls;
    },
    restore,
  };
}

/** Milliseconds of the fault `delay`. */
export const defaultDelay = 1_000;

const kinds: readonly string[] = [
  'rateLimit',
  'error',
  'delay',
  'stall',
  'networkError',
  'truncate',
  'expireTokens',
] satisfies (keyof FaultKinds<string>)[];

/** Returns what is wrong with a fault that would affect no request, such as one for a misspelt operation. */
export function mistakeOf(
  kind: string,
  options: RateLimitOptions<string> & DelayOptions<string> & ExpireTokensOptions,
  isOperation: (name: string) => boolean,
): string | undefined {
  if (!kinds.includes(kind)) {
    return `the kind of a fault must be one of ${kinds.join(', ')}, not ${kind}`;
  }
  const { operations = [], times = 1, retryAfter = 1, milliseconds = 0 } = options;
  const isCount = times === Number.POSITIVE_INFINITY || Number.isSafeInteger(times);
  if (!isCount || times < 1) {
    return `times must be a whole number from 1, or Infinity, not ${times}`;
  }
  if (!Number.isSafeInteger(retryAfter) || retryAfter < 1) {
    return `retryAfter must be a whole number from 1, not ${retryAfter}`;
  }
  if (!Number.isFinite(milliseconds) || milliseconds < 0) {
    return `milliseconds must be a number from 0, not ${milliseconds}`;
  }
  const unknown = [operations].flat().find((operation) => !isOperation(operation));
  return unknown === undefined ? undefined : `operations: the contract has no operation ${unknown}`;
}
