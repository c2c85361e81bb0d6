import Database from 'better-sqlite3';
import type { SqlParameters } from '../driver.ts';
import { replacePlaceholders } from '../placeholders.ts';
import { applySettings, assertSqliteVersion, type Setting } from './settings.ts';

/** Maximum number of cached prepared statements. The repositories use fewer. */
const statementLimit = 512;

/** Pages per step of a backup. The event loop runs between steps. */
const copyPages = 1024;

export interface ConnectionOptions {
  readonly readonly: boolean;
  /** Milliseconds that a statement waits for a lock of another process. */
  readonly busyTimeout: number;
  readonly settings: readonly Setting[];
}

/** The result of a change. */
export interface RunResult {
  readonly changes: number;
  readonly lastInsertRowid: number;
}

/** A synchronous connection to SQLite that caches its prepared statements. */
export class Connection {
  readonly #database: Database.Database;
  readonly #statements = new Map<string, Prepared>();
  /** Number of commit attempts. A failed commit may have happened. */
  commits = 0;

  /** @throws OperatorError when SQLite is too old or did not apply a setting */
  constructor(file: string, { readonly, busyTimeout, settings }: ConnectionOptions) {
    this.#database = new Database(file, { readonly, timeout: busyTimeout });
    try {
      assertSqliteVersion(this.#version());
      applySettings(this.#database, settings);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  commit(): void {
    this.commits += 1;
    this.run('COMMIT');
  }

  get<Row>(sql: string, parameters: SqlParameters = {}): Row | undefined {
    const { statement, names } = this.#prepare(sql);
    return statement.get(valuesOf(parameters, names)) as Row | undefined;
  }

  all<Row>(sql: string, parameters: SqlParameters = {}): Row[] {
    const { statement, names } = this.#prepare(sql);
    return statement.all(valuesOf(parameters, names)) as Row[];
  }

  run(sql: string, parameters: SqlParameters = {}): RunResult {
    const { statement, names } = this.#prepare(sql);
    return statement.run(valuesOf(parameters, names)) as RunResult;
  }

  /** Whether a statement only reads. */
  isReadonly(sql: string): boolean {
    return this.#prepare(sql).statement.readonly;
  }

  /** Runs several statements. */
  script(sql: string): void {
    this.#database.exec(sql);
  }

  /** Copies the database page by page into a file. An open transaction fixes the copied state. */
  async copyTo(file: string): Promise<void> {
    await this.#database.backup(file, { progress: () => copyPages });
  }

  close(): void {
    this.#database.close();
  }

  #version(): string {
    return String(this.#database.prepare('SELECT sqlite_version()').pluck().get());
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known) return known;
    const { positional, names } = byPosition(sql);
    const prepared = { statement: this.#database.prepare(positional), names };
    const oldest = this.#statements.keys().next();
    if (this.#statements.size >= statementLimit && !oldest.done) {
      this.#statements.delete(oldest.value);
    }
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

/** A statement whose parameters are bound by position: by name, each binding is looked up again. */
interface Prepared {
  readonly statement: Database.Statement;
  /** The name of each position. */
  readonly names: readonly string[];
}

/**
 * Replaces every `@name` by `+?`. SQLite can plan a statement again each time when a value is bound to a bare `?`, for
 * example in LIMIT: that takes several times as long as most statements. The `+` changes no value and no type.
 */
function byPosition(sql: string): { positional: string; names: string[] } {
  const names: string[] = [];
  const positional = replacePlaceholders(sql, (name) => {
    names.push(name);
    return '+?';
  });
  return { positional, names };
}

/**
 * Returns the values in the order of their positions. better-sqlite3 binds every number as a REAL, so that
 * `5` becomes `5.0` in text, and undefined and NaN as NULL. Here integers stay integers, and other values
 * are rejected.
 */
function valuesOf(parameters: SqlParameters, names: readonly string[]): unknown[] {
  return names.map((name) => {
    const value = parameters[name];
    if (value === undefined || (typeof value === 'number' && !Number.isFinite(value))) {
      throw new TypeError(`The parameter @${name} is ${value}, which SQL has no value for.`);
    }
    return Number.isSafeInteger(value) ? BigInt(value as number) : value;
  });
}

/** SQLite's result codes for a damaged database. */
const damage = /^SQLITE_(CORRUPT|NOTADB|IOERR_CORRUPTFS)/;

function code(error: unknown): string {
  return error instanceof Database.SqliteError ? error.code : '';
}

export function isDamage(error: unknown): error is Error {
  return damage.test(code(error));
}

export function isBusy(error: unknown): boolean {
  return code(error).startsWith('SQLITE_BUSY');
}

export function isSqliteError(error: unknown): boolean {
  return error instanceof Database.SqliteError;
}

/** Remembers the first sign of damage of all connections. */
export class DamageRecord {
  cause: Error | undefined;

  note(error: unknown): void {
    if (isDamage(error)) this.cause ??= error;
  }
}
