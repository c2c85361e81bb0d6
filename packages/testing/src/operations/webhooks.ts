import type { Delivery, DeliveryDetail, UpdateWebhook, Webhook } from '@document-vault/sdk';
import type { Actor } from '../actor.ts';
import { type EventType, testContract } from '../contract.ts';
import { envelope, queue } from '../events.ts';
import { diffOf } from '../generated/rules/changes.ts';
import { notSubscribed, testNotRetried } from '../generated/rules/deliveries.ts';
import { notFound, violation } from '../generated/rules/errors.ts';
import { refusedReceiver } from '../generated/rules/hosts.ts';
import { requireWebhookOwner } from '../generated/rules/owners.ts';
import { previousSecretEnd } from '../generated/rules/periods.ts';
import { hasScope, missingScopes, requireReadScope } from '../generated/rules/scopes.ts';
import { maskedHeaders, refuseHeaders } from '../generated/rules/webhook-headers.ts';
import type { Handlers } from '../handler.ts';
import { toPage } from '../listing.ts';
import { resource } from '../resource.ts';
import { randomWebhookSecret, type State, timestamp, type WebhookRecord } from '../state.ts';
import { refuseExcess } from './limits.ts';

const webhooks = resource({
  name: 'webhook',
  table: (tables) => tables.webhooks,
  present: (webhook, { state, actor }) => presentWebhook(state, actor, webhook),
});

export const webhookHandlers = {
  listWebhooks: webhooks.list,

  createWebhook({ state, actor, body }) {
    const accounts = body.accounts ?? (reachesAll(actor) ? 'all' : 'own');
    refuseForeignEvents(actor, accounts);
    refuseTarget(body);
    refuseExcess(state, actor.user.id, 'webhooks');
    const createdAt = timestamp(state.now());
    const generated = body.secret === undefined ? { secret: randomWebhookSecret() } : {};
    const webhook: WebhookRecord = {
      id: state.ids.resource(),
      userId: actor.user.id,
      url: body.url,
      events: body.events,
      secret: body.secret ?? '',
      previousSecretExpiresAt: null,
      description: body.description ?? null,
      headers: body.headers ?? null,
      active: body.active,
      accounts,
      metadata: body.metadata ?? null,
      createdAt,
      updatedAt: createdAt,
      ...generated,
    };
    state.tables.webhooks.set(webhook.id, webhook);
    return { ...presentWebhook(state, actor, webhook), ...generated };
  },

  getWebhook: (call) => webhooks.get(call, call.path.id),

  updateWebhook: ({ state, actor, path, body }) => changeWebhook(state, actor, path.id, body),

  rotateWebhookSecret({ state, actor, path, body }) {
    const generated = body.secret === undefined ? { secret: randomWebhookSecret() } : {};
    const changed = changeWebhook(state, actor, path.id, { ...body, ...generated });
    return { ...generated, previousSecretExpiresAt: changed.previousSecretExpiresAt };
  },

  deleteWebhook({ state, actor, path }) {
    const { id } = webhooks.find(state, actor, path.id);
    const { tables } = state;
    tables.webhooks.delete(id);
    for (const delivery of tables.deliveries.values()) {
      if (delivery.webhookId === id) tables.deliveries.delete(delivery.id);
    }
  },
} satisfies Partial<Handlers>;

/** A change of these decides which events are sent, or where they are sent. */
const deciding = [
  'accounts',
  'url',
  'events',
  'headers',
  'secret',
  'previousSecretExpiresAt',
] as const;

function changeWebhook(state: State, actor: Actor, id: string, body: UpdateWebhook): Webhook {
  refuseTarget(body);
  const webhook = webhooks.find(state, actor, id);
  requireWebhookOwner(webhook, actor.user.id, Object.keys(body));
  const previousSecretExpiresAt = previousSecretExpiry(state, webhook, body);
  const after = { ...webhook, ...body, previousSecretExpiresAt };
  const fields = ['previousSecretExpiresAt', ...Object.keys(body)] as (keyof WebhookRecord)[];
  if (diffOf<WebhookRecord>(webhook, after, fields)) {
    if (diffOf<WebhookRecord>(webhook, after, deciding)) refuseForeignEvents(actor, after.accounts);
    if (body.accounts === 'own') removeForeignDeliveries(state, webhook);
    Object.assign(webhook, after, { updatedAt: timestamp(state.now()) });
  }
  return presentWebhook(state, actor, webhook);
}

/** Returns when the previous secret expires after a change; null without one. */
function previousSecretExpiry(
  state: State,
  webhook: WebhookRecord,
  { secret, url, previousSecretExpiresAt: requested }: UpdateWebhook,
): string | null {
  const end = webhook.previousSecretExpiresAt;
  const present = end !== null && Date.parse(end) > state.now() ? Date.parse(end) : null;
  const expiry = previousSecretEnd(
    {
      replacesSecret: secret !== undefined && secret !== webhook.secret,
      replacesUrl: url !== undefined && url !== webhook.url,
      requested,
      present,
    },
    state.now(),
  );
  return expiry === null ? null : timestamp(expiry);
}

/** Whether the credentials reach the events of every account. */
function reachesAll({ user, scopes }: Actor): boolean {
  return user.role === 'admin' && scopes.has('admin:*');
}

