import pg from 'pg';
import { OperatorError } from '../../lib/operator-error.ts';
import { PatientPool } from './patient-pool.ts';

const second = 1000;

/** The oldest supported release. */
const oldestVersion = 15;

const extensions = ['btree_gin', 'pg_trgm'] as const;

/** The pool of a purpose has at most this many connections. */
export const poolSize = 10;

/** Numbers arrive as text. Sums of integers are of the type numeric. */
const numeric = new Set([20, 21, 23, 700, 701, 1700]);
const bytea = 17;

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number) => {
    if (numeric.has(oid)) return Number;
    // pg decodes every column as UTF-8, and would lose bytes in the binary format.
    if (oid === bytea) return (hex: string) => Buffer.from(hex.slice(2), 'hex');
    return (text: string) => text;
  }) as pg.CustomTypesConfig['getTypeParser'],
};

/**
 * Parameters that the URL may have: how to reach the server, and a name for its logs. In pg, a parameter of the URL
 * overrides the setting of the same name, such as the time limits, or `options` that makes the readers read-only.
 */
const urlParameters = [
  'application_name',
  'host',
  'port',
  'ssl',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslnegotiation',
  'sslrootcert',
  'uselibpqcompat',
] as const;

/** @throws OperatorError for a parameter that could override a setting */
function assertParameters(url: string): void {
  const known: readonly string[] = urlParameters;
  const other = [...new URL(url).searchParams.keys()].find((name) => !known.includes(name));
  if (other === undefined) return;
  throw new OperatorError(
    `The URL of the database has the parameter ${other}. It may have ${urlParameters.join(', ')}. Set anything else for the user of the database: ALTER ROLE … SET.`,
  );
}

function settingsOf(url: string): pg.ClientConfig {
  assertParameters(url);
  return {
    connectionString: url,
    types,
    // A transaction also waits as long for a free connection.
    connectionTimeoutMillis: 30 * second,
    query_timeout: 20 * second,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10 * second,
    fallback_application_name: 'document-vault',
  };
}

/**
 * Statements that each connection begins with. As parameters of the connection, poolers such as pgbouncer would refuse
 * most of them. Compiling a statement (jit) takes longer than any statement here.
 */
const sessionSettings = 'SET jit = off';
/** PostgreSQL gives up before `query_timeout`, so that it does not work for a client that has gone. */
const writerSettings = `${sessionSettings}; SET statement_timeout = '15s'; SET lock_timeout = '5s';
  SET idle_in_transaction_session_timeout = '10s'`;
/** Each statement of a reader stands alone. */
const readerSettings = `${writerSettings}; SET default_transaction_read_only = on;
  SET default_transaction_isolation = 'read committed'`;

/** Makes the settings of each connection that opens. */
const withSettings = (sql: string) => ({
  onConnect: async (client: pg.ClientBase) => {
    await client.query(sql);
  },
});

export interface Pools {
  readonly writers: pg.Pool;
  /** Rejects writes. */
  readonly readers: pg.Pool;
}

/**
 * @param onRefusal called when PostgreSQL refuses a connection, while queries wait for those that are open
 * @throws OperatorError when the URL has a parameter that it may not have
 */
export function createPools(url: string, onRefusal: (error: Error) => void): Pools {
  // An idle pool keeps a connection: PostgreSQL may refuse the next one.
  const settings = { ...settingsOf(url), max: poolSize, min: 1 };
  // A pipelined connection sends BEGIN together with the first statement.
  const writers = new PatientPool(
    { ...settings, ...withSettings(writerSettings), pipeline: true },
    onRefusal,
  );
  const readers = new PatientPool({ ...settings, ...withSettings(readerSettings) }, onRefusal);
  // An idle connection has ended, for example because the database stopped. Queries connect again.
  for (const pool of [writers, readers]) pool.on('error', () => undefined);
  return { writers, readers };
}

/**
 * Connects outside of the pools: for LISTEN, for locks of a session and for long transactions. Without time limits.
 *
 * @throws OperatorError with the reason, never with the password
 */
export async function connectAlone(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    ...settingsOf(url),
    query_timeout: 0,
  });
  // Without a listener, a connection that ends would end the process. The next query rejects.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(sessionSettings);
  } catch (error) {
    await client.end();
    throw explainConnection(error, url);
  }
  return client;
}

/** What a server and its database report about themselves. */
export interface ServerState {
  readonly version: string;
  readonly versionNumber: number;
  readonly encoding: string;
  readonly commits: string;
  readonly isolation: string;
  readonly isStandby: string;
  readonly readOnly: string;
  /** Extensions that the machine has. */
  readonly available: number;
  /** Extensions that the database has. */
  readonly created: number;
  /** Whether the user may create extensions in the database. */
  readonly mayExtend: string;
  /** Whether the user may create tables, or the tables exist. */
  readonly hasTables: string;
  /** Whether the user may read the identifier of the server, which cursors of events contain. */
  readonly mayIdentify: string;
}

/**
 * Verifies that the server can be used.
 *
 * @returns the isolation of its transactions
 * @throws OperatorError with the reason, never with the password
 */
