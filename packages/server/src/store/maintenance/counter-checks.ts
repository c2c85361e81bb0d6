import type { RowCheck } from './row-checks.ts';

/** A stored count, and a query that counts again. */
interface Counter {
  /** Table and column. */
  readonly name: string;
  /** Returns `key` and `value` of every row. */
  readonly stored: string;
  /** Returns `key` and `value` by counting; a missing key counts 0. */
  readonly counted: string;
}

/** Returns a query for the counters that differ from a recount. */
function recount(counters: readonly Counter[]): string {
  const values = counters.flatMap(({ name, stored, counted }) => [
    `SELECT '${name}' AS name, key, value AS stored, 0 AS counted FROM (${stored}) s`,
    `SELECT '${name}', key, 0, value FROM (${counted}) c`,
  ]);
  return `SELECT name || ' of ' || key || ' is ' || SUM(stored) || ', and a recount gives ' || SUM(counted)
      AS problem
    FROM (${values.join(' UNION ALL ')}) both
    GROUP BY name, key HAVING SUM(stored) <> SUM(counted) ORDER BY name, key`;
}

function perVault(column: string, rows: string, value = 'COUNT(*)'): Counter {
  return {
    name: `vaults.${column}`,
    stored: `SELECT id AS key, ${column} AS value FROM vaults`,
    counted: `SELECT vault_id AS key, ${value} AS value FROM ${rows} GROUP BY vault_id`,
  };
}

/** @param rows the counted rows, with the column `instance_id` and the columns of `value` */
function perInstance(column: string, rows: string, value = 'COUNT(*)'): Counter {
  return {
    name: `instances.${column}`,
    stored: `SELECT id AS key, ${column} AS value FROM instances`,
    counted: `SELECT instance_id AS key, ${value} AS value FROM ${rows} GROUP BY instance_id`,
  };
}

interface Scoped {
  readonly counts: string;
  readonly column: string;
  /** The columns whose values are scopes. The scope of all rows is added. */
  readonly scopes: readonly string[];
  /** The column that divides a scope. The whole scope is counted too. */
  readonly part: string;
  readonly rows: string;
  readonly value: string;
}

function perScope({ counts, column, scopes, part, rows, value }: Scoped): Counter {
  const key = (scope: string, divided: string) => `${scope} || ' "' || ${divided} || '"' AS key`;
  const counted = ["''", ...scopes].flatMap((scope) =>
    ["''", part].map(
      (divided) =>
        `SELECT ${key(scope, divided)}, SUM(${value}) AS value FROM ${rows}
         WHERE ${divided} IS NOT NULL GROUP BY 1`,
    ),
  );
  return {
    name: `${counts}.${column}`,
    stored: `SELECT ${key('scope', part)}, ${column} AS value FROM ${counts}`,
    counted: counted.join(' UNION ALL '),
  };
}

const vaultsInLists = {
  counts: 'vault_counts',
  scopes: ['user_id'],
  part: 'category',
  rows: 'vaults',
} as const;

/** Without documents of deleted vaults: until they are erased, only the counts of lists include them. */
const documents = `(SELECT v.instance_id, d.vault_id, d.user_id, d.size_bytes, d.held_bytes
  FROM documents d JOIN vaults v ON v.id = d.vault_id) d`;

const sharesWhere = (condition: string) => `(SELECT s.instance_id, s.user_id, d.vault_id
  FROM shares s JOIN documents d ON d.id = s.document_id JOIN vaults v ON v.id = d.vault_id
  WHERE ${condition}) s`;

const shares = sharesWhere('true');

const usableShares = sharesWhere(
  's.is_active = 1 AND (s.max_access_count IS NULL OR s.access_count < s.max_access_count)',
);

const deliveriesIn = (status: string) =>
  perInstance(
    `${status}_deliveries`,
    `(SELECT instance_id FROM deliveries WHERE test = 0 AND status = '${status}') d`,
  );

/** @param rows the counted rows, with the column `user_id` and the columns of `value` */
function perAccount(column: string, rows: string, value = 'COUNT(*)'): Counter {
  return {
    name: `account_usage.${column}`,
    stored: `SELECT user_id AS key, ${column} AS value FROM account_usage`,
    counted: `SELECT user_id AS key, ${value} AS value FROM ${rows} GROUP BY user_id`,
  };
}

