import type { Store } from '../../store/store.ts';
import type { DeliveriesUnderWay } from './deliveries-under-way.ts';

/** What is still to be delivered. */
export interface Backlog {
  /** How many deliveries have not ended, those of test events apart. */
  countOpen(): Promise<number>;
  /**
   * Since when a delivery has been due to a deliverable webhook to which nothing is being sent at the
   * moment; the earliest such moment. A queue that its own slow receiver holds up is not among them.
   *
   * @param now epoch milliseconds
   */
  waitingSince(now: number): Promise<number | undefined>;
}

export interface BacklogOptions {
  readonly store: Pick<Store, 'deliveries'>;
  readonly underWay: DeliveriesUnderWay;
}

export function createBacklog({ store, underWay }: BacklogOptions): Backlog {
  return {
    countOpen: () => store.deliveries.countOpen(),

    async waitingSince(now) {
      const queues = await store.deliveries.queues();
      const waiting = queues.filter(
        ({ webhookId, dueAt }) => dueAt <= now && !underWay.serves(webhookId),
      );
      if (waiting.length === 0) return undefined;
      return Math.min(...waiting.map(({ dueAt }) => dueAt));
    },
  };
}
