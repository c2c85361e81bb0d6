import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fold } from '../src/lib/case-folding.ts';
import { newDocument, newVault } from './support/resources.ts';
import { type Caller, startTestServer, type TestServer } from './support/server.ts';

// Guarantees of reading a list page by page over HTTP while other clients change the list.

/** A list that contains only the rows of one run. */
interface List {
  /** Path and filter. */
  readonly path: string;
  create(name: string): Promise<{ readonly id: string }>;
  /** Path under which its rows are renamed and removed. */
  readonly rows: string;
  readonly nameField: string;
}

interface Kind {
  readonly name: string;
  readonly columns: readonly string[];
  /** The column whose value grows with each new row. */
  readonly age: string;
  open(call: Caller, run: number): Promise<List>;
}

const kinds: readonly Kind[] = [
  {
    name: 'vaults',
    columns: ['createdAt', 'updatedAt', 'name', 'documentCount', 'totalSize'],
    age: 'createdAt',
    open: async (call, run) => ({
      path: `/api/v1/vaults?category=run-${run}`,
      create: (name) => newVault(call, { name, category: `run-${run}` }),
      rows: '/api/v1/vaults',
      nameField: 'name',
    }),
  },
  {
    name: 'documents',
    columns: ['uploadedAt', 'updatedAt', 'fileName', 'sizeBytes'],
    age: 'uploadedAt',
    async open(call) {
      const { id } = await newVault(call);
      return {
        path: `/api/v1/documents?vaultId=${id}`,
        create: (fileName) => newDocument(call, id, fileName, { fileName }),
        rows: '/api/v1/documents',
        nameField: 'fileName',
      };
    },
  },
];

/** Few names, so that values are equal often. */
const name = fc.constantFrom('a', 'A', 'b', 'bb', 'Ä', 'z');

const plans = ({ columns }: Kind) =>
  fc.record({
    /** Names of the rows that exist before the walk, and whether the clock advances before each. */
    before: fc.array(fc.tuple(name, fc.boolean()), { minLength: 5, maxLength: 25 }),
    /** Changes by other clients during the walk, by name or by position of a row. */
    meanwhile: fc.array(fc.tuple(name, fc.nat(100)), { minLength: 1, maxLength: 25 }),
    pageSize: fc.integer({ min: 1, max: 6 }),
    sortBy: fc.constantFrom(...columns),
    sortOrder: fc.constantFrom('asc', 'desc'),
  });

type Plan = ReturnType<typeof plans> extends fc.Arbitrary<infer Value> ? Value : never;

type Order = Pick<Plan, 'pageSize' | 'sortBy' | 'sortOrder'>;

// biome-ignore lint/suspicious/noExplicitAny: rows of every list
type Row = any;

/** Returns the ids of a list, page by page, until there is no next page. */
async function walk(call: Caller, path: string, order: Order): Promise<string[]> {
  return (await walkRows(call, path, order)).map(({ id }) => id);
}

async function walkRows(call: Caller, path: string, { pageSize, sortBy, sortOrder }: Order) {
  const seen: Row[] = [];
  for (let page = 1, more = true; more; page += 1) {
    const query = `&sortBy=${sortBy}&sortOrder=${sortOrder}&pageSize=${pageSize}&page=${page}`;
    const { status, body } = await call('GET', path + query);
    expect(status).toBe(200);
    const ids = body.data.map(({ id }: Row) => id);
    const { totalCount, hasNextPage } = body.pagination;
    expect(ids, 'page and count come from one snapshot').toHaveLength(
      Math.max(0, Math.min(pageSize, totalCount - (page - 1) * pageSize)),
    );
    expect(new Set(ids).size, 'no page has a row twice').toBe(ids.length);
    seen.push(...body.data);
    more = hasNextPage;
  }
  return seen;
}

/** The order that the contract gives rows: equal values by id, in the same direction. */
function inOrder({ sortBy, sortOrder }: Order) {
  const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
  const value = (row: Row) => (typeof row[sortBy] === 'string' ? fold(row[sortBy]) : row[sortBy]);
  const direction = sortOrder === 'asc' ? 1 : -1;
  return (a: Row, b: Row) => direction * (compare(value(a), value(b)) || compare(a.id, b.id));
}

/** How often each id was seen. */
const countSeen = (ids: readonly string[], seen: readonly string[]) =>
  ids.map((id) => seen.filter((other) => other === id).length);

/** Runs `act` for one item after the other. */
async function runInOrder<Item>(items: readonly Item[], act: (item: Item) => Promise<unknown>) {
  for (const item of items) await act(item);
}

/** Fills a new list as planned and returns it with its ids. */
async function fill(server: TestServer, kind: Kind, run: number, { before }: Plan) {
  const list = await kind.open(server.developer, run);
  const ids: string[] = [];
  for (const [rowName, isLater] of before) {
    if (isLater) server.clock.advance(1);
    ids.push((await list.create(rowName)).id);
  }
  return { list, ids };
}

