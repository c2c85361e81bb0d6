import { expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/config.ts';
import { createShares } from '../../src/domain/documents/shares.ts';
import { createContentTickets } from '../../src/domain/documents/tickets.ts';
import { createAccountLimits } from '../../src/domain/limits/account-limits.ts';
import { retentionSteps, type SweepStep } from '../../src/domain/sweeper.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work.ts';
import { createIds, leastIdAt } from '../../src/lib/ids.ts';
import { databaseContents } from '../../src/store/contents/in-database.ts';
import type { Queries } from '../../src/store/driver.ts';
import { plainSealer } from '../../src/store/sealing.ts';
import { createStore } from '../../src/store/store.ts';
import { randomDigest } from '../support/data-folder.ts';
import { openDatabase, roomy } from '../support/delivery/database.ts';
import { testsPostgres } from '../support/postgres/databases.ts';

const oneByte = testsPostgres ? "'\\x00'::bytea" : "x'00'";

/** Opens a database whose tables are full of rows past their retention, with the steps that remove them. */
async function openBacklog(count: number) {
  const database = await openDatabase();
  const { clock, driver } = database;
  const webhookId = await database.addWebhook();
  await database.addDeliveries(webhookId, count);
  const userId = (await driver.reader.get<{ id: string }>('SELECT id FROM users'))?.id ?? '';
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  await driver.transaction(async (queries) => {
    const run = (sql: string) => queries.run(sql, sql.includes('@userId') ? { userId } : {});
    await run("UPDATE deliveries SET status = 'failed', next_attempt_at = NULL, completed_at = 0");
    await run('DELETE FROM uncounted_deliveries');
    await run(`UPDATE webhook_statistics
      SET finished_deliveries = ${count}, queued_deliveries = 0`);
    await run(`INSERT INTO delivery_attempts (delivery_id, attempt_number, started_at, duration_ms)
      SELECT id, 1, 0, 0 FROM deliveries`);
    await run(`INSERT INTO vaults (id, user_id, instance_id, name, name_folded, is_active, created_at, updated_at)
      SELECT 'vault', @userId, instance_id, 'v', 'v', 1, 0, 0 FROM users`);
    await run(`INSERT INTO documents (id, vault_id, user_id, file_name, file_name_folded, mime_type, size_bytes,
        encryption_metadata, content_store, content_digest, uploaded_at, updated_at)
      VALUES ('document', 'vault', @userId, 'f', 'f', 'a/b', 0, '{}', 'database', ${randomDigest}, 0, 0)`);
    await run(`${numbers} INSERT INTO shares (id, document_id, user_id, instance_id, token_hash, permissions, access, expires_at,
        is_active, created_at)
      SELECT 'share ' || i, 'document', @userId, (SELECT id FROM instances), ${randomDigest}, '["read"]', 'anyone', i, i % 2, 0 FROM n`);
    await run(`${numbers} INSERT INTO share_accesses (share_id, access_count, accessed_at, ip_address)
      SELECT 'share 1', i, i, '::1' FROM n`);
    await run(`UPDATE shares SET access_count = ${count} WHERE id = 'share 1'`);
    await run(`${numbers} INSERT INTO instance_history
        (instance_id, hour, documents, used_bytes, requests, succeeded, failed)
      SELECT (SELECT id FROM instances), i, 0, 0, 0, 0, 0 FROM n`);
    await run(`${numbers} INSERT INTO sessions (id, user_id, created_at, last_used_at, expires_at, ip_address)
      SELECT 'session ' || i, @userId, 0, 0, i, '::1' FROM n`);
    await run(`${numbers} INSERT INTO refresh_tokens (hash, session_id, created_at, expires_at)
      SELECT ${randomDigest}, 'session ' || i, 0, i FROM n`);
    await run(`${numbers} INSERT INTO login_places (user_id, network, last_login_at)
      SELECT @userId, 'network ' || i, i FROM n`);
    await run(`${numbers} INSERT INTO api_keys (key_id, user_id, name, hash, prefix, scopes, created_at, revoked_at)
      SELECT 'key ' || i, @userId, 'k', ${randomDigest}, 'p', '[]', 0, i FROM n`);
    await run(`${numbers} INSERT INTO idempotency_outcomes (user_id, call_hash, status, body,
        created_at)
      SELECT @userId, ${randomDigest}, 201, ${oneByte}, i FROM n`);
  });
  clock.advance(100 * 24 * 60 * 60 * 1000);
  return database;
}

type Backlog = Awaited<ReturnType<typeof openBacklog>>;

function stepsOf({ clock, store }: Pick<Backlog, 'clock' | 'store'>): SweepStep[] {
  const ids = createIds(clock);
  const work = createUnitOfWork({
    store,
    clock,
    ids,
    webhookDeliveries: roomy,
    onDeliveries: () => undefined,
  });
  const shares = createShares({
    store,
    contents: databaseContents({ store, clock }),
    work,
    clock,
    ids,
    accountLimits: createAccountLimits(resolveConfig({})),
    tickets: createContentTickets(store, clock),
    maxDocumentBytes: 0,
  });
  return [
    { name: 'expire shares', sweep: shares.expire },
    ...retentionSteps({ store, clock, limits: roomy, grace: 0 }),
  ];
}

const tables = [
  'shares WHERE is_active = 1',
  'shares',
  'share_accesses',
  'instance_history',
  'refresh_tokens',
  'sessions',
  'login_places',
  'api_keys',
  'idempotency_outcomes',
  'deliveries',
  'delivery_attempts',
  // Events of the expired shares are new.
  `events WHERE id < '${leastIdAt('evt', 1768000000000)}'`,
];

async function rows({ driver }: Backlog): Promise<number[]> {
  const counts = await Promise.all(
    tables.map((table) => driver.reader.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`)),
  );
  return counts.map((count) => count?.n ?? -1);
}

test('a sweep removes all due rows, in transactions that do not exceed the limit', async () => {
  const database = await openBacklog(500);
  const limit = 30;
  let before = await rows(database);
  expect(before).toEqual([250, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500]);
  for (const step of stepsOf(database)) {
    for (let swept = limit; swept === limit; ) {
      swept = await step.sweep(limit);
      expect(swept).toBeLessThanOrEqual(limit);
      const after = await rows(database);
      for (const [index, count] of after.entries()) {
        expect((before[index] ?? 0) - count, tables[index]).toBeLessThanOrEqual(limit);
      }
      before = after;
    }
  }
  expect(before).toEqual(tables.map(() => 0));
  await database.close();
});

test.skipIf(testsPostgres)('every statement of a sweep finds due rows by an index', async () => {
  const database = await openBacklog(10);
  const statements = new Map<string, Record<string, unknown>>();
  const noting = (queries: Queries): Queries => ({
    dialect: queries.dialect,
    get: (sql, parameters) => {
      statements.set(sql, { ...parameters });
      return queries.get(sql, parameters);
    },
    all: (sql, parameters) => {
      statements.set(sql, { ...parameters });
      return queries.all(sql, parameters);
    },
    run: (sql, parameters) => {
      statements.set(sql, { ...parameters });
      return queries.run(sql, parameters);
    },
    insert: (sql, parameters) => {
      statements.set(sql, { ...parameters });
      return queries.insert(sql, parameters);
    },
    snapshot: (work) => queries.snapshot((snapshot) => work(noting(snapshot))),
  });
  const { driver, clock } = database;
  const store = createStore(
    {
      reader: driver.reader,
      transaction: (work) => driver.transaction((queries) => work(noting(queries))),
      revision: undefined,
      otherWriters: 0,
      leases: undefined,
      counters: undefined,
      wakeUps: undefined,
      freePages: undefined,
      exclusively: (work) => work(),
      close: () => driver.close(),
    },
    plainSealer,
  );
  for (const step of stepsOf({ clock, store })) await step.sweep(100);

  expect(statements.size).toBeGreaterThanOrEqual(10);
  for (const [sql, parameters] of statements) {
    const plan = await driver.reader.all<{ detail: string }>(
      `EXPLAIN QUERY PLAN ${sql}`,
      parameters as Record<string, string>,
    );
    const details = plan.map(({ detail }) => detail).join('\n');
    // Administrators are few. Erasures are read from the start of their table, up to a limit.
    expect(details, sql).not.toMatch(
      /\bSCAN (?!CONSTANT|json_each|page|erasures|content_erasures|users USING COVERING INDEX administrators)/,
    );
    expect(details, sql).not.toContain('TEMP B-TREE');
  }
  await database.close();
});
