import type { Deliveries } from '../../domain/deliveries.ts';
import type { Handlers } from '../handlers.ts';

export function deliveryOperations(deliveries: Deliveries) {
  return {
    testWebhook: ({ actor, path, body }) => deliveries.test(actor, path.id, body),
    listDeliveries: ({ actor, path, query }) => deliveries.list(actor, path.id, query),
    getDelivery: ({ actor, path }) => deliveries.get(actor, path.id, path.deliveryId),
  } satisfies Partial<Handlers>;
}
