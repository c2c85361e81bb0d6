import type { DocumentQuery } from '../../domain/documents/documents.ts';
import type { Vault, VaultQuery } from '../../domain/documents/vaults.ts';
import type { Shape } from '../../domain/shapes.ts';
import type { Resolvers } from '../call.ts';
import type { ById, Change, Input } from './arguments.ts';

export const vaultResolvers = {
  Query: {
    vaults: (_, query: VaultQuery, { services, actor, loaders }) =>
      loaders.list(() => services.vaults.list(actor, query)),
    vault: (_, { id }: ById, { loaders }) => loaders.vault(id),
  },
  Mutation: {
    createVault: (_, { input }: Input<Shape<'CreateVault'>>, { services, actor }) =>
      services.vaults.create(actor, input),
    updateVault: (_, { id, input }: Change<Shape<'UpdateVault'>>, { services, actor }) =>
      services.vaults.update(actor, id, input),
    deleteVault: (_, { id }: ById, { services, actor }) => services.vaults.remove(actor, id),
  },
  Vault: {
    documents: ({ id }: Vault, query: DocumentQuery, { loaders }) => loaders.documentsOf(id, query),
  },
} satisfies Resolvers;
