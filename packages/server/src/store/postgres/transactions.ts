import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import type { CommitListener, CommitStatistics } from '../driver.ts';
import { CommitUnknownError, databaseClosed, TransactionLostError } from '../store-errors.ts';
import { HotRows } from './hot-rows.ts';
import {
  isConflict,
  isDisconnect,
  isLockTimeout,
  isSerializationFailure,
  isTimeout,
  violatesKey,
} from './pool.ts';
import { PostgresTransaction } from './views.ts';

/** How often a transaction runs at most. */
const maxAttempts = 5;

/** The same for serialization failures at a stricter isolation than READ COMMITTED, where they are the rule. */
const maxStrictAttempts = 200;

/** Maximum milliseconds before the second attempt. Each further one waits up to twice as long. */
const firstPause = 10;
const longestPause = 80;

/**
 * Milliseconds for which a script waits for a table, which all other transactions wait for meanwhile. It is less than
 * the second after which PostgreSQL looks for a deadlock, so that the script gives way and not a request.
 */
const scriptPatience = 500;

/** Scripts lock whole tables beside transactions that have rows of them. */
const maxScriptAttempts = 30;
const longestScriptPause = 1_000;

/** Milliseconds between two looks for the outcome of a commit, and their number. */
const outcomePause = 500;
const maxLooks = 10;

type Work<T> = (view: PostgresTransaction) => Promise<T>;

/** When a transaction runs again. */
interface Repetition {
  readonly maxAttempts: number;
  /** Maximum milliseconds before a further attempt. */
  readonly longestPause: number;
  /** Whether another transaction may have caused an error. */
  isConflict(error: unknown): boolean;
}

const ofRequests: Repetition = { maxAttempts, longestPause, isConflict };

/** A script has not checked the keys that it violates, so that it would fail again. */
const ofScripts: Repetition = {
  maxAttempts: maxScriptAttempts,
  longestPause: longestScriptPause,
  isConflict: (error) => !violatesKey(error) && (isConflict(error) || isLockTimeout(error)),
};

/**
 * Runs transactions, each on a connection of its own. After a conflict with another transaction, the whole
 * transaction runs again. They need no stricter isolation than READ COMMITTED, the default of PostgreSQL.
 */
export class Transactions {
  readonly #pool: pg.Pool;
  readonly #isStrict: boolean;
  readonly #running = new Set<Promise<unknown>>();
  onCommit: CommitListener = () => {};
  readonly #hotRows = new HotRows();
  #commits = 0;
  #closed = false;

  /** @param isolation of the database */
  constructor(pool: pg.Pool, isolation: string) {
    this.#pool = pool;
    this.#isStrict = isolation !== 'read committed';
  }

  get statistics(): CommitStatistics {
    return {
      transactions: this.#commits,
      commits: this.#commits,
      checkpoints: 0,
      failedCheckpoints: 0,
    };
  }

  /**
   * @param row names a row that many transactions write at the same time
   * @throws StoreUseError after the close, TransactionLostError, CommitUnknownError
   */
  run<T>(work: Work<T>, row?: string): Promise<T> {
    const repeat = () => this.#repeat(work, ofRequests);
    return this.#track(() => (row === undefined ? repeat() : this.#hotRows.run(row, repeat)));
  }

  /** Runs a transaction that changes tables. The other transactions, which it waits for, go on meanwhile. */
  runScript(work: Work<void>): Promise<void> {
    const patient: Work<void> = async (view) => {
      // It can take longer than any other statement.
      await view.script(
        `SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = ${scriptPatience}`,
      );
      return work(view);
    };
    return this.#track(() => this.#repeat(patient, ofScripts));
  }

  async #track<T>(run: () => Promise<T>): Promise<T> {
    if (this.#closed) throw databaseClosed();
    const running = run();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Rejects new work and resolves when all earlier work is settled. */
  async drain(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#running);
  }

  async #repeat<T>(work: Work<T>, repetition: Repetition): Promise<T> {
    const { maxAttempts, longestPause, isConflict } = repetition;
    for (let attempt = 1; ; attempt += 1) {
      const client = await this.#pool.connect();
      const transaction = new Transaction(client, this.#pool, isConflict);
      try {
        return await this.#complete(transaction, work);
      } catch (error) {
        const isExpected = this.#isStrict && transaction.isSerializationFailure;
        const isLast = attempt >= (isExpected ? maxStrictAttempts : maxAttempts);
        if (isLast || !transaction.isConflict) throw error;
      }
      await setTimeout(Math.random() * Math.min(longestPause, firstPause * 2 ** (attempt - 1)));
    }
  }

  async #complete<T>(transaction: Transaction, work: Work<T>): Promise<T> {
    try {
      const value = await transaction.perform(work);
      const start = performance.now();
      await transaction.commit();
      this.#commits += 1;
      this.onCommit(performance.now() - start);
      return value;
    } catch (error) {
      await transaction.rollBack();
      throw error;
    } finally {
      transaction.release();
    }
  }
}

