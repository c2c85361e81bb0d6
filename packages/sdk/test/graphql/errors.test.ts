import { ApiError, DocumentVault, isVaultError, VaultError } from '@document-vault/sdk';
import {
  createGraphql,
  type Graphql,
  type GraphqlError,
  isGraphqlError,
  partialData,
} from '@document-vault/sdk/graphql';
import { describe, expect, test } from 'vitest';
import { newKey } from '../../../server/test/support/resources.ts';
import { keyClient, rejection } from '../support/client.ts';
import { scriptedFetch } from '../support/fetch.ts';
import { startGraphqlClient, webhookInput } from '../support/graphql/server.ts';
import { failure, json, networkError } from '../support/responses.ts';

type Call = (
  client: DocumentVault,
  gql: Graphql,
) => readonly [rest: Promise<unknown>, graphql: Promise<unknown>];

/** The same cause by REST and by GraphQL. */
const causes: readonly (readonly [cause: string, name: string, call: Call])[] = [
  [
    'an id that does not exist',
    'NotFoundError',
    (client, gql) => [client.vaults.get('unknown'), gql.vault('unknown')],
  ],
  [
    'a change of what does not exist',
    'NotFoundError',
    (client, gql) => [
      client.vaults.update('unknown', { name: 'x' }),
      gql.updateVault('unknown', { name: 'x' }),
    ],
  ],
  [
    'an empty name',
    'ValidationError',
    (client, gql) => [client.vaults.create({ name: '' }), gql.createVault({ name: '' })],
  ],
  [
    'several mistakes',
    'ValidationError',
    (client, gql) => {
      const input = { ...webhookInput, url: 'x', secret: 'short' };
      return [
        client.webhooks.create({ ...input, events: ['vault.created'] }),
        gql.createWebhook(input),
      ];
    },
  ],
  [
    'a page that is too large',
    'ValidationError',
    (client, gql) => [client.vaults.list({ pageSize: 101 }), gql.vaults({ pageSize: 101 })],
  ],
];

function comparable(error: unknown) {
  const {
    method: _,
    path: __,
    requestId,
    message: ___,
    timestamp,
    ...facts
  } = error as GraphqlError;
  expect(requestId).toMatch(/^req_/);
  expect(timestamp).toMatch(/Z$/);
  const { errors: ____, fieldPath: _____, ...rest } = facts;
  return { ...rest, name: (error as Error).name };
}

describe('errors: GraphQL and REST say the same of', () => {
  test.each(causes)(
    'GraphQL and REST reject with the same class, code and details: %s: %s',
    async (_, name, call) => {
      const { client, gql } = await startGraphqlClient();
      const [rest, graphql] = call(client, gql).map(rejection);
      const error = await graphql;
      expect(comparable(error)).toEqual(comparable(await rest));
      expect(error).toMatchObject({ name, method: 'POST', path: '/graphql' });
      expect(error).toBeInstanceOf(ApiError);
      expect(isGraphqlError(error)).toBe(true);
      expect(isGraphqlError(await rest)).toBe(false);
    },
  );

  test('missing, wrong and insufficient credentials reject as with REST', async () => {
    const { server, call } = await startGraphqlClient();
    const baseUrl = server.url;
    const { key: apiKey } = await newKey(call, ['documents:read']);
    const signedOut = new DocumentVault({ baseUrl, session: {} });
    for (const call of [signedOut.vaults.list(), createGraphql(signedOut).vaults()]) {
      expect(await rejection(call)).toMatchObject({ name: 'SessionExpiredError', attempts: 1 });
    }
    const limited = new DocumentVault({ baseUrl, apiKey });
    const rest = await rejection(limited.vaults.list());
    const graphql = await rejection(createGraphql(limited).vaults());
    expect(comparable(graphql)).toEqual(comparable(rest));
    expect(graphql).toMatchObject({ name: 'PermissionError', fieldPath: ['vaults'] });
    const apiKeyOfNobody = `service_sk_${'x'.repeat(40)}`;
    const stranger = new DocumentVault({ baseUrl, apiKey: apiKeyOfNobody });
    const refusal = await rejection(createGraphql(stranger).me());
    expect(comparable(refusal)).toEqual(comparable(await rejection(stranger.vaults.list())));
  });

  test('an internal error and a rate limit reject as with REST', async () => {
    const { client, gql, server } = await startGraphqlClient({}, { maxRetries: 0 });
    for (const kind of ['error', 'rateLimit'] as const) {
      server.fault(kind, { operations: 'listVaults' });
      const rest = await rejection(client.vaults.list());
      server.fault(kind, { operations: 'graphql' });
      expect(comparable(await rejection(gql.vaults()))).toEqual(comparable(rest));
      server.clock.advance(60_000);
    }
  });
});

