import { UsageError } from '../errors.ts';
import type { OperationId } from '../generated/operation-id.ts';
import type { ErrorCode, ErrorDetails } from '../generated/types.ts';
import { bearerToken } from './admission.ts';
import { Failure } from './responses.ts';
import type { State } from './state.ts';
import { issuedPairs } from './tokens.ts';

/** The requests that a fault affects. */
export interface FaultOptions {
  /** Names of operations, such as `createVault`. @default all operations */
  operations?: OperationId | readonly OperationId[] | undefined;
  /** Number of requests that it affects. @default all until `restore()` */
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
  code?: ErrorCode | undefined;
  /** `details` of the error. @default {} */
  details?: ErrorDetails | undefined;
}

/** Options of the fault `expireTokens`: 401 `EXPIRED_TOKEN` for the access tokens issued so far. */
export interface ExpireTokensOptions extends FaultOptions {
  /** Whether the refresh tokens issued so far can still be exchanged. @default works */
  refresh?: 'works' | 'fails' | undefined;
}

/** The kinds of faults, with their options. */
export interface FaultKinds {
  /** Responds 429 `RATE_LIMIT_EXCEEDED`, with `Retry-After` and both spellings of the rate limit. */
  rateLimit: RateLimitOptions;
  /** Responds 401 `EXPIRED_TOKEN` to the access tokens issued so far. */
  expireTokens: ExpireTokensOptions;
  /** Does not respond until `restore()`, or until the client gives up. */
  stall: FaultOptions;
  /** Responds with an error of the service. */
  error: ErrorOptions;
  /** Breaks the connection. */
  networkError: FaultOptions;
}

/** An injected fault. */
export interface Fault {
  /** Number of requests that it has affected. */
  readonly calls: number;
  /** Ends the fault. Stalled requests get their responses. */
  restore(): void;
}

/** The parts of a request that faults depend on. */
export interface FaultRequest {
  readonly operation: OperationId | undefined;
  readonly headers: Headers;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

/** The effect of a fault on a request. */
type Effect = (request: FaultRequest) => Promise<'respond' | 'drop'>;

interface Entry {
  readonly fits: (request: FaultRequest) => boolean;
  readonly effect: Effect;
  left: number;
}

/** @throws UsageError for an unknown operation or an invalid number */
function check({ times = 1, operations = [] }: FaultOptions, known: ReadonlySet<string>): void {
  if (!Number.isSafeInteger(times) || times < 1) {
    throw new UsageError(`times: ${times} is not a whole number from 1`);
  }
  const unknown = [operations].flat().find((operation) => !known.has(operation));
  if (unknown !== undefined) throw new UsageError(`operations: the contract has no ${unknown}`);
}

/** The injected faults. Of several that match a request, the oldest affects it. */
export class Faults {
  readonly #world: State;
  readonly #known: ReadonlySet<string>;
  readonly #entries = new Set<Entry>();
  /** Releases the stalled requests. */
  readonly #held = new Set<() => void>();

  /** @param operations - every operation of the contract */
  constructor(state: State, operations: readonly OperationId[]) {
    this.#world = state;
    this.#known = new Set(operations);
  }

  /** Injects a fault. */
  inject<Kind extends keyof FaultKinds>(kind: Kind, options: FaultKinds[Kind] = {}): Fault {
    const inject = this.#kinds[kind] as ((options: FaultKinds[Kind]) => Fault) | undefined;
    if (!inject) throw new UsageError(`fault: there is no kind ${String(kind)}`);
    return inject(options);
  }

  readonly #kinds: { readonly [Kind in keyof FaultKinds]: (options: FaultKinds[Kind]) => Fault } = {
    rateLimit: (options) => this.#rateLimit(options),
    expireTokens: (options) => this.#expireTokens(options),
    stall: (options) => this.#stall(options),
    error: (options) => this.#error(options),
    networkError: (options) => this.#add(options, async () => 'drop'),
  };

  #rateLimit({ retryAfter = 1, ...options }: RateLimitOptions): Fault {
    return this.#add(options, fail('RATE_LIMIT_EXCEEDED', { retryAfter }));
  }

  #error({ code = 'INTERNAL_ERROR', details = {}, ...options }: ErrorOptions): Fault {
    const isLimit = code === 'RATE_LIMIT_EXCEEDED';
    return this.#add(options, fail(code, { details, ...(isLimit && { retryAfter: 1 }) }));
  }

  #stall(options: FaultOptions): Fault {
    const holding = new Set<() => void>();
    const added = this.#add(options, (request) => this.#hold(holding, request));
    return {
      get calls() {
        return added.calls;
      },
      restore() {
        added.restore();
        for (const release of holding) release();
      },
    };
  }

  #expireTokens({ refresh = 'works', ...options }: ExpireTokensOptions): Fault {
    const { tables } = this.#world;
    const newest = issuedPairs(this.#world);
    const isOld = (token: { readonly issue: number } | undefined) =>
      token !== undefined && token.issue <= newest;
    const expired = this.#add(options, fail('EXPIRED_TOKEN'), ({ headers }) =>
      isOld(tables.accessTokens.get(bearerToken(headers.get('authorization')) ?? '')),
    );
    if (refresh === 'works') return expired;
    const message = 'The refresh token is not valid. Sign in again.';
    const refused = this.#add(
      { operations: 'refresh' },
      fail('INVALID_TOKEN', { message }),
      ({ body }) => isOld(tables.refreshTokens.get(refreshTokenOf(body))),
    );
    return {
      get calls() {
        return expired.calls;
      },
      restore() {
        expired.restore();
        refused.restore();
      },
    };
  }

  /** Ends every fault. */
  clear(): void {
    this.#entries.clear();
    for (const release of this.#held) release();
  }

  /**
   * Applies the matching fault to a request, if there is one.
   *
   * @throws Failure
   */
  async apply(request: FaultRequest): Promise<'respond' | 'drop'> {
    const entry = [...this.#entries].find(({ fits }) => fits(request));
    if (!entry) return 'respond';
    entry.left -= 1;
    if (entry.left === 0) this.#entries.delete(entry);
    return entry.effect(request);
  }

  #add(
    options: FaultOptions,
    effect: Effect,
    fits: (request: FaultRequest) => boolean = () => true,
  ): Fault {
    check(options, this.#known);
    const { operations, times = Number.POSITIVE_INFINITY } = options;
    const names = operations && [operations].flat();
    let calls = 0;
    const entry: Entry = {
      fits: (request) =>
        (names?.some((name) => name === request.operation) ?? true) && fits(request),
      effect(request) {
        calls += 1;
        return effect(request);
      },
      left: times,
    };
    this.#entries.add(entry);
    return {
      get calls() {
        return calls;
      },
      restore: () => {
        this.#entries.delete(entry);
      },
    };
  }

  /** Stalls a request until it is released, or its sender gives up. */
  #hold(holding: Set<() => void>, { signal }: FaultRequest): Promise<'respond' | 'drop'> {
    return new Promise((resolve) => {
      const release = () => {
        signal.removeEventListener('abort', release);
        this.#held.delete(release);
        holding.delete(release);
        resolve(signal.aborted ? 'drop' : 'respond');
      };
      signal.addEventListener('abort', release);
      this.#held.add(release);
      holding.add(release);
      if (signal.aborted) release();
    });
  }
}

function fail(...failure: ConstructorParameters<typeof Failure>): Effect {
  return async () => {
    throw new Failure(...failure);
  };
}

function refreshTokenOf(body: unknown): string {
  const { refreshToken } = (body ?? {}) as { refreshToken?: unknown };
  return typeof refreshToken === 'string' ? refreshToken : '';
}
