import { describe, expect, test } from 'vitest';
import { emptyPage, invalid } from './support/replies.ts';
import { newDocument, newVault } from './support/resources.ts';
import { type Caller, startTestServer, type TestServer } from './support/server.ts';

interface Vault {
  readonly id: string;
  readonly name: string;
}

async function namesOf(call: Caller, query: string): Promise<string[]> {
  const { status, body } = await call('GET', `/api/v1/vaults${query}`);
  expect(status, query).toBe(200);
  return body.data.map(({ name }: Vault) => name);
}

const search = (text: string) => `search=${encodeURIComponent(text)}`;

/** Creates vaults with different and equal values in every sort field. */
async function fill({ developer, clock }: TestServer): Promise<void> {
  const contents = [['a'], [], ['bbb', 'cc'], ['ddddd'], [], ['e']];
  const names = ['beta', 'Alpha', 'gamma', 'ALPHA', 'äther', 'Beta'];
  for (const [index, name] of names.entries()) {
    if (index % 2 === 0) clock.advance(1000);
    const vault = await newVault(developer, { name });
    for (const content of contents[index] ?? []) await newDocument(developer, vault.id, content);
  }
  const { data } = (await developer('GET', '/api/v1/vaults?sortOrder=asc')).body;
  clock.advance(1000);
  for (const index of [3, 0, 4]) {
    await developer('PUT', `/api/v1/vaults/${data[index].id}`, { body: { category: 'x' } });
  }
}

describe('sorting vaults', () => {
  test('every sort field sorts in both directions, equal values by id', async () => {
    const server = await startTestServer();
    await fill(server);
    const all = (await server.developer('GET', '/api/v1/vaults')).body.data;
    for (const field of ['createdAt', 'updatedAt', 'name', 'documentCount', 'totalSize']) {
      const key = (vault: Record<string, unknown>) => {
        const value = vault[field];
        return field === 'name' ? String(value).toLowerCase() : (value as string | number);
      };
      const ascending = all.toSorted((a: Vault & Record<string, unknown>, b: typeof a) =>
        key(a) === key(b) ? (a.id < b.id ? -1 : 1) : key(a) < key(b) ? -1 : 1,
      );
      const list = async (query: string) =>
        (await server.developer('GET', `/api/v1/vaults?sortBy=${field}${query}`)).body.data;
      expect(new Set(all.map(key)).size, `${field} has equal values`).toBeLessThan(all.length);
      expect(await list('&sortOrder=asc')).toEqual(ascending);
      expect(await list('&sortOrder=desc')).toEqual(ascending.toReversed());
      const natural = field.endsWith('At') ? ascending.toReversed() : ascending;
      expect(await list(''), `natural order of ${field}`).toEqual(natural);
    }
    const newest = (await server.developer('GET', '/api/v1/vaults?sortBy=createdAt')).body.data;
    expect(all, 'newest first without sortBy').toEqual(newest);
  });

  test('names are sorted without regard to case', async () => {
    const server = await startTestServer();
    await fill(server);
    const names = await namesOf(server.developer, '?sortBy=name');
    expect(names).toEqual(['Alpha', 'ALPHA', 'beta', 'Beta', 'gamma', 'äther']);
  });
});

describe('filtering vaults', () => {
  test('category and isActive filter the list, also together', async () => {
    const { developer } = await startTestServer();
    const kinds = [
      ['a', 'personal', true],
      ['b', 'personal', false],
      ['c', 'health', true],
      ['d', null, false],
    ] as const;
    for (const [name, category, isActive] of kinds) {
      const { id } = await newVault(developer, { name, category });
      await developer('PUT', `/api/v1/vaults/${id}`, { body: { isActive } });
    }
    const found = (query: string) => namesOf(developer, `?sortBy=name&${query}`);
    expect(await found('')).toEqual(['a', 'b', 'c', 'd']);
    expect(await found('category=personal')).toEqual(['a', 'b']);
    expect(await found('category=person')).toEqual([]);
    expect(await found('isActive=true')).toEqual(['a', 'c']);
    expect(await found('isActive=false')).toEqual(['b', 'd']);
    expect(await found('category=personal&isActive=false')).toEqual(['b']);
    expect(await found('category=personal&isActive=false&search=a')).toEqual([]);
    const { pagination } = (await developer('GET', '/api/v1/vaults?category=personal')).body;
    expect(pagination).toMatchObject({ totalCount: 2, totalPages: 1 });
  });

  test('an invalid parameter returns 400 with its name and constraint', async () => {
    const { developer } = await startTestServer();
    const invalidQueries: [string, string, string][] = [
      ['page=0', 'page', 'minimum'],
      ['page=-1', 'page', 'minimum'],
      ['page=1.5', 'page', 'type'],
      ['page=', 'page', 'type'],
      ['page=one', 'page', 'type'],
      ['page=1&page=2', 'page', 'type'],
      ['pageSize=0', 'pageSize', 'minimum'],
      ['pageSize=101', 'pageSize', 'maximum'],
      ['sortBy=id', 'sortBy', 'enum'],
      ['sortOrder=up', 'sortOrder', 'enum'],
      ['sortOrder=ASC', 'sortOrder', 'enum'],
      ['category=Personal', 'category', 'pattern'],
      ['category=', 'category', 'minLength'],
      ['isActive=maybe', 'isActive', 'type'],
      [search('x'.repeat(201)), 'search', 'maxLength'],
    ];
    for (const [query, field, constraint] of invalidQueries) {
      const refused = await developer('GET', `/api/v1/vaults?${query}`);
      expect(refused, query).toMatchObject(invalid(field, constraint));
    }
  });
});

