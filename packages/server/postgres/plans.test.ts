import { expect, test } from 'vitest';
import type { Driver, Queries, SqlParameters } from '../src/store/driver.ts';
import { plainSealer } from '../src/store/sealing.ts';
import { createStore } from '../src/store/store.ts';
import { openDatabase } from '../test/support/delivery/database.ts';

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
