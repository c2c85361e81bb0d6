import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import type { Driver, Queries, SqlParameters } from '../src/store/driver.ts';
import { plainSealer } from '../src/store/sealing.ts';
import { createStore } from '../src/store/store.ts';
import { startWithAdministrator } from '../test/support/administrator.ts';
import { openDatabase } from '../test/support/delivery/database.ts';
import { startReceiver } from '../test/support/delivery/receiver.ts';
import { urlOfFolder } from '../test/support/postgres/databases.ts';
import { leaveAll } from '../test/support/postgres/leftovers.ts';
import { newDocument, newVault } from '../test/support/resources.ts';
import {
  countedTables,
  exempt,
  smallIndexes,
  smallTables,
} from '../test/support/store/statements.ts';

const vaults = 400;
const documentsPerVault = 100;

/** Records the statements of a view. */
function recording(reader: Queries) {
  const statements: { readonly sql: string; readonly parameters: SqlParameters | undefined }[] = [];
  const note = (sql: string, parameters?: SqlParameters) => {
    statements.push({ sql, parameters });
  };
  const recorded: Queries = {
    dialect: reader.dialect,
    get(sql, parameters) {
      note(sql, parameters);
      return reader.get(sql, parameters);
    },
    all(sql, parameters) {
      note(sql, parameters);
      return reader.all(sql, parameters);
    },
    run: (sql, parameters) => reader.run(sql, parameters),
    insert: (sql, parameters) => reader.insert(sql, parameters),
    snapshot: (work) => work(recorded),
  };
  return { statements, recorded };
}

/** Fills the account with vaults and documents, as many as a list may have. */
async function fill(driver: Driver, owner: { userId: string; instanceId: string }) {
  await driver.transaction(async (queries) => {
    await queries.run(
      `INSERT INTO vaults (id, user_id, instance_id, name, name_folded, is_active, created_at, updated_at)
       SELECT 'vault-' || i, @userId, @instanceId, 'v', 'v', 1, i, i FROM generate_series(1, @vaults) i`,
      { ...owner, vaults },
    );
    await queries.run(
      `INSERT INTO documents (id, vault_id, user_id, file_name, file_name_folded, mime_type, size_bytes,
         encryption_metadata, content_store, content_digest, uploaded_at, updated_at)
       SELECT 'document-' || i, 'vault-' || (i % @vaults + 1), @userId, 'name ' || i, 'name ' || i, 'a/b', 0, '{}',
         'database', @digest, i, i FROM generate_series(1, @documents) i`,
      {
        userId: owner.userId,
        vaults,
        documents: vaults * documentsPerVault,
        digest: Buffer.alloc(32),
      },
    );
    await queries.run('UPDATE account_usage SET documents = @documents, vaults = @vaults', {
      documents: vaults * documentsPerVault,
      vaults,
    });
    await queries.run('UPDATE vaults SET document_count = @documents', {
      documents: documentsPerVault,
    });
    await queries.run('ANALYZE');
  });
}

test('no list of 40,000 documents reads all of them', async () => {
  const { driver, owner, close } = await openDatabase();
  await fill(driver, owner);
  const { statements, recorded } = recording(driver.reader);
  const view = Object.create(driver, { reader: { value: recorded } });
  const store = createStore(view, plainSealer);
  const page = { page: 1, pageSize: 20 } as const;
  const vaultIds = Array.from({ length: 20 }, (_, index) => `vault-${index + 1}`);
  const { userId } = owner;
  for (const sortBy of ['uploadedAt', 'updatedAt', 'fileName', 'sizeBytes'] as const) {
    const sort = { ...page, sortBy, sortOrder: 'desc' } as const;
    const lists = await store.documents.listOfEach(vaultIds, sort);
    expect([...(lists?.values() ?? [])].map(({ rows }) => rows.length)).toEqual(
      vaultIds.map(() => 20),
    );
    await store.documents.list({ ...sort, userId });
    await store.documents.list({ ...sort, userId, vaultId: 'vault-7' });
    await store.documents.list({ ...sort, userId, page: 300 });
  }
  await store.documents.list({
    ...page,
    userId,
    search: 'name 3999',
    sortBy: 'fileName',
    sortOrder: 'asc',
  });
  await store.documents.findMany(['document-1', 'document-2']);
  expect(statements.length).toBeGreaterThan(16);
  for (const { sql, parameters } of statements) {
    const plan = await driver.reader.all<Record<string, string>>(`EXPLAIN ${sql}`, parameters);
    const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(lines, sql).not.toMatch(/Seq Scan on documents/);
    // A nested loop over all documents would cost millions.
    expect(Number(/cost=\S+\.\.(\S+) /.exec(lines)?.[1]), sql).toBeLessThan(50_000);
  }
  await close();
});