describe('errors: of some fields', () => {
  const document = `mutation ($id: ID!) {
    made: createVault(input: { name: "Taxes" }) { name }
    gone: deleteVault(id: $id)
    lost: deleteWebhook(id: $id)
  }`;

  test('a failed mutation has the field path of each error and no data', async () => {
    const { gql } = await startGraphqlClient();
    const error = (await rejection(gql.request(document, { id: 'unknown' }))) as GraphqlError;
    expect(error).toMatchObject({ name: 'NotFoundError', status: 404, fieldPath: ['gone'] });
    expect(error.errors[0]).toMatchObject({ code: 'NOT_FOUND', fieldPath: ['gone'] });
    expect(JSON.stringify(error)).not.toContain('Taxes');
    // The fields are not nullable, so that the answer has no data.
    expect(partialData(error)).toBeUndefined();
  });

  test('partialData returns the fields of a query that did not fail', async () => {
    const { gql, resources } = await startGraphqlClient();
    const query = '{ a: vault(id: "unknown") { id } b: webhook(id: "no") { id } me { name } }';
    const error = (await rejection(gql.request(query))) as GraphqlError;
    const failed = error.errors.map(({ code, fieldPath }) => `${code} ${fieldPath}`);
    expect(failed.toSorted()).toEqual(['NOT_FOUND a', 'NOT_FOUND b']);
    expect(partialData(error)).toEqual({ a: null, b: null, me: { name: 'Test User' } });
    expect(partialData(await rejection(gql.vault('unknown')))).toEqual({ vault: null });
    expect(await gql.vault(resources.vaultId)).toBeTruthy();
  });

  test('an invalid document rejects with both media types', async () => {
    const { gql } = await startGraphqlClient();
    expect(await rejection(gql.request('{ nothing }'))).toMatchObject({
      name: 'ValidationError',
      status: 400,
      fieldPath: undefined,
    });
    expect(await rejection(gql.request('{ me '))).toMatchObject({ code: 'VALIDATION_ERROR' });
    const errors = [{ message: 'no', extensions: { code: 'VALIDATION_ERROR', details: {} } }];
    const older = createGraphql(keyClient({ fetch: scriptedFetch(() => json({ errors })).fetch }));
    expect(await rejection(older.me())).toMatchObject({ name: 'ValidationError', status: 400 });
  });
});

describe('errors: nothing but VaultError is thrown', () => {
  test.each<[string, () => Response]>([
    ['an HTML page with 502', () => new Response('<html>Bad Gateway</html>', { status: 502 })],
    ['an HTML page with 200', () => new Response('<html>Log in to the Wi-Fi</html>')],
    ['an empty body with 404', () => new Response('', { status: 404 })],
    ['an empty body with 200', () => new Response('')],
    ['broken JSON with 200', () => new Response('{"data":{"me"')],
    ['JSON that is no object', () => new Response('7')],
    ['an array', () => json([{ data: {} }])],
    ['an answer without a body', () => new Response(null, { status: 204 })],
    ['an object without data', () => json({})],
    ['data that is null', () => json({ data: null })],
    ['data that is no object', () => json({ data: 7 })],
    ['errors that are no list', () => json({ data: {}, errors: 'no' })],
    ['an empty list of errors', () => json({ data: {}, errors: [] })],
    ['data with an error status', () => json({ data: { me: {} } }, { status: 418 })],
  ])('for %s', async (_, answer) => {
    const { fetch } = scriptedFetch(answer);
    const error = await rejection(createGraphql(keyClient({ fetch, maxRetries: 0 })).me());
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: undefined, details: {}, status: answer().status });
    expect(isGraphqlError(error)).toBe(false);
  });

  test.each([
    ['null', null, undefined],
    ['an error without code', { message: 'no' }, undefined],
    ['a code of another service', { message: 'no', extensions: { code: 'BAD' } }, 'BAD'],
    ['a code that is no text', { message: 'no', extensions: { code: 7 } }, undefined],
    ['a path that is no list', { message: 'no', path: 'x', extensions: null }, undefined],
  ])('for %s among the errors', async (_, entry, code) => {
    const { fetch } = scriptedFetch(() => json({ data: null, errors: [entry] }));
    const error = await rejection(createGraphql(keyClient({ fetch })).me());
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 200, errors: [{ code, details: {} }] });
  });

  test('an error in the form of REST rejects with its class', async () => {
    const { fetch } = scriptedFetch(() => failure(403, 'IP_BLOCKED'));
    const error = await rejection(createGraphql(keyClient({ fetch })).me());
    expect(error).toMatchObject({ name: 'PermissionError', code: 'IP_BLOCKED' });
  });

  test('variables without a JSON form and a lost connection reject with a VaultError', async () => {
    const { fetch } = scriptedFetch(() => {
      throw networkError('ECONNREFUSED');
    });
    const gql = createGraphql(keyClient({ fetch, maxRetries: 0 }));
    for (const call of [gql.request('{ x }', { a: 1n }), gql.me()]) {
      const error = await rejection(call);
      expect(error).toBeInstanceOf(VaultError);
      expect(error).toMatchObject({ method: 'POST', path: '/graphql' });
    }
  });

  test('createGraphql without a client throws a UsageError', () => {
    for (const wrong of [undefined, null, {}]) {
      const make = () => createGraphql(wrong as unknown as DocumentVault);
      expect(make).toThrow(expect.toSatisfy(isVaultError));
    }
  });
});
