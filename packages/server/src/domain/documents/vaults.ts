import { diffOf } from '../../generated/rules/changes.ts';
import { notFound, type ServiceError } from '../../generated/rules/errors.ts';
import type { PageRequest } from '../../store/lists/listing.ts';
import type { VaultFilter, VaultRecord } from '../../store/rows/documents/vaults.ts';
import type { Repositories } from '../../store/store.ts';
import {
  type OfAccount,
  ownerOfRows,
  requireSortable,
  requireVisible,
  visibleOf,
} from '../access.ts';
import type { Actor, WithCommitHook } from '../actor.ts';
import { accountOf } from '../events.ts';
import { inOrder, type ListQuery, type Page, toPage } from '../pages.ts';
import { type Shape, timestamp } from '../shapes.ts';
import type { ServiceOptions } from '../unit-of-work.ts';

export type Vault = Shape<'Vault'>;

export interface VaultQuery extends ListQuery<VaultFilter['sortBy']>, OfAccount {
  readonly category?: string | undefined;
  readonly isActive?: boolean | undefined;
  readonly search?: string | undefined;
}

export type Vaults = ReturnType<typeof createVaults>;

export function createVaults({ store, work, clock, ids, accountLimits }: ServiceOptions) {
  async function list(actor: Actor, query: VaultQuery): Promise<Page<Vault>> {
    const { sortBy } = query;
    const userId = ownerOfRows(actor, query);
    await requireSortable(userId, store, { rows: 'vaults', sortBy, indexed: 'createdAt' });
    const rows = await store.vaults.list({
      ...inOrder(query),
      userId,
      searchIn: 'name',
    });
    return toPage(rows, query, presentVault);
  }

  async function search(
    actor: Actor,
    query: PageRequest & OfAccount & { search: string },
  ): Promise<Page<Vault>> {
    const rows = await store.vaults.list({
      ...query,
      userId: ownerOfRows(actor, query),
      searchIn: 'nameAndDescription',
      sortBy: 'createdAt',
      sortOrder: 'desc',
    });
    return toPage(rows, query, presentVault);
  }

  function create(actor: WithCommitHook<Actor>, input: Shape<'CreateVault'>): Promise<Vault> {
    return work(actor, async (tx, emit) => {
      // The account is locked here: its vaults that one process creates have the order of their commits.
      const now = clock.now();
      const vault: VaultRecord = {
        id: ids.resource(),
        userId: actor.userId,
        instanceId: actor.instanceId,
        name: input.name,
        description: input.description ?? null,
        category: input.category ?? null,
        isActive: true,
        documentCount: 0,
        totalSize: 0,
        createdAt: now,
        updatedAt: now,
      };
      await tx.vaults.insert(vault);
      await accountLimits.refuseExcess(tx, vault.userId, 'vaults');
      const object = presentVault(vault);
      await emit({ type: 'vault.created', ...accountOf(vault), object });
      return object;
    });
  }

  async function get(actor: Actor, id: string): Promise<Vault> {
    return presentVault(await findVault(store, actor, id));
  }

  /** Returns each vault, or the error that `get` throws for it. */
  async function getMany(actor: Actor, ids: readonly string[]): Promise<(Vault | ServiceError)[]> {
    const found = visibleOf(actor, await store.vaults.findMany(ids));
    const vaults = new Map(found.map((vault) => [vault.id, presentVault(vault)]));
    return ids.map((id) => vaults.get(id) ?? notFound('vault', { vaultId: id }));
  }

  function update(
    actor: WithCommitHook<Actor>,
    id: string,
    input: Shape<'UpdateVault'>,
  ): Promise<Vault> {
    return work(actor, async (tx, emit) => {
      const before = await findVault(tx, actor, id);
      const after: VaultRecord = {
        ...before,
        name: input.name ?? before.name,
        description: input.description === undefined ? before.description : input.description,
        category: input.category === undefined ? before.category : input.category,
        isActive: input.isActive ?? before.isActive,
        updatedAt: clock.now(),
      };
      const changed = diffOf(before, after, ['name', 'description', 'category', 'isActive']);
      if (!changed) return presentVault(before);

      await accountLimits.refuseGrowth(tx, after.userId, () => tx.vaults.save(after), {
        storesEvent: true,
      });
      const object = presentVault(after);
      await emit({ type: 'vault.updated', ...accountOf(after), object, ...changed });
      return object;
    });
  }

  function remove(actor: WithCommitHook<Actor>, id: string): Promise<void> {
    return work(actor, async (tx, emit) => {
      const vault = await findVault(tx, actor, id);
      await tx.vaults.delete(id);
      await tx.instances.use(vault.instanceId, -vault.totalSize);
      await emit({
        type: 'vault.deleted',
        ...accountOf(vault),
        object: { id, documentCount: vault.documentCount },
      });
    });
  }

  return { list, search, create, get, getMany, update, remove };
}

/**
 * Returns the vault if the actor may see it.
 *
 * @throws ServiceError NOT_FOUND
 */
export async function findVault(
  repositories: Repositories,
  actor: Actor,
  vaultId: string,
): Promise<VaultRecord> {
  return requireVisible(actor, await repositories.vaults.find(vaultId), 'vault', { vaultId });
}

export function presentVault(vault: VaultRecord): Vault {
  return {
    id: vault.id,
    name: vault.name,
    description: vault.description,
    category: vault.category,
    userId: vault.userId,
    instanceId: vault.instanceId,
    isActive: vault.isActive,
    documentCount: vault.documentCount,
    totalSize: vault.totalSize,
    createdAt: timestamp(vault.createdAt),
    updatedAt: timestamp(vault.updatedAt),
  };
}
