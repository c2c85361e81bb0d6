import type { Queries } from '../../driver.ts';
import type { InstanceLedger } from '../../instance-totals.ts';
import { decode, type Row } from '../../table.ts';
import type { Tier } from './users.ts';

/** What an account stores. */
export interface AccountUsage {
  /**
   * Bytes of contents, names, metadata and other text that the account chose, of its open uploads, and of deleted
   * contents that are not erased yet.
   */
  readonly bytes: number;
  readonly vaults: number;
  readonly documents: number;
  /** Includes ended shares until retention removes them. */
  readonly shares: number;
  readonly consents: number;
  /** Without revoked keys. */
  readonly keys: number;
  readonly webhooks: number;
  /** Open uploads in parts. */
  readonly uploads: number;
  /** OAuth clients, disabled ones included. */
  readonly clients: number;
}

/** The usage of an account, with the tier that limits it. */
export interface TieredAccountUsage extends AccountUsage {
  readonly tier: Tier;
}

/** The usage that is compared with the quotas of a vault and its instance. */
export interface QuotaUsageRecord {
  /** Tier of the account that owns the vault. */
  readonly tier: Tier;
  /** Whether the vault was already warned since its usage last rose above the warning level. */
  readonly vaultWarned: boolean;
  readonly instanceId: string;
  readonly instanceUsedBytes: number;
  readonly instanceQuotaBytes: number;
  readonly instanceWarned: boolean;
  /** Bytes of the account that owns the vault, names, metadata and open uploads included. */
  readonly accountBytes: number;
  readonly accountDocuments: number;
  readonly accountUploads: number;
  /** Bytes that open uploads have reserved in the vault. */
  readonly reservedBytes: number;
}

export function usageRepository(queries: Queries, ledger: InstanceLedger) {
  return {
    ofAccount: (userId: string) =>
      queries.get<TieredAccountUsage>(
        `SELECT tier, bytes, vaults, documents, shares, consents, keys, webhooks,
           uploads, clients
         FROM users JOIN account_usage ON user_id = id WHERE id = @userId
         ${queries.dialect.lock('account_usage')}`,
        { userId },
      ),

    async ofVault(vaultId: string) {
      const row = await queries.get<Row>(
        `SELECT u.tier AS tier, v.quota_warned AS "vaultWarned", i.id AS "instanceId",
           i.quota_bytes AS "instanceQuotaBytes", i.quota_warned AS "instanceWarned", a.bytes AS "accountBytes",
           a.documents AS "accountDocuments", a.uploads AS "accountUploads",
           (SELECT COALESCE(SUM(size_bytes), 0) FROM uploads WHERE vault_id = v.id) AS "reservedBytes"
         FROM vaults v JOIN users u ON u.id = v.user_id JOIN account_usage a ON a.user_id = v.user_id
           JOIN instances i ON i.id = v.instance_id
         WHERE v.id = @vaultId ${queries.dialect.lock('v', 'a')}`,
        { vaultId },
      );
      if (!row) return undefined;
      const usage = decode<Omit<QuotaUsageRecord, 'instanceUsedBytes'>>(row, {
        flags: ['vaultWarned', 'instanceWarned'],
      });
      return { ...usage, instanceUsedBytes: await ledger.usedBytes(queries, usage.instanceId) };
    },

    /** Returns the bytes of the contents of an account's documents. */
    async contentBytes(userId: string) {
      const row = await queries.get<{ bytes: number }>(
        'SELECT total_size AS bytes FROM account_usage WHERE user_id = @userId',
        { userId },
      );
      return row?.bytes ?? 0;
    },

    /** Returns the number of vaults and documents of all accounts. */
    async ofAll() {
      const sums = await queries.get<Pick<AccountUsage, 'vaults' | 'documents'>>(
        `/* all rows */ SELECT COALESCE(SUM(vaults), 0) AS vaults, COALESCE(SUM(documents), 0) AS documents
         FROM account_usage`,
      );
      return sums ?? { vaults: 0, documents: 0 };
    },

    async setVaultWarned(vaultId: string, warned: boolean) {
      await queries.run('UPDATE vaults SET quota_warned = @warned WHERE id = @vaultId', {
        vaultId,
        warned: warned ? 1 : 0,
      });
    },

    /**
     * Marks an instance as warned; it resets the mark itself when its usage falls below the warning level. Returns
     * false when another transaction has marked it.
     */
    async setInstanceWarned(instanceId: string) {
      const marked = await queries.run(
        'UPDATE instances SET quota_warned = 1 WHERE id = @instanceId AND quota_warned = 0',
        { instanceId },
      );
      return marked > 0;
    },
  };
}
