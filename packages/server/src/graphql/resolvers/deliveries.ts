import type { Resolvers } from '../call.ts';

interface OfWebhook {
  readonly webhookId: string;
  readonly deliveryId: string;
}

export const deliveryResolvers = {
  Mutation: {
    retryDelivery: (_, { webhookId, deliveryId }: OfWebhook, { services, actor }) =>
      services.deliveryRetries.retry(actor, webhookId, deliveryId),
  },
} satisfies Resolvers;
