import type { Clock } from './clock.ts';
import { contractOperations, type OperationId } from './contract/contract.ts';

/** A fault of one response. */
export type Fault =
  /** 429 RATE_LIMIT_EXCEEDED; the operation does not run. `retryAfter` in seconds, default 1. */
  | { readonly fault: 'rateLimit'; readonly retryAfter?: number }
  /** 500 INTERNAL_ERROR; the operation does not run. */
  | { readonly fault: 'error' }
  /** The connection ends without a response, `before` (default) or `after` the operation ran. */
  | { readonly fault: 'drop'; readonly when?: 'before' | 'after' }
  /** The operation starts this many milliseconds of the server's clock later. */
  | { readonly fault: 'delay'; readonly milliseconds: number }
  /** The operation runs, and the connection ends after half of the response body. */
  | { readonly fault: 'truncate' };

/** The requests that get a fault; without operation and path, all requests. */
export type FaultTarget =
  | { readonly operation?: OperationId }
  /** `path` as in the request, or as in the contract: `/api/v1/vaults/{id}`. */
  | { readonly method: string; readonly path: string };

/** A fault and its requests. */
export type FaultOrder = Fault &
  FaultTarget & {
    /** Number of requests; default 1. */
    readonly times?: number;
  };

/** Injects faults into requests that are authenticated and within their rate limits. */
export interface Faults {
  /**
   * Injects a fault into the next matching requests. When several orders match, the oldest applies.
   *
   * @throws TestFeatureError in production mode, and for an order that no request can match
   */
  order(order: FaultOrder): void;
  /** Number of requests that will still get a fault. */
  readonly pending: number;
  /** Cancels every order and releases delayed requests. */
  clear(): void;
}

/** A test feature was used with wrong arguments, or in production mode. */
export class TestFeatureError extends Error {
  override readonly name = 'TestFeatureError';
}

/** The parts of a request that fault injection matches. */
export interface MatchedRequest {
  /** Undefined for a request outside the contract. */
  readonly operation: OperationId | undefined;
  readonly method: string;
  readonly path: string;
  readonly template: string;
}

/** The interface of fault injection for the HTTP server. */
export interface FaultInjector extends Faults {
  /** Returns the fault for this request and counts it as used. */
  take(request: MatchedRequest): Fault | undefined;
  /** Resolves after this time of the server's clock, or when the orders are cancelled. */
  wait(milliseconds: number): Promise<void>;
}

interface Entry {
  readonly order: FaultOrder;
  left: number;
}

export function createFaultInjector(clock: Clock): FaultInjector {
  const entries: Entry[] = [];
  const delayed = new Set<() => void>();

  return {
    order(order) {
      const { times = 1 } = order;
      refuseMistakes(order, times);
      entries.push({ order, left: times });
    },

    get pending() {
      return entries.reduce((sum, { left }) => sum + left, 0);
    },

    clear() {
      entries.length = 0;
      for (const resume of delayed) resume();
    },

    take(request) {
      if (entries.length === 0) return undefined;
      const index = entries.findIndex(({ order }) => matches(order, request));
      const entry = entries[index];
      if (entry === undefined) return undefined;
      entry.left -= 1;
      if (entry.left === 0) entries.splice(index, 1);
      return entry.order;
    },

    wait(milliseconds) {
      return new Promise((resolve) => {
        const resume = () => {
          cancel();
          delayed.delete(resume);
          resolve();
        };
        const cancel = clock.at(clock.now() + milliseconds, resume);
        delayed.add(resume);
      });
    },
  };
}

function matches(
  order: FaultOrder,
  { operation, method, path, template }: MatchedRequest,
): boolean {
  if ('method' in order) {
    return order.method.toUpperCase() === method && [path, template].includes(order.path);
  }
  return order.operation === undefined || order.operation === operation;
}

const kinds: readonly string[] = ['rateLimit', 'error', 'drop', 'delay', 'truncate'];

/** Rejects orders that no request can match, for example with a misspelt operation. */
function refuseMistakes(order: FaultOrder, times: number): void {
  const { fault, operation } = order as { fault: string; operation?: string };
  if (!kinds.includes(fault))
    throw new TestFeatureError(`fault must be one of ${kinds.join(', ')}, not ${fault}`);
  if (!Number.isSafeInteger(times) || times < 1) {
    throw new TestFeatureError(`times must be a whole number from 1, not ${times}`);
  }
  if (operation !== undefined && !contractOperations.some(({ id }) => id === operation)) {
    throw new TestFeatureError(
      `operation must be an operationId of the contract, not ${operation}`,
    );
  }
}
