import type { Store } from '../../store/store.ts';

/**
 * The deliveries whose attempt runs or is not recorded yet. They exist in the memory of the process that
 * attempts them: after a crash they are due again.
 */
export interface DeliveriesInFlight {
  isInFlight(webhookId: string, deliveryId: string): boolean;
  /** Whether a webhook has a delivery in flight, waits for its host, or has waited and is about to start one. */
  isServed(webhookId: string): boolean;
}

export type Backlog = ReturnType<typeof createBacklog>;

/** The deliveries that have not ended. */
export function createBacklog(
  store: Pick<Store, 'deliveries'>,
  inFlight: Pick<DeliveriesInFlight, 'isServed'>,
) {
  return {
    /** Counts them, without test deliveries. */
    countOpen: (): Promise<number> => store.deliveries.countOpen(),

    /**
     * Returns since when the earliest due delivery waits, in epoch milliseconds. Ignores webhooks that are
     * served: their own slow receiver kept their queue waiting until now.
     *
     * @param now epoch milliseconds
     */
    async waitingSince(now: number): Promise<number | undefined> {
      const queues = await store.deliveries.queues();
      const waiting = queues.filter(
        ({ webhookId, dueAt }) => dueAt <= now && !inFlight.isServed(webhookId),
      );
      if (waiting.length === 0) return undefined;
      return Math.min(...waiting.map(({ dueAt }) => dueAt));
    },
  };
}
