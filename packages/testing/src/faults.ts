import { UsageError } from '@document-vault/sdk';
import { bearerToken } from './admission.ts';
import type { MovableClock } from './clock.ts';
import type { OperationId } from './contract.ts';
import type {
  DelayOptions,
  ErrorOptions,
  Fault,
  FaultKinds,
  FaultOptions,
  NetworkErrorOptions,
  RateLimitOptions,
} from './fault-kinds.ts';
import { ServiceError } from './generated/rules/errors.ts';
import type { State } from './state.ts';
import { TokenFaults } from './token-faults.ts';

/** The kinds that affect a request after its credentials were checked. */
type RequestFaultKind = Exclude<keyof FaultKinds, 'expireTokens'>;

/** The parts of a request that faults depend on. */
export interface FaultRequest {
  readonly operation: OperationId | undefined;
  readonly headers: Headers;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

/** The damage to a response: none of it arrives, or half of it. */
export type Damage = 'none' | 'networkError' | 'truncate';

interface Entry {
  readonly kind: RequestFaultKind;
  readonly options: FaultOptions & ErrorOptions & RateLimitOptions & NetworkErrorOptions;
  /** In milliseconds. */
  readonly delay: number;
  /** Undefined: all operations. */
  readonly operations: readonly OperationId[] | undefined;
  readonly times: number;
  calls: number;
  /** Continues the requests that wait. */
  readonly waiting: Set<() => void>;
}

interface FaultsOptions {
  readonly state: State;
  readonly clock: MovableClock;
  /** Every operation of the contract. */
  readonly operations: readonly OperationId[];
}

/** The injected faults. Of several that match a request, the oldest affects it. */
export class Faults {
  readonly #clock: MovableClock;
  readonly #operations: ReadonlySet<string>;
  readonly #tokens: TokenFaults;
  readonly #entries = new Set<Entry>();

  constructor({ state, clock, operations }: FaultsOptions) {
    this.#clock = clock;
    this.#operations = new Set(operations);
    this.#tokens = new TokenFaults(state);
  }

  /** @throws UsageError for an unknown kind or operation, and for an invalid number */
  inject<Kind extends keyof FaultKinds>(kind: Kind, options: FaultKinds[Kind] = {}): Fault {
    if (!Object.hasOwn(this.#kinds, kind)) {
      const known = Object.keys(this.#kinds).join(', ');
      throw new UsageError(`the kind of a fault must be one of ${known}, not ${kind}`);
    }
    return this.#kinds[kind](options);
  }

  readonly #kinds: { readonly [Kind in keyof FaultKinds]: (options: FaultKinds[Kind]) => Fault } = {
    rateLimit: (options) => this.#add('rateLimit', options),
    error: (options) => this.#add('error', options),
    delay: (options) => this.#add('delay', options),
    stall: (options) => this.#add('stall', options),
    networkError: (options) => this.#add('networkError', options),
    truncate: (options) => this.#add('truncate', options),
    expireTokens: (options) => this.#tokens.add(options),
  };

  #add<Kind extends RequestFaultKind>(kind: Kind, options: FaultKinds[Kind]): Fault {
    this.#rejectMistakes(options);
    const { operations, times = 1, milliseconds = 1_000 }: DelayOptions = options;
    const entry: Entry = {
      kind,
      options,
      delay: milliseconds,
      operations: operations && [operations].flat(),
      times,
      calls: 0,
      waiting: new Set(),
    };
    this.#entries.add(entry);
    return {
      get calls() {
        return entry.calls;
      },
      restore: () => this.#end(entry),
    };
  }

  /** Rejects faults that affect no request, such as one for a misspelt operation. */
  #rejectMistakes(options: FaultOptions & RateLimitOptions & DelayOptions): void {
    const { operations = [], times = 1, retryAfter = 1, milliseconds = 0 } = options;
    const isCount = times === Number.POSITIVE_INFINITY || Number.isSafeInteger(times);
    if (!isCount || times < 1) {
      throw new UsageError(`times must be a whole number from 1, or Infinity, not ${times}`);
    }
    if (!Number.isSafeInteger(retryAfter) || retryAfter < 1) {
      throw new UsageError(`retryAfter must be a whole number from 1, not ${retryAfter}`);
    }
    if (!Number.isFinite(milliseconds) || milliseconds < 0) {
      throw new UsageError(`milliseconds must be a number from 0, not ${milliseconds}`);
    }
    const unknown = [operations].flat().find((operation) => !this.#operations.has(operation));
    if (unknown !== undefined) {
      throw new UsageError(`operations: the contract has no operation ${unknown}`);
    }
  }

  #end(entry: Entry): void {
    this.#entries.delete(entry);
    for (const resume of entry.waiting) resume();
  }

  /** Ends every fault. */
  clear(): void {
    for (const entry of this.#entries) this.#end(entry);
    this.#tokens.clear();
  }

  /**
   * Applies the matching faults to an authenticated request.
   *
   * @param usesToken - whether the request is authenticated by its access token
   * @returns what happens to the response
   * @throws ServiceError
   */
  async apply(request: FaultRequest, usesToken: boolean): Promise<Damage> {
    const { operation, headers, body, signal } = request;
    if (usesToken) {
      this.#tokens.rejectAccessToken(bearerToken(headers.get('authorization')) ?? '');
    }
    const entry = operation && this.#take(operation);
    const damage = entry ? await this.#affect(entry, signal) : 'none';
    if (operation === 'refresh') this.rejectRefreshToken(body);
    return damage;
  }

  /** @throws ServiceError INVALID_TOKEN for the body of a refresh whose token a fault lets expire */
  rejectRefreshToken(body: unknown): void {
    this.#tokens.rejectRefreshToken(body);
  }

  #take(operation: OperationId): Entry | undefined {
    const entry = [...this.#entries].find(
      ({ operations, calls, times }) => calls < times && (operations?.includes(operation) ?? true),
    );
    if (entry) entry.calls += 1;
    return entry;
  }

  async #affect(entry: Entry, signal: AbortSignal): Promise<Damage> {
    const { kind, options } = entry;
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
        if (options.when !== 'after') throw new ConnectionEnd();
        return kind;
      case 'truncate':
        return kind;
      default:
        await this.#wait(entry, signal);
        if (signal.aborted) throw new ConnectionEnd();
        return 'none';
    }
  }

  /** Waits until the delay or the fault ends, or the client gives up. */
  #wait({ kind, delay, waiting }: Entry, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const resume = () => {
        cancel?.();
        signal.removeEventListener('abort', resume);
        waiting.delete(resume);
        resolve();
      };
      const cancel =
        kind === 'delay' ? this.#clock.at(this.#clock.now() + delay, resume) : undefined;
      signal.addEventListener('abort', resume);
      waiting.add(resume);
      if (signal.aborted) resume();
    });
  }
}

/** The connection ends before the operation runs. */
export class ConnectionEnd extends Error {
  override readonly name = 'ConnectionEnd';
}

/** Returns what arrives of a response. */
export async function damaged(response: Response, damage: Damage): Promise<Response> {
  if (damage === 'networkError') return Response.error();
  if (damage === 'none' || response.body === null) return response;
  const { status, headers } = response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  headers.set('content-length', String(bytes.length));
  const pieces = [bytes.subarray(0, bytes.length / 2)];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.pop();
      if (piece) controller.enqueue(piece);
      // After a pause, so that the piece arrives.
      else setTimeout(() => controller.error(new TypeError('terminated')));
    },
  });
  return new Response(body, { status, headers });
}
