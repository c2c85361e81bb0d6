import type { EncryptionMetadata, Keyring, VaultKeys } from '@document-vault/sdk';
import { emit } from '../events.ts';
import { requireSession } from '../generated/rules/credentials.ts';
import { notFound } from '../generated/rules/errors.ts';
import {
  requireCurrentKey,
  requireKeyring,
  requireNextKeyring,
  requireNextVaultKeys,
} from '../generated/rules/keys.ts';
import { requireKeysOwner } from '../generated/rules/owners.ts';
import type { Handlers } from '../handler.ts';
import { toPage } from '../listing.ts';
import { type State, timestamp, type VaultKeysRecord } from '../state.ts';
import { presentUser, prove } from './users.ts';
import { findVault } from './vaults.ts';

export const keyHandlers = {
  getKeyring({ state, actor: { user } }) {
    const keyring = state.tables.keyrings.get(user.id);
    if (!keyring) throw notFound('keyring', { userId: user.id });
    return { ...keyring };
  },

  updateKeyring({ state, actor, body }) {
    const { user } = actor;
    const { currentPassword, version, publicKey, privateKey, unlockers } = body;
    if (version > 1) requireSession(actor);
    requireKeyring(body);
    if (currentPassword !== undefined) prove(user, 'currentPassword', currentPassword);
    const present = state.tables.keyrings.get(user.id);
    if (requireNextKeyring(body, present)) loseVaultKeys(state, user.id);
    const keyring: Keyring = { userId: user.id, version, publicKey, privateKey, unlockers };
    state.tables.keyrings.set(user.id, keyring);
    user.updatedAt = timestamp(state.now());
    emit(state, {
      type: 'user.updated',
      userId: user.id,
      principal: actor,
      object: presentUser(user),
      changes: ['keyring'],
      previous: { keyring: present?.version ?? null },
    });
    return { ...keyring };
  },

  listVaultKeys({ state, actor: { user }, query }) {
    const rows = [...state.tables.vaultKeys.values()].filter(
      ({ userId, vaultId }) =>
        userId === user.id && (query.vaultId === undefined || vaultId === query.vaultId),
    );
    return toPage(rows, { ...query, sortBy: 'vaultId', sortOrder: 'asc' }, present);
  },

  updateVaultKeys({ state, actor, path, body }) {
    const vault = findVault(state, actor, path.id);
    const { id: vaultId, userId } = vault;
    requireKeysOwner(vault, actor.user.id);
    const before = state.tables.vaultKeys.get(vaultId);
    requireNextVaultKeys(body, before);
    const keys = { vaultId, userId, ...body, grant: null, rotationDue: false };
    state.tables.vaultKeys.set(vaultId, keys);
    if (body.generation === before?.generation) return present(keys);
    vault.updatedAt = timestamp(state.now());
    emit(state, {
      type: 'vault.updated',
      userId,
      principal: actor,
      object: vault,
      changes: ['keys'],
      previous: { keys: before?.generation ?? null },
    });
    return present(keys);
  },
} satisfies Partial<Handlers>;

function present({ userId: _, ...keys }: VaultKeysRecord): VaultKeys {
  return keys;
}

function loseVaultKeys({ tables }: State, userId: string): void {
  for (const [id, keys] of tables.vaultKeys) {
    if (keys.userId === userId) tables.vaultKeys.set(id, { ...keys, sealed: null });
  }
}

/**
 * Checks that a document which a vault key encrypts uses the newest key of its vault.
 *
 * @throws ServiceError VALIDATION_ERROR
 */
export function requireNewestKey(
  { tables }: State,
  vaultId: string,
  metadata: EncryptionMetadata,
): void {
  requireCurrentKey(metadata, tables.vaultKeys.get(vaultId));
}
