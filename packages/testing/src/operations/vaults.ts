import type { Vault } from '@document-vault/sdk';
import { type Actor, requireVisible, rowsOf } from '../actor.ts';
import { changesBetween, emit } from '../events.ts';
import { violation } from '../generated/rules/errors.ts';
import type { Handlers } from '../handler.ts';
import { contains, toPage } from '../listing.ts';
import { type State, timestamp } from '../state.ts';
import { refuseExcess } from './limits.ts';

export const vaultHandlers = {
  listVaults({ state, actor, query }) {
    const { category, isActive, search } = query;
    const isListed = rowsOf(actor, query);
    const found = [...state.tables.vaults.values()].filter(
      (vault) =>
        isListed(vault) &&
        (category === undefined || vault.category === category) &&
        (isActive === undefined || vault.isActive === isActive) &&
        contains(vault.name, search),
    );
    return toPage(found, query, present);
  },

  searchVaults({ state, actor, query }) {
    const { search } = query;
    const isListed = rowsOf(actor, query);
    const found = [...state.tables.vaults.values()].filter(
      (vault) =>
        isListed(vault) && (contains(vault.name, search) || contains(vault.description, search)),
    );
    return toPage(found, { ...query, sortBy: 'createdAt' }, present);
  },

  createVault({ state, actor, body }) {
    refuseExcess(state, actor.user.id, 'vaults');
    const createdAt = timestamp(state.now());
    const vault: Vault = {
      id: state.ids.resource(),
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
    state.tables.vaults.set(vault.id, vault);
    emit(state, {
      type: 'vault.created',
      userId: vault.userId,
      principal: actor,
      data: { object: vault },
    });
    return present(vault);
  },

  getVault: ({ state, actor, path }) => present(findVault(state, actor, path.id)),

  updateVault({ state, actor, path, body }) {
    const vault = findVault(state, actor, path.id);
    const changed = changesBetween(vault, { ...vault, ...body }, [
      'name',
      'description',
      'category',
      'isActive',
    ]);
    if (!changed) return present(vault);
    Object.assign(vault, body, { updatedAt: timestamp(state.now()) });
    emit(state, {
      type: 'vault.updated',
      userId: vault.userId,
      principal: actor,
      data: { object: vault, ...changed },
    });
    return present(vault);
  },

  deleteVault({ state, actor, path }) {
    const vault = findVault(state, actor, path.id);
    const { id, userId, documentCount } = vault;
    removeVault(state, vault);
    emit(state, {
      type: 'vault.deleted',
      userId,
      principal: actor,
      data: { object: { id, documentCount } },
    });
  },
} satisfies Partial<Handlers>;

/** @throws ServiceError NOT_FOUND */
export function findVault({ tables }: State, actor: Actor, vaultId: string): Vault {
  return requireVisible(actor, tables.vaults.get(vaultId), 'vault', { vaultId });
}

/** @throws ServiceError VALIDATION_ERROR for an inactive vault */
export function acceptsDocuments(vault: Vault): Vault {
  if (!vault.isActive) {
    throw violation('vaultId', 'active', 'This vault is inactive and takes no documents.');
  }
  return vault;
}

/** Removes a vault with its documents, their shares, and its open uploads. */
export function removeVault(state: State, { id, instanceId, totalSize }: Vault): void {
  const { tables } = state;
  for (const document of tables.documents.values()) {
    if (document.vaultId === id) removeDocument(state, document.id);
  }
  for (const upload of tables.uploads.values()) {
    if (upload.vaultId === id) tables.uploads.delete(upload.id);
  }
  tables.vaults.delete(id);
  const instance = tables.instances.get(instanceId);
  if (instance) instance.usedBytes -= totalSize;
}

/** Removes a document with its shares. */
export function removeDocument({ tables }: State, documentId: string): void {
  tables.documents.delete(documentId);
  for (const share of tables.shares.values()) {
    if (share.documentId === documentId) tables.shares.delete(share.id);
  }
}

function present(vault: Vault): Vault {
  return { ...vault };
}
