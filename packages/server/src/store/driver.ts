import type { SharedCounters } from './counters.ts';

/**
 * The port to a database. Repositories are written once against it, in SQL that SQLite and PostgreSQL both
 * run.
 */

export type SqlValue = string | number | Uint8Array | null;

/** Values for the `@name` placeholders of a statement. */
export type SqlParameters = Readonly<Record<string, SqlValue>>;

/** A text search and the owners that narrow it. */
export interface TextSearch {
  /** A table with a column `number`, the row id in its search index. */
  readonly table: string;
  readonly index: string;
  /** The searched columns of the index. */
  readonly columns: readonly string[];
  /** Case-folded, at least three characters. */
  readonly text: string;
  /** Owner ids of the rows, by index column. */
  readonly belongingTo: Readonly<Record<string, string>>;
}

export type DatabaseName = 'sqlite' | 'postgres';

/** The order in which transactions were committed, of rows that have their transaction in a column `tx`. */
export interface CommitOrder {
  /** The number of the transaction, for `tx`. 0 where transactions run one after the other. */
  readonly transaction: string;
  /** A condition on `tx` and `number`: the row comes after `@tx` and `@number`. */
  readonly after: string;
  /** A condition on `tx`: its transaction, and all that have a lesser number, have ended. */
  readonly settled: string;
  /** The position after the last settled row of the table `events`. */
  readonly end: { readonly tx: string; readonly number: string };
  /** Text of the database and of its timeline: a restored copy has another one. Empty on SQLite. */
  readonly database: string;
}

/** SQL that differs per database. */
export interface Dialect {
  readonly name: DatabaseName;
  /** A query of the column `name`: the tables of the schema. */
  readonly tables: string;
  /**
   * Returns the end of a SELECT of rows that the transaction depends on: no other transaction changes them
   * before its end. Empty where transactions run one after the other, and outside of a transaction.
   *
   * @param tables the aliases of the tables whose rows are locked. Default: all
   */
  lock(...tables: readonly string[]): string;
  /**
   * Returns the end of a SELECT of rows of one table: no other transaction deletes them before this one ends. Others may
   * change them, and lock them against deletion too.
   */
  keep(): string;
  /**
   * Returns the end of a SELECT like `lock`, but without the rows that another transaction has locked. For work that
   * any process can do: two of them do not wait for each other.
   */
  lockFree(...tables: readonly string[]): string;
  /**
   * Returns a statement after which no other transaction reserves the same text before the end of this one. Undefined
   * where transactions run one after the other, and outside of a transaction.
   */
  reserve(parameter: string): string | undefined;
  /** An expression for the clock of the database server, in epoch milliseconds. Undefined: there is no server. */
  readonly clock: string | undefined;
  readonly commitOrder: CommitOrder;
  /** Shows which transactions a statement sees. Undefined where transactions run one after the other. */
  readonly snapshots: Snapshots | undefined;
  /** Returns a query of the column `value`: the values of the JSON array in this parameter. */
  elements(parameter: string, type?: 'text' | 'integer'): string;
  /** Returns a condition that a column equals one of these values. */
  among(column: string, parameter: string, type?: 'text' | 'integer'): string;
  /**
   * Returns a join with the rows `t` that a query selects for each row before it.
   *
   * @param key the column that identifies a row
   * @param selection the rest of a SELECT, from FROM on
   */
  joinEach(table: string, key: string, selection: string): string;
  /** Returns a condition that a column contains a text. */
  contains(column: string, parameter: string): string;
  /** Returns the number of rows that one statement compares with a text. Further rows need another statement. */
  comparedAtOnce(text: string): number;
  /** Rows that one statement counts, where it blocks this process. Infinity: it blocks no other request. */
  readonly countedAtOnce: number;
  /** Rows in which one statement looks for candidates; further rows need another statement. Infinity: all rows. */
  readonly sliceLength: number;
  /**
   * Returns a query for the `number` of rows that may contain a text. `found` is 1 for rows of the index
   * and 0 for rows that are not indexed yet. It returns at most `@limit` indexed rows and all others.
   * Undefined: the index cannot find this text.
   *
   * @param slice finds indexed rows with numbers from `slice * sliceLength` on, as many as `sliceLength`. Default: all
   */
  candidates(
    search: TextSearch,
    slice?: number,
  ): { readonly sql: string; readonly parameters: SqlParameters } | undefined;
  /**
   * Returns the statement that adds new rows to the search index of a table, after the row `number` was
   * inserted. Undefined: no row is due.
   */
  indexing(table: 'vaults' | 'documents', number: number): string | undefined;
}

