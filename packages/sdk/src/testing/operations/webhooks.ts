import type { Delivery, DeliveryDetail, Violation, Webhook } from '../../generated/types.ts';
import { type Actor, hasScope, requireReadScope, sees, visible } from '../actor.ts';
import { type EventType, testContract } from '../contract.ts';
import { changesBetween, envelope, queue } from '../events.ts';
import type { Handlers } from '../handler.ts';
import { toPage } from '../listing.ts';
import { invalid, notFound, violation } from '../responses.ts';
import { type State, timestamp, type WebhookRecord } from '../state.ts';
import { refuseExcess } from './limits.ts';

export const webhookHandlers = {
  listWebhooks: ({ state, actor, query }) =>
    toPage(
      [...state.tables.webhooks.values()].filter((webhook) => sees(actor, webhook)),
      query,
      (webhook) => presentWebhook(state, actor, webhook),
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

/** @throws Failure NOT_FOUND */
export function findWebhook({ tables }: State, actor: Actor, webhookId: string): WebhookRecord {
  return visible(actor, tables.webhooks.get(webhookId), 'webhook', { webhookId });
}

/**
 * A webhook without its secret. Values of headers need `webhooks:write`. Nothing is ever sent, so no
 * delivery has failed.
 */
function presentWebhook({ tables }: State, actor: Actor, record: WebhookRecord): Webhook {
  const { userId: _, secret: __, ...webhook } = record;
  const headers = hasScope(actor, 'webhooks:write') ? webhook.headers : masked(webhook.headers);
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
  };
  return { ...webhook, headers, stats };
}

function masked(headers: Webhook['headers']): Webhook['headers'] {
  return headers && Object.fromEntries(Object.keys(headers).map((name) => [name, '***']));
}

/** Headers of the sender and the connection, in lower case. */
const reserved =
  /^(x-service-.*|accept-encoding|connection|content-(length|type)|expect|host|keep-alive|proxy-(authenticate|authorization|connection)|te|trailer|transfer-encoding|upgrade)$/;

/** @throws Failure VALIDATION_ERROR for invalid headers and URLs */
function refuseTarget(input: {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>> | null;
}): void {
  const [first, ...others] = Object.entries(input.headers ?? {}).flatMap(([name, value]) =>
    headerViolations(name, value),
  );
  if (first) throw invalid([first, ...others]);
  const url = new URL(input.url ?? 'https://example.com');
  if (url.username !== '' || url.password !== '') {
    const reason = 'a URL with credentials is not allowed';
    throw violation('url', 'allowedTarget', `url cannot receive webhooks: ${reason}.`);
  }
}

function headerViolations(name: string, value: string): Violation[] {
  const isReserved = reserved.test(name.toLowerCase());
  if (!isReserved && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return [];
  const reason = isReserved
    ? 'the name is reserved'
    : 'the value has characters that headers cannot carry';
  const message = `headers.${name} cannot be sent: ${reason}.`;
  return [{ field: `headers.${name}`, constraint: 'allowedHeader', message }];
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
