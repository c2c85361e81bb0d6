import type { Clock } from './clock.ts';
import { contractOperations, type OperationId } from './contract/contract.ts';

/** What goes wrong with an answer. */
export type Fault =
  /** 429 RATE_LIMIT_EXCEEDED; nothing is done. `retryAfter` in seconds, default 1. */
  | { readonly fault: 'rateLimit'; readonly retryAfter?: number }
  /** 500 INTERNAL_ERROR; nothing is done. */
  | { readonly fault: 'error' }
  /** The connection ends without an answer, `before` (the default) or `after` the work was done. */
  | { readonly fault: 'drop'; readonly when?: 'before' | 'after' }
  /** The work begins this many milliseconds of the server's clock later. */
  | { readonly fault: 'delay'; readonly milliseconds: number }
  /** The work is done, and the connection ends after half of the answer's body. */
  | { readonly fault: 'truncate' };

/** Which requests a fault meets; every one when neither is given. */
export type FaultTarget =
  | { readonly operation?: OperationId }
  /** `path` as it is requested, or as the contract writes it: `/api/v1/vaults/{id}`. */
  | { readonly method: string; readonly path: string };

/** A fault, and the requests that it meets. */
export type FaultOrder = Fault &
  FaultTarget & {
    /** How many requests; default 1. */
    readonly times?: number;
  };

/** Orders what goes wrong next. Only requests that are authenticated and within their limits meet a fault. */
export interface Faults {
  /**
   * Orders a fault for the next requests that it fits. Of several orders, the oldest counts.
   *
   * @throws TestFeatureError in production mode, and for an order that could never be met
   */
  order(order: FaultOrder): void;
  /** How many requests are still to meet a fault. */
  readonly pending: number;
  /** Takes every order back, and lets delayed requests go on. */
  clear(): void;
}

/** A feature for tests was used wrongly, or where it does not exist. */
export class TestFeatureError extends Error {
  override readonly name = 'TestFeatureError';
}

/** A request, as far as faults look at it. */
export interface FaultyRequest {
  /** Undefined: none of the contract. */
  readonly operation: OperationId | undefined;
  readonly method: string;
  readonly path: string;
  readonly template: string;
}

/** The orders, as the front door sees them. */
export interface FaultBook extends Faults {
  /** Takes the fault that this request meets. */
  take(request: FaultyRequest): Fault | undefined;
  /** Resolves that much later by the server's clock, or when the orders are taken back. */
  wait(milliseconds: number): Promise<void>;
}

interface Entry {
  readonly order: FaultOrder;
  left: number;
}

export function createFaults(clock: Clock): FaultBook {
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
      const index = entries.findIndex(({ order }) => meets(order, request));
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

function meets(order: FaultOrder, { operation, method, path, template }: FaultyRequest): boolean {
  if ('method' in order) {
    return order.method.toUpperCase() === method && [path, template].includes(order.path);
  }
  return order.operation === undefined || order.operation === operation;
}

const kinds: readonly string[] = ['rateLimit', 'error', 'drop', 'delay', 'truncate'];

/** An order for a misspelt operation, for example, would wait for ever. */
function refuseMistakes(order: FaultOrder, times: number): void {
  const { fault, operation } = order as { fault: string; operation?: string };
  if (!kinds.includes(fault)) throw new TestFeatureError(`fault: there is no ${fault}`);
  if (!Number.isSafeInteger(times) || times < 1) {
    throw new TestFeatureError(`times: ${times} is not a whole number from 1`);
  }
  if (operation !== undefined && !contractOperations.some(({ id }) => id === operation)) {
    throw new TestFeatureError(`operation: there is no ${operation} in the contract`);
  }
}
