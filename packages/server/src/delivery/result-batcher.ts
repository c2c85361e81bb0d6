import type { Clock } from '../clock.ts';
import type { AttemptResult, DeliveryRepository } from '../store/repositories/deliveries.ts';

export interface ResultBatcherOptions {
  readonly store: AttemptStore;
  readonly clock: Clock;
  readonly log: { error(facts: object, message: string): void };
  /** Whether more attempts may end soon, so that the next transaction could include them. */
  readonly expectsMore: () => boolean;
  /** Called once the results are durable. */
  readonly onRecorded: (results: readonly AttemptResult[]) => void;
}

export interface AttemptStore {
  transaction<T>(
    work: (tx: { readonly deliveries: Pick<DeliveryRepository, 'recordAttempts'> }) => Promise<T>,
  ): Promise<T>;
}

/** Milliseconds of real time that a result waits for others, to share their commit. */
const batchingMs = 25;
/** A batch of this size is written at once. */
const fullBatch = 128;
/** Milliseconds between two tries to store a refused result. */
const pauseMs = 1_000;

/** Records results of attempts, many per transaction: a commit for each would cost more than the attempt. */
export class ResultBatcher {
  readonly #options: ResultBatcherOptions;
  readonly #closing = new AbortController();
  /** The results for the next transaction. */
  readonly #batch: AttemptResult[] = [];
  /** Writes of single results after their batch failed. */
  readonly #refused = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  /** Number of results in the running transaction. */
  #beingWritten = 0;

  constructor(options: ResultBatcherOptions) {
    this.#options = options;
  }

  /** Number of results that are not durable yet. */
  get size(): number {
    return this.#batch.length + this.#beingWritten + this.#refused.size;
  }

  /** Number of results that the store refused and that are retried. */
  get refused(): number {
    return this.#refused.size;
  }

  add(result: AttemptResult): void {
    this.#batch.push(result);
    this.#plan();
  }

  /** Writes everything. Results that the store refuses are dropped: the next start repeats their attempts. */
  async close(): Promise<void> {
    this.#closing.abort();
    while (this.#batch.length > 0 || this.#writing !== undefined) {
      this.#write();
      await this.#writing;
    }
    await Promise.all(this.#refused);
  }

  #plan(): void {
    if (this.#writing !== undefined || this.#batch.length === 0) return;
    const isUrgent = this.#batch.length >= fullBatch || !this.#options.expectsMore();
    if (isUrgent) this.#write();
    else this.#timer ??= setTimeout(() => this.#write(), batchingMs);
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#writeBatch().finally(() => {
      this.#writing = undefined;
      this.#plan();
    });
  }

  async #writeBatch(): Promise<void> {
    const results: AttemptResult[] = [];
    try {
      await this.#options.store.transaction(async ({ deliveries }) => {
        // Taken inside the transaction: more attempts may have ended while it waited for its turn, or to run
        // again.
        results.push(...this.#batch.splice(0));
        this.#beingWritten = results.length;
        await deliveries.recordAttempts(results);
      });
    } catch {
      this.#beingWritten = 0;
      // One by one, so that a result that the store refuses does not block the others.
      for (const result of results.concat(this.#batch.splice(0))) this.#writeUntilStored(result);
      return;
    }
    this.#beingWritten = 0;
    this.#options.onRecorded(results);
  }

  /** Retries until the result is stored or the batcher closes. */
  #writeUntilStored(result: AttemptResult): void {
    const insisting = this.#writeAlone(result).then((isRecorded) => {
      this.#refused.delete(insisting);
      if (isRecorded) this.#options.onRecorded([result]);
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
