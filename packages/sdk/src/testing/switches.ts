import { UsageError } from '../errors.ts';
import type { OperationId } from '../generated/operation-id.ts';
import type { ErrorCode, ErrorDetails } from '../generated/types.ts';
import { bearerToken } from './admission.ts';
import { Failure } from './failure.ts';
import { issuedPairs } from './tokens.ts';
import type { World } from './world.ts';

/** Which requests a switch meets. */
export interface SwitchOptions {
  /** The operations of the contract that it meets. @default all of them */
  operations?: OperationId | readonly OperationId[] | undefined;
  /** How many requests it meets. @default every one, until it is lifted */
  times?: number | undefined;
}

/** 429 RATE_LIMIT_EXCEEDED. */
export interface RateLimitOptions extends SwitchOptions {
  /** What `Retry-After` and the body ask to wait, in whole seconds. @default 1 */
  retryAfter?: number | undefined;
}

/** An error of the catalogue. */
export interface ErrorOptions extends SwitchOptions {
  /** Its status follows from it. @default INTERNAL_ERROR */
  code?: ErrorCode | undefined;
  /** `details` of the error. @default {} */
  details?: ErrorDetails | undefined;
}

/** 401 EXPIRED_TOKEN for the access tokens issued so far. */
export interface ExpireTokensOptions extends SwitchOptions {
  /** Whether the refresh tokens issued so far can still be exchanged. @default works */
  refresh?: 'works' | 'fails' | undefined;
}

/** Something that goes wrong, until it is lifted. */
export interface Switch {
  /** How many requests it has met. */
  readonly met: number;
  /** Ends it. Requests that it holds are answered. */
  lift(): void;
}

/** A request, as far as switches look at it. */
export interface SwitchedRequest {
  readonly operation: OperationId | undefined;
  readonly headers: Headers;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

/** What a switch does to a request that it meets. */
type Effect = (request: SwitchedRequest) => Promise<'answer' | 'drop'>;

interface Entry {
  readonly fits: (request: SwitchedRequest) => boolean;
  readonly effect: Effect;
  left: number;
}

/** @throws UsageError for a switch that could never be met as it was meant */
function check({ times = 1, operations = [] }: SwitchOptions, known: ReadonlySet<string>): void {
  if (!Number.isSafeInteger(times) || times < 1) {
    throw new UsageError(`times: ${times} is not a whole number from 1`);
  }
  const unknown = [operations].flat().find((operation) => !known.has(operation));
  if (unknown !== undefined) throw new UsageError(`operations: the contract has no ${unknown}`);
}

/** What goes wrong on purpose. Of several switches that fit a request, the oldest meets it. */
export class Switches {
  readonly #world: World;
  readonly #known: ReadonlySet<string>;
  readonly #entries = new Set<Entry>();
  /** What requests wait for that are held. */
  readonly #held = new Set<() => void>();

  /** @param operations - every operation of the contract */
  constructor(world: World, operations: readonly OperationId[]) {
    this.#world = world;
    this.#known = new Set(operations);
  }

  rateLimit({ retryAfter = 1, ...options }: RateLimitOptions = {}): Switch {
    return this.#add(options, fail('RATE_LIMIT_EXCEEDED', { retryAfter }));
  }

  error({ code = 'INTERNAL_ERROR', details = {}, ...options }: ErrorOptions = {}): Switch {
    const isLimit = code === 'RATE_LIMIT_EXCEEDED';
    return this.#add(options, fail(code, { details, ...(isLimit && { retryAfter: 1 }) }));
  }

  networkError(options: SwitchOptions = {}): Switch {
    return this.#add(options, async () => 'drop');
  }

  stall(options: SwitchOptions = {}): Switch {
    const holding = new Set<() => void>();
    const added = this.#add(options, (request) => this.#hold(holding, request));
    return {
      get met() {
        return added.met;
      },
      lift() {
        added.lift();
        for (const release of holding) release();
      },
    };
  }

  expireTokens({ refresh = 'works', ...options }: ExpireTokensOptions = {}): Switch {
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
      get met() {
        return expired.met;
      },
      lift() {
        expired.lift();
        refused.lift();
      },
    };
  }

  /** Lifts every switch. */
  clear(): void {
    this.#entries.clear();
    for (const release of this.#held) release();
  }

  /**
   * Does to a request what the switch does that meets it, if one does.
   *
   * @throws Failure
   */
  async meet(request: SwitchedRequest): Promise<'answer' | 'drop'> {
    const entry = [...this.#entries].find(({ fits }) => fits(request));
    if (!entry) return 'answer';
    entry.left -= 1;
    if (entry.left === 0) this.#entries.delete(entry);
    return entry.effect(request);
  }

  #add(
    options: SwitchOptions,
    effect: Effect,
    fits: (request: SwitchedRequest) => boolean = () => true,
  ): Switch {
    check(options, this.#known);
    const { operations, times = Number.POSITIVE_INFINITY } = options;
    const names = operations && [operations].flat();
    let met = 0;
    const entry: Entry = {
      fits: (request) =>
        (names?.some((name) => name === request.operation) ?? true) && fits(request),
      effect(request) {
        met += 1;
        return effect(request);
      },
      left: times,
    };
    this.#entries.add(entry);
    return {
      get met() {
        return met;
      },
      lift: () => {
        this.#entries.delete(entry);
      },
    };
  }

  /** Holds a request until it is released, or until its sender has given up. */
  #hold(holding: Set<() => void>, { signal }: SwitchedRequest): Promise<'answer' | 'drop'> {
    return new Promise((resolve) => {
      const release = () => {
        signal.removeEventListener('abort', release);
        this.#held.delete(release);
        holding.delete(release);
        resolve(signal.aborted ? 'drop' : 'answer');
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
