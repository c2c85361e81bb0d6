import contract from '../../generated/contract.json' with { type: 'json' };
import { notSubscribed, testNotRetried } from '../../generated/rules/deliveries.ts';
import { notFound, type ServiceError, violation } from '../../generated/rules/errors.ts';
import { timeOf } from '../../lib/ids.ts';
import type { Rows } from '../../store/lists/listing.ts';
import type {
  DeliveryLimits,
  DeliveryStatus,
} from '../../store/rows/webhooks/delivery-counters.ts';
import type { DeliveryRecord } from '../../store/rows/webhooks/delivery-log.ts';
import type { WebhookRecord } from '../../store/rows/webhooks/webhooks.ts';
import type { Repositories } from '../../store/store.ts';
import { requireReadScope, visibleOf } from '../access.ts';
import type { Actor, WithCommitHook } from '../actor.ts';
import { toEventRecord } from '../events.ts';
import { idsOf, inOrder, type ListQuery, type Page, toPage, toPages } from '../pages.ts';
import {
  type EventOf,
  type EventType,
  optionalTimestamp,
  type Shape,
  timestamp,
} from '../shapes.ts';
import type { ServiceOptions } from '../unit-of-work.ts';
import type { DeliveriesInFlight } from './backlog.ts';
import { findWebhook, seesOnlyOwn } from './webhooks.ts';

export type Delivery = Shape<'Delivery'>;

export interface DeliveryQuery extends ListQuery<'createdAt'> {
  readonly status?: DeliveryStatus | undefined;
  readonly eventType?: EventType | undefined;
}

export type Deliveries = ReturnType<typeof createDeliveries>;

export interface DeliveriesOptions extends ServiceOptions {
  readonly inFlight: Pick<DeliveriesInFlight, 'isInFlight'>;
  readonly webhookDeliveries: DeliveryLimits;
  /** Called after a commit that queued deliveries. */
  readonly onDeliveries: () => void;
}

/** Deliveries per transaction of a bulk retry. */
const stepSize = 200;

