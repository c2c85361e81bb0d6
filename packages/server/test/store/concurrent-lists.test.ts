import { expect, test } from 'vitest';
import { openDatabase } from '../support/delivery/database.ts';
import { vaultRecord } from '../support/store/records.ts';

// So long that a page in the middle starts at the second keyset anchor.
const length = 24_000;

test('concurrent reads of deep pages return the rows of these pages, also from cached anchors', async () => {
  const { store, driver, owner, close } = await openDatabase();
  await store.transaction((tx) => tx.vaults.insert(vaultRecord({ owner }, 'vault')));
  await driver.transaction((queries) =>
    queries.run(
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < @length)
       INSERT INTO documents (id, vault_id, user_id, file_name, file_name_folded, mime_type, size_bytes,
         encryption_metadata, content_store, content_digest, uploaded_at, updated_at)
       SELECT 'document-' || i, 'vault', @userId, 'a', 'a', 'a/b', 0, '{}', 'database', @digest, i, 0 FROM n`,
      { length, userId: owner.userId, digest: Buffer.alloc(32) },
    ),
  );
  await driver.transaction((queries) =>
    queries.run('UPDATE account_usage SET documents = @length', { length }),
  );
  const firstOf = async (page: number) => {
    const { rows } = await store.documents.list({
      userId: owner.userId,
      sortBy: 'uploadedAt',
      sortOrder: 'asc',
      page,
      pageSize: 10,
    });
    return rows[0]?.uploadedAt;
  };
  const pages = [601, 1101, 601, 1150];
  const expected = pages.map((page) => (page - 1) * 10);
  expect(await Promise.all(pages.map(firstOf))).toEqual(expected);
  expect(await Promise.all(pages.map(firstOf)), 'from what is remembered').toEqual(expected);
  await close();
});
