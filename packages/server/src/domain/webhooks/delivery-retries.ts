import type { Clock } from '../../clock.ts';
import { violation } from '../../errors.ts';
import type { Store } from '../../store/store.ts';
import type { Actor } from '../actor.ts';
import type { Shape } from '../shapes.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { type Delivery, findDelivery, presentDelivery } from './deliveries.ts';
import type { DeliveriesUnderWay } from './deliveries-under-way.ts';
import { findWebhook } from './webhooks.ts';

/** Deliveries that are opened again in one transaction. */
const stepSize = 200;

export type DeliveryRetries = ReturnType<typeof createDeliveryRetries>;

export interface DeliveryRetriesOptions {
  readonly store: Store;
  readonly work: UnitOfWork;
  readonly clock: Clock;
  readonly underWay: Pick<DeliveriesUnderWay, 'has'>;
  /** Called after a commit that left something to deliver. */
  readonly onDeliveries: () => void;
}

/** Attempts that callers ask for, beside the automatic ones. */
export function createDeliveryRetries(options: DeliveryRetriesOptions) {
  const { store, work, clock, underWay, onDeliveries } = options;
  /** Webhooks whose failed deliveries are being opened at this moment. */
  const opening = new Set<string>();

  /** Makes one attempt due, with the event and the bytes of those before it. */
  async function retry(actor: Actor, webhookId: string, deliveryId: string): Promise<Delivery> {
    const delivery = await work(actor, async (tx) => {
      await findWebhook(tx, actor, webhookId);
      const before = await findDelivery(tx, webhookId, deliveryId);
      if (before.test) {
        throw violation('deliveryId', 'retryable', 'A test delivery is not retried. Test again.');
      }
      if (underWay.has(deliveryId)) {
        throw violation('deliveryId', 'inProgress', 'An attempt of this delivery is under way.');
      }
      await tx.deliveryRetries.retry(before, clock.now());
      return presentDelivery(await findDelivery(tx, webhookId, deliveryId));
    });
    onDeliveries();
    return delivery;
  }

  /** Makes one attempt of every failed delivery due, in small steps, and answers how many those are. */
  async function retryFailed(actor: Actor, webhookId: string): Promise<Shape<'RetryResult'>> {
    await findWebhook(store, actor, webhookId);
    if (opening.has(webhookId)) throw stillInProgress();
    opening.add(webhookId);
    try {
      return await openAll(actor, webhookId);
    } finally {
      opening.delete(webhookId);
    }
  }

  async function openAll(actor: Actor, webhookId: string): Promise<Shape<'RetryResult'>> {
    let retried = 0;
    // By their ids, since what is opened first may have failed again before the last step.
    let after: string | undefined;
    for (;;) {
      const opened = await store.transaction(async (tx) => {
        await findWebhook(tx, actor, webhookId);
        const isFirst = after === undefined;
        if (isFirst && (await tx.deliveryRetries.isReopening(webhookId))) throw stillInProgress();
        const ids = await tx.deliveryRetries.reopenFailed({
          webhookId,
          after: after ?? '',
          limit: stepSize,
          now: clock.now(),
        });
        const isLast = ids.length < stepSize;
        if (isLast) await actor.settle?.(tx, { retried: retried + ids.length });
        return { ids, isLast };
      });
      onDeliveries();
      retried += opened.ids.length;
      after = opened.ids.at(-1);
      if (opened.isLast) return { retried };
    }
  }

  return { retry, retryFailed };
}

function stillInProgress() {
  return violation(
    'id',
    'inProgress',
    'Deliveries of an earlier retry still wait to be attempted.',
  );
}
