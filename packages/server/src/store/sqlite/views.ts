import type { Queries, SqlParameters } from '../driver.ts';
import { databaseClosed, requireRunning } from '../store-errors.ts';
import type { Connection, DamageRecord } from './connection.ts';
import { sqliteDialect } from './dialect.ts';

/** Queries resolve at once: SQLite runs in this process. */
abstract class SqliteQueries implements Queries {
  readonly dialect = sqliteDialect;
  protected readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  protected abstract execute<T>(query: () => T, sql: string, parameters?: SqlParameters): T;

  async get<Row>(sql: string, parameters?: SqlParameters): Promise<Row | undefined> {
    return this.execute(() => this.connection.get<Row>(sql, parameters), sql, parameters);
  }

  async all<Row>(sql: string, parameters?: SqlParameters): Promise<Row[]> {
    return this.execute(() => this.connection.all<Row>(sql, parameters), sql, parameters);
  }

  async run(sql: string, parameters?: SqlParameters): Promise<number> {
    return this.execute(() => this.connection.run(sql, parameters).changes, sql, parameters);
  }

  async insert(sql: string, parameters?: SqlParameters): Promise<number> {
    const insertion = () => this.connection.run(sql, parameters).lastInsertRowid;
    return this.execute(insertion, sql, parameters);
  }

  /**
   * Reads wait for nothing, so that this process commits nothing between them. A scan of many
   * rows lets other requests run in between: rows and total of its page can then be those of two moments.
   */
  snapshot<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return work(this);
  }
}

/** Reads the committed state, statement by statement. */
export class SqliteCommitted extends SqliteQueries {
  readonly #damage: DamageRecord;
  #closed = false;

  constructor(connection: Connection, damage: DamageRecord) {
    super(connection);
    this.#damage = damage;
  }

  close(): void {
    this.#closed = true;
    this.connection.close();
  }

  protected execute<T>(query: () => T): T {
    if (this.#closed) throw databaseClosed();
    try {
      return query();
    } catch (error) {
      this.#damage.note(error);
      throw error;
    }
  }
}

/**
 * The queries of one transaction. After a failed query the transaction can only fail, even if the error is
 * caught: other databases behave so, and no repository may rely on more.
 */
export class SqliteTransaction extends SqliteQueries {
  /** The queries that changed something, in order. Each can be run again. */
  readonly changes: (() => void)[] = [];
  /** The error of the first failed query. */
  failure: { readonly error: unknown } | undefined;
  /** Bytes of all bound values, as a measure of the work. */
  bytes = 0;
  #ended = false;

  end(): void {
    this.#ended = true;
  }

  protected execute<T>(query: () => T, sql: string, parameters?: SqlParameters): T {
    requireRunning(this.#ended, this.failure);
    try {
      this.bytes += sizeOf(parameters);
      const result = query();
      if (!this.connection.isReadonly(sql)) this.changes.push(query);
      return result;
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }
}

function sizeOf(parameters: SqlParameters = {}): number {
  let bytes = 0;
  for (const name in parameters) {
    const value = parameters[name];
    if (typeof value === 'string') bytes += value.length;
    else if (value instanceof Uint8Array) bytes += value.byteLength;
  }
  return bytes;
}
