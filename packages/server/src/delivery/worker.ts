import type { Clock } from '../clock.ts';
import type {
  AttemptOutcome,
  AttemptRecord,
  ClaimedDelivery,
  Deliveries,
} from '../store/deliveries.ts';
import type { Attempt } from './attempt.ts';
import { hasOneAttempt, type Schedule } from './schedule.ts';

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

/** An attempt that has ended, and what it makes of its delivery. */
interface Result {
  readonly delivery: ClaimedDelivery;
  readonly attempt: AttemptRecord;
  readonly outcome: AttemptOutcome;
}

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
  readonly #running = new Set<Promise<void>>();
  /** How many attempts run, by webhook. */
  readonly #busy = new Map<string, number>();
  /** What the next turn records. */
  readonly #ended: Result[] = [];
  /** Results that the store has refused once. */
  readonly #recording = new Set<Promise<void>>();
  readonly #settledWaiters: (() => void)[] = [];
  #lastServed: string | undefined;
  #released = false;
  #closed = false;
  #wanted = false;
  #turning: Promise<void> | undefined;
  /** The store has failed in the last turn; the alarm brings another. */
  #stalled = false;
  #cancelAlarm: () => void = () => undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  wake(): void {
    if (this.#closed) return;
    this.#wanted = true;
    this.#turning ??= this.#takeTurns();
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
    await Promise.all(this.#running);
    clearTimeout(grace);
    await this.#turning;
    await Promise.all(this.#recording);
    this.#closed = true;
    await this.#options.store
      .transaction(({ deliveries }) => deliveries.releaseClaims())
      .catch((error) => this.#options.log.error({ err: error }, 'claims were not released'));
    this.#noteSettled();
  }

  /** One turn after the other, until nobody has asked for one meanwhile. */
  async #takeTurns(): Promise<void> {
    while (this.#wanted) {
      this.#wanted = false;
      this.#cancelAlarm();
      try {
        await this.#turn();
        this.#stalled = false;
      } catch (error) {
        this.#stalled = true;
        this.#options.log.error({ err: error }, 'the store failed; deliveries wait');
        this.#wakeAt(this.#options.clock.now() + storePause);
      }
    }
    this.#turning = undefined;
    this.#noteSettled();
  }

  /** Records what has ended, and starts what is due as far as there is room. */
  async #turn(): Promise<void> {
    // Whatever runs asks again when it ends.
    if (this.#ended.length === 0 && this.#room() === 0) return;
    const { now, claimed } = await this.#exchangeWithStore();
    // Claims that are not started any more are released at the end.
    if (this.#closing.signal.aborted) return;
    for (const delivery of claimed) this.#start(delivery);
    if (this.#room() === 0) return;
    const nextDueAt = await this.#options.store.deliveries.nextDueAt(now);
    if (nextDueAt !== undefined) this.#wakeAt(nextDueAt);
  }

  async #exchangeWithStore(): Promise<{ now: number; claimed: ClaimedDelivery[] }> {
    const { store, clock } = this.#options;
    let results: Result[] = [];
    try {
      const taken = await store.transaction(async ({ deliveries }) => {
        if (!this.#released) await deliveries.releaseClaims();
        // Taken here, since more may have ended while the transaction waited for its turn.
        results = this.#ended.splice(0);
        for (const result of results) await record(deliveries, result);
        const now = clock.now();
        return { now, claimed: await this.#claim(deliveries, now) };
      });
      this.#released = true;
      this.#lastServed = taken.claimed.at(-1)?.webhookId ?? this.#lastServed;
      for (const result of results) this.#logFailure(result);
      return taken;
    } catch (error) {
      // One by one from here on, so that a result which the store refuses keeps out no other.
      for (const result of results) {
        const recording = this.#recordAlone(result).finally(() => {
          this.#recording.delete(recording);
          this.wake();
        });
        this.#recording.add(recording);
      }
      throw error;
    }
  }

  async #claim(deliveries: Deliveries, now: number): Promise<ClaimedDelivery[]> {
    const total = this.#room();
    if (this.#closing.signal.aborted || total === 0) return [];
    return deliveries.claimDue({
      now,
      webhookLimit: this.#options.concurrencyPerWebhook,
      total,
      busy: this.#busy,
      after: this.#lastServed,
    });
  }

  /** Tries until the store has it. When the worker closes first, the attempt will be made again. */
  async #recordAlone(result: Result): Promise<void> {
    const { store, log } = this.#options;
    const { id: deliveryId, webhookId } = result.delivery;
    for (;;) {
      try {
        await store.transaction(({ deliveries }) => record(deliveries, result));
        return this.#logFailure(result);
      } catch (error) {
        log.error({ err: error, deliveryId, webhookId }, 'attempt was not recorded');
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

  #logFailure({ delivery, attempt, outcome }: Result): void {
    if (outcome.status !== 'failed') return;
    const facts = { deliveryId: delivery.id, webhookId: delivery.webhookId, error: attempt.error };
    this.#options.log.info(facts, 'delivery failed for good');
  }

  #room(): number {
    return this.#options.concurrency - this.#running.size;
  }

  #wakeAt(time: number): void {
    if (this.#closing.signal.aborted) return;
    this.#cancelAlarm = this.#options.clock.at(time, () => this.wake());
  }

  #start(delivery: ClaimedDelivery): void {
    this.#count(delivery.webhookId, 1);
    const run = this.#run(delivery).then((result) => {
      this.#running.delete(run);
      this.#count(delivery.webhookId, -1);
      // What was aborted does not count; it is made again after the next start.
      if (!this.#stop.signal.aborted) this.#ended.push(result);
      this.wake();
    });
    this.#running.add(run);
  }

  #count(webhookId: string, change: 1 | -1): void {
    const count = (this.#busy.get(webhookId) ?? 0) + change;
    if (count === 0) this.#busy.delete(webhookId);
    else this.#busy.set(webhookId, count);
  }

  async #run(delivery: ClaimedDelivery): Promise<Result> {
    const attempt = await this.#attempt(delivery);
    return { delivery, attempt, outcome: this.#judge(delivery, attempt) };
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
    const nextAttemptAt = hasOneAttempt(delivery)
      ? undefined
      : this.#options.schedule({ attemptNumber, endedAt });
    return nextAttemptAt === undefined
      ? { status: 'failed', completedAt: endedAt }
      : { status: 'retrying', nextAttemptAt };
  }

  #noteSettled(): void {
    const open =
      this.#turning !== undefined ||
      this.#running.size > 0 ||
      this.#ended.length > 0 ||
      this.#recording.size > 0 ||
      this.#stalled;
    if (open && !this.#closed) return;
    for (const resolve of this.#settledWaiters.splice(0)) resolve();
  }
}

function record(deliveries: Deliveries, result: Result): Promise<void> {
  return deliveries.recordAttempt(result.delivery, result.attempt, result.outcome);
}
