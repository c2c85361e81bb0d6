import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { dataFolder } from '../test/support/data-folder.ts';
import { urlOfFolder } from '../test/support/postgres/databases.ts';
import { leaveAll } from '../test/support/postgres/leftovers.ts';
import { startTestServer } from '../test/support/server.ts';

/** The tables with rows that a sweep changes or removes. */
const swept = [
  'uploads',
  'shares',
  'consents',
  'refresh_tokens',
  'sessions',
  'login_places',
  'api_keys',
  'idempotency_outcomes',
  'deliveries',
  'erasures',
  'content_erasures',
  'content_parts',
  'share_accesses',
  // The server adds to later hours.
  'instance_history WHERE hour = 0',
  'oauth_clients',
  'oauth_grants',
  'oauth_artifacts',
];

/** The tables that keep a row: an expired consent, a valid API key, a client with another secret. */
const kept = new Set(['consents', 'api_keys', 'oauth_clients']);

/** An hour of the history, and what an app leaves behind: a client with a replaced secret, a grant, a token. */
const insertions = [
  `INSERT INTO instance_history (instance_id, hour, documents, used_bytes, requests, succeeded, failed)
   SELECT id, 0, 0, 0, 0, 0, 0 FROM instances`,
  `INSERT INTO oauth_clients (id, user_id, name, verified, type, redirect_uris, scopes, grant_types,
     token_endpoint_auth_method, require_par, disabled, locked, previous_secret_hash, previous_secret_until,
     credentials_version, identity_changed_at, created_at, updated_at)
   SELECT 'client', id, 'App', 0, 'confidential', '[]', '[]', '[]', 'client_secret_basic', 0, 0, 0, '\\x01', 1,
     0, 1, 1, 1 FROM users`,
  `INSERT INTO oauth_grants (id, client_id, user_id, consent_id, scopes, created_at, expires_at)
   SELECT 'grant', 'client', user_id, id, '[]', 1, 1 FROM consents`,
  `INSERT INTO oauth_artifacts (id_hash, kind, grant_id, payload, created_at, expires_at)
   VALUES ('\\x01', 'Token', 'grant', '\\x01', 1, 1)`,
];

test('a sweep skips rows that another transaction has locked, and a later one takes them', async () => {
  const data = await dataFolder();
  const server = await startTestServer({ data });
  await leaveAll(server);
  const other = new pg.Client({ connectionString: urlOfFolder(data) });
  await other.connect();
  onTestFinished(() => other.end());
  for (const insertion of insertions) await other.query(insertion);
  await other.query('BEGIN');
  const locked: string[] = [];
  for (const table of swept) {
    const { rowCount } = await other.query(`SELECT 1 FROM ${table} FOR UPDATE`);
    if (rowCount) locked.push(table);
  }
  expect(locked).toEqual(
    swept.filter((table) => table !== 'deliveries' && table !== 'content_parts'),
  );
  const sweep = async () => {
    server.clock.advance(100 * 24 * 60 * 60 * 1000);
    await server.settled();
  };
  // A step that waits for a row fails after five seconds, and the test with its log entry.
  await sweep();
  await other.query('ROLLBACK');
  await sweep();
  await sweep();
  for (const table of locked.filter((name) => name !== 'login_places')) {
    const { rowCount } = await other.query(`SELECT 1 FROM ${table}`);
    expect(rowCount, table).toBe(kept.has(table) ? 1 : 0);
  }
  const secrets = 'SELECT 1 FROM oauth_clients WHERE previous_secret_hash IS NOT NULL';
  expect((await other.query(secrets)).rowCount).toBe(0);
});
