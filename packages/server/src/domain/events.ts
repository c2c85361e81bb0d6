import { readScopeOf } from '../generated/rules/scopes.ts';
import { type Ids, timeOf } from '../lib/ids.ts';
import type { DroppedDelivery } from '../store/rows/webhooks/deliveries.ts';
import type { DeliveryLimits } from '../store/rows/webhooks/delivery-counters.ts';
import type { NewEventRecord } from '../store/rows/webhooks/events.ts';
import type { Repositories } from '../store/store.ts';
import type { Sender } from './actor.ts';
import { type EventOf, type EventType, timestamp } from './shapes.ts';

/** How long an event is kept and listed: 30 days, in milliseconds. Its deliveries can need it for longer. */
export const eventRetention = 30 * 24 * 60 * 60 * 1000;

/** Returns the account of a resource as its events name it. */
export function accountOf({ userId, instanceId }: { userId: string; instanceId: string }) {
  return { accountId: userId, instanceId };
}

/** An event before it has an id. */
export interface NewEvent<Type extends EventType> {
  readonly type: Type;
  /**
   * The account of the resource; null for an instance. Its webhooks receive the event, and those that receive all
   * accounts' events.
   */
  readonly accountId: string | null;
  readonly instanceId: string;
  readonly object: EventOf<Type>['data']['object'];
  /** For updates: the names of the changed fields, and their previous values. */
  readonly changes?: readonly string[];
  readonly previous?: Readonly<Record<string, unknown>>;
}

interface Recording<Type extends EventType> {
  readonly event: NewEvent<Type>;
  readonly sender: Sender;
  readonly ids: Ids;
  readonly limits: DeliveryLimits;
}

/** The result of queueing the deliveries of an event. */
export interface RecordedDeliveries {
  readonly queued: number;
  readonly dropped: readonly DroppedDelivery[];
}

interface Occurrence extends Pick<NewEvent<EventType>, 'type' | 'accountId' | 'instanceId'> {
  readonly data: Readonly<Record<string, unknown>>;
  readonly sender: Sender;
  /** Whether it is the event of a test delivery, whose data is an example. */
  readonly test: boolean;
  readonly ids: Ids;
}

/**
 * Creates the stored event. Its envelope is serialized once for all deliveries. The timestamp is that of
 * the id, so that both have the same order.
 */
export function toEventRecord(occurrence: Occurrence): NewEventRecord {
  const { type, accountId, instanceId, data, sender, test, ids } = occurrence;
  const id = ids.prefixed('evt');
  const envelope = {
    id,
    type,
    timestamp: timestamp(timeOf(id)),
    apiVersion: 'v1',
    data,
    context: {
      userId: sender.userId,
      instanceId,
      requestId: sender.requestId,
      ...(sender.ipAddress !== null && { ipAddress: sender.ipAddress }),
      ...(test && { test }),
    },
  };
  return {
    id,
    type,
    userId: accountId,
    instanceId,
    body: JSON.stringify(envelope),
    test,
    trace: sender.trace,
  };
}

/** Stores an event and queues a delivery for each webhook that is subscribed to it. */
export async function recordEvent<Type extends EventType>(
  tx: Repositories,
  { event, sender, ids, limits }: Recording<Type>,
): Promise<RecordedDeliveries> {
  const { type, accountId, object, previous, changes } = event;
  const data = { object, ...(previous && { previous }), ...(changes && { changes }) };
  const record = toEventRecord({ ...event, data, sender, test: false, ids });
  await tx.events.insert(record);

  const subscribers = await tx.webhooks.subscribers({
    type,
    readScope: readScopeOf(type),
    ownerId: accountId,
  });
  const dropped = await tx.deliveries.insert(
    subscribers.map(({ webhookId, userId }) => ({
      id: ids.prefixed('dlv'),
      webhookId,
      eventId: record.id,
      eventType: type,
      test: false,
      createdAt: timeOf(record.id),
      ofOther: accountId !== userId,
      byOthers: type === 'document.share.accessed' || isOfOther(accountId, userId),
    })),
    limits,
  );
  return { queued: subscribers.length - dropped.length, dropped };
}

/** Whether an administrator receives an event of another account. Instances belong to no account. */
function isOfOther(accountId: string | null, userId: string): boolean {
  return accountId !== null && accountId !== userId;
}
