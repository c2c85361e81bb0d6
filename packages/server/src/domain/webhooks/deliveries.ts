import type { Clock } from '../../clock.ts';
import { notFound, type ServiceError } from '../../errors.ts';
import type { Ids } from '../../ids.ts';
import type { DeliveryRecord } from '../../store/repositories/delivery-log.ts';
import type { DeliveryStatus } from '../../store/repositories/delivery-status.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { requireReadScope } from '../access.ts';
import type { Actor } from '../actor.ts';
import { toEventRecord } from '../events.ts';
import { idsOf, inOrder, type ListQuery, type Page, toPage, toPages } from '../pages.ts';
import { type EventType, optionalTimestamp, type Shape, timestamp } from '../shapes.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { exampleData } from './example-events.ts';
import { findWebhook, findWebhooks } from './webhooks.ts';

export type Delivery = Shape<'Delivery'>;

export interface DeliveryQuery extends ListQuery<'createdAt'> {
  readonly status?: DeliveryStatus | undefined;
  readonly eventType?: EventType | undefined;
}

export type Deliveries = ReturnType<typeof createDeliveries>;

export interface DeliveriesOptions {
  readonly store: Store;
  readonly work: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Called after a commit that left something to deliver. */
  readonly onDeliveries: () => void;
}

export function createDeliveries({ store, work, clock, ids, onDeliveries }: DeliveriesOptions) {
  async function list(
    actor: Actor,
    webhookId: string,
    query: DeliveryQuery,
  ): Promise<Page<Delivery>> {
    await findWebhook(store, actor, webhookId);
    const rows = await store.deliveryLog.list({ ...inOrder(query), webhookId });
    return toPage(rows, query, presentDelivery);
  }

  /** A page for each of these webhooks, or the error that says that the webhook is not there. */
  async function listOfEach(
    actor: Actor,
    webhookIds: readonly string[],
    query: DeliveryQuery,
  ): Promise<(Page<Delivery> | ServiceError)[]> {
    const webhooks = await findWebhooks(store, actor, webhookIds);
    const lists = await store.deliveryLog.listOfEach(idsOf(webhooks), inOrder(query));
    return toPages(webhooks, lists, (rows) => toPage(rows, query, presentDelivery));
  }

  async function get(
    actor: Actor,
    webhookId: string,
    deliveryId: string,
  ): Promise<Shape<'DeliveryDetail'>> {
    await findWebhook(store, actor, webhookId);
    const delivery = await findDelivery(store, webhookId, deliveryId);
    // A test delivers an example.
    if (!delivery.test) requireReadScope(actor, delivery.eventType as EventType);
    const event = await store.events.find(delivery.eventId);
    if (!event) throw notFound('delivery', { deliveryId });
    const attempts = await store.deliveryLog.attempts(deliveryId);
    return {
      ...presentDelivery(delivery),
      payload: JSON.parse(event.body),
      attempts: attempts.map(({ startedAt, ...attempt }) => ({
        ...attempt,
        startedAt: timestamp(startedAt),
      })),
    };
  }

  /** Sends the contract's example of an event down the path that real events take. */
  async function test(
    actor: Actor,
    webhookId: string,
    input: Shape<'TestWebhook'>,
  ): Promise<Delivery> {
    const delivery = await work(actor, async (tx) => {
      const webhook = await findWebhook(tx, actor, webhookId);
      const type = input.eventType ?? (webhook.events[0] as EventType);
      const now = clock.now();
      const event = toEventRecord({
        type,
        owner: { userId: webhook.userId, instanceId: actor.instanceId },
        data: exampleData(type),
        origin: actor,
        now,
        ids,
      });
      await tx.events.insert(event);
      const id = ids.prefixed('dlv');
      await tx.deliveries.insert([
        { id, webhookId, eventId: event.id, eventType: type, test: true, createdAt: now },
      ]);
      return presentDelivery(await findDelivery(tx, webhookId, id));
    });
    onDeliveries();
    return delivery;
  }

  return { list, listOfEach, get, test };
}

/** The delivery, if it is one of this webhook. */
export async function findDelivery(
  repositories: Repositories,
  webhookId: string,
  deliveryId: string,
): Promise<DeliveryRecord> {
  const delivery = await repositories.deliveryLog.find(deliveryId);
  if (delivery?.webhookId !== webhookId) throw notFound('delivery', { deliveryId });
  return delivery;
}

export function presentDelivery(delivery: DeliveryRecord): Delivery {
  return {
    id: delivery.id,
    webhookId: delivery.webhookId,
    eventId: delivery.eventId,
    eventType: delivery.eventType as EventType,
    status: delivery.status,
    statusCode: delivery.statusCode,
    durationMs: delivery.durationMs,
    attemptNumber: delivery.attemptNumber,
    error: delivery.error,
    nextAttemptAt: optionalTimestamp(delivery.nextAttemptAt),
    createdAt: timestamp(delivery.createdAt),
    completedAt: optionalTimestamp(delivery.completedAt),
    test: delivery.test,
  };
}
