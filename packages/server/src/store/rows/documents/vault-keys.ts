import type { Queries } from '../../driver.ts';
import { matching, type PageRequest } from '../../lists/listing.ts';
import { Table } from '../../table.ts';

/** The keys of a vault. Their contents are opaque to the service. */
export interface VaultKeysRecord {
  readonly vaultId: string;
  /** The account that owns the vault. */
  readonly userId: string;
  readonly version: number;
  readonly generation: number;
  /** Null when the keys are lost, because the account has replaced its keyring. */
  readonly sealed: string | null;
}

export interface VaultKeysFilter extends PageRequest {
  readonly userId: string;
  readonly vaultId?: string | undefined;
}

const sortColumns = { vaultId: 'vault_id' } as const;

const vaultKeys = new Table<VaultKeysRecord, typeof sortColumns>({
  name: 'vault_keys',
  columns: 'vault_id, user_id, version, generation, sealed',
  sortColumns,
  key: 'vault_id',
});

const changes = vaultKeys.update('version, generation, sealed');

export function vaultKeysRepository(queries: Queries) {
  return {
    insert: (keys: VaultKeysRecord) => vaultKeys.insert(queries, keys),

    find: (vaultId: string) => vaultKeys.find(queries, vaultId),

    /** Lists the keys of an account's vaults, by the ids of the vaults. */
    list: ({ userId, vaultId, page, pageSize }: VaultKeysFilter) =>
      vaultKeys.list(
        queries,
        { page, pageSize, sortBy: 'vaultId', sortOrder: 'asc' },
        matching({ user_id: userId, vault_id: vaultId }),
      ),

    /** Updates version, generation and sealed. */
    async save(keys: VaultKeysRecord) {
      await queries.run(changes, vaultKeys.parametersOf(keys));
    },

    /**
     * Removes the keys of all vaults of an account. Versions and generations go on. Lock its usage before: a trigger
     * would write that row for each of 100,000 vaults.
     */
    async loseAll(userId: string) {
      await queries.run(
        `UPDATE account_usage SET bytes = bytes
           - (SELECT COALESCE(SUM(held_bytes), 0) FROM vault_keys WHERE user_id = @userId)
         WHERE user_id = @userId`,
        { userId },
      );
      await queries.run(
        'UPDATE vault_keys SET sealed = NULL WHERE user_id = @userId AND sealed IS NOT NULL',
        { userId },
      );
    },
  };
}
