import { afterAll, beforeAll, expect, test } from 'vitest';
import type { VaultFilter, VaultRecord } from '../../src/store/rows/documents/vaults.ts';
import { openDatabase, type TestDatabase } from '../support/delivery/database.ts';
import { vaultRecord } from '../support/store/records.ts';

// More vaults than between two keyset anchors, so that pages start at an anchor.

const count = 3100;
const pageSize = 100;

let database: TestDatabase;
let vaults: VaultRecord[];

beforeAll(async () => {
  database = await openDatabase();
  vaults = Array.from({ length: count }, (_, index) =>
    vaultRecord(database, `vault-${String((index * 37) % count).padStart(4, '0')}`, {
      name: `vault ${(index * 7919) % 97}`,
      category: index % 3 === 0 ? 'third' : null,
      isActive: index % 5 !== 0,
      documentCount: index % 11,
      createdAt: Math.floor(index / 4),
    }),
  );
  await database.store.transaction(async (tx) => {
    for (const vault of vaults) await tx.vaults.insert(vault);
  });
  await countDocuments(vaults);
});

/** Stores the document counts of these records, without documents. */
async function countDocuments(records: readonly VaultRecord[]): Promise<void> {
  await database.driver.transaction(async (queries) => {
    for (const { id, documentCount } of records) {
      const sql = 'UPDATE vaults SET document_count = @documentCount WHERE id = @id';
      await queries.run(sql, { id, documentCount });
    }
  });
}

afterAll(() => database.close());

/** Returns the ids of a list by sorting all vaults. */
function expected({ sortBy, sortOrder, category, isActive }: Partial<VaultFilter>): string[] {
  const sign = sortOrder === 'asc' ? 1 : -1;
  const key = sortBy as 'createdAt' | 'name' | 'documentCount';
  return vaults
    .filter((vault) => category === undefined || vault.category === category)
    .filter((vault) => isActive === undefined || vault.isActive === isActive)
    .toSorted((a, b) => {
      const [x, y] = a[key] === b[key] ? [a.id, b.id] : [a[key], b[key]];
      return sign * (x < y ? -1 : 1);
    })
    .map(({ id }) => id);
}

async function expectEveryPage(
  filter: Pick<VaultFilter, 'sortBy' | 'sortOrder'> & Partial<VaultFilter>,
) {
  const ids = expected(filter);
  // Backwards, so that the first page has no anchor yet.
  for (let page = Math.ceil(ids.length / pageSize); page > 0; page -= 3) {
    const { rows, totalCount } = await database.store.vaults.list({
      ...filter,
      userId: database.owner.userId,
      searchIn: 'name',
      page,
      pageSize,
    });
    expect(totalCount).toBe(ids.length);
    expect(rows.map(({ id }) => id)).toEqual(ids.slice((page - 1) * pageSize, page * pageSize));
  }
}

const filters = [
  {},
  { category: 'third' },
  { isActive: true },
  { category: 'third', isActive: false },
];

async function expectEveryList(): Promise<void> {
  for (const filter of filters) {
    for (const sortBy of ['createdAt', 'name', 'documentCount'] as const) {
      for (const sortOrder of ['asc', 'desc'] as const) {
        await expectEveryPage({ ...filter, sortBy, sortOrder });
      }
    }
  }
}

test('pages of 3,100 vaults contain every vault once, in order', expectEveryList);

test('pages stay complete after vaults were renamed, deactivated, deleted and filled', async () => {
  await database.store.transaction(async (tx) => {
    for (const [index, vault] of vaults.entries()) {
      if (index % 100 !== 3) continue;
      const changed = { ...vault, name: 'aardvark', isActive: !vault.isActive, category: 'third' };
      await tx.vaults.save(changed);
      vaults[index] = { ...changed, documentCount: vault.documentCount + 20 };
    }
    // Only vaults without documents: this test sets `document_count` directly, so the account counted none.
    const deleted = vaults.filter(({ documentCount }) => documentCount === 0).slice(100, 140);
    for (const { id } of deleted) await tx.vaults.delete(id);
    vaults = vaults.filter((vault) => !deleted.includes(vault));
  });
  await countDocuments(vaults);
  await expectEveryList();
});

test('pages stay complete after documents were added', async () => {
  vaults = vaults.map((vault, index) =>
    index % 100 === 7 ? { ...vault, documentCount: vault.documentCount + 30 } : vault,
  );
  await countDocuments(vaults);
  await expectEveryList();
});
