import { chmod, open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { databaseFile } from '../../src/store/sqlite/driver.ts';
import { command } from '../support/command-line.ts';
import { dataFolder, inDatabase, madeOnce } from '../support/data-folder.ts';
import { newKeyring, newVaultKeys } from '../support/keys.ts';
import { useApp } from '../support/oauth/used-app.ts';
import { newDocument, newShare, newVault } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { listen } from '../support/webhook-events.ts';

interface Finding {
  readonly name: string;
  readonly title: string;
  readonly ok: boolean;
  readonly problems: readonly string[];
  readonly warnings?: readonly string[];
}

async function examine(data: string) {
  const { code, out, err } = await command(['doctor', '--json', '--data', data]);
  const report: { ok: boolean; checks: Finding[] } = JSON.parse(out);
  return { code, err, ok: report.ok, checks: report.checks };
}

/** Creates a data folder with rows of every table, all of them consistent. */
const healthyFolder = madeOnce(async () => {
  const data = await dataFolder();
  const server = await startTestServer({ data });
  const { developer } = server;
  await listen({ server, call: developer });
  const events = ['vault.created', 'user.login'];
  await listen({ server, call: developer, events, fields: { active: false } });
  const other = await server.signUp('ada@example.com');
  await newVault(other.call, { name: 'Empty' });
  const vault = await newVault(developer);
  const document = await newDocument(developer, vault.id, 'first');
  await newDocument(developer, vault.id, '');
  await newKeyring(developer);
  await newVaultKeys(developer, vault.id);
  const share = await newShare(developer, document.id, { access: 'anyone', maxAccessCount: 2 });
  await server.anonymous('GET', `/shares/${share.shareToken}`);
  await useApp(server, other);
  await server.settled();
  await server.close();
  return { data };
});

/** Runs SQL without checking foreign keys. */
const sql = (statements: string) => (data: string) =>
  inDatabase(data, (database: Database.Database) => {
    database.pragma('foreign_keys = OFF');
    database.exec(statements);
  });

/** Overwrites the root page of an index. */
async function overwriteIndex(data: string): Promise<void> {
  const { page, size } = inDatabase(data, (database) => ({
    page: Number(
      database
        .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'vaults_by_size'")
        .pluck()
        .get(),
    ),
    size: Number(database.pragma('page_size', { simple: true })),
  }));
  const file = await open(join(data, databaseFile), 'r+');
  await file.write(Buffer.alloc(size, 0xff), 0, size, (page - 1) * size);
  await file.close();
}

const anotherUser = "(SELECT id FROM users WHERE email = 'ada@example.com')";

/** More vaults than one group of the search index, which indexes 128 at once. */
const manyVaults = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
  INSERT INTO vaults (id, user_id, instance_id, name, name_folded, is_active, created_at, updated_at)
  SELECT 'vault ' || i, id, instance_id, 'Many', 'many', 1, 0, 0 FROM users JOIN n WHERE email = 'ada@example.com';
  UPDATE account_usage SET vaults = vaults + 200, bytes = bytes + 800 WHERE user_id = ${anotherUser};
  INSERT INTO vault_search (rowid, name, description, owner)
  SELECT number, name_folded, description_folded, substr(user_id, -3) FROM vaults WHERE number <= 128;`;
const unindexed = 'DELETE FROM vault_search WHERE rowid = 7;';
const misnamed = `UPDATE vault_search SET name = 'few', description = NULL, owner = '', slice = '' WHERE rowid = 7;`;

type Damage = readonly [string, string[], (data: string) => unknown];

/** Damage to a healthy folder, and the checks that report it. */
const damages: readonly Damage[] = [
  ['an overwritten index', ['integrity'], overwriteIndex],
  [
    'a newer schema',
    ['schema'],
    sql("INSERT INTO schema_migrations VALUES (1000, 'wings', 'x', 1)"),
  ],
  ['a missing migration', ['schema'], sql('DELETE FROM schema_migrations')],
  [
    'a key of an unknown account',
    ['references', 'account-counters'],
    sql("UPDATE api_keys SET user_id = 'unknown'"),
  ],
  [
    'a vault that counts one document too many',
    ['vault-counters'],
    sql('UPDATE vaults SET document_count = document_count + 1'),
  ],
  [
    'a vault that counts 7 bytes too many',
    ['vault-counters'],
    sql("UPDATE vaults SET total_size = 7 WHERE name = 'Empty'"),
  ],
  [
    'an account with wrong bytes of contents',
    ['account-counters'],
    sql('UPDATE account_usage SET total_size = total_size + 1'),
  ],
  [
    'an account that is counted for another instance',
    ['instances'],
    sql("UPDATE account_usage SET instance_id = 'nowhere'"),
  ],
  ...[
    'bytes',
    'vaults',
    'documents',
    'shares',
    'usable_shares',
    'keys',
    'webhooks',
    'clients',
    'consents',
  ].map(
    (column): Damage => [
      `an account that does not count its ${column}`,
      ['account-counters'],
      sql(`UPDATE account_usage SET ${column} = 0`),
    ],
  ),
  ['an account without counters', ['account-counters'], sql('DELETE FROM account_usage')],
  [
    'a list counter with vaults that do not exist',
    ['list-counters'],
    sql("INSERT INTO vault_categories VALUES ('unknown', 'health', 1, 0)"),
  ],
  [
    'a list counter with documents that do not exist',
    ['list-counters'],
    sql('UPDATE document_types SET documents = 9'),
  ],
  [
    'missing webhook statistics',
    ['webhook-counters', 'webhook-queues'],
    sql('DELETE FROM webhook_statistics'),
  ],
  [
    'a wrong count of queued deliveries',
    ['webhook-queues'],
    sql('UPDATE webhook_statistics SET queued_deliveries = queued_deliveries + 1'),
  ],
  [
    'a failed delivery that is not counted',
    ['webhook-counters', 'webhook-queues'],
    sql("UPDATE deliveries SET status = 'failed' WHERE id = (SELECT MIN(id) FROM deliveries)"),
  ],
  ['a vault missing in the search index', ['search'], sql(`${manyVaults} ${unindexed}`)],
  ['a vault with another name in the search index', ['search'], sql(`${manyVaults} ${misnamed}`)],
  [
    'an unknown document in the search index',
    ['search'],
    sql("INSERT INTO document_search (rowid, name) VALUES (9, 'nothing')"),
  ],
  [
    'a share that counts one access too many',
    ['share-counters', 'share-accesses'],
    sql('UPDATE shares SET access_count = 3'),
  ],
  [
    'a document without vault',
    ['account-counters', 'orphaned-documents'],
    sql(`UPDATE documents SET vault_id = 'nothing' WHERE size_bytes = 0`),
  ],
  [
    'an erasure of a vault that exists',
    ['erasures'],
    sql('INSERT INTO erasures (scope, user_id) SELECT id, user_id FROM vaults LIMIT 1'),
  ],
  [
    'an erasure of the content of a document that exists',
    ['erasures'],
    sql('INSERT INTO content_erasures (document_id) SELECT id FROM documents LIMIT 1'),
  ],
  [
    'an ending of the consents of a client that exists',
    ['erasures'],
    sql('INSERT INTO oauth_client_erasures (client_id) SELECT id FROM oauth_clients'),
  ],
  [
    'a grant and a consent without client',
    ['oauth-grants'],
    sql('DELETE FROM oauth_clients; DELETE FROM oauth_client_erasures'),
  ],
  [
    'a grant of another account than its consent',
    ['oauth-grants', 'oauth-creations'],
    sql(
      "UPDATE oauth_grants SET user_id = (SELECT id FROM users WHERE email <> 'ada@example.com')",
    ),
  ],
  [
    'a grant of another client than its consent',
    ['oauth-grants'],
    sql("UPDATE oauth_grants SET client_id = 'another', revoked_at = 1"),
  ],
  [
    'a grant that ends before its refresh token',
    ['oauth-tokens'],
    sql('UPDATE oauth_grants SET expires_at = expires_at - 1'),
  ],
  [
    'a webhook of an app that receives events of other accounts',
    ['oauth-creations'],
    sql("UPDATE webhooks SET access_id = 'removed', accounts = 'all'"),
  ],
  [
    'a share that ends with the grant of another account',
    ['oauth-grants', 'oauth-creations'],
    sql('UPDATE oauth_grants SET user_id = (SELECT id FROM users WHERE id <> user_id LIMIT 1)'),
  ],
  ['a token of an app without grant', ['references'], sql('DELETE FROM oauth_grants')],
  ['a document without content', ['document-contents'], sql('DELETE FROM document_contents')],
  [
    'a content without document',
    ['orphaned-contents'],
    sql("INSERT INTO document_contents VALUES ('nothing', 0, 0, x'00')"),
  ],
  [
    'a truncated content',
    ['content-sizes'],
    sql("UPDATE document_contents SET data = x'00' WHERE LENGTH(data) > 1"),
  ],
  [
    'a part without document',
    ['orphaned-parts'],
    sql(`INSERT INTO content_parts (document_id, part, size_bytes, digest, written_at)
      VALUES ('nothing', 0, 0, zeroblob(32), 0)`),
  ],
  [
    'a truncated part',
    ['content-parts'],
    sql(`INSERT INTO content_parts (document_id, part, size_bytes, digest, written_at)
      SELECT id, 0, 1, zeroblob(32), 0 FROM documents LIMIT 1`),
  ],
  [
    'an object without document',
    ['content-objects'],
    sql(
      "INSERT INTO content_objects (object_key, document_id, state) VALUES ('k', 'nothing', 'taken')",
    ),
  ],
  [
    'keys of a vault that belong to another account',
    ['account-counters', 'owners'],
    sql(`UPDATE vault_keys SET user_id = ${anotherUser}`),
  ],
  [
    'an account that counts no bytes of its keyring',
    ['account-counters'],
    sql(`UPDATE account_usage SET bytes = bytes - (SELECT held_bytes FROM keyrings)
      WHERE user_id IN (SELECT user_id FROM keyrings)`),
  ],
  [
    'a document with another owner than its vault',
    ['account-counters', 'owners'],
    sql(`UPDATE documents SET user_id = ${anotherUser}`),
  ],
  [
    'a share with another owner than its document',
    ['account-counters', 'owners'],
    sql(`UPDATE shares SET user_id = ${anotherUser}`),
  ],
  [
    'a share that counts another number of accesses than it lists',
    ['share-accesses'],
    sql(`INSERT INTO share_accesses (share_id, access_count, accessed_at, ip_address)
      SELECT id, access_count + 1, 0, '::1' FROM shares LIMIT 1`),
  ],
  [
    'a delivery without event',
    ['references', 'orphaned-deliveries'],
    sql("DELETE FROM events WHERE type = 'vault.created'"),
  ],
  [
    'a delivery without webhook',
    ['references', 'orphaned-deliveries'],
    sql('DELETE FROM webhooks; DELETE FROM webhook_subscriptions'),
  ],
  [
    'a delivery of another account',
    ['foreign-deliveries'],
    sql('UPDATE deliveries SET of_other = 1'),
  ],
  [
    'an attempt without delivery',
    ['references', 'orphaned-attempts'],
    sql(`UPDATE delivery_attempts SET delivery_id = 'dlv_none'
      WHERE delivery_id = (SELECT MIN(delivery_id) FROM delivery_attempts)`),
  ],
  [
    'a retrying delivery without a next attempt',
    ['webhook-queues', 'queued-deliveries'],
    sql("UPDATE deliveries SET status = 'retrying'"),
  ],
  [
    'a missing subscription',
    ['subscriptions'],
    sql("DELETE FROM webhook_subscriptions WHERE event_type = 'user.login'"),
  ],
  [
    'a subscription to an unknown event',
    ['subscriptions'],
    sql(
      "UPDATE webhook_subscriptions SET event_type = 'user.nothing' WHERE event_type = 'user.login'",
    ),
  ],
  [
    'a subscription with another owner than its webhook',
    ['subscriptions'],
    sql(`UPDATE webhook_subscriptions SET user_id = ${anotherUser}`),
  ],
  [
    'a session with two current refresh tokens',
    ['session-tokens'],
    sql(
      `INSERT INTO refresh_tokens SELECT x'00', session_id, created_at, expires_at, NULL FROM refresh_tokens LIMIT 1`,
    ),
  ],
  [
    'a refresh token that expires after its session',
    ['session-tokens'],
    sql('UPDATE sessions SET expires_at = expires_at - 1'),
  ],
  ['a refresh token without session', ['references'], sql('DELETE FROM sessions')],
  [
    'a secret of an unknown form',
    ['sealing'],
    sql("UPDATE webhooks SET secret = x'02' WHERE active = 0"),
  ],
  [
    'a database that other users can read',
    ['permissions'],
    (data) => chmod(join(data, databaseFile), 0o644),
  ],
  [
    'an account file that other users can read',
    ['permissions'],
    (data) => chmod(join(data, 'development.json'), 0o640),
  ],
  ['a lock that other users can read', ['permissions'], (data) => chmod(join(data, 'lock'), 0o644)],
  ['a folder that other users can read', ['permissions'], (data) => chmod(data, 0o755)],
];

describe('doctor', () => {
  test('a folder created by a start is readable by its owner only, lock included', async () => {
    const data = join(await dataFolder(), 'new');
    const server = await startTestServer({ data });
    await server.close();
    expect((await stat(data)).mode & 0o777).toBe(0o700);
    for (const file of await readdir(data)) {
      expect((await stat(join(data, file))).mode & 0o777, file).toBe(0o600);
    }
    expect(await readdir(data)).toContain('lock');
    expect(await examine(data)).toMatchObject({ code: 0, ok: true });
  });

  test('it reports nothing in a healthy folder, also while a server runs, and changes nothing', async () => {
    const { data } = await healthyFolder();
    const before = await readFile(join(data, databaseFile));
    const healthy = await examine(data);
    expect(healthy).toMatchObject({ code: 0, err: '', ok: true });
    expect(healthy.checks.flatMap(({ problems }) => problems)).toEqual([]);
    const { out } = await command(['doctor', '--data', data]);
    expect((await readFile(join(data, databaseFile))).equals(before)).toBe(true);
    const lines = out.split('\n');
    expect(lines.slice(0, -1)).toEqual(healthy.checks.map(({ title }) => `ok       ${title}`));
    expect(lines.at(-1)).toBe(`${healthy.checks.length} checks, 0 with problems.`);

    const { developer } = await startTestServer({ data });
    await newVault(developer);
    expect(await examine(data)).toMatchObject({ code: 0, ok: true });
  });

  test('it reports nothing in large search indexes', async () => {
    const { data } = await healthyFolder();
    await sql(manyVaults)(data);
    const { checks } = await examine(data);
    expect(checks.flatMap(({ problems }) => problems)).toEqual([]);
  });

  test.each(damages)('it reports %s', async (_, names, damage) => {
    const { data } = await healthyFolder();
    await damage(data);
    const { code, ok, checks } = await examine(data);
    expect({ code, ok }).toEqual({ code: 1, ok: false });
    const failed = checks.filter((check) => !check.ok);
    // A damaged file can also fail other checks.
    if (names[0] !== 'integrity') expect(failed.map(({ name }) => name)).toEqual(names);
    else expect(failed[0]?.name).toBe('integrity');
    for (const { title, problems } of failed) {
      expect(problems.length).toBeGreaterThan(0);
      if (names[0] !== 'integrity') expect(problems.join()).not.toContain('the check failed');
      const { out } = await command(['doctor', '--data', data]);
      expect(out).toContain(`problem  ${title}\n           ${problems[0]}`);
    }
  });

  test('the tests above cover every check', async () => {
    const { checks } = await examine((await healthyFolder()).data);
    const known = new Set([...damages.flatMap(([, names]) => names), 'full-queues']);
    expect([...known].sort()).toEqual(checks.map(({ name }) => name).sort());
  });

  test('a webhook with a full queue is a warning, and doctor exits with 0', async () => {
    const data = await dataFolder();
    const server = await startTestServer({
      data,
      webhookDeliveries: { free: 1, paid: 1, enterprise: 1 },
      log: pino({ level: 'silent' }),
    });
    const { developer } = server;
    const events = ['vault.created'];
    const webhook = await listen({ server, call: developer, events, fields: { active: false } });
    for (let made = 0; made < 3; made += 1) await newVault(developer);
    await server.close();
    const { code, ok, checks } = await examine(data);
    expect({ code, ok }).toEqual({ code: 0, ok: true });
    expect(checks.filter(({ warnings }) => warnings?.length)).toMatchObject([
      { name: 'full-queues', problems: [], warnings: [expect.stringContaining(webhook.id)] },
    ]);
    const { out } = await command(['doctor', '--data', data]);
    expect(out).toMatch(/^warning .*\n.*has a full queue.*2 of its deliveries were not queued$/m);
  });

  test('a check with many problems lists 20 of them', async () => {
    const { data } = await healthyFolder();
    sql(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
      INSERT INTO document_contents SELECT 'nothing ' || i, 0, 0, x'00' FROM n`)(data);
    const orphaned = (await examine(data)).checks.find(({ name }) => name === 'orphaned-contents');
    expect(orphaned?.problems).toHaveLength(21);
    expect(orphaned?.problems.at(-1)).toBe('and more');
  });

  test('a file that is no database is reported', async () => {
    const { data } = await healthyFolder();
    const file = await open(join(data, databaseFile), 'r+');
    await file.write('not SQLite', 0);
    await file.close();
    const { code, checks } = await examine(data);
    expect(code).toBe(1);
    expect(checks[0]).toMatchObject({
      name: 'database',
      problems: [expect.stringContaining('file is not a database')],
    });
  });
});
