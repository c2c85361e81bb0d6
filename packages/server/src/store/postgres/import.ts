import type pg from 'pg';
import { OperatorError } from '../../lib/operator-error.ts';
import type { Queries, SqlValue } from '../driver.ts';
import { connectAlone } from './pool.ts';

/** Rows by table. */
export type ImportedRows = Readonly<Record<string, number>>;

/** Tables that are not copied: the history of the schema, and what only PostgreSQL counts. */
const ownTables = [
  'schema_migrations',
  'leases',
  'request_windows',
  'query_windows',
  'failure_budgets',
];

/** Rows of one statement. Contents have up to 128 KiB in a row. */
const batchRows = 500;
const batchContents = 64;

interface Column {
  readonly name: string;
  readonly type: 'text' | 'bigint' | 'bytea';
  readonly isIdentity: boolean;
}

interface Table {
  readonly name: string;
  /** Without generated columns. */
  readonly columns: readonly Column[];
  readonly key: readonly string[];
}

/**
 * Copies all rows of another database of the same schema into an empty PostgreSQL database, in one transaction.
 * Compares the number of rows and sums of each column before the commit.
 *
 * @throws OperatorError
 */
export async function importInto(url: string, source: Queries): Promise<ImportedRows> {
  const client = await connectAlone(url);
  try {
    await client.query('BEGIN');
    const tables = await readTables(client);
    await requireEmpty(client, tables);
    const rows: Record<string, number> = {};
    // The counters are copied with the rows, so that no trigger may count again.
    await setTriggers(client, tables, 'DISABLE');
    for (const table of tables) rows[table.name] = await copy(source, client, table);
    for (const table of tables) await compare(source, client, table);
    await setTriggers(client, tables, 'ENABLE');
    await client.query('COMMIT');
    return rows;
  } finally {
    // Without a COMMIT, the end of the connection rolls everything back.
    await client.end();
  }
}

/** Returns the tables in an order in which every reference leads to an earlier one. */
async function readTables(client: pg.Client): Promise<readonly Table[]> {
  const { rows } = await client.query<Table & { readonly parents: readonly string[] }>(
    `SELECT c.relname AS name,
       (SELECT json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, NULL),
            'isIdentity', a.attidentity <> '') ORDER BY a.attnum)
        FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
       (SELECT json_agg(a.attname ORDER BY k.position)
        FROM pg_index i CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY k (number, position)
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
        WHERE i.indrelid = c.oid AND i.indisprimary) AS key,
       COALESCE((SELECT json_agg(p.relname) FROM pg_constraint f JOIN pg_class p ON p.oid = f.confrelid
        WHERE f.conrelid = c.oid AND f.contype = 'f' AND p.oid <> c.oid), '[]') AS parents
     FROM pg_class c
     WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND c.relname <> ALL ($1)
     ORDER BY c.relname`,
    [ownTables],
  );
  const parsed = rows.map(({ name, ...json }) => ({
    name,
    columns: parse<Column[]>(json.columns),
    key: parse<string[]>(json.key),
    parents: parse<string[]>(json.parents),
  }));
  const ordered: Table[] = [];
  const isPlaced = (name: string) => ordered.some((table) => table.name === name);
  while (ordered.length < parsed.length) {
    const next = parsed.find(({ name, parents }) => !isPlaced(name) && parents.every(isPlaced));
    if (!next) throw new OperatorError('The tables refer to each other in a circle.');
    ordered.push(next);
  }
  return ordered;
}

/** The driver leaves JSON as text. */
function parse<Value>(json: unknown): Value {
  return JSON.parse(String(json)) as Value;
}

async function requireEmpty(client: pg.Client, tables: readonly Table[]): Promise<void> {
  for (const { name } of tables) {
    const { rowCount } = await client.query(`SELECT 1 FROM "${name}" LIMIT 1`);
    if (rowCount === 0) continue;
    throw new OperatorError(
      `The PostgreSQL database is not empty: ${name} has rows. Name a new database, which no server has used.`,
    );
  }
}

async function setTriggers(
  client: pg.Client,
  tables: readonly Table[],
  state: 'ENABLE' | 'DISABLE',
): Promise<void> {
  for (const { name } of tables) {
    // Triggers of foreign keys stay enabled.
    await client.query(`ALTER TABLE "${name}" ${state} TRIGGER USER`);
  }
}

/** Copies a table in the order of its key, and returns the number of rows. */
async function copy(source: Queries, client: pg.Client, table: Table): Promise<number> {
  const { name, columns, key } = table;
  const limit = columns.some(({ name: column }) => column === 'data') ? batchContents : batchRows;
  const names = columns.map((column) => `"${column.name}"`).join(', ');
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ');
  const insertion = `INSERT INTO "${name}" (${names}) OVERRIDING SYSTEM VALUE
    SELECT * FROM unnest(${arrays})`;
  let copied = 0;
  for (let last: Row | undefined; ; ) {
    const rows: Row[] = await source.all<Row>(
      `/* all rows */ SELECT ${names} FROM "${name}" ${last ? after(key) : ''}
       ORDER BY ${key.join(', ')} LIMIT ${limit}`,
      last && Object.fromEntries(key.map((column, index) => [`k${index}`, cellOf(last, column)])),
    );
    if (rows.length > 0) await insert(client, insertion, { rows, table });
    copied += rows.length;
    last = rows.at(-1);
    if (rows.length < limit) break;
  }
  const identity = columns.find(({ isIdentity }) => isIdentity);
  if (identity && copied > 0) {
    await client.query(
      `SELECT setval(pg_get_serial_sequence('${name}', '${identity.name}'), MAX("${identity.name}"))
       FROM "${name}"`,
    );
  }
  return copied;
}

type Row = Readonly<Record<string, SqlValue>>;

function cellOf(row: Row | undefined, column: string): SqlValue {
  return row?.[column] ?? null;
}

function after(key: readonly string[]): string {
  return `WHERE (${key.join(', ')}) > (${key.map((_, index) => `@k${index}`).join(', ')})`;
}

async function insert(
  client: pg.Client,
  insertion: string,
  { rows, table: { name, columns } }: { readonly rows: readonly Row[]; readonly table: Table },
): Promise<void> {
  try {
    await client.query(
      insertion,
      columns.map((column) => rows.map((row) => cellOf(row, column.name))),
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`The rows of ${name} cannot be stored in PostgreSQL: ${reason}.`, {
      cause: error,
    });
  }
}

/** Compares the number of rows, the sum of the integers and the length of everything else. */
async function compare(source: Queries, client: pg.Client, table: Table): Promise<void> {
  const { name, columns } = table;
  // Sums of times would exceed 64 bits.
  const sums = columns.map(({ name: column, type }) =>
    type === 'bigint' ? `SUM("${column}" % 1000003)` : `SUM(OCTET_LENGTH("${column}"))`,
  );
  const sql = `/* all rows */ SELECT COUNT(*) AS c, ${sums.map((sum, index) => `${sum} AS s${index}`)}
    FROM "${name}"`;
  const expected = await source.get<Row>(sql);
  const { rows } = await client.query<Row>(sql);
  for (const [index, column] of ['c', ...sums.map((_, place) => `s${place}`)].entries()) {
    if (cellOf(expected, column) === cellOf(rows[0], column)) continue;
    const what = index === 0 ? 'the number of rows' : `the sum of ${columns[index - 1]?.name}`;
    throw new OperatorError(`The copy of ${name} differs in ${what}. Nothing was stored.`);
  }
}
