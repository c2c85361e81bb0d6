import type { DurationCounts } from '../durations.ts';

/**
 * What the store asks of a database. Repositories are written once against it, in SQL that SQLite
 * and PostgreSQL both run.
 */

export type SqlValue = string | number | Uint8Array | null;

/** Values for the `@name` placeholders of a statement. */
export type SqlParameters = Readonly<Record<string, SqlValue>>;

/** A text to look for, and what narrows the rows it is looked for in. */
export interface TextSearch {
  /** Has a `number`, by which its search index knows a row. */
  readonly table: string;
  readonly index: string;
  /** The columns of the index that the text may stand in. */
  readonly columns: readonly string[];
  /** Folded, at least three characters. */
  readonly text: string;
  /** Ids that the rows belong to, by column of the index. */
  readonly belongingTo: Readonly<Record<string, string>>;
}

/** SQL that databases word differently. */
export interface Dialect {
  /** The values of the JSON array in this parameter, as a query of one column. */
  elements(parameter: string): string;
  /** Whether a column contains the text in this parameter, in time that no text makes long. */
  contains(column: string, parameter: string): string;
  /**
   * A query for the `number` of rows that may contain a text, and for whether they are `found` (1)
   * or only not in the index yet (0). Of those found it gives at most `@limit`, of the others all.
   */
  candidates(search: TextSearch): { readonly sql: string; readonly parameters: SqlParameters };
}

/** One view of the database: the committed state, or the inside of one transaction. */
export interface Queries {
  readonly dialect: Dialect;
  /** The first row, or undefined. */
  get<Row>(sql: string, parameters?: SqlParameters): Promise<Row | undefined>;
  all<Row>(sql: string, parameters?: SqlParameters): Promise<Row[]>;
  /** Runs a change and answers how many rows it touched. */
  run(sql: string, parameters?: SqlParameters): Promise<number>;
}

export interface Driver {
  /** Sees what is committed, never half a transaction. Refuses to write. */
  readonly reader: Queries;
  /**
   * Differs after every commit: what was read holds as long as it is the same. Undefined where others
   * may commit unnoticed.
   */
  readonly revision: number | undefined;
  /**
   * Runs `work` atomically: all of it is durable once the promise resolves, none of it is left when
   * it rejects. `work` awaits nothing but the queries it is given.
   */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Counts since the database was opened. */
export interface Statistics {
  /** Transactions made durable. */
  readonly transactions: number;
  /** Commits that made them so. */
  readonly commits: number;
  readonly checkpoints: number;
  /** Checkpoints that failed; the next commit tries again, and nothing is lost meanwhile. */
  readonly failedCheckpoints: number;
  /** How long the commits took, without the transactions in them. */
  readonly commitDurations: DurationCounts;
}

/** What a driver says of itself to those who operate it. */
export interface DatabaseStatus {
  readonly statistics: Statistics;
  /** The first sign of damage; once there is one, nothing is written any more. */
  readonly damage: Error | undefined;
}
