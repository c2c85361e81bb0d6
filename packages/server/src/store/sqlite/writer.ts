import type { CommitListener, CommitStatistics, Queries } from '../driver.ts';
import { databaseClosed, StoreUseError, TransactionLostError } from '../store-errors.ts';
import type { Checkpointer } from './checkpointer.ts';
import { type Connection, type DamageRecord, isSqliteError } from './connection.ts';
import { DatabaseDamagedError } from './errors.ts';
import { SqliteTransaction } from './views.ts';

/** Maximum number of transactions per commit. */
const groupSize = 128;

/** Pages in the WAL (8 KiB each) that trigger a checkpoint, and after a failure the next one. */
const checkpointPages = 1000;

const stalledMessage =
  'The transaction was rolled back, because it awaited something other than its queries.';

/** A queued transaction. */
interface Job {
  readonly work: (queries: Queries) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface WriterParts {
  readonly writing: Connection;
  readonly checkpointer: Checkpointer;
  /** Called for the first failed checkpoint. */
  readonly onCheckpointFailure: (error: Error) => void;
}

/**
 * The queue of the writing connection.
 *
 * A turn runs a group of transactions or a checkpoint, and then yields to the event loop.
 * Queries resolve at once, so the transactions of a group run on microtasks alone. A transaction that has
 * not settled when the microtasks are used up awaits something else, and is aborted. Until then no other
 * statements come between its own.
 */
export class Writer {
  readonly #connection: Connection;
  readonly #checkpointer: Checkpointer;
  readonly #damage: DamageRecord;
  readonly #onCheckpointFailure: (error: Error) => void;
  readonly #statistics = { transactions: 0, commits: 0, checkpoints: 0, failedCheckpoints: 0 };
  onCommit: CommitListener = () => {};
  readonly #idle: (() => void)[] = [];
  #queue: Job[] = [];
  #group: Group | undefined;
  #scheduled = false;
  #checkpointDue = false;
  /** Pages in the WAL that the database file lacks. */
  #walPages = 0;
  /** The number of these pages that triggers the next checkpoint. */
  #checkpointAt = checkpointPages;
  #closed = false;

  constructor({ writing, checkpointer, onCheckpointFailure }: WriterParts, damage: DamageRecord) {
    this.#connection = writing;
    this.#checkpointer = checkpointer;
    this.#onCheckpointFailure = onCheckpointFailure;
    this.#damage = damage;
  }

