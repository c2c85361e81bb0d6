import type { ExpireTokensOptions, Fault } from './fault-kinds.ts';
import { ServiceError } from './generated/rules/errors.ts';
import type { State } from './state.ts';
import { issuedPairs } from './tokens.ts';

interface Entry {
  readonly refresh: 'works' | 'fails';
  /** Number of pairs of tokens that were issued before the fault was injected. */
  readonly issued: number;
  calls: number;
}

/** The faults `expireTokens`. */
export class TokenFaults {
  readonly #state: State;
  readonly #entries = new Set<Entry>();

  constructor(state: State) {
    this.#state = state;
  }

  add({ refresh = 'works' }: ExpireTokensOptions): Fault {
    const entry: Entry = { refresh, issued: issuedPairs(this.#state), calls: 0 };
    this.#entries.add(entry);
    return {
      get calls() {
        return entry.calls;
      },
      restore: () => {
        this.#entries.delete(entry);
      },
    };
  }

  /** Ends every fault. */
  clear(): void {
    this.#entries.clear();
  }

  /** @throws ServiceError EXPIRED_TOKEN for an access token that a fault lets expire */
  rejectAccessToken(accessToken: string): void {
    const token = this.#state.tables.accessTokens.get(accessToken);
    const entry = this.#expiryOf(token);
    if (!entry) return;
    entry.calls += 1;
    throw new ServiceError('EXPIRED_TOKEN');
  }

  /** @throws ServiceError INVALID_TOKEN for the body of a refresh whose token a fault lets expire */
  rejectRefreshToken(body: unknown): void {
    const { refreshToken } = (body ?? {}) as { refreshToken?: unknown };
    const token = this.#state.tables.refreshTokens.get(String(refreshToken));
    if (this.#expiryOf(token)?.refresh !== 'fails') return;
    throw new ServiceError('INVALID_TOKEN', {
      message: 'The refresh token is not valid. Sign in again.',
    });
  }

  #expiryOf(token: { readonly issue: number } | undefined): Entry | undefined {
    return token && [...this.#entries].find(({ issued }) => token.issue <= issued);
  }
}
