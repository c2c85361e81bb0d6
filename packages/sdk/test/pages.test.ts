import { AbortError, ConnectionError, ServerError, UsageError } from '@document-vault/sdk';
import { createGraphql } from '@document-vault/sdk/graphql';
import { describe, expect, test } from 'vitest';
import { keyClient, rejection } from './support/client.ts';
import { JumpingClock } from './support/clock.ts';
import { scriptedFetch } from './support/fetch.ts';
import { failure, json, requestId } from './support/responses.ts';

interface Row {
  id: string;
}

/** A service with `count` documents, `size` of them a page unless it is asked for another size. */
function library(count: number, size = 20) {
  const rows: Row[] = Array.from({ length: count }, (_, n) => ({ id: `d${n}` }));
  const queries: Record<string, string>[] = [];
  const faults: (() => Response)[] = [];
  const fetch = async (url: string) => {
    const query = new URL(url).searchParams;
    queries.push(Object.fromEntries(query));
    const fault = faults.shift();
    if (fault) return fault();
    const page = Number(query.get('page') ?? 1);
    const pageSize = Number(query.get('pageSize') ?? size);
    const totalPages = Math.ceil(rows.length / pageSize);
    return json({
      data: rows.slice((page - 1) * pageSize, page * pageSize),
      pagination: {
        page,
        pageSize,
        totalPages,
        totalCount: rows.length,
        hasNextPage: page < totalPages,
        hasPreviousPage: page > 1,
      },
    });
  };
  return { rows, queries, faults, client: keyClient({ fetch, maxRetries: 0 }) };
}

const ids = (rows: Row[]) => rows.map(({ id }) => id);

async function all(list: AsyncIterable<Row>): Promise<Row[]> {
  const items: Row[] = [];
  for await (const item of list) items.push(item);
  return items;
}

describe('guarantee 12, pages: awaited', () => {
  test('an awaited list is one page', async () => {
    const { client, queries } = library(30);
    const page = await client.documents.list({ pageSize: 7, vaultId: 'v', search: 'a b&c' });
    expect(page.data).toHaveLength(7);
    expect(page.pagination).toMatchObject({ page: 1, totalCount: 30, hasNextPage: true });
    expect(queries).toEqual([{ pageSize: '7', vaultId: 'v', search: 'a b&c' }]);
  });

  test('an unknown parameter rejects with a UsageError that names the known ones', async () => {
    const { client, queries } = library(30);
    const misspelt = { vault: 'v' } as object;
    const error = await rejection(client.documents.list(misspelt).withResponse());
    expect(error).toEqual(
      new UsageError(
        'vault is not one of page, pageSize, sortBy, sortOrder, account, vaultId, mimeType, search',
      ),
    );
    expect(await rejection(all(client.documents.list(misspelt)))).toBeInstanceOf(UsageError);
    expect(queries).toEqual([]);
  });

  test('a parameter that another list has rejects with a UsageError: the service would ignore it', async () => {
    const { client, queries } = library(30);
    const sorted = { sortBy: 'createdAt' } as object;
    expect(await rejection(client.events.list(sorted).withResponse())).toEqual(
      new UsageError('sortBy is not one of page, pageSize, account, type, since, after, until'),
    );
    const accesses = client.shares.accesses('d', 's', sorted).withResponse();
    expect(await rejection(accesses)).toEqual(
      new UsageError('sortBy is not one of page, pageSize'),
    );
    expect(queries).toEqual([]);
  });

  test('a list sends one request when it is awaited, also several times', async () => {
    const { client, queries } = library(30);
    const list = client.documents.list();
    await new Promise(setImmediate);
    expect(queries).toHaveLength(0);
    expect(await list).toBe(await list);
    expect(queries).toEqual([{}]);
  });

  test('a list works with await, then, catch, finally and Promise.all', async () => {
    const { client } = library(3);
    const [page] = await Promise.all([client.documents.list()]);
    expect(page.data).toHaveLength(3);
    const { data, requestId: id } = await client.documents.list().withResponse();
    expect(data.data).toHaveLength(3);
    expect(id).toBe(requestId);
    let ended = false;
    await client.documents.list().finally(() => {
      ended = true;
    });
    expect(ended).toBe(true);
  });

  test('a list rejects when its request fails', async () => {
    const { client, faults } = library(3);
    faults.push(() => failure(500, 'INTERNAL_ERROR'));
    const caught = await client.documents.list().catch((error: unknown) => error);
    expect(caught).toBeInstanceOf(ServerError);
  });
});

