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
    FROM (${values.join(' UNION ALL ')}) counts
    GROUP BY name, key HAVING SUM(stored) <> SUM(counted) ORDER BY name, key`;
}

/**
 * Returns a function from a column of `table` to its counter.
 *
 * @param key the expression that the counted rows are grouped by
 * @param storedKey the same for the rows of `table`. Default: `key`
 */
function countersOf(table: string, key: string, storedKey = key) {
  return (column: string, rows: string, value = 'COUNT(*)'): Counter => ({
    name: `${table.replace('current_', '')}.${column}`,
    stored: `SELECT ${storedKey} AS key, ${column} AS value FROM ${table}`,
    counted: `SELECT ${key} AS key, ${value} AS value FROM ${rows} GROUP BY 1`,
  });
}

const perVault = countersOf('vaults', 'vault_id', 'id');

const perCategory = countersOf('vault_categories', `user_id || ' "' || category || '"'`);

/** Documents of deleted vaults are counted until they are erased. */
const perType = countersOf('document_types', `vault_id || ' "' || mime_type || '"'`);

/** The counted rows have the column `user_id` and the columns of the value. */
const perAccount = countersOf('account_usage', 'user_id');

const perWebhook = countersOf('current_webhook_statistics', 'webhook_id');

/** Without documents of deleted vaults, which wait to be erased. */
const documents = `(SELECT d.vault_id, d.user_id, d.size_bytes, d.held_bytes
  FROM documents d JOIN vaults v ON v.id = d.vault_id) d`;

const sharesWhere = (condition: string) => `(SELECT s.user_id, d.vault_id
  FROM shares s JOIN documents d ON d.id = s.document_id JOIN vaults v ON v.id = d.vault_id
  WHERE ${condition}) s`;

const shares = sharesWhere('true');

const usableShares = sharesWhere(
  's.is_active = 1 AND (s.max_access_count IS NULL OR s.access_count < s.max_access_count)',
);

const categorized = 'vaults WHERE category IS NOT NULL';

const keys = '(SELECT user_id, held_bytes FROM api_keys WHERE revoked_at IS NULL) k';

/** An open upload counts its declared bytes. */
const uploads = '(SELECT user_id, size_bytes AS held_bytes FROM uploads) u';

/** Contents that are deleted and not erased yet. Those of deleted accounts count nowhere. */
const erasing = `(SELECT user_id, held_bytes FROM (
  SELECT user_id, held_bytes FROM content_erasures
  UNION ALL SELECT user_id, size_bytes FROM documents WHERE vault_id NOT IN (SELECT id FROM vaults)
) e WHERE user_id IN (SELECT user_id FROM account_usage)) e`;

/** All rows that count towards the storage of an account. */
const held = `(${[
  'vaults',
  documents,
  'consents',
  'webhooks',
  'keyrings',
  'vault_keys',
  'oauth_clients',
  keys,
  uploads,
  erasing,
]
  .map((rows) => `SELECT user_id, held_bytes FROM ${rows}`)
  .join(' UNION ALL ')}) h`;

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
      perCategory('active', categorized, 'SUM(is_active)'),
      perCategory('inactive', categorized, 'SUM(1 - is_active)'),
      perType('documents', 'documents'),
    ]),
  },
  {
    name: 'account-counters',
    title: 'Accounts count their rows and bytes',
    sql: recount([
      perAccount('bytes', held, 'SUM(held_bytes)'),
      perAccount('documents', documents),
      perAccount('total_size', documents, 'SUM(size_bytes)'),
      perAccount('shares', shares),
      perAccount('usable_shares', usableShares),
      perAccount('inactive_vaults', '(SELECT user_id FROM vaults WHERE is_active = 0) v'),
      ...['vaults', 'consents', 'webhooks', 'uploads'].map((table) => perAccount(table, table)),
      perAccount('keys', keys),
      perAccount('clients', 'oauth_clients'),
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
      ) d LEFT JOIN current_webhook_statistics s ON s.webhook_id = d.webhook_id
      WHERE d.deliveries > COALESCE(s.total_deliveries, 0) OR d.failed > COALESCE(s.failed_deliveries, 0)
      ORDER BY d.webhook_id`,
  },
  {
    name: 'webhook-queues',
    title: 'Webhooks count their existing deliveries',
    sql: recount([
      ...['pending', 'retrying', 'succeeded', 'failed'].map((status) =>
        perWebhook(status, `deliveries WHERE test = 0 AND status = '${status}'`),
      ),
      perWebhook(
        'queued_deliveries',
        "deliveries WHERE completed_at IS NULL AND (retry IS NULL OR retry NOT IN ('once', 'bulk'))",
      ),
      perWebhook(
        'finished_deliveries',
        "deliveries WHERE completed_at IS NOT NULL OR retry IN ('once', 'bulk')",
      ),
    ]),
  },
  {
    name: 'share-counters',
    title: 'No share was opened more often than its limit',
    sql: `SELECT 'share ' || id || ' was opened ' || access_count || ' times of ' || max_access_count AS problem
      FROM shares WHERE access_count > max_access_count ORDER BY id`,
  },
];