export async function assertUsable({ writers }: Pools, url: string): Promise<string> {
  let state: ServerState;
  try {
    await assertSessions(url);
    const { rows } = await writers.query<ServerState>(
      `SELECT current_setting('server_version') AS version,
         current_setting('server_version_num')::int AS "versionNumber",
         current_setting('server_encoding') AS encoding,
         current_setting('synchronous_commit') AS commits,
         current_setting('default_transaction_isolation') AS isolation,
         pg_is_in_recovery()::text AS "isStandby",
         current_setting('transaction_read_only') AS "readOnly",
         (SELECT COUNT(*) FROM pg_available_extensions WHERE name = ANY($1)) AS available,
         (SELECT COUNT(*) FROM pg_extension WHERE extname = ANY($1)) AS created,
         has_database_privilege(current_database(), 'CREATE')::text AS "mayExtend",
         (to_regclass('schema_migrations') IS NOT NULL OR has_schema_privilege(current_schema(), 'CREATE'))::text
           AS "hasTables",
         has_function_privilege('pg_control_system()', 'EXECUTE')::text AS "mayIdentify"`,
      [extensions],
    );
    state = rows[0] as ServerState;
  } catch (error) {
    throw error instanceof OperatorError ? error : explainConnection(error, url);
  }
  const problem = problemOf(state);
  if (problem !== undefined) throw new OperatorError(problem);
  return state.isolation;
}

/**
 * A pooler in transaction mode gives a session to another client after each transaction. Settings, locks, named
 * statements and LISTEN would then belong to the wrong client.
 *
 * @throws OperatorError
 */
async function assertSessions(url: string): Promise<void> {
  const client = await connectAlone(url);
  try {
    const other = await connectAlone(url);
    try {
      await client.query("SET document_vault.session = 'kept'");
      // Occupies the session, if it was given away.
      await other.query('BEGIN');
      const { rows } = await client.query<{ session: string | null }>(
        "SELECT current_setting('document_vault.session', true) AS session",
      );
      if (rows[0]?.session === 'kept') return;
    } finally {
      await other.end();
    }
  } finally {
    await client.end();
  }
  throw new OperatorError(
    'The URL names a pooler that shares the sessions of PostgreSQL among its clients. Set its pool mode to session, or name PostgreSQL itself.',
  );
}

/** Returns why a database cannot be used. */
export function problemOf(state: Omit<ServerState, 'isolation'>): string | undefined {
  if (state.versionNumber < oldestVersion * 10_000) {
    return `PostgreSQL ${state.version} is too old. ${oldestVersion} or newer is required.`;
  }
  if (state.encoding !== 'UTF8') {
    return `The database has the encoding ${state.encoding}. Create one with ENCODING 'UTF8'.`;
  }
  if (state.isStandby === 'true') {
    return 'The database is a standby, which cannot be changed. Name the primary.';
  }
  if (state.readOnly === 'on') {
    return 'The database is read-only: default_transaction_read_only is on. Set it to off.';
  }
  if (state.commits === 'off') {
    return 'synchronous_commit is off, so that confirmed changes could be lost. Set it to on.';
  }
  if (state.available < extensions.length) {
    return `The extensions ${extensions.join(' and ')} are not installed. Debian has them in the package postgresql-contrib.`;
  }
  if (state.created < extensions.length && state.mayExtend === 'false') {
    const creations = extensions.map((name) => `CREATE EXTENSION ${name};`).join(' ');
    return `The user may not create the extensions ${extensions.join(' and ')}. GRANT CREATE ON DATABASE to it, or run as the owner of the database: ${creations}`;
  }
  if (state.mayIdentify === 'false') {
    return 'The user may not read the identifier of the server: GRANT EXECUTE ON FUNCTION pg_control_system() TO it.';
  }
  if (state.hasTables === 'false') {
    return 'The user may not create tables. Make it the owner of the database, or GRANT CREATE ON SCHEMA to it.';
  }
  return undefined;
}

/** What the codes of a failed connection mean. @see https://www.postgresql.org/docs/15/errcodes-appendix.html */
const reasons: Readonly<Record<string, string>> = {
  '28P01': 'The password is wrong, or the user does not exist',
  '28000': 'The user does not exist, or may not connect: see pg_hba.conf',
  '3D000': 'The database does not exist. Create it with CREATE DATABASE',
  '42501': 'The user may not connect to the database',
  '53300': 'The database has too many connections: raise max_connections, or stop other clients',
  '57P03': 'The database is starting or stopping. Try again in a moment',
};

function explainConnection(error: unknown, url: string): OperatorError {
  const { code = '', message } = error as { readonly code?: string; readonly message: string };
  const { host: inAuthority, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? inAuthority;
  const reason = reasons[code] ?? `It cannot be reached: ${message || code}`;
  return new OperatorError(`PostgreSQL at ${host || 'localhost'}: ${reason}.`, {
    cause: error,
  });
}

/** The codes of a connection that ends, and of a server that stops. */
const endings = /^(08\w{3}|57P0[1-5]|EPIPE|ECONN\w+|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/;

/** What pg reports without a code. */
const endingTexts = /^Connection terminated|not queryable$/;

/** What pg reports when the server does not respond in time. */
const timeoutTexts = /^Query read timeout$|^Connection terminated due to connection timeout$/;

/** Whether the server did not respond in time. Another attempt would wait as long. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && timeoutTexts.test(error.message);
}

/** Whether a query failed because its connection ended, or was given up. */
export function isDisconnect(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string') return endings.test(code);
  return endingTexts.test(error.message) || isTimeout(error);
}

/** Whether a transaction failed because it read what another one has changed since, at a strict isolation. */
export function isSerializationFailure(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '40001';
}

/**
 * Whether another transaction may have caused the failure: serialization failure, deadlock, and the violation
 * of a unique or foreign key that this transaction has checked before.
 */
export function isConflict(error: unknown): boolean {
  return (
    violatesKey(error) ||
    (error instanceof pg.DatabaseError && /^(40001|40P01)$/.test(error.code ?? ''))
  );
}

/** Whether a statement waited for a lock for as long as `lock_timeout` allows. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

/** Whether a statement violated a unique or foreign key. */
export function violatesKey(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(23505|23503)$/.test(error.code ?? '');
}
