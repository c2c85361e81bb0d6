import type { Violation, Webhook } from '../../generated/types.ts';
import { type Actor, hasScope, sees, visible } from '../actor.ts';
import { changesBetween } from '../events.ts';
import { invalid, violation } from '../failure.ts';
import type { Handlers } from '../handler.ts';
import { toPage } from '../listing.ts';
import { timestamp, type WebhookRecord, type World } from '../world.ts';
import { refuseExcess } from './account-limits.ts';

export const webhookHandlers = {
  listWebhooks: ({ world, actor, query }) =>
    toPage(
      [...world.tables.webhooks.values()].filter((webhook) => sees(actor, webhook)),
      query,
      (webhook) => presentWebhook(world, actor, webhook),
    ),

  createWebhook({ world, actor, body }) {
    refuseTarget(body);
    refuseExcess(world, actor.user.id, 'webhooks');
    const createdAt = timestamp(world.now());
    const webhook: WebhookRecord = {
      id: world.ids.resource(),
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
    world.tables.webhooks.set(webhook.id, webhook);
    return presentWebhook(world, actor, webhook);
  },

  getWebhook: ({ world, actor, path }) =>
    presentWebhook(world, actor, findWebhook(world, actor, path.id)),

  updateWebhook({ world, actor, path, body }) {
    refuseTarget(body);
    const webhook = findWebhook(world, actor, path.id);
    const fields = Object.keys(body) as (keyof typeof body)[];
    if (changesBetween(webhook, { ...webhook, ...body }, fields)) {
      Object.assign(webhook, body, { updatedAt: timestamp(world.now()) });
    }
    return presentWebhook(world, actor, webhook);
  },

  deleteWebhook({ world, actor, path }) {
    const { id } = findWebhook(world, actor, path.id);
    const { webhooks, deliveries } = world.tables;
    webhooks.delete(id);
    for (const delivery of deliveries.values()) {
      if (delivery.webhookId === id) deliveries.delete(delivery.id);
    }
  },
} satisfies Partial<Handlers>;

/** @throws Failure NOT_FOUND */
export function findWebhook({ tables }: World, actor: Actor, webhookId: string): WebhookRecord {
  return visible(actor, tables.webhooks.get(webhookId), 'webhook', { webhookId });
}

/**
 * A webhook as a caller sees it, without its secret; values of headers need `webhooks:write`. Nothing is
 * sent, so that nothing has failed.
 */
function presentWebhook({ tables }: World, actor: Actor, record: WebhookRecord): Webhook {
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

/** Set by the sender, or by the connection it uses; in lower case. */
const reserved =
  /^(x-service-.*|accept-encoding|connection|content-(length|type)|expect|host|keep-alive|proxy-(authenticate|authorization|connection)|te|trailer|transfer-encoding|upgrade)$/;

/** @throws Failure VALIDATION_ERROR for headers and URLs that deliveries cannot have */
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
