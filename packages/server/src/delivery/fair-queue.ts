import type { Clock } from '../lib/clock.ts';
import type { DeliveryRepository } from '../store/rows/webhooks/deliveries.ts';

export interface FairQueueOptions {
  readonly deliveries: Pick<DeliveryRepository, 'queues'>;
  readonly clock: Clock;
  /** Whether a webhook waits for its host. The host limiter queues it again. */
  readonly isWaiting: (webhookId: string) => boolean;
  /**
   * Takes webhooks with due deliveries for this process, and returns those that it may serve. Undefined: all, because
   * no other process delivers.
   */
  readonly claim: ((webhookIds: readonly string[]) => Promise<ReadonlySet<string>>) | undefined;
  /** Called when the queue heads have to be read again. */
  readonly onRefreshDue: () => void;
}

/** A refresh up to this many milliseconds is cheap and needs no backoff. */
const cheapMs = 2;
/** The backoff after a slower refresh, as a multiple of its duration. */
const backoffFactor = 4;

/**
 * The webhooks with due deliveries, in round-robin order. The queue heads of all webhooks are read only
 * when they are marked dirty: after a commit, or when the alarm for the next retry fires.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #queue = new Set<string>();
  #isDirty = false;
  #alarmAt = Number.POSITIVE_INFINITY;
  #cancelAlarm: () => void = () => undefined;
  #backoffUntil = 0;
  #backoff: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** Whether a webhook outside the queue may have due deliveries. */
  get isDirty(): boolean {
    return this.#isDirty;
  }

  get waiting(): ReadonlySet<string> {
    return this.#queue;
  }

  markDirty(): void {
    this.#isDirty = true;
  }

  /** Appends a webhook unless it is queued already. */
  add(webhookId: string): void {
    this.#queue.add(webhookId);
  }

  next(): string | undefined {
    const [webhookId] = this.#queue;
    if (webhookId !== undefined) this.#queue.delete(webhookId);
    return webhookId;
  }

  /** Reloads the queue heads if they are dirty. Backs off when the query is slow. */
  async refresh(): Promise<void> {
    if (!this.#isDirty || this.#isBackingOff()) return;
    this.#isDirty = false;
    const { deliveries, clock, isWaiting, claim } = this.#options;
    const now = clock.now();
    const start = performance.now();
    const queues = await deliveries.queues();
    const spent = performance.now() - start;
    if (spent > cheapMs) this.#backoffUntil = start + spent * (1 + backoffFactor);
    this.#cancelAlarm();
    this.#alarmAt = Number.POSITIVE_INFINITY;
    const due: string[] = [];
    for (const { webhookId, dueAt } of queues) {
      if (isWaiting(webhookId)) continue;
      if (dueAt <= now) due.push(webhookId);
      else this.refreshAt(dueAt);
    }
    for (const webhookId of claim ? await claim(due) : due) this.#queue.add(webhookId);
  }

  /** Sets the alarm, unless an earlier one is set. */
  refreshAt(time: number): void {
    if (this.#closed || time >= this.#alarmAt) return;
    this.#cancelAlarm();
    this.#alarmAt = time;
    this.#cancelAlarm = this.#options.clock.at(time, () => {
      this.#alarmAt = Number.POSITIVE_INFINITY;
      this.#options.onRefreshDue();
    });
  }

  close(): void {
    this.#closed = true;
    this.#cancelAlarm();
    clearTimeout(this.#backoff);
  }

  #isBackingOff(): boolean {
    const left = this.#backoffUntil - performance.now();
    if (left <= 0) return false;
    this.#backoff ??= setTimeout(() => {
      this.#backoff = undefined;
      this.#options.onRefreshDue();
    }, left);
    return true;
  }
}