const keys = '(SELECT user_id, held_bytes FROM api_keys WHERE revoked_at IS NULL) k';

/** All rows that count towards the storage of an account. */
const held = `(${['vaults', documents, 'consents', 'webhooks', keys]
  .map((rows) => `SELECT user_id, held_bytes FROM ${rows}`)
  .join(' UNION ALL ')}) h`;

/** @param rows the condition of the counted deliveries */
function perWebhook(column: string, rows: string): Counter {
  return {
    name: `webhook_statistics.${column}`,
    stored: `SELECT webhook_id AS key, ${column} AS value FROM webhook_statistics`,
    counted: `SELECT webhook_id AS key, COUNT(*) AS value FROM deliveries WHERE ${rows} GROUP BY webhook_id`,
  };
}

/** The checks of stored counts. */
export const counterChecks: readonly RowCheck[] = [
  {
    name: 'vault-counters',
    title: 'Vaults count their documents, bytes and shares',
    sql: recount([
      perVault('document_count', documents),
      perVault('total_size', documents, 'SUM(size_bytes)'),
      perVault('document_bytes', documents, 'SUM(held_bytes)'),
      perVault('shares', shares),
      perVault('usable_shares', usableShares),
    ]),
  },
  {
    name: 'list-counters',
    title: 'Lists count their rows',
    sql: recount([
      perScope({ ...vaultsInLists, column: 'active', value: 'is_active' }),
      perScope({ ...vaultsInLists, column: 'inactive', value: '1 - is_active' }),
      perScope({
        counts: 'document_counts',
        column: 'documents',
        scopes: ['user_id', 'vault_id'],
        part: 'mime_type',
        rows: 'documents',
        value: '1',
      }),
    ]),
  },
  {
    name: 'instance-counters',
    title: 'Instances count their rows and bytes',
    sql: recount([
      perInstance('used_bytes', documents, 'SUM(size_bytes)'),
      perInstance('vaults', 'vaults'),
      perInstance('documents', documents),
      perInstance('usable_shares', usableShares),
      perInstance('webhooks', 'webhooks'),
      ...['pending', 'retrying', 'succeeded', 'failed'].map(deliveriesIn),
    ]),
  },
  {
    name: 'account-counters',
    title: 'Accounts count their rows and bytes',
    sql: recount([
      perAccount('bytes', held, 'SUM(held_bytes)'),
      perAccount('documents', documents),
      perAccount('shares', shares),
      ...['vaults', 'consents', 'webhooks'].map((table) => perAccount(table, table)),
      perAccount('keys', keys),
    ]),
  },
  {
    name: 'webhook-counters',
    title: 'Webhooks count their deliveries',
    // Not an exact recount: the counts include deliveries that retention has removed.
    sql: `SELECT 'webhook ' || d.webhook_id || ' counts ' || COALESCE(s.total_deliveries, 0)
        || ' deliveries, ' || COALESCE(s.failed_deliveries, 0) || ' of them failed, and has ' || d.deliveries
        || ', ' || d.failed || ' of them failed' AS problem
      FROM (
        SELECT webhook_id, COUNT(*) AS deliveries, COUNT(CASE WHEN status = 'failed' THEN 1 END) AS failed
        FROM deliveries WHERE test = 0 GROUP BY webhook_id
      ) d LEFT JOIN webhook_statistics s ON s.webhook_id = d.webhook_id
      WHERE d.deliveries > COALESCE(s.total_deliveries, 0) OR d.failed > COALESCE(s.failed_deliveries, 0)
      ORDER BY d.webhook_id`,
  },
  {
    name: 'webhook-queues',
    title: 'Webhooks count their queued and finished deliveries',
    sql: recount([
      perWebhook(
        'queued_deliveries',
        "completed_at IS NULL AND (retry IS NULL OR retry NOT IN ('once', 'bulk'))",
      ),
      perWebhook('finished_deliveries', "completed_at IS NOT NULL OR retry IN ('once', 'bulk')"),
    ]),
  },
  {
    name: 'share-counters',
    title: 'No share was opened more often than its limit',
    sql: `SELECT 'share ' || id || ' was opened ' || access_count || ' times of ' || max_access_count AS problem
      FROM shares WHERE access_count > max_access_count ORDER BY id`,
  },
];
