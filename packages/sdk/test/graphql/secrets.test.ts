import { inspect } from 'node:util';
import { createGraphql, type Graphql, partialData } from '@document-vault/sdk/graphql';
import { describe, expect, test } from 'vitest';
import { keyClient, rejection } from '../support/client.ts';
import { type Reaction, scriptedFetch } from '../support/fetch.ts';
import { startGraphqlClient } from '../support/graphql/server.ts';
import { json } from '../support/responses.ts';

const canary = 'CANARY-VARIABLE';
const apiKey = 'service_sk_CANARYKEYCANARYKEYCANARYKEYCANARYKEY';

function traces(value: unknown): string {
  const stack = value instanceof Error ? `${value.stack} ${value.cause}` : '';
  const shown = inspect(value, { depth: 20, showHidden: true, getters: true });
  return [shown, JSON.stringify(value), String(value), stack].join('\n');
}

function expectNoCanary(value: unknown): void {
  expect(traces(value)).not.toMatch(/CANARY/);
}

function observed() {
  const logged: unknown[] = [];
  const log = (...args: unknown[]) => {
    logged.push(structuredClone(args));
  };
  const options = {
    logger: { debug: log, warn: log },
    onRequest: log,
    onResponse: log,
    onRetry: log,
  };
  return { logged, options };
}

/** Calls with a secret in each place where a variable can be. */
const calls = (gql: Graphql) => [
  () => gql.createWebhook({ url: canary, events: [canary], secret: canary, metadata: { canary } }),
  () => gql.updateWebhook(canary, { secret: canary }),
  () => gql.vaults({ search: canary, pageSize: 101 }),
  () => gql.request('query ($id: Int!) { vaults(page: $id) { data { id } } }', { id: canary }),
  () =>
    gql.request('mutation ($input: CreateVaultInput!) { createVault(input: $input) { id } }', {
      input: { name: { canary }, secret: canary },
    }),
  () =>
    gql.request('query ($a: SortOrder!) { vaults(sortOrder: $a) { data { id } } }', { a: canary }),
  () => gql.request('query ($id: ID!) { vault(id: $id) { id } }', { id: { a: [canary] } }),
  () =>
    gql.request(
      'mutation ($at: DateTime) { shareDocument(documentId: "1", input: { expiresAt: $at }) { id } }',
      { at: canary },
    ),
];

describe('guarantee 8, secrets: GraphQL shows no variable', () => {
  test('an error of the server does not quote a variable', async () => {
    const { logged, options } = observed();
    const { gql } = await startGraphqlClient({}, options);
    for (const call of calls(gql)) expectNoCanary(await rejection(call()));
    expectNoCanary(gql);
    expect(logged.length).toBeGreaterThan(0);
    expectNoCanary(logged);
  });

  test.each<[string, Reaction]>([
    ['a body that is not JSON', () => new Response('<html>')],
    ['a body that is no answer', () => json({})],
    ['a failure', () => new Response('', { status: 500 })],
    ['errors beside data', () => json({ data: {}, errors: [{ message: 'no' }] })],
    ['errors with a status', () => json({ errors: [{ message: 'no' }] }, { status: 400 })],
    [
      'a lost connection',
      () => {
        throw new TypeError('fetch failed', {
          cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
        });
      },
    ],
    [
      'a mistake in fetch',
      () => {
        throw new RangeError('cannot fetch');
      },
    ],
    ['a redirect elsewhere', () => new Response('', { status: 307, headers: { location: '//x' } })],
  ])('after %s', async (_, reaction) => {
    const { logged, options } = observed();
    const { fetch } = scriptedFetch(reaction);
    const gql = createGraphql(keyClient({ apiKey, fetch, ...options }));
    for (const call of calls(gql)) expectNoCanary(await rejection(call()));
    expectNoCanary(gql);
    expectNoCanary(logged);
  });

  test.each([
    ['a text', 'CANARY', 'not "CANARY"'],
    ['a text that is escaped', '"CANARY"', 'not "\\"CANARY\\""'],
    ['a text with lines', '1234\nCANARY', 'not "1234\\nCANARY"'],
    ['the beginning of a long text', 'CANARY'.repeat(9), 'not "CANARYCANARYCANARY…"'],
    ['a part of an object', { a: [{ b: 'CANARY' }] }, 'not { a: [{ b: "CANARY" }] }'],
    ['a number', 4_111_111, 'CANARY is not 4111111'],
  ])('nor %s that a message quotes; what the message is about stays', async (_, value, message) => {
    const violations = [{ field: 'input.name', constraint: 'type', message }];
    const details = { field: 'input.name', constraint: 'type', violations };
    const errors = [{ message, extensions: { code: 'VALIDATION_ERROR', details } }];
    for (const answer of [{ errors }, { error: { code: 'VALIDATION_ERROR', message, details } }]) {
      const { fetch } = scriptedFetch(() => json(answer, { status: 400 }));
      const call = createGraphql(keyClient({ fetch })).request('query', { value });
      const error = await rejection(call);
      expectNoCanary(error);
      expect(error).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { field: 'input.name', violations: [{ constraint: 'type' }] },
      });
    }
  });

  test('a message that quotes no variable is unchanged', async () => {
    const errors = [{ message: 'no such vault', extensions: { code: 'NOT_FOUND', details: {} } }];
    const { fetch } = scriptedFetch(() => json({ errors }));
    const variables = { id: '019cadd6', a: 'no', b: 7, c: null, d: true, e: ['such'.slice(1)] };
    const error = await rejection(createGraphql(keyClient({ fetch })).request('query', variables));
    expect((error as Error).message).toBe('POST /graphql: 404 NOT_FOUND no such vault');
  });

  test('an error shows no partial data, which partialData returns', async () => {
    const { fetch } = scriptedFetch(() =>
      json({ data: { a: { shareToken: canary } }, errors: [{ message: 'no', path: ['b'] }] }),
    );
    const error = await rejection(createGraphql(keyClient({ fetch })).request('mutation { a b }'));
    expectNoCanary(error);
    expect(partialData(error)).toEqual({ a: { shareToken: canary } });
  });
});
