import { setMaxListeners } from 'node:events';
import type { Clock } from '../lib/clock.ts';
import type { AttemptResult, DeliveryRepository } from '../store/rows/webhooks/deliveries.ts';

export interface ResultBatcherOptions {
  readonly store: AttemptStore;
  readonly clock: Clock;
  readonly log: Record<'error' | 'warn', (facts: object, message: string) => void>;
  /**
   * Whether the results of each webhook have transactions of their own. A transaction with results of several accounts
   * would make the requests of each wait for rows of the others. A database with one writer commits all together.
   */
  readonly perWebhook: boolean;
  /** Whether more attempts may end soon, so that the next transaction could include them. */
  readonly expectsMore: () => boolean;
  /** Called once the results are durable. */
  readonly onRecorded: (results: readonly AttemptResult[]) => void;
}

export interface AttemptStore {
  transaction<T>(
    work: (tx: {
      readonly deliveries: Pick<DeliveryRepository, 'recordAttempts' | 'removeRefused'>;
    }) => Promise<T>,
  ): Promise<T>;
}

/** Milliseconds of real time that a result waits for others, to share their commit. */
const batchingMs = 25;
/** When as many results wait, they are written without waiting for others. */
const fullBatch = 128;
/** Maximum number of transactions at the same time. The other connections are left to requests. */
const maxWriting = 4;
/** Milliseconds between two tries to store a refused result. */
const pauseMs = 1_000;

/** Records results of attempts, many per transaction: a commit for each would cost more than the attempt. */
export class ResultBatcher {
  readonly #options: ResultBatcherOptions;
  readonly #closing = new AbortController();
  /** The results that are in no transaction yet, by batch. */
  readonly #batches = new Map<string, AttemptResult[]>();
  /** The batches whose wait for others is over. */
  readonly #due = new Set<string>();
  /** The running transactions, at most one per batch: the results of a webhook are stored in their order. */
  readonly #writing = new Map<string, Promise<void>>();
  /** Writes of single results after their batch failed. */
  readonly #refused = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  /** Number of results that are in no transaction yet. */
  #waiting = 0;
  #size = 0;

  constructor(options: ResultBatcherOptions) {
    this.#options = options;
    // Each refused result listens.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Number of results that are not durable yet. */
  get size(): number {
    return this.#size;
  }

  /** Number of results that the store refused and that are retried. */
  get refused(): number {
    return this.#refused.size;
  }

  add(result: AttemptResult): void {
    const name = this.#options.perWebhook ? result.delivery.webhookId : 'all';
    const batch = this.#batches.get(name);
    if (batch) batch.push(result);
    else this.#batches.set(name, [result]);
    this.#waiting += 1;
    this.#size += 1;
    this.#plan();
  }

  /** Writes everything. Results that the store refuses are dropped: the next start repeats their attempts. */
  async close(): Promise<void> {
    this.#closing.abort();
    while (this.#waiting > 0 || this.#writing.size > 0) {
      this.#write();
      await Promise.race(this.#writing.values());
    }
    await Promise.all(this.#refused);
  }

  #plan(): void {
    if (this.#waiting === 0) return;
    const isUrgent = this.#waiting >= fullBatch || !this.#options.expectsMore();
    if (isUrgent) this.#write();
    else this.#timer ??= setTimeout(() => this.#write(), batchingMs);
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const name of this.#batches.keys()) this.#due.add(name);
    this.#startDue();
  }

  #startDue(): void {
    for (const name of this.#due) {
      if (this.#writing.size >= maxWriting) return;
      if (this.#writing.has(name)) continue;
      this.#due.delete(name);
      // The last transaction has taken these results too.
      if (!this.#batches.has(name)) continue;
      const writing = this.#writeBatch(name).finally(() => {
        this.#writing.delete(name);
        this.#startDue();
        this.#plan();
      });
      this.#writing.set(name, writing);
    }
  }

  async #writeBatch(name: string): Promise<void> {
    const results: AttemptResult[] = [];
    try {
      await this.#options.store.transaction(async ({ deliveries }) => {
        // Taken inside the transaction: more attempts may have ended while it waited for its turn, or to run
        // again.
        results.push(...this.#take(name));
        await deliveries.recordAttempts(results);
      });
    } catch (err) {
      this.#options.log.warn({ err, results: results.length }, 'results are recorded one by one');
      // One by one, so that a result that the store refuses does not block the others.
      for (const result of results.concat(this.#take(name))) this.#writeUntilStored(result);
      return;
    }
    this.#settle(results);
  }

  #take(name: string): readonly AttemptResult[] {
    const results = this.#batches.get(name) ?? [];
    this.#batches.delete(name);
    this.#waiting -= results.length;
    return results;
  }

  #settle(recorded: readonly AttemptResult[]): void {
    this.#size -= recorded.length;
    this.#options.onRecorded(recorded);
  }

  /** Retries until the result is stored or the batcher closes. */
  #writeUntilStored(result: AttemptResult): void {
    const insisting = this.#writeAlone(result).then((isRecorded) => {
      this.#refused.delete(insisting);
      if (isRecorded) this.#settle([result]);
      else this.#size -= 1;
    });
    this.#refused.add(insisting);
  }

  async #writeAlone(result: AttemptResult): Promise<boolean> {
    const { store, log } = this.#options;
    const { id: deliveryId, webhookId } = result.delivery;
    for (;;) {
      try {
        await store.transaction(({ deliveries }) => deliveries.recordAttempts([result]));
        return true;
      } catch (error) {
        log.error({ err: error, deliveryId, webhookId }, 'attempt was not recorded');
        if (this.#closing.signal.aborted) return false;
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
      const cancel = clock.at(clock.now() + pauseMs, end);
      closing.addEventListener('abort', end);
    });
  }
}
