import {
  isUnderVaultKey,
  requireCurrentKey,
  requireNextVaultKeys,
} from '../../generated/rules/keys.ts';
import { requireKeysOwner } from '../../generated/rules/owners.ts';
import type { PageRequest } from '../../store/lists/listing.ts';
import type { VaultKeysRecord } from '../../store/rows/documents/vault-keys.ts';
import type { Repositories } from '../../store/store.ts';
import type { Actor } from '../actor.ts';
import { accountOf } from '../events.ts';
import { type Page, toPage } from '../pages.ts';
import type { Shape } from '../shapes.ts';
import type { ServiceOptions } from '../unit-of-work.ts';
import { findVault, presentVault } from './vaults.ts';

export type VaultKeys = ReturnType<typeof createVaultKeys>;

/** The keys of vaults, which their owner alone reads and writes. */
export function createVaultKeys({ store, work, clock, accountLimits }: ServiceOptions) {
  async function list(
    { userId }: Actor,
    query: PageRequest & { readonly vaultId?: string | undefined },
  ): Promise<Page<Shape<'VaultKeys'>>> {
    const rows = await store.vaultKeys.list({ ...query, userId });
    return toPage(rows, query, presentVaultKeys);
  }

  /**
   * Stores the first key of a vault, a new generation, or the present keys sealed anew.
   *
   * @throws ServiceError NOT_FOUND, VALIDATION_ERROR; INSUFFICIENT_PERMISSIONS for the vault of another account
   */
  function update(
    actor: Actor,
    vaultId: string,
    { version, generation, sealed }: Shape<'UpdateVaultKeys'>,
  ): Promise<Shape<'VaultKeys'>> {
    return work(actor, async (tx, emit) => {
      const vault = await findVault(tx, actor, vaultId);
      requireKeysOwner(vault, actor.userId);
      const present = await tx.vaultKeys.find(vaultId);
      requireNextVaultKeys({ version, generation, sealed }, present);
      const keys = { vaultId, userId: vault.userId, version, generation, sealed };
      const save = () => (present ? tx.vaultKeys.save(keys) : tx.vaultKeys.insert(keys));
      const isNewKey = generation !== present?.generation;
      await accountLimits.refuseGrowth(tx, vault.userId, save, { storesEvent: isNewKey });
      if (!isNewKey) return presentVaultKeys(keys);

      const after = { ...vault, updatedAt: clock.now() };
      await tx.vaults.save(after);
      await emit({
        type: 'vault.updated',
        ...accountOf(vault),
        object: presentVault(after),
        changes: ['keys'],
        previous: { keys: present?.generation ?? null },
      });
      return presentVaultKeys(keys);
    });
  }

  return { list, update };
}

/**
 * Checks that a document which a vault key encrypts uses the newest key of its vault. Lock the vault before: a new
 * generation does so too.
 *
 * @throws ServiceError VALIDATION_ERROR: `required`, `keyGeneration`
 */
export async function requireNewestKey(
  { vaultKeys }: Pick<Repositories, 'vaultKeys'>,
  vaultId: string,
  metadata: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (isUnderVaultKey(metadata)) requireCurrentKey(metadata, await vaultKeys.find(vaultId));
}

function presentVaultKeys(keys: VaultKeysRecord): Shape<'VaultKeys'> {
  const { vaultId, version, generation, sealed } = keys;
  return { vaultId, version, generation, sealed, grant: null, rotationDue: false };
}
