import type { Dialect, TextSearch } from '../driver.ts';

/** The table column of each index column. */
const columnsOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  vaults: { name: 'name_folded', description: 'description_folded', owner: 'user_id' },
  documents: { name: 'file_name_folded', owner: 'user_id', vault: 'vault_id' },
};

/** The least transaction that may still be running. */
const running = 'CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT)';

/** SQL that only PostgreSQL runs, with the extensions pg_trgm and btree_gin. */
const dialect: Dialect = {
  name: 'postgres',

  tables: `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`,

  lock: () => '',
  keep: () => '',
  lockFree: () => '',
  reserve: () => undefined,

  clock: 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)',
  commitOrder: {
    transaction: 'CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT)',
    after: '(tx, number) > (@tx, @number)',
    settled: `tx < ${running}`,
    end: { tx: running, number: '0' },
    // A point-in-time restore and a failover start a new timeline. A dump is restored into another database.
    database: `(SELECT CAST(system_identifier AS TEXT) FROM pg_control_system())
      || '-' || SUBSTR(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
      || '-' || (SELECT CAST(oid AS TEXT) FROM pg_database WHERE datname = current_database())`,
  },
  snapshots: { current: 'CAST(pg_current_snapshot() AS TEXT)', hasEnded },

  elements,
  // In the place of a subquery, an array lets every plan begin at the index of the column.
  among: (column, parameter, type) => `${column} = ANY (ARRAY(${elements(parameter, type)}))`,

  // A key in a subquery would be looked for in all rows of the table, for each row before it.
  joinEach: (_table, _key, selection) => `CROSS JOIN LATERAL (SELECT * ${selection}) t`,

  contains: (column, parameter) => `STRPOS(${column}, @${parameter}) > 0`,
  // The database compares in a process of its own.
  comparedAtOnce: () => 10_000,

  countedAtOnce: Number.POSITIVE_INFINITY,
  sliceLength: Number.POSITIVE_INFINITY,
  candidates: (search) => (hasTrigram(search.text) ? candidates(search) : undefined),

  // The index follows each row.
  indexing: () => undefined,
};

/** For committed rows. */
export const readingDialect = dialect;

/**
 * Inside a transaction, which reads the rows that it depends on before it changes others. Without the lock,
 * eight of ten concurrent changes of one row would be lost.
 */
export const changingDialect: Dialect = {
  ...dialect,
  lock,
  keep: () => 'FOR KEY SHARE',
  lockFree: (...tables) => `${lock(...tables)} SKIP LOCKED`,
  reserve: (parameter) => `SELECT pg_advisory_xact_lock(HASHTEXTEXTENDED(@${parameter}, 0))`,
};

/**
 * @param snapshot `xmin:xmax:running`: all ids below `xmin` have ended, none from `xmax` on has, and of those between,
 * all but the running ones
 */
function hasEnded(snapshot: string, transactionId: string): boolean {
  const [xmin = '', xmax = '', running = ''] = snapshot.split(':');
  const id = BigInt(transactionId);
  if (id < BigInt(xmin)) return true;
  return id < BigInt(xmax) && !running.split(',').includes(transactionId);
}

function elements(parameter: string, type: 'text' | 'integer' = 'text'): string {
  return `SELECT CAST(value AS ${type === 'text' ? 'TEXT' : 'BIGINT'}) AS value
     FROM json_array_elements_text(CAST(@${parameter} AS JSON)) AS elements (value)`;
}

function lock(...tables: readonly string[]): string {
  return `FOR NO KEY UPDATE${tables.length > 0 ? ` OF ${tables.join(', ')}` : ''}`;
}

/** pg_trgm extracts trigrams from letters and digits only. Without one, it would read the whole index. */
function hasTrigram(text: string): boolean {
  return /[\p{L}\p{N}]{3}/u.test(text);
}

function candidates({ table, columns, text, belongingTo }: TextSearch) {
  const column = (name: string) => columnsOf[table]?.[name] ?? name;
  const found = columns.map((name) => `${column(name)} LIKE @pattern`);
  const owned = Object.keys(belongingTo).map((name) => `${column(name)} = @${name}`);
  return {
    sql: `SELECT number, 1 AS found FROM ${table}
      WHERE ${[...owned, `(${found.join(' OR ')})`].join(' AND ')} LIMIT @limit`,
    parameters: { ...belongingTo, pattern: `%${text.replaceAll(/[\\%_]/g, '\\$&')}%` },
  };
}
