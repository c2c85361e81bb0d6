import type { Queries, SqlParameters } from '../driver.ts';
import { DatabaseClosedError, TransactionEndedError, TransactionFailedError } from '../errors.ts';
import type { Connection, DamageRecord } from './connection.ts';
import { sqliteDialect } from './dialect.ts';

/** Reads the committed state, statement by statement. */
export class SqliteCommitted implements Queries {
  readonly dialect = sqliteDialect;
  readonly #connection: Connection;
  readonly #damage: DamageRecord;
  #closed = false;

  constructor(connection: Connection, damage: DamageRecord) {
    this.#connection = connection;
    this.#damage = damage;
  }

  async get<Row>(sql: string, parameters?: SqlParameters): Promise<Row | undefined> {
    return this.#read(() => this.#connection.get<Row>(sql, parameters));
  }

  async all<Row>(sql: string, parameters?: SqlParameters): Promise<Row[]> {
    return this.#read(() => this.#connection.all<Row>(sql, parameters));
  }

  async run(sql: string, parameters?: SqlParameters): Promise<number> {
    return this.#read(() => this.#connection.run(sql, parameters).changes);
  }

  async insert(sql: string, parameters?: SqlParameters): Promise<number> {
    return this.#read(() => this.#connection.run(sql, parameters).lastInsertRowid);
  }

  /**
   * Reads wait for nothing, so that this process commits nothing between them. A scan of many
   * rows lets other requests run in between: rows and total of its page can then be those of two moments.
   */
  snapshot<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return work(this);
  }

  close(): void {
    this.#closed = true;
    this.#connection.close();
  }

  #read<T>(query: () => T): T {
    if (this.#closed) throw new DatabaseClosedError();
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
export class SqliteTransaction implements Queries {
  readonly dialect = sqliteDialect;
  readonly #connection: Connection;
  readonly #changes: (() => void)[] = [];
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #bytes = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The error of the first failed query. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** The queries that changed something, in order. Each can be run again. */
  get changes(): readonly (() => void)[] {
    return this.#changes;
  }

  /** Bytes of all bound values, as a measure of the work. */
  get bytes(): number {
    return this.#bytes;
  }

  async get<Row>(sql: string, parameters?: SqlParameters): Promise<Row | undefined> {
    return this.#execute(() => this.#connection.get<Row>(sql, parameters), sql, parameters);
  }

  async all<Row>(sql: string, parameters?: SqlParameters): Promise<Row[]> {
    return this.#execute(() => this.#connection.all<Row>(sql, parameters), sql, parameters);
  }

  async run(sql: string, parameters?: SqlParameters): Promise<number> {
    return this.#execute(() => this.#connection.run(sql, parameters).changes, sql, parameters);
  }

  async insert(sql: string, parameters?: SqlParameters): Promise<number> {
    return this.#execute(
      () => this.#connection.run(sql, parameters).lastInsertRowid,
      sql,
      parameters,
    );
  }

  snapshot<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return work(this);
  }

  end(): void {
    this.#ended = true;
  }

  #execute<T>(query: () => T, sql: string, parameters: SqlParameters | undefined): T {
    if (this.#ended) throw new TransactionEndedError();
    if (this.#failure) throw new TransactionFailedError({ cause: this.#failure.error });
    try {
      this.#bytes += sizeOf(parameters);
      const result = query();
      if (!this.#connection.isReadonly(sql)) this.#changes.push(query);
      return result;
    } catch (error) {
      this.#failure = { error };
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
