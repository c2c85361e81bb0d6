import type { Ids } from '../ids.ts';
import type { DroppedDelivery } from '../store/repositories/deliveries.ts';
import type { DeliveryLimits } from '../store/repositories/delivery-counters.ts';
import type { EventRecord } from '../store/repositories/events.ts';
import type { Repositories } from '../store/store.ts';
import type { Origin } from './actor.ts';
import { type EventOf, type EventType, timestamp } from './shapes.ts';

/** How long an event is kept at least: 30 days, in milliseconds. */
const eventRetention = 30 * 24 * 60 * 60 * 1000;

/** The account that owns a resource; none (null) owns an instance. */
export interface Owner {
  readonly userId: string | null;
  readonly instanceId: string;
}

/** Something that has happened, before it has an id. */
export interface NewEvent<Type extends EventType> {
  readonly type: Type;
  /** Whose the resource is: that account's webhooks hear of it, and every administrator's. */
  readonly owner: Owner;
  readonly object: EventOf<Type>['data']['object'];
  /** For updates: the changed fields, and what they held before. */
  readonly changes?: readonly string[];
  readonly previous?: Readonly<Record<string, unknown>>;
}

interface Recording<Type extends EventType> {
  readonly event: NewEvent<Type>;
  readonly origin: Origin;
  readonly now: number;
  readonly ids: Ids;
  readonly limits: DeliveryLimits;
}

/** What became of the deliveries of an event. */
export interface RecordedDeliveries {
  readonly queued: number;
  readonly dropped: readonly DroppedDelivery[];
}

interface Occurrence {
  readonly type: EventType;
  readonly owner: Owner;
  readonly data: Readonly<Record<string, unknown>>;
  readonly origin: Origin;
  readonly now: number;
  readonly ids: Ids;
}

/** The event as it is stored: its envelope is serialised here, once, for every delivery. */
export function toEventRecord(occurrence: Occurrence): EventRecord {
  const { type, owner, data, origin, now, ids } = occurrence;
  const id = ids.prefixed('evt');
  const envelope = {
    id,
    type,
    timestamp: timestamp(now),
    apiVersion: 'v1',
    data,
    context: {
      userId: origin.userId,
      instanceId: owner.instanceId,
      requestId: origin.requestId,
      ...(origin.ipAddress !== null && { ipAddress: origin.ipAddress }),
    },
  };
  return {
    id,
    type,
    userId: owner.userId,
    instanceId: owner.instanceId,
    body: JSON.stringify(envelope),
    createdAt: now,
    keepUntil: now + eventRetention,
  };
}

/** Stores an event and queues a delivery for each webhook that is subscribed to it. */
export async function recordEvent<Type extends EventType>(
  tx: Repositories,
  { event, origin, now, ids, limits }: Recording<Type>,
): Promise<RecordedDeliveries> {
  const { type, owner, object, previous, changes } = event;
  const data = { object, ...(previous && { previous }), ...(changes && { changes }) };
  const record = toEventRecord({ type, owner, data, origin, now, ids });
  await tx.events.insert(record);

  const webhookIds = await tx.webhooks.subscribers(type, owner.userId);
  const dropped = await tx.deliveries.insert(
    webhookIds.map((webhookId) => ({
      id: ids.prefixed('dlv'),
      webhookId,
      eventId: record.id,
      eventType: type,
      test: false,
      createdAt: now,
    })),
    limits,
  );
  return { queued: webhookIds.length - dropped.length, dropped };
}

export interface Diff<Item> {
  /** The names of the fields that differ. */
  readonly changes: (keyof Item & string)[];
  /** What they held before. */
  readonly previous: Partial<Item>;
}

/** What differs between two states of a resource, among these fields; undefined when nothing does. */
export function diffOf<Item extends object>(
  before: Item,
  after: Item,
  fields: readonly (keyof Item & string)[],
): Diff<Item> | undefined {
  const changes = fields.filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
  if (changes.length === 0) return undefined;
  const previous: Partial<Item> = {};
  for (const field of changes) previous[field] = before[field];
  return { changes, previous };
}
