import type { Clock } from '../clock.ts';
import type {
  AttemptOutcome,
  AttemptRecord,
  ClaimedDelivery,
  Deliveries,
} from '../store/deliveries.ts';
import type { Attempt } from './attempt.ts';
import type { Schedule } from './schedule.ts';

/** What the worker needs of the store. */
export interface DeliveryStore {
  /** A view for reading. */
  readonly deliveries: Deliveries;
  transaction<T>(work: (tx: { readonly deliveries: Deliveries }) => Promise<T>): Promise<T>;
}

export interface WorkerLog {
  error(facts: object, message: string): void;
  info(facts: object, message: string): void;
}

export interface WorkerOptions {
  readonly store: DeliveryStore;
  readonly clock: Clock;
  readonly attempt: Attempt;
  readonly schedule: Schedule;
  /** The most attempts at once. */
  readonly concurrency: number;
  /** The most attempts at once for one webhook. */
  readonly concurrencyPerWebhook: number;
  readonly log: WorkerLog;
}

export interface Worker {
  /** Looks for due deliveries: after a commit that made some, or that switched a webhook on. Cheap. */
  wake(): void;
  /** Resolves when nothing that is due is left and nothing runs. */
  settled(): Promise<void>;
  /**
   * Starts nothing more, waits for the attempts that run and aborts those that run after the grace;
   * an aborted attempt does not count and is made again after the next start.
   *
   * @param graceMs milliseconds; default 5,000
   */
  close(graceMs?: number): Promise<void>;
}

/** Milliseconds until the store is tried again after it has failed. */
const storePause = 1_000;

/** Starts delivering, with what an earlier process left claimed or due. */
export function startWorker(options: WorkerOptions): Worker {
  const worker = new DeliveryWorker(options);
  worker.wake();
  return worker;
}

class DeliveryWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #closing = new AbortController();
  readonly #stop = new AbortController();
  /** Attempts that run or wait to be recorded. */
  readonly #open = new Set<Promise<void>>();
  /** Attempts that run, by webhook. */
  readonly #busy = new Map<string, number>();
  #running = 0;
  #lastServed: string | undefined;
  #released = false;
  #wanted = false;
  #filling: Promise<void> | undefined;
  /** The store has failed to hand out deliveries; the alarm tries again. */
  #stalled = false;
  #cancelAlarm: () => void = () => undefined;
  #settledWaiters: (() => void)[] = [];

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  wake(): void {
    if (this.#closing.signal.aborted) return;
    this.#wanted = true;
    this.#filling ??= this.#fill();
  }

  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#settledWaiters.push(resolve);
      this.wake();
      this.#noteSettled();
    });
  }

  async close(graceMs = 5_000): Promise<void> {
    this.#closing.abort();
    this.#cancelAlarm();
    const grace = setTimeout(() => this.#stop.abort(), graceMs);
    await this.#filling;
    await Promise.all(this.#open);
    clearTimeout(grace);
    await this.#options.store
      .transaction(({ deliveries }) => deliveries.releaseClaims())
      .catch((error) => this.#options.log.error({ err: error }, 'claims were not released'));
    this.#noteSettled();
  }

  /** Starts what is due, as far as there is room, until nobody has asked again meanwhile. */
  async #fill(): Promise<void> {
    while (this.#wanted && !this.#closing.signal.aborted) {
      this.#wanted = false;
      this.#cancelAlarm();
      try {
        await this.#startDue();
        this.#stalled = false;
      } catch (error) {
        this.#stalled = true;
        this.#options.log.error({ err: error }, 'due deliveries were not claimed');
        this.#wakeAt(this.#options.clock.now() + storePause);
      }
    }
    this.#filling = undefined;
    this.#noteSettled();
  }

  async #startDue(): Promise<void> {
    // Whatever runs asks again when it ends.
    if (this.#room() === 0) return;
    const { now, claimed } = await this.#claim();
    // Claims that are not started any more are released at the end.
    if (this.#closing.signal.aborted) return;
    for (const delivery of claimed) this.#start(delivery);
    if (this.#room() === 0) return;
    const nextDueAt = await this.#options.store.deliveries.nextDueAt(now);
    if (nextDueAt !== undefined) this.#wakeAt(nextDueAt);
  }

  async #claim(): Promise<{ now: number; claimed: ClaimedDelivery[] }> {
    const { store, clock, concurrencyPerWebhook } = this.#options;
    const result = await store.transaction(async ({ deliveries }) => {
      if (!this.#released) await deliveries.releaseClaims();
      // Looked at here, since more room may have come while the transaction waited for its turn.
      const now = clock.now();
      const claimed = await deliveries.claimDue({
        now,
        webhookLimit: concurrencyPerWebhook,
        total: this.#room(),
        busy: this.#busy,
        after: this.#lastServed,
      });
      return { now, claimed };
    });
    this.#released = true;
    this.#lastServed = result.claimed.at(-1)?.webhookId ?? this.#lastServed;
    return result;
  }

  #room(): number {
    return this.#options.concurrency - this.#running;
  }

  #wakeAt(time: number): void {
    if (this.#closing.signal.aborted) return;
    this.#cancelAlarm = this.#options.clock.at(time, () => this.wake());
  }

  #start(delivery: ClaimedDelivery): void {
    this.#occupy(delivery.webhookId, 1);
    const open = this.#run(delivery).finally(() => {
      this.#open.delete(open);
      this.#noteSettled();
    });
    this.#open.add(open);
  }

  #occupy(webhookId: string, change: 1 | -1): void {
    const count = (this.#busy.get(webhookId) ?? 0) + change;
    if (count === 0) this.#busy.delete(webhookId);
    else this.#busy.set(webhookId, count);
    this.#running += change;
  }

  async #run(delivery: ClaimedDelivery): Promise<void> {
    const attempt = await this.#attempt(delivery);
    const outcome = this.#judge(delivery, attempt);
    this.#occupy(delivery.webhookId, -1);
    if (this.#stop.signal.aborted) return;
    const recorded = this.#record(delivery, attempt, outcome);
    // At once, so that the next claim can share the commit of this record.
    this.wake();
    await recorded;
    if (outcome.status === 'retrying') this.wake();
  }

  async #attempt(delivery: ClaimedDelivery): Promise<AttemptRecord> {
    const startedAt = this.#options.clock.now();
    try {
      return await this.#options.attempt(delivery, this.#stop.signal);
    } catch (error) {
      this.#options.log.error({ err: error, deliveryId: delivery.id }, 'attempt broke');
      const failure = { statusCode: null, error: 'internal error', responseBody: null };
      return { startedAt, durationMs: 0, ...failure };
    }
  }

  #judge(delivery: ClaimedDelivery, attempt: AttemptRecord): AttemptOutcome {
    const endedAt = this.#options.clock.now();
    if (attempt.error === null) return { status: 'succeeded', completedAt: endedAt };
    const attemptNumber = delivery.attemptNumber + 1;
    const nextAttemptAt = delivery.test
      ? undefined
      : this.#options.schedule({ attemptNumber, endedAt });
    return nextAttemptAt === undefined
      ? { status: 'failed', completedAt: endedAt }
      : { status: 'retrying', nextAttemptAt };
  }

  /** Tries until the store has it. When the worker closes first, the attempt will be made again. */
  async #record(
    delivery: ClaimedDelivery,
    attempt: AttemptRecord,
    outcome: AttemptOutcome,
  ): Promise<void> {
    const { store, log } = this.#options;
    const facts = { deliveryId: delivery.id, webhookId: delivery.webhookId };
    for (;;) {
      try {
        await store.transaction(({ deliveries }) =>
          deliveries.recordAttempt(delivery, attempt, outcome),
        );
        if (outcome.status === 'failed') log.info(facts, 'delivery failed for good');
        return;
      } catch (error) {
        log.error({ ...facts, err: error }, 'attempt was not recorded');
        if (this.#closing.signal.aborted) return;
        await this.#pause();
      }
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const { clock } = this.#options;
      const closing = this.#closing.signal;
      const end = () => {
        cancel();
        closing.removeEventListener('abort', end);
        resolve();
      };
      const cancel = clock.at(clock.now() + storePause, end);
      closing.addEventListener('abort', end);
    });
  }

  #noteSettled(): void {
    const busy = this.#filling !== undefined || this.#open.size > 0 || this.#stalled;
    if (busy && !this.#closing.signal.aborted) return;
    for (const resolve of this.#settledWaiters.splice(0)) resolve();
  }
}
