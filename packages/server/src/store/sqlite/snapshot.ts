import { existsSync } from 'node:fs';
import type { Driver } from '../driver.ts';
import { Connection } from './connection.ts';
import {
  DatabaseCopyError,
  DatabaseMissingError,
  DatabaseReadOnlyError,
  DatabaseUnreadableError,
} from './errors.ts';
import { DamageRecord, isDamage, isSqliteError } from './failures.ts';
import { searchIndexProblems } from './search-indexes.ts';
import { readerSettings } from './settings.ts';
import { CommittedView } from './views.ts';

/** A database as it was when it was opened, whoever goes on writing to it. */
export interface Snapshot extends Driver {
  /** The tables with rows of their own; those that an index keeps for itself are not among them. */
  tables(): Promise<readonly string[]>;
  /** What is broken in the file and its indexes, in SQLite's words; empty when it is sound. */
  integrity(): Promise<readonly string[]>;
  /** Where the search indexes and the rows differ; what rows are called is compared for a sample of them. */
  searchIndexes(): Promise<readonly string[]>;
  /** The rows that refer to rows which do not exist. */
  brokenReferences(): Promise<readonly BrokenReference[]>;
  /**
   * Writes all of it into a file that stands alone: `file` is new or empty.
   *
   * @throws DatabaseCopyError
   */
  copyTo(file: string): Promise<void>;
}

export interface BrokenReference {
  readonly table: string;
  readonly parent: string;
  readonly count: number;
}

/** How long a statement waits for a lock that another process holds, in milliseconds. */
const busyTimeout = 5000;

/**
 * Opens a database file for reading, beside a server that uses it: neither its folder is taken nor
 * anything in the file changed. The state seen is that of the moment of opening.
 *
 * @throws DatabaseMissingError, DatabaseUnreadableError
 */
export function openSnapshot(file: string): Snapshot {
  if (!existsSync(file)) throw new DatabaseMissingError(file);
  let connection: Connection | undefined;
  try {
    connection = new Connection(file, { readonly: true, busyTimeout, settings: readerSettings });
    connection.run('BEGIN');
    // The transaction begins with the first look at the file.
    connection.get('SELECT COUNT(*) FROM sqlite_schema');
    return new FileSnapshot(connection);
  } catch (error) {
    connection?.close();
    if (!(error instanceof Error) || !isSqliteError(error)) throw error;
    throw new DatabaseUnreadableError(file, { cause: error });
  }
}

class FileSnapshot implements Snapshot {
  readonly reader: CommittedView;
  /** Nothing that others commit is seen. */
  readonly revision = 0;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.reader = new CommittedView(connection, new DamageRecord());
  }

  async transaction(): Promise<never> {
    throw new DatabaseReadOnlyError();
  }

  async tables(): Promise<readonly string[]> {
    const rows = await this.reader.all<{ name: string }>(
      `SELECT name FROM pragma_table_list
       WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
    );
    return rows.map(({ name }) => name);
  }

  async integrity(): Promise<readonly string[]> {
    try {
      const rows = await this.reader.all<{ integrity_check: string }>('PRAGMA integrity_check');
      return rows.map((row) => row.integrity_check).filter((line) => line !== 'ok');
    } catch (error) {
      // The damage can be where the check itself begins.
      if (!isDamage(error)) throw error;
      return [error.message];
    }
  }

  searchIndexes(): Promise<readonly string[]> {
    return searchIndexProblems(this.reader);
  }

  brokenReferences(): Promise<readonly BrokenReference[]> {
    return this.reader.all<BrokenReference>(
      `/* all rows */ SELECT "table", parent, COUNT(*) AS count FROM pragma_foreign_key_check
       GROUP BY "table", parent ORDER BY "table", parent`,
    );
  }

  async copyTo(file: string): Promise<void> {
    try {
      await this.#connection.copyTo(file);
      // The copy inherits the log that goes beside the file; without it, the file is all there is.
      const copy = new Connection(file, { readonly: false, busyTimeout, settings: standAlone });
      copy.close();
    } catch (error) {
      if (!(error instanceof Error) || !isSqliteError(error)) throw error;
      throw new DatabaseCopyError({ cause: error });
    }
  }

  async close(): Promise<void> {
    this.reader.close();
  }
}

const standAlone = [{ pragma: 'journal_mode', value: 'DELETE', answer: 'delete' }];