describe('searching vaults', () => {
  const names = ['Ärger', '100% sure', 'a_b', 'a\\b', 'axb', "O'Reilly", 'ﬁnance'];

  test('text is found literally anywhere in a name, without regard to case', async () => {
    const { developer } = await startTestServer();
    for (const name of names) await newVault(developer, { name, description: `about ${name}` });
    const found: [string, string[]][] = [
      ['ärger', ['Ärger']],
      ['ÄRGER', ['Ärger']],
      ['A\u0308rg', ['Ärger']],
      ['rge', ['Ärger']],
      ['%', ['100% sure']],
      ['0%', ['100% sure']],
      ['1%e', []],
      ['_', ['a_b']],
      ['a_b', ['a_b']],
      ['\\', ['a\\b']],
      ['\\b', ['a\\b']],
      ['\\\\', []],
      ["'", ["O'Reilly"]],
      ['AXB', ['axb']],
      ['fin', ['ﬁnance']],
      ['nothing', []],
    ];
    for (const [text, expected] of found) {
      expect(await namesOf(developer, `?${search(text)}`), text).toEqual(expected);
      expect(await namesOf(developer, `/search?${search(text)}`), text).toEqual(expected);
    }
    expect(await namesOf(developer, '?search='), 'an empty text').toEqual(names.toReversed());
  });

  test('GET /vaults searches names only, GET /vaults/search also descriptions, newest first', async () => {
    const { developer, clock } = await startTestServer();
    await newVault(developer, { name: 'Receipts' });
    clock.advance(1000);
    await newVault(developer, { name: 'Taxes', description: 'RECEIPTS of 2025' });
    await newVault(developer, { name: 'Other', category: 'receipts' });
    expect(await namesOf(developer, '?search=receipt')).toEqual(['Receipts']);
    expect(await namesOf(developer, '/search?search=receipt')).toEqual(['Taxes', 'Receipts']);
    const paged = await developer('GET', '/api/v1/vaults/search?search=receipt&pageSize=1&page=2');
    expect(paged.body).toMatchObject({
      data: [{ name: 'Receipts' }],
      pagination: { page: 2, pageSize: 1, totalPages: 2, totalCount: 2, hasNextPage: false },
    });
  });

  test('a renamed vault is found by its new name only', async () => {
    const { developer } = await startTestServer();
    const { id } = await newVault(developer, { name: 'Before', description: 'First' });
    const body = { name: 'After', description: null };
    await developer('PUT', `/api/v1/vaults/${id}`, { body });
    expect(await namesOf(developer, '?search=before')).toEqual([]);
    expect(await namesOf(developer, '/search?search=first')).toEqual([]);
    expect(await namesOf(developer, '?search=after')).toEqual(['After']);
  });

  test('GET /vaults/search requires a text of 1 to 200 characters', async () => {
    const { developer } = await startTestServer();
    const ask = (query: string) => developer('GET', `/api/v1/vaults/search${query}`);
    expect(await ask('')).toMatchObject(invalid('search', 'required'));
    expect(await ask('?search=')).toMatchObject(invalid('search', 'minLength'));
    expect(await ask(`?${search('x'.repeat(201))}`)).toMatchObject(invalid('search', 'maxLength'));
    expect(await ask('?search=x&page=0')).toMatchObject(invalid('page', 'minimum'));
    expect(await ask(`?${search('😀'.repeat(200))}`)).toMatchObject(emptyPage);
  });
});

describe('pages of vaults', () => {
  test('pages contain every vault exactly once, also when all sort values are equal', async () => {
    const { developer } = await startTestServer();
    const ids = new Set<string>();
    for (let count = 0; count < 23; count += 1) ids.add((await newVault(developer)).id);

    for (const order of ['', '&sortBy=name', '&sortBy=totalSize&sortOrder=desc']) {
      const seen: string[] = [];
      for (let page = 1; page <= 5; page += 1) {
        const { body } = await developer('GET', `/api/v1/vaults?pageSize=5&page=${page}${order}`);
        expect(body.pagination).toEqual({
          page,
          pageSize: 5,
          totalPages: 5,
          totalCount: 23,
          hasNextPage: page < 5,
          hasPreviousPage: page > 1,
        });
        seen.push(...body.data.map(({ id }: Vault) => id));
      }
      expect(seen).toHaveLength(23);
      expect(new Set(seen)).toEqual(ids);
    }
  });

  test('the page size is 20 by default and 1 to 100 on request', async () => {
    const { developer } = await startTestServer();
    for (let count = 0; count < 21; count += 1) await newVault(developer);
    const sizes: [string, number][] = [
      ['', 20],
      ['?pageSize=1', 1],
      ['?pageSize=21', 21],
      ['?pageSize=100', 21],
    ];
    for (const [query, size] of sizes) expect(await namesOf(developer, query)).toHaveLength(size);
  });

  test('pages after the last one are empty', async () => {
    const { developer } = await startTestServer();
    await newVault(developer);
    for (const page of [2, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      const query = `?page=${encodeURIComponent(page)}`;
      expect(await developer('GET', `/api/v1/vaults${query}`), query).toMatchObject({
        status: 200,
        body: {
          data: [],
          pagination: {
            page,
            totalPages: 1,
            totalCount: 1,
            hasNextPage: false,
            hasPreviousPage: true,
          },
        },
      });
    }
  });
});
