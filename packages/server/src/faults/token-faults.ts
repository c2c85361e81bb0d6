import type { Auth } from '../domain/accounts/auth.ts';
import type { Shape } from '../domain/shapes.ts';
import { invalidRefreshToken } from '../generated/rules/credentials.ts';
import { ServiceError } from '../generated/rules/errors.ts';
import { faultOf } from '../generated/rules/faults.ts';
import type { ExpireTokensOptions, Fault } from './fault-kinds.ts';

interface Entry {
  readonly refresh: 'works' | 'fails';
  /** The tokens that were issued after the fault was injected. */
  readonly valid: Set<string>;
  calls: number;
}

/** The faults `expireTokens`. */
export function createTokenFaults() {
  const entries = new Set<Entry>();

  function noteIssued({ accessToken, refreshToken }: Shape<'TokenPair'>): void {
    for (const { valid } of entries) valid.add(accessToken).add(refreshToken);
  }

  const expiryOf = (token: string) => [...entries].find(({ valid }) => !valid.has(token));

  return {
    add({ refresh = 'works' }: ExpireTokensOptions): Fault {
      const entry: Entry = { refresh, valid: new Set(), calls: 0 };
      entries.add(entry);
      return faultOf(entry, () => entries.delete(entry));
    },

    /** Returns an `auth` that rejects the tokens of these faults. */
    applyTo: (auth: Auth): Auth => ({
      ...auth,
      async login(...args) {
        const issued = await auth.login(...args);
        noteIssued(issued);
        return issued;
      },
      async refresh(visitor, input) {
        const expired = expiryOf(input.refreshToken);
        if (expired?.refresh === 'fails') throw invalidRefreshToken();
        const issued = await auth.refresh(visitor, input);
        noteIssued(issued);
        return issued;
      },
      async authenticateToken(visitor, token) {
        const actor = await auth.authenticateToken(visitor, token);
        const expired = expiryOf(token);
        if (!expired) return actor;
        expired.calls += 1;
        throw new ServiceError('EXPIRED_TOKEN');
      },
    }),

    /** Ends every fault. */
    clear(): void {
      entries.clear();
    },
  };
}
