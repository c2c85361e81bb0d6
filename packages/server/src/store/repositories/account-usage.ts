import type { Queries } from '../driver.ts';
import type { Tier } from './users.ts';

/** What an account holds. */
export interface AccountUsage {
  /** Of contents, names, metadata and other text that the account has chosen. */
  readonly bytes: number;
  readonly vaults: number;
  readonly documents: number;
  /** Those that have ended too, until they are removed. */
  readonly shares: number;
  readonly consents: number;
  /** Those that are not revoked. */
  readonly keys: number;
  readonly webhooks: number;
}

/** What an account holds, with the tier that limits it. */
export interface AccountStanding extends AccountUsage {
  readonly tier: Tier;
}

export interface AccountUsages {
  find(userId: string): Promise<AccountStanding | undefined>;
}

export function accountUsages(queries: Queries): AccountUsages {
  return {
    find: (userId) =>
      queries.get<AccountStanding>(
        `SELECT tier, bytes, vaults, documents, shares, consents, keys, webhooks
         FROM users JOIN account_usage ON user_id = id WHERE id IN (@userId)`,
        { userId },
      ),
  };
}
