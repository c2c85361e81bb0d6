import { Connection } from '../../../src/store/sqlite/connection.ts';

/** Tables of which a server has a handful of rows, however much it stores. */
const smallTables = new Set([
  'instances',
  'signing_keys',
  'server_secrets',
  'schema_migrations',
  // What was deleted since the last sweep; read from its beginning, up to a limit.
  'erasures',
  'content_erasures',
]);

/** Indexes with a handful of entries: what is being delivered at the moment, and who runs the server. */
const smallIndexes = new Set(['administrators']);

/** Tables with few enough rows for an administrator's lists to count them through an index. */
const countedTables = new Set(['api_keys', 'webhooks', 'consents']);

/** Statements that are meant to read everything say so. */
const exempt = '/* all rows */';

/** The step of a plan, as EXPLAIN QUERY PLAN answers it (https://sqlite.org/eqp.html). */
export interface PlanStep {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

/**
 * What in a plan takes longer the more there is: a table read from end to end, or an unknown number
 * of rows sorted. Undefined for a plan that stays flat.
 */
export function complaint(sql: string, plan: readonly PlanStep[]): string | undefined {
  if (sql.includes(exempt)) return undefined;
  const bounded = /\bLIMIT\b/.test(sql);
  for (const { detail, parent } of plan) {
    const [, table = '', rest = ''] = /^SCAN (\w+)(.*)$/.exec(detail) ?? [];
    const ordered = rest.includes('INDEX') && !/TEMP B-TREE/.test(siblings(plan, parent));
    const counts = countedTables.has(table) && rest.includes('INDEX');
    const [, index = ''] = /INDEX (\w+)/.exec(rest) ?? [];
    const walks = counts || smallIndexes.has(index) || (bounded && ordered);
    if (!rest.includes('VIRTUAL TABLE') && isLarge(table, sql) && !walks) return detail;
    if (detail.startsWith('USE TEMP B-TREE') && !isSmall(siblings(plan, parent))) {
      return `${detail} over ${siblings(plan, parent)}`;
    }
  }
  return undefined;
}

function siblings(plan: readonly PlanStep[], parent: number): string {
  return plan
    .filter((step) => step.parent === parent)
    .map(({ detail }) => detail)
    .join('; ');
}

/** Whether a name in a plan stands for a table that grows; the rest are subqueries and functions. */
function isLarge(name: string, sql: string): boolean {
  // A table that the statement makes for itself, row by row.
  if (
    name === '' ||
    (/\bWITH RECURSIVE\b/.test(sql) && new RegExp(`\\bqueues ${name}\\b`).test(sql))
  )
    return false;
  const aliased = new RegExp(
    `(?:FROM|JOIN|UPDATE|INTO)\\s+(\\w+)(?:\\s+(?:AS\\s+)?${name})?\\b`,
    'gi',
  );
  const tables = [...sql.matchAll(aliased)].map(([whole, table = '']) =>
    whole.endsWith(name) ? table : '',
  );
  return tables.some((table) => table !== '' && !smallTables.has(table));
}

/** Rows found by keys that a page, a limit or the caller has listed, or those of a small table. */
function isSmall(steps: string): boolean {
  const byKey = /SEARCH \w+ USING (INDEX sqlite_autoindex_\w+|INTEGER PRIMARY KEY)/;
  return (
    byKey.test(steps) ||
    /SCAN (few|json_each|pragma_table_list)/.test(steps) ||
    [...smallTables].some((table) => steps.includes(`SCAN ${table}`))
  );
}

const judged = new Set<string>();
const complaints: string[] = [];
let watchers = 0;

/**
 * Until the returned function is called, has every statement that a connection runs explained once.
 *
 * @returns ends the watch, and returns the statements whose cost grows with the data, and why.
 */
export function watchStatements(): () => string[] {
  watchers += 1;
  return () => {
    watchers -= 1;
    return complaints.splice(0);
  };
}

const { all } = Connection.prototype;
for (const method of ['get', 'all', 'run'] as const) {
  const original = Connection.prototype[method];
  Connection.prototype[method] = function watched(this: Connection, sql: string, parameters = {}) {
    // Test files share a process: a test without a server may read its whole store.
    if (watchers > 0 && !judged.has(sql)) judge(this, sql, parameters);
    return original.call(this, sql, parameters);
  } as never;
}

function judge(connection: Connection, sql: string, parameters: object): void {
  judged.add(sql);
  if (!/^\s*(SELECT|WITH|UPDATE|DELETE|INSERT)/i.test(sql)) return;
  const plan = all.call(connection, `EXPLAIN QUERY PLAN ${sql}`, parameters as never);
  const reason = complaint(sql, plan as PlanStep[]);
  if (reason !== undefined) complaints.push(`${reason}\n${sql}`);
}