describe('guarantee 12, pages: iterated', () => {
  test('iteration yields the items of all pages and requests pages lazily', async () => {
    const { client, queries, rows } = library(250);
    const seen: string[] = [];
    for await (const { id } of client.documents.list({ vaultId: 'v' })) {
      seen.push(id);
      if (seen.length === 100) expect(queries).toHaveLength(1);
    }
    expect(seen).toEqual(ids(rows));
    expect(queries).toEqual(
      ['1', '2', '3'].map((page) => ({ vaultId: 'v', page, pageSize: '100' })),
    );
  });

  test('leaving the loop sends no further request', async () => {
    const { client, queries } = library(250);
    for await (const { id } of client.documents.list({ pageSize: 10 })) if (id === 'd3') break;
    expect(queries).toHaveLength(1);
  });

  test('iteration starts at the page and uses the pageSize of the query', async () => {
    const { client, queries } = library(50);
    const items = await all(client.documents.list({ page: 3, pageSize: 20 }));
    expect(ids(items)).toEqual(Array.from({ length: 10 }, (_, n) => `d${40 + n}`));
    expect(queries).toEqual([{ page: '3', pageSize: '20' }]);
  });

  test('pages() yields each page', async () => {
    const { client } = library(50);
    const sizes: number[] = [];
    for await (const page of client.documents.list({ pageSize: 20 }).pages()) {
      sizes.push(page.data.length);
    }
    expect(sizes).toEqual([20, 20, 10]);
  });

  test.each([
    [0, 0],
    [5, 1],
    [100, 1],
    [150, 2],
  ])('ends after a limit of %i, with %i requests', async (maxItems, requests) => {
    const { client, queries } = library(250);
    expect(await all(client.documents.list({}, { maxItems }))).toHaveLength(maxItems);
    expect(queries).toHaveLength(requests);
  });

  test('iteration of an empty list yields no item', async () => {
    const { client } = library(0);
    expect(await all(client.documents.list())).toEqual([]);
  });

  test('iteration yields no item twice when rows are inserted', async () => {
    const { client, rows } = library(30);
    const before = ids(rows);
    const seen: string[] = [];
    for await (const { id } of client.documents.list({ pageSize: 10 })) {
      seen.push(id);
      if (seen.length % 10 === 0 && rows.length < 42) {
        rows.unshift(...Array.from({ length: 4 }, (_, n) => ({ id: `new${rows.length + n}` })));
      }
    }
    expect(seen).toHaveLength(new Set(seen).size);
    expect(seen).toEqual(expect.arrayContaining(before));
  });

  test.each([
    ['each item as it comes', 1],
    ['each page as it comes', 10],
    ['a few of each page', 3],
  ])('leaves nothing out when rows are deleted meanwhile: %s', async (_, batch) => {
    const { client, rows } = library(47);
    const before = ids(rows);
    const seen: string[] = [];
    for await (const { id } of client.documents.list({ pageSize: 10 })) {
      seen.push(id);
      if (seen.length % 10 === 0 || batch === 1) {
        for (const gone of seen.slice(-batch)) rows.splice(ids(rows).indexOf(gone), 1);
      }
    }
    expect(seen.toSorted()).toEqual(before.toSorted());
  });

  test('iteration never requests a page before its first when rows are deleted', async () => {
    const { client, rows, queries } = library(60);
    const list = client.documents.list({ page: 3, pageSize: 10 });
    for await (const { id } of list) if (id === 'd20') rows.splice(20, 30);
    expect(queries.map(({ page }) => page)).toEqual(['3', '4', '3']);
  });

  test('iteration continues at the failed page when it is resumed', async () => {
    const { client, rows, faults } = library(30);
    const iterator = client.documents.list({ pageSize: 10 })[Symbol.asyncIterator]();
    const seen: string[] = [];
    for (let n = 0; n < 10; n++) seen.push((await iterator.next()).value.id);
    faults.push(() => failure(500, 'INTERNAL_ERROR'));
    expect(await rejection(iterator.next())).toBeInstanceOf(ServerError);
    for (let step = await iterator.next(); !step.done; step = await iterator.next()) {
      seen.push(step.value.id);
    }
    expect(seen).toEqual(ids(rows));
  });

  test('iteration retries lost connections of a page for 30 s, and an awaited page twice', async () => {
    const clock = new JumpingClock();
    const start = clock.now();
    const lost = Object.assign(new TypeError('fetch failed'), { code: 'ECONNREFUSED' });
    let awayMs = 20_000;
    const page = { data: [{ id: 'd1' }], pagination: { page: 1, totalCount: 1 } };
    let sent = 0;
    const fetch = async () => {
      sent++;
      if (clock.now() < start + awayMs) throw lost;
      return json(page);
    };
    const client = keyClient({ fetch, clock, random: () => 0.5 });
    expect(await rejection(client.documents.list())).toBeInstanceOf(ConnectionError);
    expect(sent).toBe(3);
    expect(ids(await all(client.documents.list()))).toEqual(['d1']);
    awayMs = 1e9;
    const begun = clock.now();
    expect(await rejection(all(client.documents.list()))).toBeInstanceOf(ConnectionError);
    expect(clock.now() - begun).toBeGreaterThan(20_000);
    expect(clock.now() - begun).toBeLessThan(30_000);
    const ended = clock.now();
    const options = { totalTimeout: 5_000 };
    expect(await rejection(all(client.documents.list({}, options)))).toBeInstanceOf(
      ConnectionError,
    );
    expect(clock.now() - ended).toBeLessThan(5_000);
    sent = 0;
    await rejection(all(client.documents.list({}, { maxRetries: 0 })));
    expect(sent).toBe(1);
  });

  test('iteration of GraphQL retries lost connections of a page for 30 s', async () => {
    const clock = new JumpingClock();
    const back = clock.now() + 20_000;
    const pagination = { page: 1, totalCount: 1, hasNextPage: false };
    const fetch = async () => {
      if (clock.now() < back) throw new TypeError('fetch failed');
      return json({ data: { vaults: { data: [{ id: 'v1' }], pagination } } });
    };
    const graphql = createGraphql(keyClient({ fetch, clock }));
    expect(ids(await all(graphql.vaults()))).toEqual(['v1']);
  });

  test.each([
    ['a lost connection', undefined],
    ['a 502', 502],
    ['a 503', 503],
    ['a 504', 504],
  ])(
    'iteration waits 30 s from %s on, also after a long wait for the rate limit',
    async (_, status) => {
      const clock = new JumpingClock();
      const backAt = clock.now() + 65_000;
      const page = { data: [{ id: 'd1' }], pagination: { page: 1, totalCount: 1 } };
      const { fetch } = scriptedFetch(
        () => failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfter: 40 }),
        () => {
          if (clock.now() >= backAt) return json(page);
          if (status) return new Response('', { status });
          throw new TypeError('fetch failed');
        },
      );
      const client = keyClient({ fetch, clock, random: () => 0.5 });
      expect(ids(await all(client.documents.list()))).toEqual(['d1']);
    },
  );

  test('iteration gives an internal error above maxRetries no further retry', async () => {
    const { fetch, sent } = scriptedFetch(() => new Response('', { status: 500 }));
    const client = keyClient({ fetch });
    expect(await rejection(all(client.documents.list()))).toBeInstanceOf(ServerError);
    expect(sent).toHaveLength(3);
  });

  test('two parallel next() calls request a page once', async () => {
    const { client, queries } = library(30);
    const iterator = client.documents.list({ pageSize: 10 })[Symbol.asyncIterator]();
    const steps = await Promise.all(Array.from({ length: 12 }, () => iterator.next()));
    expect(ids(steps.map((step) => step.value))).toEqual(
      Array.from({ length: 12 }, (_, n) => `d${n}`),
    );
    expect(queries).toHaveLength(2);
  });

  test.each([
    { name: 'empty pages', data: [] },
    { name: 'the same page', data: [{ id: 'd0' }] },
  ])('rejects after 100 pages in a row without a new item: $name', async ({ data }) => {
    let pages = 0;
    const fetch = async () => {
      pages += 1;
      const hasNextPage = pages < 1_000;
      return json({ data, pagination: { page: pages, totalCount: 1_000_000, hasNextPage } });
    };
    const { documents } = keyClient({ fetch, maxRetries: 0 });
    expect(await rejection(all(documents.list()))).toMatchObject({
      name: 'VaultError',
      message: 'Too many pages without a new item',
    });
    expect(pages).toBe(101 + data.length);
  });

  test('an aborted signal ends the iteration with an AbortError', async () => {
    const { client, queries } = library(250);
    const controller = new AbortController();
    const { signal } = controller;
    const iterator = client.documents.list({ pageSize: 1 }, { signal })[Symbol.asyncIterator]();
    await iterator.next();
    controller.abort();
    expect(await rejection(iterator.next())).toBeInstanceOf(AbortError);
    expect(queries).toHaveLength(1);
  });

  test('API keys are compared by their keyId', async () => {
    const keys = [{ keyId: 'key_1' }, { keyId: 'key_2' }];
    const pagination = { hasNextPage: false };
    const client = keyClient({
      clock: new JumpingClock(),
      fetch: async () => json({ data: keys, pagination }),
    });
    const seen: string[] = [];
    for await (const { keyId } of client.apiKeys.list()) seen.push(keyId);
    expect(seen).toEqual(['key_1', 'key_2']);
  });
});

describe('guarantee 12, pages: as an array', () => {
  test('toArray() resolves to the items of all pages, and maxItems ends it', async () => {
    const { client, queries, rows } = library(250);
    expect(await client.documents.list().toArray()).toEqual(rows);
    expect(queries).toHaveLength(3);
    const some = await client.documents.list({}, { maxItems: 200 }).toArray({ maxItems: 7 });
    expect(ids(some)).toEqual(ids(rows.slice(0, 7)));
    expect(queries.slice(3)).toEqual([{ page: '1', pageSize: '7' }]);
    expect(await client.documents.list({}, { maxItems: 3 }).toArray()).toHaveLength(3);
  });

  test('toArray() with an unknown option rejects with a UsageError', async () => {
    const { client, queries } = library(3);
    const error = await rejection(client.documents.list().toArray({ limit: 2 } as object));
    expect(error).toBeInstanceOf(UsageError);
    expect(queries).toEqual([]);
  });
});