/** Walks as planned while two other clients apply half of the planned changes each. */
async function walkBeside(
  call: Caller,
  {
    list,
    plan,
    act,
  }: { list: List; plan: Plan; act: (step: Plan['meanwhile'][number]) => Promise<unknown> },
) {
  const odd = plan.meanwhile.filter((_, index) => index % 2 === 1);
  const even = plan.meanwhile.filter((_, index) => index % 2 === 0);
  const [seen] = await Promise.all([
    walk(call, list.path, plan),
    runInOrder(odd, act),
    runInOrder(even, act),
  ]);
  return seen;
}

const unlimited = {
  requestsPerMinute: { enterprise: 1_000_000 },
  requestsPerHour: { enterprise: 1_000_000 },
};
const numRuns = 12;

describe.each(kinds.map((kind) => [kind.name, kind] as const))(
  'reading %s page by page',
  (_, kind) => {
    /** Runs a property with a new list each time. */
    async function check(
      property: (server: TestServer, plan: Plan, run: number) => Promise<void>,
    ): Promise<void> {
      const server = await startTestServer(unlimited);
      let run = 0;
      await fc.assert(
        fc.asyncProperty(plans(kind), (plan) => property(server, plan, run++)),
        { numRuns },
      );
    }

    test('an unchanged list shows every row once and in order, for every sort order', () =>
      check(async (server, plan, run) => {
        const { list, ids } = await fill(server, kind, run, plan);
        const rows = await walkRows(server.developer, list.path, plan);
        expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
        expect(rows).toEqual(rows.toSorted(inOrder(plan)));
      }));

    test('every existing row is seen while other clients add rows, for every sort order', () =>
      check(async (server, plan, run) => {
        const { list, ids } = await fill(server, kind, run, plan);
        const act = ([rowName]: [string, number]) => list.create(rowName);
        const seen = await walkBeside(server.developer, { list, plan, act });
        for (const count of countSeen(ids, seen)) expect(count).toBeGreaterThanOrEqual(1);
      }));

    test('no row is seen twice while other clients remove rows, for every sort order', () =>
      check(async (server, plan, run) => {
        const { list, ids } = await fill(server, kind, run, plan);
        const act = ([, place]: [string, number]) =>
          server.developer('DELETE', `${list.rows}/${ids[place % ids.length]}`);
        const seen = await walkBeside(server.developer, { list, plan, act });
        for (const count of countSeen(ids, seen)) expect(count).toBeLessThanOrEqual(1);
      }));

    test('sorted from the oldest, every row is seen once while other clients add and rename rows', () =>
      check(async (server, plan, run) => {
        const { developer, clock } = server;
        const { list, ids } = await fill(server, kind, run, plan);
        const act = ([rowName, place]: [string, number]) => {
          if (place % 3 === 0) clock.advance(1);
          if (place % 2 === 0) return list.create(rowName);
          const body = { [list.nameField]: rowName };
          return developer('PUT', `${list.rows}/${ids[place % ids.length]}`, { body });
        };
        const byAge: Plan = { ...plan, sortBy: kind.age, sortOrder: 'asc' };
        const seen = await walkBeside(developer, { list, plan: byAge, act });
        expect(new Set(seen).size, 'no new row twice').toBe(seen.length);
        expect(seen.slice(0, ids.length)).toEqual(ids);
      }));

    test('sorted from the oldest, every remaining row is seen while other clients remove the newest', () =>
      check(async (server, plan, run) => {
        const { list, ids } = await fill(server, kind, run, plan);
        const [last, ...kept] = ids.toReversed();
        const act = () => server.developer('DELETE', `${list.rows}/${last}`);
        const byAge: Plan = { ...plan, sortBy: kind.age, sortOrder: 'asc' };
        const seen = await walkBeside(server.developer, { list, plan: byAge, act });
        expect(seen.filter((id) => id !== last)).toEqual(kept.toReversed());
      }));
  },
);

test('with page numbers, an added row moves a row to the next page, and a removed one moves a row off it', async () => {
  const { developer } = await startTestServer();
  const page = async (number: number) => {
    const { body } = await developer('GET', `/api/v1/vaults?pageSize=2&page=${number}`);
    return body.data.map((vault: { name: string }) => vault.name);
  };
  const vaults = [];
  for (const each of ['1', '2', '3', '4']) vaults.push(await newVault(developer, { name: each }));
  expect(await page(1)).toEqual(['4', '3']);
  const { id } = await newVault(developer, { name: '5' });
  expect(await page(2)).toEqual(['3', '2']);

  await developer('DELETE', `/api/v1/vaults/${id}`);
  expect(await page(1)).toEqual(['4', '3']);
  await developer('DELETE', `/api/v1/vaults/${vaults[3].id}`);
  expect(await page(2)).toEqual(['1']);
});
