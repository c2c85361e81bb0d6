/** What rows must be like: the query finds those that are not. */
export interface RowCheck {
  readonly name: string;
  readonly title: string;
  /** Its rows have the column `problem`, a sentence without its full stop. */
  readonly sql: string;
}

/** The counts and sums that are kept beside what they count. */
const counters: readonly RowCheck[] = [
  {
    name: 'vault-counters',
    title: 'Vaults count their documents and bytes',
    sql: `SELECT 'vault ' || v.id || ' counts ' || v.document_count || ' documents of ' || v.total_size
        || ' bytes, and has ' || COALESCE(d.documents, 0) || ' of ' || COALESCE(d.bytes, 0) AS problem
      FROM vaults v LEFT JOIN (
        SELECT vault_id, COUNT(*) AS documents, SUM(size_bytes) AS bytes FROM documents GROUP BY vault_id
      ) d ON d.vault_id = v.id
      WHERE v.document_count <> COALESCE(d.documents, 0) OR v.total_size <> COALESCE(d.bytes, 0)
      ORDER BY v.id`,
  },
  {
    name: 'instance-usage',
    title: 'Instances count their bytes',
    sql: `SELECT 'instance ' || i.id || ' counts ' || i.used_bytes || ' bytes, and has '
        || COALESCE(u.bytes, 0) AS problem
      FROM instances i LEFT JOIN (
        SELECT v.instance_id, SUM(d.size_bytes) AS bytes
        FROM documents d JOIN vaults v ON v.id = d.vault_id GROUP BY v.instance_id
      ) u ON u.instance_id = i.id
      WHERE i.used_bytes <> COALESCE(u.bytes, 0) ORDER BY i.id`,
  },
  {
    name: 'share-counters',
    title: 'No share was opened more often than it may be',
    sql: `SELECT 'share ' || id || ' was opened ' || access_count || ' times of ' || max_access_count AS problem
      FROM shares WHERE access_count > max_access_count ORDER BY id`,
  },
];

const contents: readonly RowCheck[] = [
  {
    name: 'document-contents',
    title: 'Every document has its content',
    sql: `SELECT 'document ' || d.id || ' has no content' AS problem
      FROM documents d LEFT JOIN document_contents c ON c.document_id = d.id
      WHERE c.document_id IS NULL ORDER BY d.id`,
  },
  {
    name: 'orphaned-contents',
    title: 'Every content has its document',
    sql: `SELECT 'content ' || c.document_id || ' has no document' AS problem
      FROM document_contents c LEFT JOIN documents d ON d.id = c.document_id
      WHERE d.id IS NULL GROUP BY c.document_id ORDER BY c.document_id`,
  },
  {
    name: 'content-sizes',
    title: 'Contents are as long as their documents say',
    sql: `SELECT 'document ' || d.id || ' says ' || d.size_bytes || ' bytes, and its content has '
        || c.bytes AS problem
      FROM documents d JOIN (
        SELECT document_id, SUM(OCTET_LENGTH(data)) AS bytes FROM document_contents GROUP BY document_id
      ) c ON c.document_id = d.id
      WHERE d.size_bytes <> c.bytes ORDER BY d.id`,
  },
  {
    name: 'owners',
    title: 'Documents and shares belong to the owner of their vault',
    sql: `SELECT problem FROM (
        SELECT 'document ' || d.id || ' belongs to another account than its vault' AS problem
        FROM documents d JOIN vaults v ON v.id = d.vault_id WHERE d.user_id <> v.user_id
        UNION ALL
        SELECT 'share ' || s.id || ' belongs to another account than its document' AS problem
        FROM shares s JOIN documents d ON d.id = s.document_id WHERE s.user_id <> d.user_id
      ) found ORDER BY problem`,
  },
];

const webhooks: readonly RowCheck[] = [
  {
    name: 'orphaned-deliveries',
    title: 'Every delivery has its event and its webhook',
    sql: `SELECT 'delivery ' || d.id || CASE WHEN e.id IS NULL THEN ' has no event' ELSE ' has no webhook' END
        AS problem
      FROM deliveries d LEFT JOIN events e ON e.id = d.event_id LEFT JOIN webhooks w ON w.id = d.webhook_id
      WHERE e.id IS NULL OR w.id IS NULL ORDER BY d.id`,
  },
  {
    name: 'orphaned-attempts',
    title: 'Every attempt has its delivery',
    sql: `SELECT 'attempt ' || a.attempt_number || ' of ' || a.delivery_id || ' has no delivery' AS problem
      FROM delivery_attempts a LEFT JOIN deliveries d ON d.id = a.delivery_id
      WHERE d.id IS NULL ORDER BY a.delivery_id, a.attempt_number`,
  },
  {
    name: 'queued-deliveries',
    title: 'Every delivery that has not ended is queued',
    sql: `SELECT 'delivery ' || id || ' is ' || status || ' and not queued' AS problem
      FROM deliveries
      WHERE status IN ('pending', 'retrying') AND next_attempt_at IS NULL ORDER BY id`,
  },
  {
    name: 'subscriptions',
    title: 'Webhooks are subscribed to their events',
    // The list of events is JSON; no name of an event has a comma in it.
    sql: `SELECT 'webhook ' || w.id || ' is subscribed to ' || COALESCE(s.known, 0) || ' of its events and to '
        || COALESCE(s.total - s.known, 0) || ' others' AS problem
      FROM webhooks w LEFT JOIN (
        SELECT x.webhook_id, COUNT(*) AS total,
          SUM(CASE WHEN y.events LIKE '%"' || x.event_type || '"%' THEN 1 ELSE 0 END) AS known
        FROM webhook_subscriptions x JOIN webhooks y ON y.id = x.webhook_id GROUP BY x.webhook_id
      ) s ON s.webhook_id = w.id
      WHERE COALESCE(s.total, 0) <> COALESCE(s.known, 0)
        OR COALESCE(s.known, 0) <> LENGTH(w.events) - LENGTH(REPLACE(w.events, ',', '')) + 1
      ORDER BY w.id`,
  },
];

const keys: readonly RowCheck[] = [
  {
    name: 'signing-keys',
    title: 'One key signs access tokens',
    sql: `SELECT active || ' keys sign access tokens' AS problem FROM (
        SELECT COUNT(*) AS stored, COUNT(*) - COUNT(retired_at) AS active FROM signing_keys
      ) counted WHERE stored > 0 AND active <> 1`,
  },
];

/** Every check of rows, in the order in which they are reported. */
export const rowChecks: readonly RowCheck[] = [...counters, ...contents, ...webhooks, ...keys];
