import { existsSync } from 'node:fs';
import { OperatorError } from '../../lib/operator-error.ts';
import type { Queries } from '../driver.ts';
import { type BrokenReference, Snapshot } from '../snapshot.ts';
import { standAlone } from './closed-file.ts';
import { Connection, DamageRecord, isDamage, isSqliteError } from './connection.ts';
import { DatabaseUnreadableError } from './errors.ts';
import { readerSettings } from './settings.ts';
import { SqliteCommitted } from './views.ts';

/** Milliseconds that a statement waits for a lock of another process. */
const busyTimeout = 5000;

/**
 * Opens a database file for reading beside a running server. Takes no lock on the folder and changes
 * nothing. The state is that of the moment of opening.
 *
 * @throws OperatorError; DatabaseUnreadableError when SQLite cannot read it
 */
export function openSnapshot(file: string): FileSnapshot {
  if (!existsSync(file)) throw new OperatorError(`There is no database at ${file}.`);
  let connection: Connection | undefined;
  try {
    connection = new Connection(file, { readonly: true, busyTimeout, settings: readerSettings });
    connection.run('BEGIN');
    // The transaction starts with the first read.
    connection.get('SELECT COUNT(*) FROM sqlite_schema');
    return new FileSnapshot(connection);
  } catch (error) {
    connection?.close();
    if (!(error instanceof Error) || !isSqliteError(error)) throw error;
    throw new DatabaseUnreadableError(file, { cause: error });
  }
}

/** A snapshot of a database file. */
export class FileSnapshot extends Snapshot {
  readonly reader: SqliteCommitted;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    super();
    this.#connection = connection;
    this.reader = new SqliteCommitted(connection, new DamageRecord());
  }

  async integrity(): Promise<readonly string[]> {
    try {
      const rows = await this.reader.all<{ integrity_check: string }>('PRAGMA integrity_check');
      return rows.map((row) => row.integrity_check).filter((line) => line !== 'ok');
    } catch (error) {
      // The damage can prevent the check itself.
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

  /**
   * Copies the database into one file without a WAL. `file` is new or empty.
   *
   * @throws OperatorError
   */
  async copyTo(file: string): Promise<void> {
    try {
      await this.#connection.copyTo(file);
      // The copy inherits the WAL mode. Without a WAL, the file is complete.
      const copy = new Connection(file, { readonly: false, busyTimeout, settings: standAlone });
      copy.close();
    } catch (error) {
      if (!(error instanceof Error) || !isSqliteError(error)) throw error;
      throw new OperatorError(`The copy could not be written: ${error.message}.`, { cause: error });
    }
  }

  async close(): Promise<void> {
    this.reader.close();
  }
}

/** Rows whose whole name is searched; each takes a millisecond or two. */
const sampleSize = 1000;

/** Maximum number of reported problems per kind. */
const namedProblems = 10;

interface SearchIndex {
  readonly index: string;
  readonly table: string;
  /** The index column and the case-folded column that it is built from. */
  readonly column: string;
  readonly name: string;
}

const searchIndexes: readonly SearchIndex[] = [
  { index: 'vault_search', table: 'vaults', column: 'name', name: 'name_folded' },
  { index: 'document_search', table: 'documents', column: 'name', name: 'file_name_folded' },
];

/**
 * Returns differences between search indexes and rows. `PRAGMA integrity_check` covers the inside of an
 * index.
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

/** Rows after the last complete group of 128 are not indexed yet. */
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

/** The query language has no NUL, and the index has no names below three characters. */
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
