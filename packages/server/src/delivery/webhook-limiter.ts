import type { Permit, Receiver } from './hosts.ts';

interface WebhookState {
  readonly webhookId: string;
  /** Where its deliveries go, as of the last read. */
  receiver: Receiver;
  /** Running attempts. */
  running: number;
  /** Deliveries to attempt next, in order. Only the store knows more about them. */
  readonly prefetched: string[];
  /** Deliveries whose attempt runs or is not recorded yet. The store still has them in the queue. */
  readonly inFlight: Set<string>;
  /** How many deliveries to prefetch beyond those that may run. A slow receiver reduces it. */
  prefetchTarget: number;
}

/** A delivery to attempt now. */
export interface StartedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly permit: Permit;
}

/** Maximum number of prefetched deliveries per webhook. */
const maxPrefetch = 64;
/**
 * Milliseconds that the prefetched deliveries should last at the speed of the last attempt. A fast
 * receiver gets many with one query, a slow one none.
 */
const prefetchMs = 500;

/** Limits concurrent attempts per webhook, and knows the prefetched deliveries and those in flight. */
export class WebhookLimiter {
  readonly #limit: number;
  readonly #webhooks = new Map<string, WebhookState>();
  #running = 0;

  /** @param limit maximum number of concurrent attempts per webhook */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Running attempts of all webhooks. */
  get running(): number {
    return this.#running;
  }

  /** How many more attempts of a webhook may start. */
  free(webhookId: string): number {
    return this.#limit - (this.#webhooks.get(webhookId)?.running ?? 0);
  }

  /** Whether these webhooks could start more attempts than there is room for. */
  exceeds(room: number, webhookIds: Iterable<string>): boolean {
    let free = 0;
    for (const webhookId of webhookIds) {
      free += this.free(webhookId);
      if (free > room) return true;
    }
    return false;
  }

  /** How many deliveries to prefetch beyond those that can start; 0 while half of them are left. */
  shortage(webhookId: string): number {
    const state = this.#webhooks.get(webhookId);
    if (state === undefined) return maxPrefetch;
    const { prefetched, prefetchTarget } = state;
    return prefetched.length > prefetchTarget / 2 ? 0 : prefetchTarget - prefetched.length;
  }

  /** Returns a copy of the ids that a query of the queue would return again. */
  known(webhookId: string): ReadonlySet<string> {
    const state = this.#webhooks.get(webhookId);
    return new Set(state && [...state.prefetched, ...state.inFlight]);
  }

  /** Whether an attempt of this delivery runs or is not recorded yet. */
  isInFlight(webhookId: string, deliveryId: string): boolean {
    return this.#webhooks.get(webhookId)?.inFlight.has(deliveryId) ?? false;
  }

  /** Whether any delivery of the webhook is prefetched or in flight. */
  has(webhookId: string): boolean {
    return this.#webhooks.has(webhookId);
  }

  /** Whether any delivery of the webhook is in flight. */
  hasInFlight(webhookId: string): boolean {
    return (this.#webhooks.get(webhookId)?.inFlight.size ?? 0) > 0;
  }

  /**
   * Appends prefetched deliveries.
   *
   * @param receiver where they go
   */
  add(webhookId: string, receiver: Receiver, ids: readonly string[]): void {
    const state = this.#stateOf(webhookId);
    state.receiver = receiver;
    state.prefetched.push(...ids);
  }

  /**
   * Starts prefetched deliveries within the limits. When a host refuses, the prefetched deliveries of
   * the webhook are dropped.
   *
   * @param enter returns the permission of the host, or undefined
   */
  start(
    room: number,
    enter: (webhookId: string, receiver: Receiver) => Permit | undefined,
  ): StartedDelivery[] {
    const started: StartedDelivery[] = [];
    for (const state of this.#webhooks.values()) {
      const { webhookId, prefetched } = state;
      while (started.length < room && state.running < this.#limit && prefetched.length > 0) {
        const permit = enter(webhookId, state.receiver);
        if (permit === undefined) {
          this.#drop(state, 0);
          break;
        }
        const id = prefetched.shift() ?? '';
        state.inFlight.add(id);
        state.running += 1;
        this.#running += 1;
        started.push({ id, webhookId, permit });
      }
    }
    return started;
  }

  /** Ends a running attempt. Its delivery stays in flight until `release`. */
  end(webhookId: string, durationMs: number): void {
    const state = this.#stateOf(webhookId);
    state.running -= 1;
    this.#running -= 1;
    const lasting = Math.floor((prefetchMs * this.#limit) / Math.max(1, durationMs));
    state.prefetchTarget = Math.min(maxPrefetch, lasting);
    this.#drop(state, state.prefetchTarget);
  }

  /** Ends the flight of a delivery: its attempt is recorded, or it is no longer queued. */
  release(webhookId: string, id: string): void {
    const state = this.#stateOf(webhookId);
    state.inFlight.delete(id);
    this.#forgetIdle(state);
  }

  /** Whether the next delivery of a webhook has to be read from the store. */
  isEmpty(webhookId: string): boolean {
    return (this.#webhooks.get(webhookId)?.prefetched.length ?? 0) === 0;
  }

  /** Drops all prefetched deliveries. They stay queued in the store. */
  clear(): void {
    for (const state of this.#webhooks.values()) this.#drop(state, 0);
  }

  /** Drops prefetched deliveries beyond the first `kept`. They stay queued in the store. */
  #drop(state: WebhookState, kept: number): void {
    state.prefetched.splice(kept);
    this.#forgetIdle(state);
  }

  #forgetIdle({ webhookId, prefetched, inFlight }: WebhookState): void {
    if (prefetched.length + inFlight.size === 0) this.#webhooks.delete(webhookId);
  }

  #stateOf(webhookId: string): WebhookState {
    const found = this.#webhooks.get(webhookId);
    if (found !== undefined) return found;
    const state: WebhookState = {
      webhookId,
      receiver: { url: '', userId: '' },
      running: 0,
      prefetched: [],
      inFlight: new Set(),
      prefetchTarget: maxPrefetch,
    };
    this.#webhooks.set(webhookId, state);
    return state;
  }
}
