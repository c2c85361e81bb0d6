import type { WebhookEvent } from '../generated/types.ts';
import type { Visitor } from './actor.ts';
import type { EventType } from './contract.ts';
import { timestamp, type WebhookRecord, type World } from './world.ts';

/** Something that has happened. */
export interface Happening {
  readonly type: EventType;
  /** Whose the resource is: that account's webhooks hear of it, and every administrator's. */
  readonly userId: string;
  readonly visitor: Visitor;
  readonly data: {
    readonly object: unknown;
    readonly changes?: readonly string[] | undefined;
    readonly previous?: unknown;
  };
}

/** Queues a delivery for each webhook that hears of an event, also while it is off. Nothing is sent. */
export function emit(world: World, happening: Happening): void {
  for (const webhook of world.tables.webhooks.values()) {
    const isAdministrators = world.tables.users.get(webhook.userId)?.role === 'admin';
    const hears = webhook.userId === happening.userId || isAdministrators;
    if (hears && webhook.events.includes(happening.type)) {
      queue(world, webhook, happening, false);
    }
  }
}

/** Queues one delivery and answers its id. */
export function queue(
  world: World,
  webhook: WebhookRecord,
  happening: Happening,
  test: boolean,
): string {
  const { tables, ids } = world;
  const id = ids.prefixed('dlv');
  const payload = envelope(world, happening);
  tables.deliveries.set(id, {
    id,
    webhookId: webhook.id,
    eventId: payload.id,
    eventType: happening.type,
    status: 'pending',
    statusCode: null,
    durationMs: null,
    attemptNumber: 0,
    error: null,
    nextAttemptAt: payload.timestamp,
    createdAt: payload.timestamp,
    completedAt: null,
    test,
    payload,
    attempts: [],
  });
  return id;
}

function envelope({ tables, ids, now }: World, happening: Happening): WebhookEvent {
  const { type, userId, visitor, data } = happening;
  const event = {
    id: ids.prefixed('evt'),
    type,
    timestamp: timestamp(now()),
    apiVersion: 'v1',
    data: structuredClone(data),
    context: {
      userId,
      instanceId: tables.users.get(userId)?.instanceId ?? '',
      requestId: visitor.requestId,
      ipAddress: '127.0.0.1',
    },
  };
  // Which object belongs to which type the operations know.
  return event as unknown as WebhookEvent;
}

/** What differs between two states, among these fields; undefined when nothing does. */
export function changesBetween<Item extends object>(
  before: Item,
  after: Item,
  fields: readonly (keyof Item & string)[],
): { readonly changes: string[]; readonly previous: Partial<Item> } | undefined {
  const changes = fields.filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
  if (changes.length === 0) return undefined;
  const previous: Partial<Item> = {};
  for (const field of changes) previous[field] = before[field];
  return { changes, previous };
}
