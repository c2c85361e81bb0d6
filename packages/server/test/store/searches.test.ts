import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fold } from '../../src/lib/case-folding.ts';
import {
  type VaultFilter,
  type VaultRecord,
  vaultRepository,
} from '../../src/store/rows/documents/vaults.ts';
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts';
import { openDatabase, type TestDatabase } from '../support/delivery/database.ts';
import { testsPostgres } from '../support/postgres/databases.ts';
import { observing } from '../support/store/observing.ts';
import { vaultRecord } from '../support/store/records.ts';
import { turnsUntil } from '../support/store/turns.ts';

/** Few characters, so that texts often match; wildcards and operators of query languages are among them. */
const characters = [
  ...'abAB%_\\"\'*^:(- ',
  ...['É', 'e\u0301', 'ﬁ', 'ß', 'Σ', 'σ', 'ς', 'İ', '界', '😀', '\ud800'],
];

const text = fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 8 });

const changes = fc.array(
  fc.record({
    kind: fc.constantFrom('insert', 'save', 'save', 'delete'),
    pick: fc.nat(),
    name: text,
    description: fc.option(text),
  }),
  { maxLength: 5 },
);

type Change = typeof changes extends fc.Arbitrary<(infer Value)[]> ? Value : never;

/** Applies the same change to the database and to its model. */
async function take(database: TestDatabase, model: VaultRecord[], change: Change): Promise<void> {
  const { kind, pick, name, description } = change;
  const index = pick % Math.max(model.length, 1);
  const known = model[index];
  await database.store.transaction(async (tx) => {
    if (kind === 'insert' || !known) {
      const vault = vaultRecord(database, `vault-${pick}`, { name, description });
      if (model.some(({ id }) => id === vault.id)) return;
      model.push(vault);
      await tx.vaults.insert(vault);
    } else if (kind === 'save') {
      model[index] = { ...known, name, description };
      await tx.vaults.save({ ...known, name, description });
    } else {
      model.splice(index, 1);
      await tx.vaults.delete(known.id);
    }
  });
}

interface Search {
  readonly search: string;
  readonly searchIn: 'name' | 'nameAndDescription';
}

async function find({ store, owner }: TestDatabase, search: Search) {
  const { rows, totalCount } = await store.vaults.list({
    ...search,
    userId: owner.userId,
    sortBy: 'createdAt',
    sortOrder: 'asc',
    page: 1,
    pageSize: 100_000,
  });
  return { ids: rows.map(({ id }) => id), totalCount };
}

function expected(model: readonly VaultRecord[], { search, searchIn }: Search) {
  // The store has no lone surrogates.
  const contains = (stored: string | null) =>
    stored !== null && fold(stored.toWellFormed()).includes(fold(search.toWellFormed()));
  const ids = model
    .filter(
      ({ name, description }) =>
        contains(name) || (searchIn === 'nameAndDescription' && contains(description)),
    )
    .map(({ id }) => id)
    .sort();
  return { ids, totalCount: ids.length };
}

test('a vault search matches a plain text comparison after any sequence of changes', async () => {
  const database = await openDatabase();
  const model: VaultRecord[] = [];
  // More rows than the index leaves out, and too few for a search that scans in list order.
  for (const [pick, name] of fc.sample(text, { numRuns: 300, seed: 1 }).entries()) {
    await take(database, model, { kind: 'insert', pick, name, description: null });
  }
  const search = fc.record({
    search: text,
    searchIn: fc.constantFrom('name' as const, 'nameAndDescription' as const),
  });
  await fc.assert(
    fc.asyncProperty(changes, search, async (changes, search) => {
      for (const change of changes) await take(database, model, change);
      expect(await find(database, search)).toEqual(expected(model, search));
    }),
    // No shrinking: each run starts with the rows of the previous one, so a smaller run is another case.
    { numRuns: 300, endOnFailure: true },
  );
  await database.close();
});

test.each([
  ['ΟΔΟΣΑΚΗΣ', 'ΟΔΟΣ'],
  ['ΟΔΟΣΑΚΗΣ', 'οδος'],
  ['οδοσ', 'ΟΔΟΣ'],
  ['Straße', 'STRAß'],
  ['ﬁnance', 'FIN'],
  ['cafe\u0301', 'CAFÉ'],
])('a search folds case: %s matches %s', async (name, search) => {
  const database = await openDatabase();
  await database.store.transaction((tx) =>
    tx.vaults.insert(vaultRecord(database, 'vault', { name })),
  );
  expect(await find(database, { search, searchIn: 'name' })).toEqual({
    ids: ['vault'],
    totalCount: 1,
  });
  await database.close();
});

