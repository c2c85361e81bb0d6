import { UsageError } from '@document-vault/sdk';
import type { MovableClock } from './clock.ts';
import type { OperationId } from './contract.ts';
import type {
  DelayOptions,
  ErrorOptions,
  ExpireTokensOptions,
  Fault,
  FaultKinds,
  FaultOptions,
  NetworkErrorOptions,
  RateLimitOptions,
} from './fault-kinds.ts';
import { bearerToken, invalidRefreshToken } from './generated/rules/credentials.ts';
import { ServiceError } from './generated/rules/errors.ts';
import { defaultDelay, faultOf, mistakeOf } from './generated/rules/faults.ts';
import type { State } from './state.ts';
import { issuedPairs } from './tokens.ts';

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

/** A fault `expireTokens`. */
interface Expiry {
  readonly refresh: 'works' | 'fails';
  /** Number of pairs of tokens that were issued before the fault was injected. */
  readonly issued: number;
  calls: number;
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
  readonly #state: State;
  readonly #entries = new Set<Entry>();
  readonly #expiries = new Set<Expiry>();

  constructor({ state, clock, operations }: FaultsOptions) {
    this.#clock = clock;
    this.#operations = new Set(operations);
    this.#state = state;
  }

  /** @throws UsageError for an unknown kind or operation, and for an invalid number */
  inject<Kind extends keyof FaultKinds>(kind: Kind, options: FaultKinds[Kind] = {}): Fault {
    const mistake = mistakeOf(kind, options, (name) => this.#operations.has(name));
    if (mistake !== undefined) throw new UsageError(mistake);
    return kind === 'expireTokens'
      ? this.#expireTokens(options as ExpireTokensOptions)
      : this.#add(kind, options as FaultOptions);
  }

  #expireTokens({ refresh = 'works' }: ExpireTokensOptions): Fault {
    const expiry: Expiry = { refresh, issued: issuedPairs(this.#state), calls: 0 };
    this.#expiries.add(expiry);
    return faultOf(expiry, () => this.#expiries.delete(expiry));
  }

  #add(kind: RequestFaultKind, options: FaultOptions): Fault {
    const { operations, times = 1, milliseconds = defaultDelay }: DelayOptions = options;
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
    return faultOf(entry, () => this.#end(entry));
  }

  #end(entry: Entry): void {
    this.#entries.delete(entry);
    for (const resume of entry.waiting) resume();
  }

  /** Ends every fault. */
  clear(): void {
    for (const entry of this.#entries) this.#end(entry);
    this.#expiries.clear();
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
    if (usesToken) this.#rejectAccessToken(bearerToken(headers.get('authorization')) ?? '');
    const entry = operation && this.#take(operation);
    const damage = entry ? await this.#affect(entry, signal) : 'none';
    if (operation === 'refresh') this.rejectRefreshToken(body);
    return damage;
  }

  /** @throws ServiceError EXPIRED_TOKEN for an access token that a fault lets expire */
  #rejectAccessToken(accessToken: string): void {
    const expiry = this.#expiryOf(this.#state.tables.accessTokens.get(accessToken));
    if (!expiry) return;
    expiry.calls += 1;
    throw new ServiceError('EXPIRED_TOKEN');
  }

  /** @throws ServiceError INVALID_TOKEN for the body of a refresh whose token a fault lets expire */
  rejectRefreshToken(body: unknown): void {
    const { refreshToken } = (body ?? {}) as { refreshToken?: unknown };
    const token = this.#state.tables.refreshTokens.get(String(refreshToken));
    if (this.#expiryOf(token)?.refresh === 'fails') throw invalidRefreshToken();
  }

  #expiryOf(token: { readonly issue: number } | undefined): Expiry | undefined {
    return token && [...this.#expiries].find(({ issued }) => token.issue <= issued);
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
