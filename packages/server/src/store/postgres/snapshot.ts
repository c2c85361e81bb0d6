import type pg from 'pg';
import { OperatorError } from '../../lib/operator-error.ts';
import { type BrokenReference, Snapshot } from '../snapshot.ts';
import { readingDialect } from './dialect.ts';
import { connectAlone } from './pool.ts';
import { PostgresTransaction } from './views.ts';

const savepoint = 'snapshot';

/**
 * Opens the current state of a database for reading beside running servers: one transaction, which sees no later
 * commit. A failed query fails no other one.
 *
 * @throws OperatorError when it cannot be reached, or has no tables
 */
export async function openPostgresSnapshot(url: string): Promise<Snapshot> {
  const client = await connectAlone(url);
  try {
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SAVEPOINT ${savepoint}`);
    const { rows } = await client.query<{ name: string | null }>(
      `SELECT to_regclass('schema_migrations')::text AS name`,
    );
    if (rows[0]?.name == null) throw new OperatorError(withoutTables);
  } catch (error) {
    await client.end();
    throw error;
  }
  return new TransactionSnapshot(client);
}

const withoutTables =
  'The database has no tables of Document Vault. The first start creates them; `document-vault migrate` does so alone.';

class TransactionSnapshot extends Snapshot {
  readonly reader: PostgresTransaction;
  readonly #client: pg.Client;

  constructor(client: pg.Client) {
    super();
    this.#client = client;
    this.reader = new PostgresTransaction(client, readingDialect, savepoint);
  }

  /** PostgreSQL verifies its pages when it reads them. An index that it could not complete is invalid. */
  async integrity(): Promise<readonly string[]> {
    const rows = await this.reader.all<{ name: string }>(
      `SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE NOT i.indisvalid ORDER BY c.relname`,
    );
    return rows.map(
      ({ name }) => `the index ${name} is invalid: REINDEX INDEX ${name} rebuilds it`,
    );
  }

  /** An index of PostgreSQL changes with its row. */
  async searchIndexes(): Promise<readonly string[]> {
    return [];
  }

  async brokenReferences(): Promise<readonly BrokenReference[]> {
    const keys = await this.reader.all<ForeignKey>(foreignKeys);
    const found: BrokenReference[] = [];
    for (const { table, column, parent, parentColumn } of keys) {
      const row = await this.reader.get<{ count: number }>(
        `/* all rows */ SELECT COUNT(*) AS count FROM "${table}" t
         WHERE t."${column}" IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM "${parent}" p WHERE p."${parentColumn}" = t."${column}")`,
      );
      if (row && row.count > 0) found.push({ table, parent, count: row.count });
    }
    return found;
  }

  async close(): Promise<void> {
    this.reader.end();
    await this.#client.end();
  }
}

interface ForeignKey {
  readonly table: string;
  readonly column: string;
  readonly parent: string;
  readonly parentColumn: string;
}

/** The foreign keys of the schema. Each has one column. */
const foreignKeys = `SELECT t.relname AS table, a.attname AS column, p.relname AS parent, b.attname AS "parentColumn"
  FROM pg_constraint c
    JOIN pg_class t ON t.oid = c.conrelid JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = c.conkey[1]
    JOIN pg_class p ON p.oid = c.confrelid JOIN pg_attribute b ON b.attrelid = p.oid AND b.attnum = c.confkey[1]
  WHERE c.contype = 'f' AND c.connamespace = current_schema()::regnamespace
  ORDER BY t.relname, a.attname`;