test.skipIf(testsPostgres)(
  'a search of a long list looks at one slice of the index after the other, and finds every match',
  async () => {
    const database = await openDatabase();
    const { driver, owner, store } = database;
    // The third slice has the newest rows, some of which are not indexed yet. The second one has none.
    for (const [slice, count] of [128, 200].entries()) {
      if (slice === 1) {
        await driver.transaction((tx) =>
          tx.run("UPDATE sqlite_sequence SET seq = 131072 WHERE name = 'vaults'"),
        );
      }
      await store.transaction(async (tx) => {
        for (let index = 0; index < count; index += 1) {
          const name =
            index % 50 === 7 ? `annual report ${slice}` : `annual plan, no report ${index}`;
          await tx.vaults.insert(vaultRecord(database, `vault-${slice}-${index}`, { name }));
        }
      });
    }
    const find = async (filter: Partial<VaultFilter>) => {
      const slices: unknown[] = [];
      const reader = observing(driver.reader, ({ parameters: { match } }) => {
        if (match !== undefined) slices.push(/ slice : "(.*)"/.exec(String(match))?.[1]);
      });
      const request = { search: 'annual report', searchIn: 'name', userId: owner.userId } as const;
      const list = await vaultRepository(reader).list({
        ...request,
        ...{ sortBy: 'name', sortOrder: 'asc', page: 1, pageSize: 100 },
        ...filter,
      });
      return { ids: list.rows.map(({ id }) => id).sort(), totalCount: list.totalCount, slices };
    };
    const ids = ['0-107', '0-57', '0-7', '1-107', '1-157', '1-57', '1-7'].map(
      (id) => `vault-${id}`,
    );
    expect(await find({})).toEqual({ ids, totalCount: 7, slices: [undefined] });
    // As if the account had that many vaults.
    await driver.transaction((tx) => tx.run('UPDATE account_usage SET vaults = 10001'));
    const slices = ['000', '001', '002'];
    expect(await find({})).toEqual({ ids, totalCount: 7, slices });
    expect(await find({ category: 'none' })).toEqual({ ids: [], totalCount: 0, slices });
    expect(await find({ userId: null })).toEqual({ ids, totalCount: 7, slices });
    await database.close();
  },
);

test('a search for a repeating text contains each trigram that covers it once', () => {
  const candidates = sqliteDialect.candidates({
    table: 'vaults',
    index: 'vault_search',
    columns: ['name', 'description'],
    text: `${'a"'.repeat(99)}bc`,
    belongingTo: { owner: '0123456789' },
  });
  expect(candidates?.parameters).toEqual({
    match: `{name description} : ("a""a" AND """a""" AND """bc") AND owner : "789"`,
  });
});

test('a search for a long text walks at most eight lists of the index', () => {
  const text = String.fromCodePoint(...Array.from({ length: 200 }, (_, index) => 0x4e00 + index));
  const candidates = sqliteDialect.candidates({
    table: 'vaults',
    index: 'vault_search',
    columns: ['name'],
    text,
    belongingTo: {},
  });
  const found = String(candidates?.parameters.match).match(/"(.{3})"/g);
  expect(found).toHaveLength(8);
  expect(found?.[0]).toBe(`"${text.slice(0, 3)}"`);
  expect(found?.[7]).toBe(`"${text.slice(-3)}"`);
});

// PostgreSQL compares in a process of its own.
describe.skipIf(testsPostgres)('a search for a text that repeats 796 characters', () => {
  // Normalisation makes four characters of one.
  const search = `${'\u2057'.repeat(199)}b`;
  /** Rows that one statement compares with it. */
  const step = 12;
  const pageSize = 20;

  test.each([
    ['of 300 vaults that the index finds, compares 12 at once', { count: 300, passed: 300 }],
    [
      'of 1,200 vaults compares 12 at once to count and to find a page',
      { count: 1_200, passed: 1_780 },
    ],
  ])('%s', async (_name, { count, passed }) => {
    const database = await openDatabase();
    const { store, owner } = database;
    const ids = Array.from({ length: count }, (_, index) => `vault-${1_000 + index}`);
    await store.transaction(async (tx) => {
      for (const id of ids) {
        await tx.vaults.insert(vaultRecord(database, id, { description: search }));
      }
      const description = search.slice(0, -1);
      await tx.vaults.insert(vaultRecord(database, 'vault-0', { description }));
    });
    const page = Math.floor(count / pageSize / 2);
    const listed = store.vaults.list({
      search,
      searchIn: 'nameAndDescription',
      userId: owner.userId,
      sortBy: 'createdAt',
      sortOrder: 'asc',
      page,
      pageSize,
    });
    expect(await turnsUntil(listed)).toBeGreaterThanOrEqual(Math.floor(passed / step) - 1);
    const { rows, totalCount } = await listed;
    expect(totalCount).toBe(count);
    const first = (page - 1) * pageSize;
    expect(rows.map(({ id }) => id)).toEqual(ids.slice(first, first + pageSize));
    await database.close();
  });
});
