import type { Vault } from '@document-vault/sdk';
import { emit } from '../events.ts';
import type { Handlers } from '../handler.ts';
import { change, resource } from '../resource.ts';
import { type State, type Tables, timestamp } from '../state.ts';
import { refuseExcess } from './limits.ts';

const kind = {
  name: 'vault',
  table: ({ vaults }: Tables) => vaults,
  filters: ['category', 'isActive'],
  present,
} as const;
const vaults = resource<Vault, Vault>({ ...kind, texts: ['name'] });
const foundVaults = resource<Vault, Vault>({ ...kind, texts: ['name', 'description'] });

/** @throws ServiceError NOT_FOUND */
export const findVault = vaults.find;

export const vaultHandlers = {
  listVaults: vaults.list,

  searchVaults: ({ query, ...call }) =>
    foundVaults.list({ ...call, query: { ...query, sortBy: 'createdAt' } }),

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
    emit(state, { type: 'vault.created', userId: vault.userId, principal: actor, object: vault });
    return present(vault);
  },

  getVault: (call) => vaults.get(call, call.path.id),

  updateVault({ state, actor, path, body }) {
    const vault = findVault(state, actor, path.id);
    const { userId } = vault;
    const changed = change(state, vault, body, ['name', 'description', 'category', 'isActive']);
    const event = { type: 'vault.updated', userId, principal: actor, object: vault } as const;
    if (changed) emit(state, { ...event, ...changed });
    return present(vault);
  },

  deleteVault({ state, actor, path }) {
    const vault = findVault(state, actor, path.id);
    const { id, userId, documentCount } = vault;
    removeVault(state, vault);
    const object = { id, documentCount };
    emit(state, { type: 'vault.deleted', userId, principal: actor, object });
  },
} satisfies Partial<Handlers>;

/** Removes a vault with its documents, their shares, and its open uploads. */
export function removeVault(state: State, { id, instanceId, totalSize }: Vault): void {
  const { tables } = state;
  for (const document of tables.documents.values()) {
    if (document.vaultId === id) removeDocument(state, document.id);
  }
  for (const upload of tables.uploads.values()) {
    if (upload.vaultId === id) tables.uploads.delete(upload.id);
  }
  tables.vaultKeys.delete(id);
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
