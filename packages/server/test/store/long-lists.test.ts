import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DocumentFilter, DocumentRecord } from '../../src/store/rows/documents/documents.ts';
import type { VaultRecord } from '../../src/store/rows/documents/vaults.ts';
import { openDatabase, type TestDatabase } from '../support/delivery/database.ts';
import { documentRecord, insertDocument, vaultRecord } from '../support/store/records.ts';

// Long enough for every plan of a list: keyset anchors, sorting few matches, scans with many matches.
const length = 11_000;

let database: TestDatabase;
const vaults: VaultRecord[] = [];
let documents: DocumentRecord[] = [];

/** Adds the documents with these numbers, the last one excluded. */
async function addDocuments(from: number, to: number): Promise<void> {
  await database.store.transaction(async (tx) => {
    for (let index = from; index < to; index += 1) {
      const document = documentRecord(vaults[index % 50 === 7 ? 1 : 0] as VaultRecord, {
        id: `document-${String((index * 7919) % length).padStart(5, '0')}`,
        fileName: index % 997 === 5 ? `Rare ${index} 界` : `Common-${(index * 31) % 400}.PDF`,
        mimeType: index % 333 === 0 ? 'text/rare' : `text/${index % 3}`,
        sizeBytes: (index * 13) % 257,
        uploadedAt: index >> 2,
        updatedAt: (index * 17) % 5000,
      });
      await insertDocument(tx, document);
      documents.push(document);
    }
  });
}

beforeAll(async () => {
  database = await openDatabase();
  await database.store.transaction(async (tx) => {
    for (let index = 0; index < 3; index += 1) {
      const vault = vaultRecord(database, `vault-${index}`);
      await tx.vaults.insert(vault);
      vaults.push(vault);
    }
  });
  // PostgreSQL keeps every version of a counter until the end of its transaction.
  for (let from = 0; from < length; from += 100)
    await addDocuments(from, Math.min(from + 100, length));
});
afterAll(() => database.close());

type SortBy = DocumentFilter['sortBy'];

/** Sorts by UTF-16. The names have no characters that UTF-8 orders differently. */
function inOrder(sortBy: SortBy): DocumentRecord[] {
  const value = (document: DocumentRecord) =>
    sortBy === 'fileName' ? document.fileName.toLowerCase() : document[sortBy];
  return documents.toSorted((a, b) => {
    const [x, y] = [value(a), value(b)];
    return x < y ? -1 : x > y ? 1 : a.id < b.id ? -1 : 1;
  });
}

function matches(document: DocumentRecord, { vaultId, mimeType, search }: Filter): boolean {
  return (
    (vaultId === undefined || document.vaultId === vaultId) &&
    (mimeType === undefined || document.mimeType === mimeType) &&
    document.fileName.toLowerCase().includes((search ?? '').toLowerCase())
  );
}

type Filter = Partial<Pick<DocumentFilter, 'userId' | 'vaultId' | 'mimeType' | 'search'>>;

const sorts = ['uploadedAt', 'updatedAt', 'fileName', 'sizeBytes'] as const;
const orders = ['asc', 'desc'] as const;
const pages = [1, 2, 260, 300, 550, 551, 1e6];
const pageSize = 20;

/** Compares every page, in every order, with a filtered and sorted array. */
async function checkEverything(filters: readonly Filter[]): Promise<void> {
  const { userId } = database.owner;
  for (const sortBy of sorts) {
    const all = inOrder(sortBy);
    for (const filter of filters) {
      // The default order of all accounts is the order of creation.
      const isOfAll = filter.userId === null && sortBy === 'uploadedAt';
      const ascending = (isOfAll ? documents : all)
        .filter((document) => matches(document, filter))
        .map(({ id }) => id);
      for (const sortOrder of orders) {
        const ids = sortOrder === 'asc' ? ascending : ascending.toReversed();
        for (const page of pages) {
          const query = { userId, ...filter, sortBy, sortOrder, page, pageSize };
          const { rows, totalCount } = await database.store.documents.list(query);
          expect({ ids: rows.map(({ id }) => id), totalCount }, JSON.stringify(query)).toEqual({
            ids: ids.slice((page - 1) * pageSize, page * pageSize),
            totalCount: ids.length,
          });
        }
      }
    }
  }
}

