import { existsSync } from 'node:fs';
import type { Driver, Queries } from '../driver.ts';
import { Connection, DamageRecord, isDamage, isSqliteError } from './connection.ts';
import {
  DatabaseCopyError,
  DatabaseMissingError,
  DatabaseReadOnlyError,
  DatabaseUnreadableError,
} from './errors.ts';
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

/** Rows that are looked for by their whole name; each takes a millisecond or two. */
const sampleSize = 1000;

/** Problems of one kind that are named. */
const namedProblems = 10;

interface SearchIndex {
  readonly index: string;
  readonly table: string;
  /** The column of the index and the folded one that it is made from. */
  readonly column: string;
  readonly name: string;
}

const searchIndexes: readonly SearchIndex[] = [
  { index: 'vault_search', table: 'vaults', column: 'name', name: 'name_folded' },
  { index: 'document_search', table: 'documents', column: 'name', name: 'file_name_folded' },
];

/**
 * Where the search indexes and the rows differ. What an index is made of inside, `PRAGMA
 * integrity_check` has looked at.
 */
export async function searchIndexProblems(queries: Queries): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const searchIndex of searchIndexes) {
    for (const sql of [missing(searchIndex), excess(searchIndex), stale(searchIndex)]) {
      const rows = await queries.all<{ problem: string }>(sql);
      problems.push(...rows.map(({ problem }) => problem));
    }
  }
  return problems;
}

/** The rows behind the last complete 128 are not in their index yet. */
function missing({ index, table }: SearchIndex): string {
  return `/* all rows */ SELECT id || ' of ${table} is missing in ${index}' AS problem
    FROM ${table} LEFT JOIN ${index} ON ${index}.rowid = number
    WHERE number <= (SELECT MAX(number) FROM ${table}) / 128 * 128 AND ${index}.rowid IS NULL
    ORDER BY number LIMIT ${namedProblems}`;
}

function excess({ index, table }: SearchIndex): string {
  return `/* all rows */ SELECT '${index} has row ' || ${index}.rowid || ', and ${table} has not' AS problem
    FROM ${index} LEFT JOIN ${table} ON number = ${index}.rowid
    WHERE number IS NULL LIMIT ${namedProblems}`;
}

/** The query language has no NUL, and the index nothing of names below three characters. */
function stale({ index, table, column, name }: SearchIndex): string {
  return `/* all rows */ SELECT id || ' of ${table} has another name in ${index}' AS problem FROM (
      SELECT id, number, ${name} AS name FROM ${table}
      WHERE number % ((SELECT MAX(number) FROM ${table}) / ${sampleSize} + 1) = 0
    ) sample
    WHERE LENGTH(name) >= 3 AND INSTR(name, CHAR(0)) = 0
      AND EXISTS (SELECT 1 FROM ${index} WHERE rowid = number)
      AND NOT EXISTS (
        SELECT 1 FROM ${index}
        WHERE ${index} MATCH '${column} : "' || REPLACE(sample.name, '"', '""') || '"' AND rowid = number
      )
    ORDER BY number LIMIT ${namedProblems}`;
}
