import { expect, onTestFinished, test } from 'vitest';
import type { Queries } from '../src/store/driver.ts';
import { plainSealer } from '../src/store/sealing.ts';
import { createStore } from '../src/store/store.ts';
import { openDatabase } from '../test/support/delivery/database.ts';

const documents = 25_000;
const sort = { sortBy: 'fileName', sortOrder: 'asc', pageSize: 20 } as const;

/** Calls `onScan` at each statement that scans rows for a text. */
function watch(queries: Queries, onScan: () => void): Queries {
  return {
    dialect: queries.dialect,
    get: (sql, parameters) => queries.get(sql, parameters),
    all(sql, parameters) {
      if (parameters && 'search' in parameters) onScan();
      return queries.all(sql, parameters);
    },
    run: (sql, parameters) => queries.run(sql, parameters),
    insert: (sql, parameters) => queries.insert(sql, parameters),
    snapshot: (work) => queries.snapshot((view) => work(watch(view, onScan))),
  };
}

// More pages than connections. All of them wait for one scan, which runs several statements.
test('30 pages of one search at the same time are all found', async () => {
  const { driver, owner, close } = await openDatabase();
  onTestFinished(close);
  const { userId, instanceId } = owner;
  await driver.transaction(async (queries) => {
    await queries.run(
      `INSERT INTO vaults (id, user_id, instance_id, name, name_folded, is_active, created_at, updated_at)
       VALUES ('vault', @userId, @instanceId, 'v', 'v', 1, 1, 1)`,
      { userId, instanceId },
    );
    await queries.run(
      `INSERT INTO documents (id, vault_id, user_id, file_name, file_name_folded, mime_type, size_bytes,
         encryption_metadata, content_store, content_digest, uploaded_at, updated_at)
       SELECT 'document-' || i, 'vault', @userId, 'name ' || i, 'name ' || i, 'a/b', 0, '{}', 'database', @digest, i, i
       FROM generate_series(1, @documents) i`,
      { userId, documents, digest: Buffer.alloc(32) },
    );
  });
  const scanned = Promise.withResolvers<void>();
  const reader = watch(driver.reader, scanned.resolve);
  const store = createStore(Object.create(driver, { reader: { value: reader } }), plainSealer);
  const find = (page: number) =>
    // A text of one letter, which no index finds.
    store.documents.list({ ...sort, userId, search: 'm', page });
  const first = find(1);
  await scanned.promise;
  const later = Array.from({ length: 29 }, (_, index) => find(index + 2));
  for (const { rows, totalCount } of await Promise.all([first, ...later])) {
    expect(rows).toHaveLength(20);
    expect(totalCount).toBe(documents);
  }
});
