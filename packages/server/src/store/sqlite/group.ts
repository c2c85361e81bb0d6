import type { Queries } from '../driver.ts';
import type { Connection, DamageRecord } from './connection.ts';
import { TransactionLostError, TransactionStalledError } from './errors.ts';
import { TransactionView } from './views.ts';

/** A queued transaction. */
export interface Job {
  readonly work: (queries: Queries) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/**
 * Bytes of values after which a group commits. A group blocks the process until its commit, so a large
 * document gets a commit of its own.
 */
const groupBytes = 4 * 1024 * 1024;

/**
 * Transactions that share one commit. Each runs in a savepoint, so that a failing one is rolled back
 * alone. All resolve after the commit; if it fails, all reject.
 */
export class Group {
  readonly #connection: Connection;
  readonly #damage: DamageRecord;
  readonly #jobs: readonly Job[];
  readonly #outcomes: Outcome[] = [];
  #bytes = 0;
  #commitMs = 0;
  #stalled = false;
  #giveUp: (() => void) | undefined;
  #lost: { readonly cause: unknown } | undefined;

  constructor(connection: Connection, damage: DamageRecord, jobs: readonly Job[]) {
    this.#connection = connection;
    this.#damage = damage;
    this.#jobs = jobs;
  }

  /** Number of transactions that the commit made durable. */
  get committed(): number {
    return this.#lost ? 0 : this.#outcomes.filter((outcome) => 'value' in outcome).length;
  }

  /** Duration of the commit in milliseconds. */
  get commitMs(): number {
    return this.#commitMs;
  }

  /** Runs the transactions and settles their promises. Returns those that did not run. */
  async run(): Promise<readonly Job[]> {
    try {
      this.#connection.run('BEGIN IMMEDIATE');
    } catch (error) {
      this.#damage.note(error);
      for (const job of this.#jobs) job.reject(error);
      return [];
    }
    for (const job of this.#jobs) {
      await this.#perform(job);
      if (this.#lost || this.#stalled || this.#bytes >= groupBytes) break;
    }
    this.#commit();
    this.#settlePromises();
    return this.#jobs.slice(this.#outcomes.length);
  }

  /** Aborts the running transaction: it awaits something other than its queries. */
  stall(): void {
    this.#giveUp?.();
  }

  async #perform(job: Job): Promise<void> {
    const view = new TransactionView(this.#connection);
    const outcome = await this.#attempt(job, view);
    view.end();
    this.#giveUp = undefined;
    this.#bytes += view.bytes;
    this.#outcomes.push(outcome);
    this.#damage.note(view.failure?.error);
    try {
      if ('error' in outcome) this.#connection.run('ROLLBACK TO job');
      this.#connection.run('RELEASE job');
    } catch (error) {
      // SQLite rolled everything back, for example after a disk failure.
      this.#lost = { cause: view.failure ? view.failure.error : error };
    }
    if (this.#damage.cause) this.#lost = { cause: this.#damage.cause };
  }

  #attempt(job: Job, view: TransactionView): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#giveUp = () => {
        this.#stalled = true;
        resolve({ error: new TransactionStalledError() });
      };
      const work = async () => {
        this.#connection.run('SAVEPOINT job');
        return await job.work(view);
      };
      work().then(
        (value) => resolve(view.failure ?? { value }),
        (error: unknown) => resolve({ error }),
      );
    });
  }

  #commit(): void {
    const start = performance.now();
    try {
      if (this.committed > 0) this.#connection.commit();
      this.#commitMs = performance.now() - start;
    } catch (error) {
      this.#damage.note(error);
      this.#lost = { cause: error };
    }
    try {
      if (this.#connection.inTransaction) this.#connection.run('ROLLBACK');
    } catch (error) {
      // The transaction has ended anyway. Otherwise the next BEGIN would fail.
      this.#damage.note(error);
    }
  }

  #settlePromises(): void {
    for (const [index, outcome] of this.#outcomes.entries()) {
      const job = this.#jobs[index];
      if ('error' in outcome) job?.reject(outcome.error);
      else if (this.#lost) job?.reject(new TransactionLostError(this.#lost));
      else job?.resolve(outcome.value);
    }
  }
}
