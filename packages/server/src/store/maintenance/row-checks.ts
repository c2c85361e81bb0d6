/** A rule for rows. Its query returns the rows that violate it. */
export interface RowCheck {
  readonly name: string;
  readonly title: string;
  /** Returns rows with the column `problem`, a sentence without its full stop. */
  readonly sql: string;
  /** The found rows are no damage, but operators should know them. */
  readonly onlyWarns?: true;
}

const contents: readonly RowCheck[] = [
  {
    name: 'document-contents',
    title: 'Every document has its content',
    sql: `SELECT 'document ' || d.id || ' has no content' AS problem
      FROM documents d LEFT JOIN document_contents c ON c.document_id = d.id
      WHERE c.document_id IS NULL AND d.content_store = 'database' ORDER BY d.id`,
  },
  {
    name: 'orphaned-contents',
    title: 'Every content has its document, or waits to be erased',
    sql: `SELECT 'content ' || c.document_id || ' has no document' AS problem
      FROM document_contents c LEFT JOIN documents d ON d.id = c.document_id
      WHERE d.id IS NULL AND c.document_id NOT IN (SELECT document_id FROM content_erasures)
      GROUP BY c.document_id ORDER BY c.document_id`,
  },
  {
    name: 'orphaned-documents',
    title: 'Every document has its vault, or waits to be erased',
    sql: `SELECT 'document ' || d.id || ' has no vault' AS problem
      FROM documents d LEFT JOIN vaults v ON v.id = d.vault_id
      WHERE v.id IS NULL AND d.vault_id NOT IN (SELECT scope FROM erasures) ORDER BY d.id`,
  },
  {
    name: 'erasures',
    title: 'Only deleted data waits to be erased',
    sql: `SELECT problem FROM (
        SELECT 'vault ' || e.scope || ' exists and waits to be erased' AS problem
        FROM erasures e JOIN vaults v ON v.id = e.scope
        UNION ALL
        SELECT 'account ' || e.scope || ' exists and waits to be erased'
        FROM erasures e JOIN users u ON u.id = e.scope
        UNION ALL
        SELECT 'the content of document ' || c.document_id || ' waits to be erased, and the document exists'
        FROM content_erasures c JOIN documents d ON d.id = c.document_id
        UNION ALL
        SELECT 'OAuth client ' || e.client_id || ' exists, and its consents wait to be ended'
        FROM oauth_client_erasures e JOIN oauth_clients k ON k.id = e.client_id
      ) found ORDER BY problem`,
  },
  {
    name: 'content-sizes',
    title: 'Contents have the size of their documents',
    sql: `SELECT 'document ' || d.id || ' has a size of ' || d.size_bytes || ' bytes, and its content has '
        || c.bytes AS problem
      FROM documents d JOIN (
        SELECT c.document_id, SUM(OCTET_LENGTH(c.data)) AS bytes
        FROM document_contents c LEFT JOIN content_parts p ON p.number = c.attempt
        WHERE c.attempt = 0 OR p.digest IS NOT NULL GROUP BY c.document_id
      ) c ON c.document_id = d.id
      WHERE d.size_bytes <> c.bytes ORDER BY d.id`,
  },
  {
    name: 'content-parts',
    title: 'Every part has the bytes that were announced',
    sql: `SELECT 'part ' || p.part || ' of document ' || p.document_id || ' has a size of ' || p.size_bytes
        || ' bytes, and ' || COALESCE(c.bytes, 0) || ' are stored' AS problem
      FROM content_parts p JOIN documents d ON d.id = p.document_id LEFT JOIN (
        SELECT document_id, attempt, SUM(OCTET_LENGTH(data)) AS bytes
        FROM document_contents WHERE attempt > 0 GROUP BY document_id, attempt
      ) c ON c.document_id = p.document_id AND c.attempt = p.number
      WHERE p.digest IS NOT NULL AND d.content_store = 'database' AND p.size_bytes <> COALESCE(c.bytes, 0)
      ORDER BY p.document_id, p.part`,
  },
  {
    name: 'orphaned-parts',
    title: 'Every part has its document, or waits for it or to be erased',
    sql: `SELECT 'part ' || p.part || ' of ' || p.document_id || ' has no document' AS problem
      FROM content_parts p LEFT JOIN documents d ON d.id = p.document_id
      WHERE d.id IS NULL AND p.document_id NOT IN (SELECT document_id FROM content_erasures)
      ORDER BY p.document_id, p.part`,
  },
  {
    name: 'content-objects',
    title: 'Every content in S3 has one object, and every object its document',
    sql: `SELECT problem FROM (
        SELECT 'document ' || d.id || ' has no object' AS problem
        FROM documents d LEFT JOIN content_objects o
          ON o.document_id = d.id AND o.due_at IS NULL AND o.state = 'taken'
        WHERE d.content_store = 's3' AND o.object_key IS NULL
        UNION ALL
        SELECT 'object ' || o.object_key || ' has no document'
        FROM content_objects o LEFT JOIN documents d ON d.id = o.document_id AND d.content_store = 's3'
        WHERE o.due_at IS NULL AND d.id IS NULL
          AND o.document_id NOT IN (SELECT document_id FROM content_erasures)
      ) found ORDER BY problem`,
  },
  {
    name: 'owners',
    title: 'Documents, shares and keys belong to the owner of their vault',
    sql: `SELECT problem FROM (
        SELECT 'document ' || d.id || ' belongs to another account than its vault' AS problem
        FROM documents d JOIN vaults v ON v.id = d.vault_id WHERE d.user_id <> v.user_id
        UNION ALL
        SELECT 'share ' || s.id || ' belongs to another account than its document' AS problem
        FROM shares s JOIN documents d ON d.id = s.document_id WHERE s.user_id <> d.user_id
        UNION ALL
        SELECT 'the keys of vault ' || k.vault_id || ' belong to another account than the vault' AS problem
        FROM vault_keys k JOIN vaults v ON v.id = k.vault_id WHERE k.user_id <> v.user_id
      ) found ORDER BY problem`,
  },
  {
    name: 'share-accesses',
    title: 'The kept accesses to a share lead up to its count without a gap',
    sql: `SELECT 'share ' || s.id || ' counts ' || s.access_count || ' accesses, and the kept ones go from '
        || MIN(a.access_count) || ' to ' || MAX(a.access_count) || ' in ' || COUNT(*) || ' rows' AS problem
      FROM share_accesses a JOIN shares s ON s.id = a.share_id
      GROUP BY s.id, s.access_count
      HAVING MAX(a.access_count) <> s.access_count
        OR COUNT(*) <> MAX(a.access_count) - MIN(a.access_count) + 1
      ORDER BY s.id`,
  },
  {
    name: 'instances',
    title: 'Rows belong to the instance of their owner',
    sql: `SELECT problem FROM (
        SELECT 'vault ' || v.id || ' belongs to another instance than its account' AS problem
        FROM vaults v JOIN users u ON u.id = v.user_id WHERE v.instance_id <> u.instance_id
        UNION ALL
        SELECT 'share ' || s.id || ' belongs to another instance than its account'
        FROM shares s JOIN users u ON u.id = s.user_id WHERE s.instance_id <> u.instance_id
        UNION ALL
        SELECT 'webhook ' || w.id || ' belongs to another instance than its account'
        FROM webhooks w JOIN users u ON u.id = w.user_id WHERE w.instance_id <> u.instance_id
        UNION ALL
        SELECT 'account ' || u.id || ' is counted for another instance than its own'
        FROM account_usage a JOIN users u ON u.id = a.user_id WHERE a.instance_id <> u.instance_id
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
    name: 'foreign-deliveries',
    title:
      'Webhooks of their own account alone have no delivery of another, or wait for its removal',
    sql: `SELECT 'webhook ' || w.id || ' has ' || COUNT(*) || ' deliveries of other accounts' AS problem
      FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id
      WHERE d.of_other = 1 AND w.accounts = 'own' AND w.narrowed = 0 GROUP BY w.id ORDER BY w.id`,
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
    name: 'full-queues',
    title: 'Every event is queued for the webhooks that are subscribed to it',
    sql: `SELECT 'webhook ' || webhook_id || ' has a full queue: since it was registered, '
        || dropped_deliveries || ' of its deliveries were not queued' AS problem
      FROM current_webhook_statistics WHERE full_since IS NOT NULL ORDER BY webhook_id`,
    onlyWarns: true,
  },
  {
    name: 'subscriptions',
    title: 'Webhooks are subscribed to their events',
    // Commas count the events: the list is a JSON array, and no event name contains a comma.
    sql: `SELECT 'webhook ' || w.id || ' is subscribed to ' || COALESCE(s.known, 0) || ' of its events and to '
        || COALESCE(s.total - s.known, 0) || ' others' AS problem
      FROM webhooks w LEFT JOIN (
        SELECT x.webhook_id, COUNT(*) AS total,
          COUNT(CASE WHEN y.user_id = x.user_id AND y.events LIKE '%"' || x.event_type || '"%' THEN 1 END) AS known
        FROM webhook_subscriptions x JOIN webhooks y ON y.id = x.webhook_id GROUP BY x.webhook_id
      ) s ON s.webhook_id = w.id
      WHERE COALESCE(s.total, 0) <> COALESCE(s.known, 0)
        OR COALESCE(s.known, 0) <> LENGTH(w.events) - LENGTH(REPLACE(w.events, ',', '')) + 1
      ORDER BY w.id`,
  },
];

const keys: readonly RowCheck[] = [
  {
    name: 'session-tokens',
    title: 'A session has one current refresh token and does not end before it',
    sql: `SELECT problem FROM (
        SELECT 'session ' || session_id || ' has ' || COUNT(*) || ' current refresh tokens' AS problem
        FROM refresh_tokens WHERE rotated_at IS NULL GROUP BY session_id HAVING COUNT(*) > 1
        UNION ALL
        SELECT 'session ' || s.id || ' ends before its refresh token'
        FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id
        WHERE t.rotated_at IS NULL AND t.expires_at > s.expires_at
      ) found ORDER BY problem`,
  },
];

/** Clients of OAuth that exist, or whose consents and grants wait to be ended. */
const knownClients = `(SELECT id FROM oauth_clients UNION ALL SELECT client_id FROM oauth_client_erasures)`;

const apps: readonly RowCheck[] = [
  {
    name: 'oauth-grants',
    title: 'Grants of apps belong to the account and the client of their consent, which exist',
    sql: `SELECT problem FROM (
        SELECT 'grant ' || g.id || ' belongs to another account or client than its consent' AS problem
        FROM oauth_grants g JOIN consents c ON c.id = g.consent_id
        WHERE g.user_id <> c.user_id OR c.client_id IS NULL OR g.client_id <> c.client_id
        UNION ALL
        SELECT 'grant ' || id || ' is in force, and its client does not exist'
        FROM oauth_grants WHERE revoked_at IS NULL AND client_id NOT IN ${knownClients}
        UNION ALL
        SELECT 'consent ' || id || ' is in force, and its client does not exist'
        FROM consents WHERE client_id IS NOT NULL AND status = 'granted' AND client_id NOT IN ${knownClients}
      ) found ORDER BY problem`,
  },
  {
    name: 'oauth-tokens',
    title: 'Tokens of apps end before their grant or with it',
    sql: `SELECT 'grant ' || g.id || ' ends before ' || COUNT(*) || ' of its tokens' AS problem
      FROM oauth_artifacts a JOIN oauth_grants g ON g.id = a.grant_id
      WHERE a.expires_at > g.expires_at GROUP BY g.id ORDER BY g.id`,
  },
  {
    name: 'oauth-creations',
    title:
      'Webhooks and shares of apps belong to the account of their grant or client, and receive its events alone',
    // The grant or the client may be removed.
    sql: `SELECT problem FROM (
        SELECT 'webhook ' || w.id || ' ends with a grant that its account does not have' AS problem
        FROM webhooks w JOIN oauth_grants g ON g.id = w.access_id WHERE g.user_id <> w.user_id
        UNION ALL
        SELECT 'webhook ' || id || ' ends with an app and receives events of other accounts'
        FROM webhooks WHERE access_id IS NOT NULL AND accounts = 'all'
        UNION ALL
        SELECT 'share ' || s.id || ' ends with a grant that its account does not have'
        FROM shares s JOIN oauth_grants g ON g.id = s.access_id WHERE g.user_id <> s.user_id
        UNION ALL
        SELECT 'webhook ' || w.id || ' ends with a client that its account does not have'
        FROM webhooks w JOIN oauth_clients k ON k.id = w.access_id WHERE k.user_id <> w.user_id
        UNION ALL
        SELECT 'share ' || s.id || ' ends with a client that its account does not have'
        FROM shares s JOIN oauth_clients k ON k.id = s.access_id WHERE k.user_id <> s.user_id
      ) found ORDER BY problem`,
  },
];

/** The checks of rows, without counters. */
export const rowChecks: readonly RowCheck[] = [...contents, ...webhooks, ...keys, ...apps];
