import type { ListQuery } from '../../domain/pages.ts';
import type { Shape } from '../../domain/shapes.ts';
import type { DeliveryQuery } from '../../domain/webhooks/deliveries.ts';
import type { Resolvers } from '../call.ts';
import type { ById, Change, Input } from './arguments.ts';

export const webhookResolvers = {
  Query: {
    webhooks: (_, query: ListQuery<'createdAt' | 'updatedAt'>, { services, actor, loaders }) =>
      loaders.list(() => services.webhooks.list(actor, query)),
    webhook: (_, { id }: ById, { services, actor }) => services.webhooks.get(actor, id),
  },
  Mutation: {
    createWebhook: (_, { input }: Input<Shape<'CreateWebhook'>>, { services, actor }) =>
      services.webhooks.create(actor, input),
    updateWebhook: (_, { id, input }: Change<Shape<'UpdateWebhook'>>, { services, actor }) =>
      services.webhooks.update(actor, id, input),
    deleteWebhook: (_, { id }: ById, { services, actor }) => services.webhooks.remove(actor, id),
  },
  Webhook: {
    deliveries: ({ id }: Shape<'Webhook'>, query: DeliveryQuery, { loaders }) =>
      loaders.deliveriesOf(id, query),
  },
} satisfies Resolvers;
