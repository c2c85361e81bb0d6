import type { Delivery, DeliveryDetail } from '../../generated/types.ts';
import { type Actor, hasScope } from '../actor.ts';
import { type EventType, type Scope, testContract } from '../contract.ts';
import { queue } from '../events.ts';
import { Failure, notFound, violation } from '../failure.ts';
import type { Handlers } from '../handler.ts';
import { toPage } from '../listing.ts';
import type { World } from '../world.ts';
import { findWebhook } from './webhooks.ts';

export const deliveryHandlers = {
  testWebhook({ world, actor, path, body }) {
    const webhook = findWebhook(world, actor, path.id);
    const type = body.eventType ?? (webhook.events[0] as EventType);
    const { object, ...changed } = testContract.events[type];
    const happening = {
      type,
      userId: webhook.userId,
      visitor: actor,
      data: { object, ...changed },
    };
    return presentDelivery(findDelivery(world, webhook.id, queue(world, webhook, happening, true)));
  },

  listDeliveries({ world, actor, path, query }) {
    const { id } = findWebhook(world, actor, path.id);
    const { status, eventType } = query;
    const found = [...world.tables.deliveries.values()].filter(
      (delivery) =>
        delivery.webhookId === id &&
        (status === undefined || delivery.status === status) &&
        (eventType === undefined || delivery.eventType === eventType),
    );
    return toPage(found, query, presentDelivery);
  },

  getDelivery({ world, actor, path }) {
    const { id } = findWebhook(world, actor, path.id);
    const delivery = findDelivery(world, id, path.deliveryId);
    if (!delivery.test) requireReadScope(actor, delivery.eventType);
    return { ...delivery };
  },

  /** What is not over yet is as due as it was: nothing is ever sent. */
  retryDelivery({ world, actor, path }) {
    const { id } = findWebhook(world, actor, path.id);
    const delivery = findDelivery(world, id, path.deliveryId);
    if (delivery.test) {
      throw violation('deliveryId', 'retryable', 'A test delivery is not retried. Test again.');
    }
    return presentDelivery(delivery);
  },

  retryFailedDeliveries({ world, actor, path }) {
    findWebhook(world, actor, path.id);
    return { retried: 0 };
  },
} satisfies Partial<Handlers>;

function findDelivery({ tables }: World, webhookId: string, deliveryId: string): DeliveryDetail {
  const delivery = tables.deliveries.get(deliveryId);
  if (delivery?.webhookId !== webhookId) throw notFound('delivery', { deliveryId });
  return delivery;
}

function requireReadScope(actor: Actor, type: string): void {
  const [resource] = type.split('.');
  const isOfShare = type === 'document.shared' || type.startsWith('document.share.');
  const scope = isOfShare ? 'documents:share' : (`${resource}s:read` as Scope);
  if (hasScope(actor, scope)) return;
  throw new Failure('INSUFFICIENT_PERMISSIONS', { details: { requiredScopes: [scope] } });
}

function presentDelivery({ payload: _, attempts: __, ...delivery }: DeliveryDetail): Delivery {
  return delivery;
}