/** A statement sees the changes of its own transaction, and of those that were committed before its snapshot. */
export interface Snapshots {
  /** An expression for the snapshot of a statement, as text. */
  readonly current: string;
  /** Whether a transaction was committed or rolled back before a snapshot. */
  hasEnded(snapshot: string, transactionId: string): boolean;
}

/** One view of the database: the committed state, or the inside of one transaction. */
export interface Queries {
  readonly dialect: Dialect;
  /**
   * Names a transaction that changes something, from the response to its BEGIN on. Otherwise undefined, and where
   * transactions run one after the other.
   */
  readonly transactionId?: string | undefined;
  /** The first row, or undefined. */
  get<Row>(sql: string, parameters?: SqlParameters): Promise<Row | undefined>;
  all<Row>(sql: string, parameters?: SqlParameters): Promise<Row[]>;
  /** Runs a change and returns the number of affected rows. */
  run(sql: string, parameters?: SqlParameters): Promise<number>;
  /** Inserts one row into a table with a column `number`, and returns the number of the row. */
  insert(sql: string, parameters?: SqlParameters): Promise<number>;
  /** Runs several reads that must see the same state. */
  snapshot<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
}

export interface Driver {
  /** Reads committed rows, never half a transaction. Rejects writes. */
  readonly reader: Queries;
  /**
   * Changes at once with every commit of this process, and within milliseconds with commits of others.
   * Undefined when these cannot be noticed.
   */
  readonly revision: number | undefined;
  /**
   * Changes within milliseconds after another process has committed. Where the database does not report
   * commits, it changes every second.
   */
  readonly otherWriters: number;
  /**
   * Runs `work` atomically: its changes are durable once the promise resolves, and rolled back when it
   * rejects. `work` awaits only its queries. It can run several times, of which one takes effect: it changes
   * nothing outside the transaction.
   *
   * @param row names a row that many transactions write at the same time. Few of them run at once, so that the others
   * occupy no connection while they wait for each other
   */
  transaction<T>(work: (queries: Queries) => Promise<T>, row?: string): Promise<T>;
  /** Undefined: this process has the database alone. */
  readonly leases?: Leases | undefined;
  /** Undefined: this process counts alone, in memory. */
  readonly counters?: SharedCounters | undefined;
  /** Undefined: no other process changes the database, but commands. */
  readonly wakeUps?: WakeUps | undefined;
  /** Undefined: the database is not a file of this process. */
  readonly freePages?: FreePages | undefined;
  /** Runs `work` while no other process runs such work on this database. For starts and migrations. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Pages of the database file that deleted rows have left. New rows use them before the file grows. */
export interface FreePages {
  /** Their size. */
  readonly bytes: number;
  /**
   * Returns at most 2 MiB of them to the disk, in one transaction. Some stay for the next rows.
   *
   * @returns whether there are more to return
   */
  release(): Promise<boolean>;
}

/** Rights that one process at a time has. */
export interface LeaseRequest {
  readonly names: readonly string[];
  /** Identifies the process. */
  readonly holder: string;
  /** Milliseconds from each call of `take`. */
  readonly durationMs: number;
}

export interface Leases {
  /** Takes free and expired leases, and prolongs own ones. Returns the names of those that this process has. */
  take(request: LeaseRequest): Promise<ReadonlySet<string>>;
  release(request: Pick<LeaseRequest, 'names' | 'holder'>): Promise<void>;
  /** Removes up to `limit` expired leases, and returns their number. */
  removeExpired(limit: number): Promise<number>;
}

/** Messages between the processes that share a database. A message can be lost: poll as well. */
export interface WakeUps {
  /** Reports to the other processes, after a commit, that deliveries are due. Does not wait, and does not fail. */
  send(): void;
  /** Calls `wake` for each message of another process. Returns a function that stops listening. */
  listen(wake: () => void): () => void;
  /** Whether another process uses the database: one that has opened its store, and not closed it. */
  othersListen(): Promise<boolean>;
}

/** Counts since the database was opened. */
export interface CommitStatistics {
  /** Transactions made durable. */
  readonly transactions: number;
  /** Commits that made them so. */
  readonly commits: number;
  readonly checkpoints: number;
  /** Failed checkpoints. One is tried again after another 8 MiB, and nothing is lost. */
  readonly failedCheckpoints: number;
}

/** @param durationMs of the commit alone, without the transactions in it */
export type CommitListener = (durationMs: number) => void;

/** What a driver reports to operators. */
export interface DatabaseStatus {
  readonly statistics: CommitStatistics;
  /** From now on, `listener` is called after every commit, in place of an earlier one. */
  onCommit(listener: CommitListener): void;
  /** The first sign of damage. After it, the driver rejects writes. PostgreSQL reports damage to its own operators. */
  readonly damage?: Error | undefined;
}