const plain = () => [
  {},
  { userId: null },
  { vaultId: vaults[0]?.id },
  { vaultId: vaults[1]?.id },
  { vaultId: vaults[2]?.id },
  { mimeType: 'text/1' },
  { mimeType: 'text/rare' },
  { mimeType: 'text/none' },
  { vaultId: vaults[0]?.id, mimeType: 'text/1' },
  { vaultId: vaults[0]?.id, mimeType: 'text/rare' },
  { userId: null, mimeType: 'text/2' },
  { userId: null, mimeType: 'text/rare' },
];

const searches = () => [
  { search: 'RARE' },
  { search: 'common' },
  { search: 'on-3' },
  { search: 'common-39' },
  { search: '界' },
  { search: '9.' },
  { search: 'e 5' },
  { search: 'x' },
  { search: 'nowhere' },
  { search: 'rare\0' },
  { search: '"' },
  { search: 'common', vaultId: vaults[0]?.id, mimeType: 'text/rare' },
  { search: 'common', vaultId: vaults[1]?.id, userId: null },
  { search: 'rare', vaultId: vaults[1]?.id },
  { search: 'rare', mimeType: 'text/1' },
  { search: '39', mimeType: 'text/rare' },
];

describe('long list', () => {
  test('every page of a long list is in order, with every filter', () => checkEverything(plain()));

  test('every page of a search is in order, with few and many matches', () =>
    checkEverything(searches()));

  test('pages of a long list contain later changes, also pages that were read before', async () => {
    const [, , other] = vaults;
    await database.store.transaction(async (tx) => {
      const changed = documents.map((document, index) => {
        if (index % 40 === 0) return { ...document, fileName: `Renamed-${index}`, updatedAt: 1 };
        if (index % 40 === 1) return { ...document, vaultId: other?.id ?? '', mimeType: 'text/1' };
        return document;
      });
      for (const [index, document] of changed.entries()) {
        if (document !== documents[index]) await tx.documents.save(document);
      }
      for (const { id } of changed.slice(200, 300)) await tx.documents.delete(id);
      documents = [...changed.slice(0, 200), ...changed.slice(300)];
    });
    await checkEverything([{}, { vaultId: other?.id }, { mimeType: 'text/1' }]);
    await checkEverything([{ search: 'renamed' }, { search: 'common' }, { search: '9.' }]);
    await checkEverything([{ search: 'common', vaultId: other?.id }]);
  });

  test('lists pass the documents of a deleted vault in steps, with other work in between', async () => {
    const [deleted, , other] = vaults;
    await database.store.transaction(({ vaults }) => vaults.delete(deleted?.id ?? ''));
    const hidden = documents.length;
    documents = documents.filter(({ vaultId }) => vaultId !== deleted?.id);
    expect(hidden - documents.length).toBeGreaterThan(10_000);
    let turns = 0;
    const count = () => {
      turns += 1;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    const { userId } = database.owner;
    // The row in the middle: from both ends, more than 5,000 hidden rows stand before it.
    const middle = Math.floor(documents.length / 2);
    const order = { pageSize: 1, sortBy: 'sizeBytes', sortOrder: 'asc' } as const;
    const { rows } = await database.store.documents.list({ ...order, page: middle, userId });
    clearImmediate(immediate);
    expect(rows).toHaveLength(1);
    expect(turns).toBeGreaterThanOrEqual(1);
    await checkEverything([
      {},
      { userId: null },
      { mimeType: 'text/1' },
      { mimeType: 'text/rare' },
    ]);
    await checkEverything([{ vaultId: other?.id }, { search: 'common' }, { search: 'renamed' }]);
  });
});