/** @throws ServiceError INSUFFICIENT_PERMISSIONS for a webhook of all accounts without `admin:*` */
function refuseForeignEvents(actor: Actor, accounts: WebhookRecord['accounts']): void {
  if (accounts === 'own' || reachesAll(actor)) return;
  throw missingScopes(['admin:*']);
}

/** Whether a delivery has the event of another account. */
function isForeign({ tables }: State, webhook: WebhookRecord, delivery: DeliveryDetail): boolean {
  return !delivery.test && tables.events.get(delivery.eventId)?.userId !== webhook.userId;
}

function removeForeignDeliveries(state: State, webhook: WebhookRecord): void {
  const { deliveries } = state.tables;
  for (const delivery of deliveries.values()) {
    const isOfWebhook = delivery.webhookId === webhook.id;
    if (isOfWebhook && isForeign(state, webhook, delivery)) deliveries.delete(delivery.id);
  }
}

/** Ends the receiving of other accounts' events for an account that is no active administrator any more. */
export function narrowWebhooks(state: State, userId: string): void {
  for (const webhook of state.tables.webhooks.values()) {
    if (webhook.userId !== userId || webhook.accounts === 'own') continue;
    webhook.accounts = 'own';
    removeForeignDeliveries(state, webhook);
  }
}

/** Whether the actor may see a delivery of a webhook that the actor sees. */
function seesDelivery(
  state: State,
  actor: Actor,
  { webhook, delivery }: { readonly webhook: WebhookRecord; readonly delivery: DeliveryDetail },
): boolean {
  return actor.scopes.has('admin:*') || !isForeign(state, webhook, delivery);
}

/**
 * A webhook without its secret. Its account sees values of headers with `webhooks:write`. Nothing is ever sent, so no
 * delivery has failed.
 */
function presentWebhook({ tables, now }: State, actor: Actor, record: WebhookRecord): Webhook {
  const { userId, secret: _, previousSecretExpiresAt: end, ...webhook } = record;
  const seesHeaders = hasScope(actor, 'webhooks:write') && userId === actor.user.id;
  const headers = seesHeaders ? webhook.headers : maskedHeaders(webhook.headers);
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
  const previousSecretExpiresAt = end !== null && Date.parse(end) > now() ? end : null;
  const health = webhook.active ? 'new' : 'paused';
  return { ...webhook, headers, previousSecretExpiresAt, stats, health };
}

/** @throws ServiceError VALIDATION_ERROR for invalid headers and URLs */
function refuseTarget(input: {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>> | null;
}): void {
  refuseHeaders(input.headers ?? {});
  const reason = refusedReceiver(new URL(input.url ?? 'https://example.com'));
  if (reason) throw violation('url', 'allowedTarget', `url cannot receive webhooks: ${reason}.`);
}

export const deliveryHandlers = {
  testWebhook({ state, actor, path, body }) {
    const webhook = webhooks.find(state, actor, path.id);
    const type = body.eventType ?? (webhook.events[0] as EventType);
    if (!body.allowUnsubscribed && !webhook.events.includes(type)) throw notSubscribed(type);
    const { object, ...changed } = testContract.events[type];
    const event = { type, userId: webhook.userId, principal: actor, object, ...changed };
    const payload = envelope(state, event, true);
    const deliveryId = queue(state, webhook, payload, true);
    return presentDelivery(findDelivery(state, actor, { webhook, deliveryId }));
  },

  listDeliveries({ state, actor, path, query }) {
    const webhook = webhooks.find(state, actor, path.id);
    const { status, eventType } = query;
    const found = [...state.tables.deliveries.values()].filter(
      (delivery) =>
        delivery.webhookId === webhook.id &&
        seesDelivery(state, actor, { webhook, delivery }) &&
        (status === undefined || delivery.status === status) &&
        (eventType === undefined || delivery.eventType === eventType),
    );
    return toPage(found, query, presentDelivery);
  },

  getDelivery({ state, actor, path }) {
    const webhook = webhooks.find(state, actor, path.id);
    const { deliveryId } = path;
    const delivery = findDelivery(state, actor, { webhook, deliveryId });
    if (!delivery.test) requireReadScope(actor, delivery.eventType);
    return { ...delivery };
  },

  /** A pending delivery stays pending: nothing is ever sent. */
  retryDelivery({ state, actor, path }) {
    const webhook = webhooks.find(state, actor, path.id);
    const { deliveryId } = path;
    const delivery = findDelivery(state, actor, { webhook, deliveryId });
    if (delivery.test) throw testNotRetried();
    return presentDelivery(delivery);
  },

  retryFailedDeliveries({ state, actor, path }) {
    webhooks.find(state, actor, path.id);
    return { retried: 0 };
  },
} satisfies Partial<Handlers>;

function findDelivery(
  state: State,
  actor: Actor,
  { webhook, deliveryId }: { readonly webhook: WebhookRecord; readonly deliveryId: string },
): DeliveryDetail {
  const delivery = state.tables.deliveries.get(deliveryId);
  if (delivery?.webhookId !== webhook.id || !seesDelivery(state, actor, { webhook, delivery })) {
    throw notFound('delivery', { deliveryId });
  }
  return delivery;
}

function presentDelivery({ payload: _, attempts: __, ...delivery }: DeliveryDetail): Delivery {
  return delivery;
}
