import type { Store } from '../../store/store.ts';

/**
 * The deliveries that are being attempted at this moment, up to the record of how it went. One process
 * attempts all: nothing of this is stored, and what was under way when a process ends is due again.
 */
export class DeliveriesUnderWay {
  readonly #webhooks = new Map<string, string>();
  /** How many, by webhook. */
  readonly #counts = new Map<string, number>();
  /** Webhooks that wait for their hosts. */
  readonly #suspended = new Set<string>();

  add(deliveryId: string, webhookId: string): void {
    this.#webhooks.set(deliveryId, webhookId);
    this.#counts.set(webhookId, (this.#counts.get(webhookId) ?? 0) + 1);
  }

  delete(deliveryId: string): void {
    const webhookId = this.#webhooks.get(deliveryId);
    if (webhookId === undefined) return;
    this.#webhooks.delete(deliveryId);
    const count = (this.#counts.get(webhookId) ?? 0) - 1;
    if (count > 0) this.#counts.set(webhookId, count);
    else this.#counts.delete(webhookId);
  }

  has(deliveryId: string): boolean {
    return this.#webhooks.has(deliveryId);
  }

  /** A webhook waits for its host, which takes no more at the moment. */
  suspend(webhookId: string): void {
    this.#suspended.add(webhookId);
  }

  resume(webhookId: string): void {
    this.#suspended.delete(webhookId);
  }

  /** Whether anything is on its way to the webhook, or would be if its host took more. */
  serves(webhookId: string): boolean {
    return this.#counts.has(webhookId) || this.#suspended.has(webhookId);
  }
}

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
