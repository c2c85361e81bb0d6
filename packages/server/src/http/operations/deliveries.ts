import type { Deliveries, DeliveryRetries } from '../../domain/webhooks/deliveries.ts';
import type { Handlers } from '../handlers.ts';

export function deliveryOperations(deliveries: Deliveries, retries: DeliveryRetries) {
  return {
    testWebhook: ({ actor, path, body }) => deliveries.test(actor, path.id, body),
    listDeliveries: ({ actor, path, query }) => deliveries.list(actor, path.id, query),
    getDelivery: ({ actor, path }) => deliveries.get(actor, path.id, path.deliveryId),
    retryDelivery: ({ actor, path }) => retries.retry(actor, path.id, path.deliveryId),
    retryFailedDeliveries: ({ actor, path }) => retries.retryFailed(actor, path.id),
  } satisfies Partial<Handlers>;
}
