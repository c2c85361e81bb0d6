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

/** What the quota of a vault and that of its instance are judged by. */
export interface QuotaStanding {
  /** Of the account that owns the vault. */
  readonly tier: Tier;
  /** Whether the warning was given since the vault was last below the mark. */
  readonly vaultWarned: boolean;
  readonly instanceId: string;
  readonly instanceUsedBytes: number;
  readonly instanceQuotaBytes: number;
  readonly instanceWarned: boolean;
  /** Of the same account, with names and metadata. */
  readonly accountBytes: number;
  readonly accountDocuments: number;
}

export interface Quotas {
  /** Of the vault with this id. */
  standing(vaultId: string): Promise<QuotaStanding | undefined>;
  setVaultWarned(vaultId: string, warned: boolean): Promise<void>;
  /** Notes that the warning was given; the instance itself forgets it when its usage falls. */
  setInstanceWarned(instanceId: string): Promise<void>;
}

type Row = Omit<QuotaStanding, 'vaultWarned' | 'instanceWarned'> & {
  readonly vaultWarned: number;
  readonly instanceWarned: number;
};

export function quotas(queries: Queries): Quotas {
  return {
    async standing(vaultId) {
      const row = await queries.get<Row>(
        `SELECT u.tier AS tier, v.quota_warned AS "vaultWarned", i.id AS "instanceId",
           i.used_bytes AS "instanceUsedBytes", i.quota_bytes AS "instanceQuotaBytes",
           i.quota_warned AS "instanceWarned", a.bytes AS "accountBytes", a.documents AS "accountDocuments"
         FROM vaults v JOIN users u ON u.id = v.user_id JOIN account_usage a ON a.user_id = v.user_id
           JOIN instances i ON i.id = v.instance_id
         WHERE v.id IN (@vaultId)`,
        { vaultId },
      );
      return (
        row && {
          ...row,
          vaultWarned: row.vaultWarned === 1,
          instanceWarned: row.instanceWarned === 1,
        }
      );
    },

    async setVaultWarned(vaultId, warned) {
      await queries.run('UPDATE vaults SET quota_warned = @warned WHERE id = @vaultId', {
        vaultId,
        warned: warned ? 1 : 0,
      });
    },

    async setInstanceWarned(instanceId) {
      await queries.run('UPDATE instances SET quota_warned = 1 WHERE id = @instanceId', {
        instanceId,
      });
    },
  };
}
