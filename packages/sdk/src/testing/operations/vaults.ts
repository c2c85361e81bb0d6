import type { Vault } from '../../generated/types.ts';
import { type Actor, sees, visible } from '../actor.ts';
import { changesBetween, emit } from '../events.ts';
import type { Handlers } from '../handler.ts';
import { contains, toPage } from '../listing.ts';
import { timestamp, type World } from '../world.ts';
import { refuseExcess } from './account-limits.ts';

export const vaultHandlers = {
  listVaults({ world, actor, query }) {
    const { category, isActive, search } = query;
    const found = visibleVaults(world, actor).filter(
      (vault) =>
        (category === undefined || vault.category === category) &&
        (isActive === undefined || vault.isActive === isActive) &&
        contains(vault.name, search),
    );
    return toPage(found, query, present);
  },

  searchVaults({ world, actor, query }) {
    const { search } = query;
    const found = visibleVaults(world, actor).filter(
      ({ name, description }) => contains(name, search) || contains(description, search),
    );
    return toPage(found, { ...query, sortBy: 'createdAt' }, present);
  },

  createVault({ world, actor, body }) {
    refuseExcess(world, actor.user.id, 'vaults');
    const createdAt = timestamp(world.now());
    const vault: Vault = {
      id: world.ids.resource(),
      name: body.name,
      description: body.description ?? null,
      category: body.category ?? null,
      userId: actor.user.id,
      instanceId: actor.user.instanceId,
      isActive: true,
      documentCount: 0,
      totalSize: 0,
      createdAt,
      updatedAt: createdAt,
    };
    world.tables.vaults.set(vault.id, vault);
    emit(world, {
      type: 'vault.created',
      userId: vault.userId,
      visitor: actor,
      data: { object: vault },
    });
    return present(vault);
  },

  getVault: ({ world, actor, path }) => present(findVault(world, actor, path.id)),

  updateVault({ world, actor, path, body }) {
    const vault = findVault(world, actor, path.id);
    const changed = changesBetween(vault, { ...vault, ...body }, [
      'name',
      'description',
      'category',
      'isActive',
    ]);
    if (!changed) return present(vault);
    Object.assign(vault, body, { updatedAt: timestamp(world.now()) });
    emit(world, {
      type: 'vault.updated',
      userId: vault.userId,
      visitor: actor,
      data: { object: vault, ...changed },
    });
    return present(vault);
  },

  deleteVault({ world, actor, path }) {
    const vault = findVault(world, actor, path.id);
    const { id, userId, documentCount } = vault;
    removeVault(world, vault);
    emit(world, {
      type: 'vault.deleted',
      userId,
      visitor: actor,
      data: { object: { id, documentCount } },
    });
  },
} satisfies Partial<Handlers>;

function visibleVaults({ tables }: World, actor: Actor): Vault[] {
  return [...tables.vaults.values()].filter((vault) => sees(actor, vault));
}

/** @throws Failure NOT_FOUND */
export function findVault({ tables }: World, actor: Actor, vaultId: string): Vault {
  return visible(actor, tables.vaults.get(vaultId), 'vault', { vaultId });
}

/** Removes a vault with its documents and their shares. */
export function removeVault(world: World, { id, instanceId, totalSize }: Vault): void {
  const { tables } = world;
  for (const document of tables.documents.values()) {
    if (document.vaultId === id) removeDocument(world, document.id);
  }
  tables.vaults.delete(id);
  const instance = tables.instances.get(instanceId);
  if (instance) instance.usedBytes -= totalSize;
}

/** Removes a document with its shares. */
export function removeDocument({ tables }: World, documentId: string): void {
  tables.documents.delete(documentId);
  for (const share of tables.shares.values()) {
    if (share.documentId === documentId) tables.shares.delete(share.id);
  }
}

function present(vault: Vault): Vault {
  return { ...vault };
}
