import type { Vaults } from '../../domain/documents/vaults.ts';
import type { Handlers } from '../handlers.ts';

export function vaultOperations(vaults: Vaults) {
  return {
    listVaults: ({ actor, query }) => vaults.list(actor, query),
    createVault: ({ actor, body }) => vaults.create(actor, body),
    searchVaults: ({ actor, query }) => vaults.search(actor, query),
    getVault: ({ actor, path }) => vaults.get(actor, path.id),
    updateVault: ({ actor, path, body }) => vaults.update(actor, path.id, body),
    deleteVault: ({ actor, path }) => vaults.remove(actor, path.id),
  } satisfies Partial<Handlers>;
}
