import type { OfAccount } from '../domain/access.ts';
import type { Document, DocumentQuery } from '../domain/documents/documents.ts';
import type { Vault, VaultQuery } from '../domain/documents/vaults.ts';
import type { ListQuery } from '../domain/pages.ts';
import type { Shape } from '../domain/shapes.ts';
import type { DeliveryQuery } from '../domain/webhooks/deliveries.ts';
import type { ExecutionContext } from './execution-context.ts';

/** Returns the value of a field. The schema defines the types of parent and arguments. */
export type Resolver = (parent: never, args: never, context: ExecutionContext) => unknown;

interface ById {
  readonly id: string;
}

interface Create<Body> {
  readonly input: Body;
}

interface Update<Body> extends ById, Create<Body> {}

/** A list of consents or webhooks. */
type OwnedListQuery = ListQuery<'createdAt' | 'updatedAt'> & OfAccount;

/** Every resolver, by type and field. A field without one is the property of the same name. */
export const resolvers: Readonly<Record<string, Readonly<Record<string, Resolver>>>> = {
  Query: {
    me: (_, __, { services, actor }) => services.currentUser.get(actor),
    vaults: (_, query: VaultQuery, { services, actor, loaders }) =>
      loaders.list(() => services.vaults.list(actor, query)),
    vault: (_, { id }: ById, { loaders }) => loaders.vault(id),
    documents: (_, query: DocumentQuery, { services, actor, loaders }) =>
      loaders.list(() => services.documents.list(actor, query)),
    document: (_, { id }: ById, { services, actor }) => services.documents.describe(actor, id),
    instances: (
      _,
      query: ListQuery<'createdAt' | 'updatedAt' | 'name'>,
      { services, actor, loaders },
    ) => loaders.list(() => services.instances.list(actor, query)),
    consents: (_, query: OwnedListQuery, { services, actor, loaders }) =>
      loaders.list(() => services.consents.list(actor, query)),
    webhooks: (_, query: OwnedListQuery, { services, actor, loaders }) =>
      loaders.list(() => services.webhooks.list(actor, query)),
    webhook: (_, { id }: ById, { services, actor }) => services.webhooks.get(actor, id),
  },
  Mutation: {
    createVault: (_, { input }: Create<Shape<'CreateVault'>>, { services, actor }) =>
      services.vaults.create(actor, input),
    updateVault: (_, { id, input }: Update<Shape<'UpdateVault'>>, { services, actor }) =>
      services.vaults.update(actor, id, input),
    deleteVault: (_, { id }: ById, { services, actor }) => services.vaults.remove(actor, id),
    updateDocument: (_, { id, input }: Update<Shape<'UpdateDocument'>>, { services, actor }) =>
      services.documents.update(actor, id, input),
    shareDocument: (
      _,
      { documentId, input }: Create<Shape<'CreateShare'>> & { readonly documentId: string },
      { services, actor },
    ) => services.shares.create(actor, documentId, input),
    createConsent: (_, { input }: Create<Shape<'CreateConsent'>>, { services, actor }) =>
      services.consents.create(actor, input),
    updateConsent: (_, { id, input }: Update<Shape<'UpdateConsent'>>, { services, actor }) =>
      services.consents.update(actor, id, input),
    createWebhook: (_, { input }: Create<Shape<'CreateWebhook'>>, { services, actor }) =>
      services.webhooks.create(actor, input),
    updateWebhook: (_, { id, input }: Update<Shape<'UpdateWebhook'>>, { services, actor }) =>
      services.webhooks.update(actor, id, input),
    deleteWebhook: (_, { id }: ById, { services, actor }) => services.webhooks.remove(actor, id),
    retryDelivery: (
      _,
      { webhookId, deliveryId }: { readonly webhookId: string; readonly deliveryId: string },
      { services, actor },
    ) => services.deliveries.retry(actor, webhookId, deliveryId),
  },
  Vault: {
    documents: ({ id }: Vault, query: DocumentQuery, { loaders }) => loaders.documentsOf(id, query),
  },
  Document: {
    vault: ({ vaultId }: Document, _, { loaders }) => loaders.vault(vaultId),
    shares: ({ id }: Document, query: ListQuery<'createdAt' | 'expiresAt'>, { loaders }) =>
      loaders.sharesOf(id, query),
  },
  EncryptionMetadata: {
    // The contract sets no maximum. A number that is not a safe integer stands in `raw` alone.
    iterations: ({ iterations }: Document['encryptionMetadata']) =>
      Number.isSafeInteger(iterations) ? iterations : null,
    raw: (metadata: Document['encryptionMetadata']) => metadata,
  },
  Webhook: {
    deliveries: ({ id }: Shape<'Webhook'>, query: DeliveryQuery, { loaders }) =>
      loaders.deliveriesOf(id, query),
  },
};
