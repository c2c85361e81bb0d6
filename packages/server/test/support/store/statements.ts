import { Connection } from '../../../src/store/sqlite/connection.ts';

/** Tables with few rows regardless of the amount of data. */
export const smallTables = new Set([
  'instances',
  'signing_keys',
  'server_secrets',
  'schema_migrations',
  'sqlite_sequence',
  // Deletions since the last sweep, which are read from the start, up to a limit.
  'erasures',
  'content_erasures',
  'oauth_client_erasures',
]);

/** Indexes with few entries. */
export const smallIndexes = new Set(['administrators']);

/** Tables with few enough rows that an administrator's lists can count them through an index. */
export const countedTables = new Set(['api_keys', 'webhooks', 'consents', 'oauth_clients']);

/** Comment in statements that read all rows on purpose. */
export const exempt = '/* all rows */';

/** A row of EXPLAIN QUERY PLAN. @see https://sqlite.org/eqp.html */
export interface PlanStep {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

/**
 * Returns the step of a plan whose cost grows with the data: a full scan, or a sort of an unknown number
 * of rows. Returns undefined for a plan without such a step.
 */
export function complaint(sql: string, plan: readonly PlanStep[]): string | undefined {
  if (sql.includes(exempt)) return undefined;
  const bounded = /\bLIMIT\b/.test(sql);
  for (const { detail, parent } of plan) {
    const [, table = '', rest = ''] = /^SCAN (\w+)(.*)$/.exec(detail) ?? [];
    const inOrder = rest.includes('INDEX') || /ORDER BY number\b/.test(sql);
    const ordered = inOrder && !/TEMP B-TREE/.test(siblings(plan, parent));
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

/** Whether a name in a plan is a table that grows with the data, and not a subquery or a function. */
function isLarge(name: string, sql: string): boolean {
  // The table of a recursive common table expression.
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

/** Whether the steps read a small table, or rows by keys that a page, a limit or the caller has listed. */
function isSmall(steps: string): boolean {
  const byKey =
    /SEARCH \w+ USING (INDEX sqlite_autoindex_\w+|INTEGER PRIMARY KEY|PRIMARY KEY \(id=\?\))/;
  return (
    byKey.test(steps) ||
    /SCAN (page|json_each|pragma_table_list)/.test(steps) ||
    [...smallTables].some((table) => steps.includes(`SCAN ${table}`))
  );
}

const explained = new Set<string>();
const complaints: string[] = [];
let watchers = 0;

/**
 * Explains every statement once that a connection runs until the returned function is called.
 *
 * @returns Ends the watch and returns the statements whose cost grows with the data, each with its reason.
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
    if (watchers > 0 && !explained.has(sql)) explain(this, sql, parameters);
    return original.call(this, sql, parameters);
  } as never;
}

function explain(connection: Connection, sql: string, parameters: object): void {
  explained.add(sql);
  if (!/^\s*(SELECT|WITH|UPDATE|DELETE|INSERT)/i.test(sql)) return;
  const plan = all.call(connection, `EXPLAIN QUERY PLAN ${sql}`, parameters as never);
  const reason = complaint(sql, plan as PlanStep[]);
  if (reason !== undefined) complaints.push(`${reason}\n${sql}`);
}
