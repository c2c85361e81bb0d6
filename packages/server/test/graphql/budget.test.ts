import { describe, expect, test } from 'vitest';
import { expectEveryHeader, rateLimitOf } from '../support/front-door.ts';
import { ask, refusedWith } from '../support/graphql/asking.ts';
import { newVault } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';

const small = '{ me { id } }';
const minute = 60_000;

/** `count` aliases of one field. */
const names = (count: number) => Array.from({ length: count }, (_, n) => `a${n}:id`).join(' ');

/** A query for a page of vaults. */
const vaults = (pageSize: number) => `{ vaults(pageSize: ${pageSize}) { data { id } } }`;

describe('points of an operation', () => {
  const table: readonly (readonly [points: number, query: string])[] = [
    [1, '{ __typename }'],
    [1, small],
    [1, vaults(1)],
    [1, vaults(100)],
    [1, '{ vaults { pagination { totalCount } } }'],
    [2, `{ a: vaults(pageSize: 100) { data { id } } b: vaults(pageSize: 1) { data { id } } }`],
    [5, '{ vaults { data { documents { data { id } } } } }'],
    [101, '{ vaults(pageSize: 100) { data { documents(pageSize: 100) { data { id } } } } }'],
    [3, '{ documents(pageSize: 100) { data { vault { id } } } me { id } }'],
    [9, '{ vaults { data { documents { data { vault { id } } } } } vault(id: "x") { id } }'],
    [1, '{ vaults { data { documents @skip(if: true) { data { id } } } } }'],
    [1, '{ vaults { data { documents @include(if: false) { data { id } } } } }'],
    [
      5,
      '{ ...f } fragment f on Query { vaults { ...p } } fragment p on VaultPage { data { ... { documents { data { id } } } } }',
    ],
    [1, 'mutation { createVault(input: { name: "Taxes" }) { id documents { data { id } } } }'],
    // Each change costs one point, as over REST each is one request.
    [1, 'mutation { __typename }'],
    [
      3,
      'mutation { ...c b: deleteVault(id: "x") } fragment c on Mutation { a: createVault(input: { name: "x" }) { id } c: deleteVault(id: "x") }',
    ],
    // 25 selected fields of an object count as one object, aliases included.
    [12, `{ vaults(pageSize: 50) { data { ${names(600)} } } }`],
  ];

  test.each(table)('%i for %.60s', async (points, query) => {
    const { developer } = await startTestServer();
    const { body } = await ask(developer, query);
    expect(body.extensions.cost).toEqual({
      points,
      limit: 50_000,
      remaining: 50_000 - points,
      resetAt: '2026-01-01T01:00:00.000Z',
    });
  });
});

describe('points of an hour', () => {
  const options = {
    defaultTier: 'free',
    graphqlPoints: { free: 5 },
    requestsPerMinute: { free: 1000 },
  } as const;

  test('a query above the remaining points returns 429 until the next hour', async () => {
    const { developer, clock } = await startTestServer(options);
    clock.advance(10 * minute);
    for (const left of [4, 3, 2]) {
      expect((await ask(developer, small)).body.extensions.cost.remaining).toBe(left);
    }
    const tooMuch = '{ vaults { data { documents(pageSize: 11) { data { id } } } } }';
    const refused = await ask(developer, tooMuch);
    expect(refused).toMatchObject(
      refusedWith(429, 'RATE_LIMIT_EXCEEDED', { points: 3, limit: 5, remaining: 2 }),
    );
    expect(refused.headers.get('retry-after')).toBe(String(50 * 60));
    expect(refused.body.errors[0].extensions.retryAfter).toBe(50 * 60);
    expectEveryHeader(refused);
    // The rejected query has cost nothing, so that a cheaper one still succeeds.
    expect((await ask(developer, small)).body.extensions.cost.remaining).toBe(1);
    clock.advance(50 * minute);
    expect((await ask(developer, tooMuch)).body.extensions.cost.remaining).toBe(2);
  });

  test('all credentials of an account share its points', async () => {
    const server = await startTestServer(options);
    const ada = await server.signUp('ada@example.com');
    await ask(ada.call, small);
    const again = await server.signIn(ada);
    expect((await ask(again, small)).body.extensions.cost.remaining).toBe(3);
    expect((await ask(server.developer, small)).body.extensions.cost.remaining).toBe(4);
  });

  test('rejected queries cost no points, and mutations do', async () => {
    const { developer } = await startTestServer(options);
    for (const query of ['{', '{ nope }', '{ vaults(pageSize: 0) { data { id } } }']) {
      expect((await ask(developer, query)).status).toBe(400);
    }
    const { body } = await ask(developer, 'mutation { deleteVault(id: "x") }');
    expect(body.extensions.cost.remaining).toBe(4);
  });

  test('a query above the hourly limit itself returns 400 maxCost', async () => {
    const { developer } = await startTestServer(options);
    const refused = await ask(
      developer,
      '{ vaults { data { documents(pageSize: 100) { data { id } } } } }',
    );
    expect(refused).toMatchObject(
      refusedWith(400, 'VALIDATION_ERROR', { field: 'query', constraint: 'maxCost' }),
    );
  });

  test('the free tier allows 100 queries an hour, other tiers any number', async () => {
    const { developer, clock } = await startTestServer({
      ...options,
      graphqlPoints: { free: 1000 },
    });
    for (let query = 0; query < 100; query += 1) {
      expect((await ask(developer, small)).status).toBe(200);
    }
    const refused = await ask(developer, small);
    expect(refused).toMatchObject(refusedWith(429, 'RATE_LIMIT_EXCEEDED', { remaining: 900 }));
    expect(refused.body.errors[0].message).toBe(
      'All GraphQL queries of this hour are used. Retry after the hour ends.',
    );
    await newVault(developer);
    clock.advance(60 * minute);
    expect((await ask(developer, small)).status).toBe(200);
  });
});

describe('rate limit of GraphQL', () => {
  test('every request counts once, valid or not', async () => {
    const { developer } = await startTestServer();
    const { remaining } = rateLimitOf(await developer('GET', '/api/v1/vaults'));
    const replies = [
      await ask(developer, small),
      await ask(developer, `{ a: me { id } b: vaults { data { id } } }`),
      await ask(developer, '{ nope }'),
    ];
    const left = replies.map((reply) => rateLimitOf(reply).remaining);
    expect(left).toEqual([remaining - 1, remaining - 2, remaining - 3]);
    for (const reply of replies) expectEveryHeader(reply);
  });

  test('above the limit the response is a GraphQL error with 429, in both media types', async () => {
    const { developer } = await startTestServer({ requestsPerMinute: { enterprise: 1 } });
    await ask(developer, small);
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const refused = await ask(developer, small, { headers: { accept } });
      expect(refused).toMatchObject(refusedWith(429, 'RATE_LIMIT_EXCEEDED'));
      expect(refused.headers.get('retry-after')).toBe('60');
    }
  });
});
