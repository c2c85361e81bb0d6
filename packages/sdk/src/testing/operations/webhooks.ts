import { notFound, violation } from '../../generated/rules/errors.ts';
import { hasScope, requireReadScope } from '../../generated/rules/scopes.ts';
import { maskedHeaders, refuseHeaders } from '../../generated/rules/webhook-headers.ts';
import type { Delivery, DeliveryDetail, Webhook } from '../../generated/types.ts';
import { type Actor, requireVisible, rowsOf } from '../actor.ts';
import { type EventType, testContract } from '../contract.ts';
import { changesBetween, envelope, queue } from '../events.ts';
import type { Handlers } from '../handler.ts';
import { toPage } from '../listing.ts';
import { type State, timestamp, type WebhookRecord } from '../state.ts';
import { refuseExcess } from './limits.ts';

export const webhookHandlers = {
  listWebhooks: ({ state, actor, query }) =>
    toPage([...state.tables.webhooks.values()].filter(rowsOf(actor, query)), query, (webhook) =>
      presentWebhook(state, actor, webhook),
    ),

  createWebhook({ state, actor, body }) {
    refuseTarget(body);
    refuseExcess(state, actor.user.id, 'webhooks');
    const createdAt = timestamp(state.now());
    const webhook: WebhookRecord = {
      id: state.ids.resource(),
      userId: actor.user.id,
      url: body.url,
      events: body.events,
      secret: body.secret,
      description: body.description ?? null,
      headers: body.headers ?? null,
      active: body.active,
      metadata: body.metadata ?? null,
      createdAt,
      updatedAt: createdAt,
    };
    state.tables.webhooks.set(webhook.id, webhook);
    return presentWebhook(state, actor, webhook);
  },

  getWebhook: ({ state, actor, path }) =>
    presentWebhook(state, actor, findWebhook(state, actor, path.id)),

  updateWebhook({ state, actor, path, body }) {
    refuseTarget(body);
    const webhook = findWebhook(state, actor, path.id);
    const fields = Object.keys(body) as (keyof typeof body)[];
    if (changesBetween(webhook, { ...webhook, ...body }, fields)) {
      Object.assign(webhook, body, { updatedAt: timestamp(state.now()) });
    }
    return presentWebhook(state, actor, webhook);
  },

  deleteWebhook({ state, actor, path }) {
    const { id } = findWebhook(state, actor, path.id);
    const { webhooks, deliveries } = state.tables;
    webhooks.delete(id);
    for (const delivery of deliveries.values()) {
      if (delivery.webhookId === id) deliveries.delete(delivery.id);
    }
  },
} satisfies Partial<Handlers>;

/** @throws ServiceError NOT_FOUND */
export function findWebhook({ tables }: State, actor: Actor, webhookId: string): WebhookRecord {
  return requireVisible(actor, tables.webhooks.get(webhookId), 'webhook', { webhookId });
}

/**
 * A webhook without its secret. Values of headers need `webhooks:write`. Nothing is ever sent, so no
 * delivery has failed.
 */
function presentWebhook({ tables }: State, actor: Actor, record: WebhookRecord): Webhook {
  const { userId: _, secret: __, ...webhook } = record;
  const headers = hasScope(actor, 'webhooks:write')
    ? webhook.headers
    : maskedHeaders(webhook.headers);
  const deliveries = [...tables.deliveries.values()].filter(
    ({ webhookId, test }) => webhookId === webhook.id && !test,
  );
  const stats = {
    totalDeliveries: deliveries.length,
    failedDeliveries: 0,
    failureRate: 0,
    droppedDeliveries: 0,
    lastDroppedAt: null,
    lastError: null,
    lastDeliveryAt: null,
    consecutiveFailures: 0,
    failingSince: null,
    lastSuccessAt: null,
    oldestPendingAt: deliveries.map(({ createdAt }) => createdAt).sort()[0] ?? null,
  };
  return { ...webhook, headers, stats, health: webhook.active ? 'new' : 'paused' };
}

/** @throws ServiceError VALIDATION_ERROR for invalid headers and URLs */
function refuseTarget(input: {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>> | null;
}): void {
  refuseHeaders(input.headers ?? {});
  const url = new URL(input.url ?? 'https://example.com');
  if (url.username !== '' || url.password !== '') {
    const reason = 'a URL with credentials is not allowed';
    throw violation('url', 'allowedTarget', `url cannot receive webhooks: ${reason}.`);
  }
}

export const deliveryHandlers = {
  testWebhook({ state, actor, path, body }) {
    const webhook = findWebhook(state, actor, path.id);
    const type = body.eventType ?? (webhook.events[0] as EventType);
    if (!body.allowUnsubscribed && !webhook.events.includes(type)) {
      throw violation(
        'eventType',
        'subscribed',
        `eventType must be a type that the webhook subscribes to, and ${type} is not. To send a test of it anyway, set allowUnsubscribed to true.`,
      );
    }
    const { object, ...changed } = testContract.events[type];
    const payload = envelope(
      state,
      {
        type,
        userId: webhook.userId,
        principal: actor,
        data: { object, ...changed },
      },
      true,
    );
    return presentDelivery(findDelivery(state, webhook.id, queue(state, webhook, payload, true)));
  },

  listDeliveries({ state, actor, path, query }) {
    const { id } = findWebhook(state, actor, path.id);
    const { status, eventType } = query;
    const found = [...state.tables.deliveries.values()].filter(
      (delivery) =>
        delivery.webhookId === id &&
        (status === undefined || delivery.status === status) &&
        (eventType === undefined || delivery.eventType === eventType),
    );
    return toPage(found, query, presentDelivery);
  },

  getDelivery({ state, actor, path }) {
    const { id } = findWebhook(state, actor, path.id);
    const delivery = findDelivery(state, id, path.deliveryId);
    if (!delivery.test) requireReadScope(actor, delivery.eventType);
    return { ...delivery };
  },

  /** A pending delivery stays pending: nothing is ever sent. */
  retryDelivery({ state, actor, path }) {
    const { id } = findWebhook(state, actor, path.id);
    const delivery = findDelivery(state, id, path.deliveryId);
    if (delivery.test) {
      throw violation('deliveryId', 'retryable', 'A test delivery is not retried. Test again.');
    }
    return presentDelivery(delivery);
  },

  retryFailedDeliveries({ state, actor, path }) {
    findWebhook(state, actor, path.id);
    return { retried: 0 };
  },
} satisfies Partial<Handlers>;

function findDelivery({ tables }: State, webhookId: string, deliveryId: string): DeliveryDetail {
  const delivery = tables.deliveries.get(deliveryId);
  if (delivery?.webhookId !== webhookId) throw notFound('delivery', { deliveryId });
  return delivery;
}

function presentDelivery({ payload: _, attempts: __, ...delivery }: DeliveryDetail): Delivery {
  return delivery;
}
