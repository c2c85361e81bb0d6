import type { Resolvers } from '../call.ts';
import { consentResolvers } from './consents.ts';
import { deliveryResolvers } from './deliveries.ts';
import { documentResolvers } from './documents.ts';
import { instanceResolvers } from './instances.ts';
import { shareResolvers } from './shares.ts';
import { userResolvers } from './users.ts';
import { vaultResolvers } from './vaults.ts';
import { webhookResolvers } from './webhooks.ts';

/** Every resolver there is. */
export const resolvers: Resolvers = {
  Query: {
    ...userResolvers.Query,
    ...vaultResolvers.Query,
    ...documentResolvers.Query,
    ...instanceResolvers.Query,
    ...consentResolvers.Query,
    ...webhookResolvers.Query,
  },
  Mutation: {
    ...vaultResolvers.Mutation,
    ...documentResolvers.Mutation,
    ...shareResolvers.Mutation,
    ...consentResolvers.Mutation,
    ...webhookResolvers.Mutation,
    ...deliveryResolvers.Mutation,
  },
  Vault: vaultResolvers.Vault,
  Document: documentResolvers.Document,
  EncryptionMetadata: documentResolvers.EncryptionMetadata,
  Webhook: webhookResolvers.Webhook,
};
