import { UsageError } from '@document-vault/sdk';
import type { MovableClock } from './clock.ts';
import type { OperationId } from './contract.ts';
import type { ExpireTokensOptions, Fault, FaultKinds, FaultOptions } from './fault-kinds.ts';
import { bearerToken, invalidRefreshToken } from './generated/rules/credentials.ts';
import { ServiceError } from './generated/rules/errors.ts';
import { type Damage, faultOf, mistakeOf, RequestFaults } from './generated/rules/faults.ts';
import type { State } from './state.ts';
import { issuedPairs } from './tokens.ts';

/** The parts of a request that faults depend on. */
export interface FaultRequest {
  readonly operation: OperationId | undefined;
  readonly headers: Headers;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

/** A fault `expireTokens`. */
interface Expiry {
  readonly refresh: 'works' | 'fails';
  /** Number of pairs of tokens that were issued before the fault was injected. */
  readonly issued: number;
  calls: number;
}

/** The injected faults. Of several that match a request, the oldest affects it. */
export class Faults {
  readonly #operations: ReadonlySet<string>;
  readonly #state: State;
  readonly #requests: RequestFaults;
  readonly #expiries = new Set<Expiry>();

  /** @param operations every operation of the contract */
  constructor(state: State, clock: MovableClock, operations: readonly OperationId[]) {
    this.#operations = new Set(operations);
    this.#state = state;
    this.#requests = new RequestFaults(clock);
  }

  /** @throws UsageError for an unknown kind or operation, and for an invalid number */
  inject<Kind extends keyof FaultKinds>(kind: Kind, options: FaultKinds[Kind] = {}): Fault {
    const mistake = mistakeOf(kind, options, (name) => this.#operations.has(name));
    if (mistake !== undefined) throw new UsageError(mistake);
    return kind === 'expireTokens'
      ? this.#expireTokens(options as ExpireTokensOptions)
      : this.#requests.add(kind, options as FaultOptions);
  }

  #expireTokens({ refresh = 'works' }: ExpireTokensOptions): Fault {
    const expiry: Expiry = { refresh, issued: issuedPairs(this.#state), calls: 0 };
    this.#expiries.add(expiry);
    return faultOf(expiry, () => this.#expiries.delete(expiry));
  }

  /** Ends every fault. */
  clear(): void {
    this.#requests.clear();
    this.#expiries.clear();
  }

  /**
   * Applies the matching faults to an authenticated request.
   *
   * @param usesToken - whether the request is authenticated by its access token
   * @returns what happens to the connection
   * @throws ServiceError
   */
  async apply(request: FaultRequest, usesToken: boolean): Promise<Damage | undefined> {
    const { operation, headers, body, signal } = request;
    if (usesToken) this.#rejectAccessToken(bearerToken(headers.get('authorization')) ?? '');
    const damage = operation && (await this.#requests.apply(operation, () => signal));
    if (damage === 'disconnect') return damage;
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
}

/** Returns what arrives of a response. */
export async function damaged(response: Response, damage: Damage | undefined): Promise<Response> {
  if (damage === 'networkError') return Response.error();
  if (damage === undefined || response.body === null) return response;
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