/** A connection that ends while no query waits emits an error. The next query rejects with it. */
const ignore = () => undefined;

/** One attempt on one connection. */
class Transaction {
  readonly #client: pg.PoolClient;
  readonly #pool: pg.Pool;
  readonly #view: PostgresTransaction;
  readonly #causedByOthers: Repetition['isConflict'];
  readonly #begun: Promise<string>;
  #hasBegun = false;
  #hasTimedOut = false;
  #isOver = false;
  /** Whether the connection cannot be used again. */
  #isBroken = false;
  #isReleased = false;
  /**
   * Whether another transaction caused the failure, or the connection had ended while it was idle. Nothing is
   * stored.
   */
  isConflict = false;
  isSerializationFailure = false;

  constructor(client: pg.PoolClient, pool: pg.Pool, causedByOthers: Repetition['isConflict']) {
    this.#client = client;
    client.on('error', ignore);
    this.#causedByOthers = causedByOthers;
    this.#pool = pool;
    this.#view = new PostgresTransaction(client);
    this.#begun = begin(client);
    // The first query, sent together with it, rejects too.
    this.#begun.then(
      (id) => {
        this.#hasBegun = true;
        this.#view.transactionId = id;
      },
      (error: unknown) => {
        this.#hasTimedOut = isTimeout(error);
      },
    );
  }

  async perform<T>(work: Work<T>): Promise<T> {
    try {
      const value = await work(this.#view);
      if (this.#view.failure) throw this.#view.failure.error;
      return value;
    } catch (error) {
      const failure = this.#view.failure?.error;
      const wasLost = isDisconnect(failure) && !this.#hasBegun && !this.#hasTimedOut;
      this.isConflict = wasLost || this.#causedByOthers(failure);
      this.isSerializationFailure = isSerializationFailure(failure);
      throw error;
    } finally {
      this.#view.end();
    }
  }

  async commit(): Promise<void> {
    const id = await this.#begun;
    this.#isOver = true;
    try {
      const { command } = await this.#client.query('COMMIT');
      // PostgreSQL responds so to the COMMIT of a failed transaction.
      if (command === 'ROLLBACK') throw new TransactionLostError({});
    } catch (error) {
      if (error instanceof TransactionLostError) throw error;
      if (isDisconnect(error)) {
        this.#isBroken = true;
        // The query for the outcome needs a connection of the same pool.
        this.release();
        return this.#findOutcome(id, error);
      }
      this.isConflict = this.#causedByOthers(error);
      this.isSerializationFailure = isSerializationFailure(error);
      throw new TransactionLostError({ cause: error });
    }
  }

  async rollBack(): Promise<void> {
    if (this.#isOver) return;
    try {
      await this.#client.query('ROLLBACK');
    } catch {
      // The server rolls back when the connection ends.
      this.#isBroken = true;
    }
  }

  /** Gives the connection back to the pool, once. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#client.off('error', ignore);
    this.#client.release(this.#isBroken);
  }

  /**
   * Looks for the outcome of a commit whose response was lost. The transaction never runs again: it could
   * take effect twice.
   */
  async #findOutcome(id: string, cause: unknown): Promise<void> {
    for (let look = 0; look < maxLooks; look += 1) {
      const status = await this.#statusOf(id);
      if (status === 'committed') return;
      if (status === 'aborted') throw new TransactionLostError({ cause });
      if (status === 'hangs') break;
      await setTimeout(outcomePause);
    }
    throw new CommitUnknownError({ cause });
  }

  /** Undefined while the database cannot be reached; `hangs` when it does not respond. */
  async #statusOf(id: string): Promise<string | undefined> {
    try {
      const { rows } = await this.#pool.query<{ status: string }>(
        'SELECT pg_xact_status($1::xid8) AS status',
        [id],
      );
      return rows[0]?.status;
    } catch (error) {
      return isTimeout(error) ? 'hangs' : undefined;
    }
  }
}

/** Returns the id of the transaction, by which the outcome of its commit can be found. */
async function begin(client: pg.ClientBase): Promise<string> {
  const results = (await client.query(
    'BEGIN; SELECT pg_current_xact_id()::text AS id',
  )) as unknown as readonly pg.QueryResult<{ id: string }>[];
  const id = results[1]?.rows[0]?.id;
  if (id === undefined) throw new Error('PostgreSQL returned no id of the transaction');
  return id;
}
