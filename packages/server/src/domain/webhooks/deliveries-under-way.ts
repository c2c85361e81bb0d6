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
