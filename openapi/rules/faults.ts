import { type ErrorCode, ServiceError } from './errors.ts';

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

/** The kinds that affect a request after its credentials were checked. */
export type RequestFaultKind = Exclude<keyof FaultKinds<string>, 'expireTokens'>;

/** What a fault does to a connection: it ends before the operation runs, before the response, or amid its body. */
export type Damage = 'disconnect' | 'networkError' | 'truncate';

interface RequestFault {
  readonly kind: RequestFaultKind;
  readonly options: ErrorOptions<string> & RateLimitOptions<string> & NetworkErrorOptions<string>;
  /** Milliseconds of the clock; undefined: until the fault ends. */
  readonly delay: number | undefined;
  calls: number;
  /** Continues the requests that wait. */
  readonly waiting: Set<() => void>;
}

/** Milliseconds of the fault `delay`. */
const defaultDelay = 1_000;

/** The injected faults of requests. Of several that match a request, the oldest affects it. */
export class RequestFaults {
  readonly #clock: { now(): number; at(time: number, wake: () => void): () => void };
  readonly #faults = new Set<RequestFault>();

  constructor(clock: { now(): number; at(time: number, wake: () => void): () => void }) {
    this.#clock = clock;
  }

  add(kind: RequestFaultKind, options: FaultOptions<string>): Fault {
    const { milliseconds = defaultDelay }: DelayOptions<string> = options;
    const delay = kind === 'delay' ? milliseconds : undefined;
    const fault: RequestFault = { kind, options, delay, calls: 0, waiting: new Set() };
    this.#faults.add(fault);
    return faultOf(fault, () => this.#end(fault));
  }

  /** Ends every fault. */
  clear(): void {
    for (const fault of this.#faults) this.#end(fault);
  }

  #end(fault: RequestFault): void {
    this.#faults.delete(fault);
    for (const resume of fault.waiting) resume();
  }

  /**
   * Applies the oldest fault that matches a request, and counts the request.
   *
   * @param signal returns a signal that is aborted when the client gives up
   * @throws ServiceError of the faults `rateLimit` and `error`
   */
  async apply(operation: string, signal: () => AbortSignal): Promise<Damage | undefined> {
    const fault = [...this.#faults].find(
      ({ options: { operations = operation, times = 1 }, calls }) => {
        return [operations].flat().includes(operation) && calls < times;
      },
    );
    if (!fault) return undefined;
    fault.calls += 1;
    const { kind, options } = fault;
    const { retryAfter = 1, code = 'INTERNAL_ERROR', details = {} } = options;
    switch (kind) {
      case 'rateLimit':
        throw new ServiceError('RATE_LIMIT_EXCEEDED', { retryAfter });
      case 'error':
        throw new ServiceError(code, {
          details,
          ...(code === 'RATE_LIMIT_EXCEEDED' && { retryAfter }),
        });
      case 'networkError':
        return options.when === 'after' ? kind : 'disconnect';
      case 'truncate':
        return kind;
      default: {
        const clientGaveUp = signal();
        await this.#wait(fault, clientGaveUp);
        return clientGaveUp.aborted ? 'disconnect' : undefined;
      }
    }
  }

  /** Resolves when the delay or the fault ends, or when the client gives up. */
  #wait({ delay, waiting }: RequestFault, clientGaveUp: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const resume = () => {
        cancel?.();
        clientGaveUp.removeEventListener('abort', resume);
        waiting.delete(resume);
        resolve();
      };
      const cancel =
        delay === undefined ? undefined : this.#clock.at(this.#clock.now() + delay, resume);
      clientGaveUp.addEventListener('abort', resume);
      waiting.add(resume);
      if (clientGaveUp.aborted) resume();
    });
  }
}

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