  get statistics(): CommitStatistics {
    return { ...this.#statistics };
  }

  /**
   * @throws StoreUseError after the close, DatabaseDamagedError: before `work` was called.
   * @throws StoreUseError when `work` awaits something else, TransactionLostError: rolled back.
   */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#enqueue({ work, resolve: (value) => resolve(value as T), reject });
    });
  }

  /** Resolves when all earlier work is settled. */
  async settled(): Promise<void> {
    if (this.#scheduled) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Rejects new work and resolves when all earlier work is settled. */
  drain(): Promise<void> {
    this.#closed = true;
    return this.settled();
  }

  /**
   * Writes the WAL into the database file and empties it. Pages without room on the disk stay in the WAL
   * for the next start.
   */
  emptyWal(): void {
    if (this.#damage.cause) return;
    this.#maintain(() => this.#connection.all('PRAGMA wal_checkpoint(TRUNCATE)'));
  }

  #enqueue(job: Job): void {
    if (this.#closed) {
      job.reject(databaseClosed());
    } else if (this.#damage.cause) {
      job.reject(new DatabaseDamagedError({ cause: this.#damage.cause }));
    } else {
      this.#queue.push(job);
      this.#schedule();
    }
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#waitForMore(this.#queue.length);
  }

  /**
   * Starts a turn once no transaction was added for a turn of the event loop. Requests that are being read would
   * otherwise need a commit of their own, whose disk flush costs more processor time than several transactions.
   */
  #waitForMore(known: number): void {
    setImmediate(() => {
      const { length } = this.#queue;
      if (length > known && length < groupSize) this.#waitForMore(length);
      else this.#turn();
    });
    // This callback runs right after the microtasks of the first, before any I/O.
    setImmediate(() => this.#group?.stall());
  }

  async #turn(): Promise<void> {
    if (this.#checkpointDue) {
      await this.#checkpoint();
    } else {
      await this.#runGroup(this.#queue.splice(0, groupSize));
      this.#planCheckpoint();
    }
    if (this.#damage.cause) this.#refuseQueue(this.#damage.cause);
    this.#scheduled = false;
    if (this.#queue.length > 0 || this.#checkpointDue) this.#schedule();
    else for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #runGroup(jobs: readonly Job[]): Promise<void> {
    this.#group = new Group(this.#connection, this.#damage, jobs);
    const waiting = await this.#group.run();
    const { committed, commitMs } = this.#group;
    this.#group = undefined;
    this.#queue = [...waiting, ...this.#queue];
    this.#statistics.transactions += committed;
    if (committed === 0) return;
    this.#statistics.commits += 1;
    this.onCommit(commitMs);
  }

  #refuseQueue(cause: Error): void {
    for (const job of this.#queue.splice(0)) job.reject(new DatabaseDamagedError({ cause }));
  }

  #planCheckpoint(): void {
    this.#maintain(() => {
      const state = this.#connection.get<{ log: number; checkpointed: number }>(
        'PRAGMA wal_checkpoint(NOOP)',
      );
      this.#walPages = state ? state.log - state.checkpointed : 0;
      this.#checkpointDue ||= this.#walPages >= this.#checkpointAt;
    });
  }

  /** Writes the WAL into the file in the next turn, however short it is. */
  requestCheckpoint(): void {
    this.#checkpointDue = true;
    this.#schedule();
  }

  /** Transactions wait meanwhile: the WAL would otherwise grow as long as there are new ones. */
  async #checkpoint(): Promise<void> {
    this.#checkpointDue = false;
    try {
      await this.#checkpointer.checkpoint();
      this.#noteCheckpoint();
    } catch (error) {
      this.#checkpointAt = this.#walPages + checkpointPages;
      this.#noteFailure(error);
      if (!isSqliteError(error)) this.#checkpointWithoutThread();
    }
  }

  /** Blocks all requests meanwhile, but without a checkpoint the WAL would grow without limit. */
  #checkpointWithoutThread(): void {
    this.#maintain(() => {
      this.#connection.all('PRAGMA wal_checkpoint(PASSIVE)');
      this.#noteCheckpoint();
    });
  }

  #noteCheckpoint(): void {
    this.#statistics.checkpoints += 1;
    this.#checkpointAt = checkpointPages;
  }

  /** A failed checkpoint loses nothing, so no transaction fails with it. */
  #maintain(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!isSqliteError(error)) throw error;
      this.#noteFailure(error);
    }
  }

  #noteFailure(error: unknown): void {
    this.#damage.note(error);
    if (this.#statistics.failedCheckpoints === 0) this.#onCheckpointFailure(error as Error);
    this.#statistics.failedCheckpoints += 1;
  }
}

/**
 * Runs a script and `record` as one transaction. Foreign keys are off meanwhile and checked before the
 * commit. SQLite changes a table deeply only by rebuilding it, which would otherwise delete all rows that
 * refer to it.
 *
 * @see https://sqlite.org/lang_altertable.html section 7
 */
export async function runScript(
  connection: Connection,
  sql: string,
  record: (queries: Queries) => Promise<void>,
): Promise<void> {
  // Not a prepared statement: SQLite executes this pragma while compiling it.
  connection.script('PRAGMA foreign_keys = OFF');
  const view = new SqliteTransaction(connection);
  try {
    connection.run('BEGIN IMMEDIATE');
    connection.script(sql);
    if (!connection.inTransaction) throw new Error('The script ended its own transaction.');
    await record(view);
    refuseBrokenReferences(connection);
    connection.commit();
  } finally {
    view.end();
    if (connection.inTransaction) connection.run('ROLLBACK');
    connection.script('PRAGMA foreign_keys = ON');
  }
}

