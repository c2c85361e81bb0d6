import type { Clock } from '../clock.ts';
import type { AttemptResult, Deliveries } from '../store/repositories/deliveries.ts';

export interface AttemptLogOptions {
  readonly store: AttemptStore;
  readonly clock: Clock;
  readonly log: { error(facts: object, message: string): void };
  /** Whether more attempts are about to end, which the next transaction could record too. */
  readonly expectsMore: () => boolean;
  /** Called once they are durable. */
  readonly onRecorded: (results: readonly AttemptResult[]) => void;
}

export interface AttemptStore {
  transaction<T>(
    work: (tx: { readonly deliveries: Pick<Deliveries, 'recordAttempts'> }) => Promise<T>,
  ): Promise<T>;
}

/** Milliseconds of the system's own time that a result waits for others to share its commit. */
const gatheringMs = 25;
/** Results that are not waited with any longer. */
const gatheredEnough = 128;
/** Milliseconds until the store is tried again that has refused a result. */
const pauseMs = 1_000;

/** Writes down how attempts went: many in one transaction, and in the end every one. */
export class AttemptLog {
  readonly #options: AttemptLogOptions;
  readonly #closing = new AbortController();
  /** What the next transaction takes. */
  readonly #gathered: AttemptResult[] = [];
  /** Results that the store has refused once. */
  readonly #refused = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  /** In the transaction that runs. */
  #beingWritten = 0;

  constructor(options: AttemptLogOptions) {
    this.#options = options;
  }

  /** How many results are not durable yet. */
  get size(): number {
    return this.#gathered.length + this.#beingWritten + this.#refused.size;
  }

  /** How many results the store has refused so far. */
  get refused(): number {
    return this.#refused.size;
  }

  add(result: AttemptResult): void {
    this.#gathered.push(result);
    this.#plan();
  }

  /** Writes what is there. What the store refuses now is left: its attempts will be made again. */
  async close(): Promise<void> {
    this.#closing.abort();
    while (this.#gathered.length > 0 || this.#writing !== undefined) {
      this.#write();
      await this.#writing;
    }
    await Promise.all(this.#refused);
  }

  #plan(): void {
    if (this.#writing !== undefined || this.#gathered.length === 0) return;
    const isUrgent = this.#gathered.length >= gatheredEnough || !this.#options.expectsMore();
    if (isUrgent) this.#write();
    else this.#timer ??= setTimeout(() => this.#write(), gatheringMs);
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#writeGathered().finally(() => {
      this.#writing = undefined;
      this.#plan();
    });
  }

  async #writeGathered(): Promise<void> {
    let results: AttemptResult[] = [];
    try {
      await this.#options.store.transaction(async ({ deliveries }) => {
        // Taken here, since more may have ended while the transaction waited for its turn.
        results = this.#gathered.splice(0);
        this.#beingWritten = results.length;
        await deliveries.recordAttempts(results);
      });
    } catch {
      this.#beingWritten = 0;
      // One by one from here on, so that a result which the store refuses keeps out no other.
      for (const result of results.concat(this.#gathered.splice(0))) this.#insist(result);
      return;
    }
    this.#beingWritten = 0;
    this.#options.onRecorded(results);
  }

  /** Tries until the store has it. When the log closes first, the attempt will be made again. */
  #insist(result: AttemptResult): void {
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