/** Notes every statement of this process until the test ends, with its last values. */
function noteStatements(): ReadonlyMap<string, unknown[]> {
  const statements = new Map<string, unknown[]>();
  const { prototype } = pg.Client;
  const { query } = prototype;
  onTestFinished(() => {
    prototype.query = query;
  });
  prototype.query = function noted(this: pg.Client, ...call: unknown[]) {
    const [statement] = call as [{ readonly text?: string; readonly values?: unknown[] }];
    if (statement?.text) statements.set(statement.text, statement.values ?? []);
    return Reflect.apply(query, this, call);
  } as typeof query;
  return statements;
}

/** A node of EXPLAIN (FORMAT JSON). */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** Returns the tables of a plan that are read from one end to the other, unless a limit ends it. */
function readWhole(node: PlanNode, isBounded = false): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index = '' } = node;
  const isScan = /^(Seq|Index|Index Only) Scan$/.test(type) && node['Index Cond'] === undefined;
  const isSmall =
    smallTables.has(table) || smallIndexes.has(index) || (index !== '' && countedTables.has(table));
  const isLimited = type === 'Limit' || (isBounded && !/Sort|Aggregate|Group|Unique/.test(type));
  const below = (node.Plans ?? []).flatMap((each) => readWhole(each, isLimited));
  return isScan && !isSmall && !isBounded ? [`${type} on ${table}`, ...below] : below;
}

test('no statement of requests, deliveries and sweeps reads a whole table that grows', async () => {
  const { data, admin, ...server } = await startWithAdministrator();
  const statements = noteStatements();
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const call = server.developer;
  const { body: webhook } = await call('POST', '/api/v1/webhooks', {
    body: { url: receiver.url, events: ['vault.created'], secret: 'x'.repeat(32) },
  });
  await leaveAll(server);
  const vault = await newVault(call);
  const { id } = await newDocument(call, vault.id);
  await receiver.received(1);
  const lists = [
    ...['vaults', 'vaults?search=tax&category=a', 'documents', 'documents?search=letter'],
    ...['consents', 'events', 'events?type=vault.created', 'api-keys'],
    ...['webhooks', `webhooks/${webhook.id}/deliveries`, `documents/${id}/shares`, 'instances'],
    `webhooks/${webhook.id}/deliveries?status=succeeded`,
    `documents?vaultId=${vault.id}&search=letter&mimeType=application/pdf`,
  ];
  for (const list of lists) {
    for (const caller of [call, admin]) {
      const { status } = await caller('GET', `/api/v1/${list}`);
      expect([200, 403], list).toContain(status);
    }
  }
  expect((await admin('GET', '/api/v1/users?search=ada')).status).toBe(200);
  for (const days of [1, 30, 300]) {
    server.clock.advance(days * 24 * 60 * 60 * 1000);
    await server.settled();
  }
  const client = new pg.Client({ connectionString: urlOfFolder(data) });
  await client.connect();
  onTestFinished(() => client.end());
  // With few accounts, all of them would be read into memory for the conditions that ask for active ones.
  await client.query(`INSERT INTO users (id, email, email_folded, name, password_hash, role, tier, status, instance_id,
      created_at, updated_at)
    SELECT 'user-' || i, i, i, 'User', '', 'user', 'free', 'active', (SELECT id FROM instances), 0, 0
    FROM generate_series(1, 20000) i`);
  await client.query('ANALYZE users');
  // Whether an index fits must not depend on how few rows the tables of a test have.
  for (const way of ['seqscan', 'hashjoin', 'mergejoin', 'bitmapscan']) {
    await client.query(`SET enable_${way} = off`);
  }
  const growing: string[] = [];
  let explained = 0;
  for (const [text, values] of new Map(statements)) {
    if (!/^\s*(SELECT|WITH|UPDATE|DELETE|INSERT)/.test(text) || text.includes(exempt)) continue;
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, values);
    explained += 1;
    const tables = readWhole(rows[0]['QUERY PLAN'][0].Plan);
    if (tables.length > 0) growing.push(`${tables.join(', ')}: ${text}`);
  }
  expect(explained).toBeGreaterThan(100);
  expect(growing).toEqual([]);
});