export function createDeliveries(options: DeliveriesOptions) {
  const { store, work, clock, ids, inFlight, webhookDeliveries, accountLimits, onDeliveries } =
    options;
  /** Webhooks with a running bulk retry. */
  const opening = new Set<string>();

  async function list(
    actor: Actor,
    webhookId: string,
    query: DeliveryQuery,
  ): Promise<Page<Delivery>> {
    const webhook = await findWebhook(store, actor, webhookId);
    const onlyOwn = seesOnlyOwn(actor, webhook);
    const rows = await store.deliveryLog.list({ ...inOrder(query), webhookId, onlyOwn });
    return toPage(rows, query, presentDelivery);
  }

  /** Returns a page per webhook, which is empty for a webhook that was deleted meanwhile. */
  async function listOfEach(
    actor: Actor,
    webhookIds: readonly string[],
    query: DeliveryQuery,
  ): Promise<Page<Delivery>[]> {
    const webhooks = visibleOf(actor, await store.webhooks.findMany(webhookIds));
    const lists = new Map<string, Rows<DeliveryRecord>>();
    for (const onlyOwn of [false, true]) {
      const some = webhooks.filter((each) => seesOnlyOwn(actor, each) === onlyOwn);
      const filter = { ...inOrder(query), onlyOwn };
      const found = await store.deliveryLog.listOfEach(idsOf(some), filter);
      for (const id of idsOf(some)) {
        const rows = found?.get(id) ?? (await store.deliveryLog.list({ ...filter, webhookId: id }));
        lists.set(id, rows);
      }
    }
    return toPages(webhookIds, lists, (rows) => toPage(rows, query, presentDelivery));
  }

  async function get(
    actor: Actor,
    webhookId: string,
    deliveryId: string,
  ): Promise<Shape<'DeliveryDetail'>> {
    const webhook = await findWebhook(store, actor, webhookId);
    const delivery = await findDelivery(store, actor, { webhook, deliveryId });
    // A test delivery contains an example, not a resource.
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

  /** Queues the contract's example of an event like a real event. */
  async function test(
    actor: WithCommitHook<Actor>,
    webhookId: string,
    input: Shape<'TestWebhook'>,
  ): Promise<Delivery> {
    accountLimits.refuseFullDisk();
    const delivery = await work(actor, async (tx) => {
      const webhook = await findWebhook(tx, actor, webhookId);
      const type = input.eventType ?? (webhook.events[0] as EventType);
      if (!input.allowUnsubscribed && !webhook.events.includes(type)) throw notSubscribed(type);
      const event = toEventRecord({
        type,
        accountId: webhook.userId,
        instanceId: actor.instanceId,
        data: exampleData(type),
        sender: actor,
        test: true,
        ids,
      });
      await tx.events.insert(event);
      const id = ids.prefixed('dlv');
      const dropped = await tx.deliveries.insert(
        [
          {
            id,
            webhookId,
            eventId: event.id,
            eventType: type,
            test: true,
            createdAt: timeOf(event.id),
          },
        ],
        webhookDeliveries,
      );
      if (dropped.length > 0) throw queueFull();
      return presentDelivery(await findDelivery(tx, actor, { webhook, deliveryId: id }));
    });
    onDeliveries();
    return delivery;
  }

  /** Makes one attempt due. It sends the same bytes as the earlier attempts. */
  async function retry(
    actor: WithCommitHook<Actor>,
    webhookId: string,
    deliveryId: string,
  ): Promise<Delivery> {
    const delivery = await work(actor, async (tx) => {
      const webhook = await findWebhook(tx, actor, webhookId);
      const before = await findDelivery(tx, actor, { webhook, deliveryId });
      if (before.test) throw testNotRetried();
      if (await tx.deliveries.isRefused(deliveryId)) {
        const message =
          'The webhook may not receive this event any more: its app has lost a scope.';
        throw violation('deliveryId', 'retryable', message);
      }
      if (inFlight.isInFlight(webhookId, deliveryId)) {
        throw violation('deliveryId', 'inProgress', 'An attempt of this delivery is under way.');
      }
      await tx.deliveries.retry(before, clock.now());
      return presentDelivery(await findDelivery(tx, actor, { webhook, deliveryId }));
    });
    onDeliveries();
    return delivery;
  }

  /** Makes one attempt of every failed delivery due, in small transactions. Returns their number. */
  async function retryFailed(
    actor: WithCommitHook<Actor>,
    webhookId: string,
  ): Promise<Shape<'RetryResult'>> {
    await findWebhook(store, actor, webhookId);
    if (opening.has(webhookId)) throw stillInProgress();
    opening.add(webhookId);
    try {
      return await openAll(actor, webhookId);
    } finally {
      opening.delete(webhookId);
    }
  }

  async function openAll(
    actor: WithCommitHook<Actor>,
    webhookId: string,
  ): Promise<Shape<'RetryResult'>> {
    // The outcome of the request is stored with the last step.
    const { beforeCommit, ...sender } = actor;
    let retried = 0;
    // Ordered by id: a delivery that is retried first may fail again before the last step.
    let after: string | undefined;
    for (;;) {
      const opened = await work(sender, async (tx) => {
        const webhook = await findWebhook(tx, actor, webhookId);
        const isFirst = after === undefined;
        if (isFirst && (await tx.deliveries.isReopening(webhookId))) throw stillInProgress();
        const ids = await tx.deliveries.reopenFailed({
          webhookId,
          onlyOwn: seesOnlyOwn(actor, webhook),
          after: after ?? '',
          limit: stepSize,
          now: clock.now(),
        });
        const isLast = ids.length < stepSize;
        if (isLast) await beforeCommit?.(tx, { retried: retried + ids.length });
        return { ids, isLast };
      });
      onDeliveries();
      retried += opened.ids.length;
      after = opened.ids.at(-1);
      if (opened.isLast) return { retried };
    }
  }

  return { list, listOfEach, get, test, retry, retryFailed };
}

function queueFull(): ServiceError {
  return violation(
    'id',
    'queueFull',
    'The queue of the webhook is full. Switch the webhook on, or wait until deliveries have ended.',
  );
}

interface DeliveryOfWebhook {
  readonly webhook: WebhookRecord;
  readonly deliveryId: string;
}

/**
 * Returns the delivery if it belongs to the webhook and the actor may see it.
 *
 * @throws ServiceError NOT_FOUND
 */
async function findDelivery(
  repositories: Repositories,
  actor: Actor,
  { webhook, deliveryId }: DeliveryOfWebhook,
): Promise<DeliveryRecord> {
  const delivery = await repositories.deliveryLog.find(deliveryId);
  const isHidden = delivery?.ofOther && seesOnlyOwn(actor, webhook);
  if (delivery?.webhookId !== webhook.id || isHidden) throw notFound('delivery', { deliveryId });
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

function stillInProgress() {
  return violation(
    'id',
    'inProgress',
    'Deliveries of an earlier retry still wait to be attempted.',
  );
}

interface EventOperation {
  readonly post: {
    readonly requestBody: {
      readonly content: { readonly 'application/json': { readonly example: EventOf<EventType> } };
    };
  };
}

const operations = contract.webhooks as unknown as Readonly<Record<EventType, EventOperation>>;

/** Returns the contract's example data of an event type. */
export function exampleData(type: EventType): EventOf<EventType>['data'] {
  return operations[type].post.requestBody.content['application/json'].example.data;
}