function refuseBrokenReferences(connection: Connection): void {
  const [broken] = connection.all<{ table: string; parent: string }>('PRAGMA foreign_key_check');
  if (broken) {
    throw new Error(
      `After the script, ${broken.table} refers to rows of ${broken.parent} that do not exist.`,
    );
  }
}

type TransactionOutcome = { readonly value: unknown } | { readonly error: unknown };

/**
 * Bytes of values after which a group commits. A group blocks the process until its commit, so a large
 * document gets a commit of its own.
 */
const groupBytes = 4 * 1024 * 1024;

/**
 * Transactions that share one commit. All resolve after it; if it fails, all reject.
 *
 * A failing transaction is undone alone. A savepoint for each would make SQLite copy every page that it
 * changes, which took a third of the time of a creation. Instead, the whole group is undone, and the changes
 * of its earlier transactions are made again, in the same state and order. After that, the rest of the group
 * runs in savepoints, so that many failures cost no more than before.
 */
class Group {
  readonly #connection: Connection;
  readonly #damage: DamageRecord;
  readonly #jobs: readonly Job[];
  readonly #outcomes: TransactionOutcome[] = [];
  /** The changes of the transactions before the first one that was undone. */
  readonly #changes: (() => void)[] = [];
  /** Whether a transaction was undone: the next ones run in savepoints. */
  #hasUndone = false;
  #bytes = 0;
  /** Duration of the commit in milliseconds. */
  commitMs = 0;
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

  /** Runs the transactions and settles their promises. Returns those that did not run. */
  async run(): Promise<readonly Job[]> {
    try {
      this.#connection.run('BEGIN IMMEDIATE');
      // A transaction that is alone needs none: the rollback of the group undoes it.
      if (this.#jobs.length > 1) this.#connection.run('SAVEPOINT transactions');
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
    const view = new SqliteTransaction(this.#connection);
    const outcome = await this.#attempt(job, view);
    view.end();
    this.#giveUp = undefined;
    this.#bytes += view.bytes;
    this.#outcomes.push(outcome);
    this.#damage.note(view.failure?.error);
    try {
      if ('error' in outcome) this.#undo(view);
      else this.#keep(view);
    } catch (error) {
      this.#lost = { cause: error };
    }
    // SQLite rolled everything back, for example after a disk failure.
    if (!this.#connection.inTransaction) this.#lost ??= { cause: view.failure?.error };
    if (this.#damage.cause) this.#lost = { cause: this.#damage.cause };
  }

  #keep({ changes }: SqliteTransaction): void {
    if (this.#hasUndone) this.#connection.run('RELEASE job');
    else if (this.#jobs.length > 1) this.#changes.push(...changes);
  }

  #undo({ changes, failure }: SqliteTransaction): void {
    const connection = this.#connection;
    if (this.#jobs.length === 1 || !connection.inTransaction) return;
    if (this.#hasUndone) {
      connection.run('ROLLBACK TO job');
      connection.run('RELEASE job');
    } else if (changes.length > 0 || failure) {
      connection.run('ROLLBACK TO transactions');
      for (const change of this.#changes.splice(0)) change();
      this.#hasUndone = true;
    }
  }

  #attempt(job: Job, view: SqliteTransaction): Promise<TransactionOutcome> {
    return new Promise((resolve) => {
      this.#giveUp = () => {
        this.#stalled = true;
        resolve({ error: new StoreUseError(stalledMessage) });
      };
      const work = async () => {
        if (this.#hasUndone) this.#connection.run('SAVEPOINT job');
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
      this.commitMs = performance.now() - start;
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
