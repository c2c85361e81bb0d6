import type pg from 'pg';
import type { Dialect, Queries, SqlParameters } from '../driver.ts';
import { databaseClosed, requireRunning } from '../store-errors.ts';
import { changingDialect, readingDialect } from './dialect.ts';
import { isConflict, isDisconnect, isTimeout } from './pool.ts';
import { bind, findsNothing } from './statements.ts';

type Result = Pick<pg.QueryResult, 'rows' | 'rowCount'>;

const nothing: Result = { rows: [], rowCount: 0 };

/** Milliseconds. In pg, 0 means the limit of the connection. */
const longestTimer = 2 ** 31 - 1;

/** Returns how often a read that failed runs at most. */
function attemptsAfter(error: unknown): number {
  // A migration locks one table after the other, and reads that join them can wait for it in a circle.
  if (isConflict(error)) return 5;
  // The connection may have ended while it was idle.
  return isDisconnect(error) && !isTimeout(error) ? 2 : 1;
}

abstract class PostgresQueries implements Queries {
  abstract readonly dialect: Dialect;

  protected abstract execute(sql: string, parameters?: SqlParameters): Promise<Result>;

  async get<Row>(sql: string, parameters?: SqlParameters): Promise<Row | undefined> {
    const { rows } = await this.execute(sql, parameters);
    return rows[0] as Row | undefined;
  }

  async all<Row>(sql: string, parameters?: SqlParameters): Promise<Row[]> {
    const { rows } = await this.execute(sql, parameters);
    return rows as Row[];
  }

  async run(sql: string, parameters?: SqlParameters): Promise<number> {
    const { rowCount } = await this.execute(sql, parameters);
    return rowCount ?? 0;
  }

  async insert(sql: string, parameters?: SqlParameters): Promise<number> {
    const { rows } = await this.execute(`${sql} RETURNING number`, parameters);
    return (rows[0] as { readonly number: number }).number;
  }

  abstract snapshot<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
}

/** Reads the committed state, statement by statement. */
export class PostgresCommitted extends PostgresQueries {
  readonly dialect = readingDialect;
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    super();
    this.#pool = pool;
  }

  snapshot<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#repeat(() => this.#inTransaction(work));
  }

  async #inTransaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    // A connection that ends while no query waits emits an error. The next query rejects with it.
    const ignore = () => undefined;
    client.on('error', ignore);
    const view = new PostgresTransaction(client, readingDialect);
    let isComplete = false;
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const result = await work(view);
      await client.query('COMMIT');
      isComplete = true;
      return result;
    } finally {
      view.end();
      client.off('error', ignore);
      // Ending the connection ends the transaction.
      client.release(!isComplete);
    }
  }

  protected async execute(sql: string, parameters?: SqlParameters): Promise<Result> {
    if (findsNothing(sql, parameters)) return nothing;
    const statement = bind(sql, parameters);
    return this.#repeat(() => this.#pool.query(statement));
  }

  async #repeat<T>(read: () => Promise<T>): Promise<T> {
    if (this.#pool.ending) throw databaseClosed();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await read();
      } catch (error) {
        if (this.#pool.ending || attempt >= attemptsAfter(error)) throw error;
      }
    }
  }
}

/** The queries of one transaction. After a failed query, a transaction without a savepoint can only fail. */
export class PostgresTransaction extends PostgresQueries {
  readonly dialect: Dialect;
  readonly #client: pg.ClientBase;
  readonly #savepoint: string | undefined;
  transactionId: string | undefined;
  /** The error of the first failed query. */
  failure: { readonly error: unknown } | undefined;
  #ended = false;

  /** @param savepoint the one that the transaction returns to after a failed query. Default: none */
  constructor(client: pg.ClientBase, dialect = changingDialect, savepoint?: string) {
    super();
    this.#client = client;
    this.dialect = dialect;
    this.#savepoint = savepoint;
  }

  snapshot<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return work(this);
  }

  /** Runs several statements, for as long as PostgreSQL lets them. */
  async script(sql: string): Promise<void> {
    const unlimited = { text: sql, query_timeout: longestTimer };
    await this.#attempt(() => this.#client.query(unlimited));
  }

  end(): void {
    this.#ended = true;
  }

  protected execute(sql: string, parameters?: SqlParameters): Promise<Result> {
    return this.#attempt(async () =>
      findsNothing(sql, parameters) ? nothing : this.#client.query(bind(sql, parameters)),
    );
  }

  async #attempt(query: () => Promise<Result>): Promise<Result> {
    requireRunning(this.#ended, this.failure);
    try {
      return await query();
    } catch (error) {
      if (this.#savepoint === undefined) this.failure ??= { error };
      else await this.#client.query(`ROLLBACK TO SAVEPOINT ${this.#savepoint}`);
      throw error;
    }
  }
}
