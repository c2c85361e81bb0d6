import { inspect } from 'node:util';
import { createGraphql, type Graphql, partialData } from '@document-vault/sdk/graphql';
import { describe, expect, test } from 'vitest';
import { json } from '../support/answers.ts';
import { keyClient, rejection } from '../support/client.ts';
import { type Reaction, scriptedFetch } from '../support/fetch.ts';
import { newHouse } from './house.ts';

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

describe('transport, secrets: GraphQL shows no variable', () => {
  test('when the server refuses it', async () => {
    const { logged, options } = observed();
    const { gql } = await newHouse({}, options);
    for (const call of calls(gql)) expectNoCanary(await rejection(call()));
    expectNoCanary(gql);
    expect(logged.length).toBeGreaterThan(0);
    expectNoCanary(logged);
  });

  test.each<[string, Reaction]>([
    ['a body that is not JSON', () => new Response('<html>')],
    ['a body that is no answer', () => json({})],
    ['a failure', () => new Response('', { status: 500 })],
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

  test('nor what was answered beside an error', async () => {
    const { fetch } = scriptedFetch(() =>
      json({ data: { a: { shareToken: canary } }, errors: [{ message: 'no', path: ['b'] }] }),
    );
    const error = await rejection(createGraphql(keyClient({ fetch })).request('mutation { a b }'));
    expectNoCanary(error);
    expect(partialData(error)).toEqual({ a: { shareToken: canary } });
  });
});
