import { AbortError, TimeoutError } from '@document-vault/sdk';
import { createGraphql, documents, type TypedDocument } from '@document-vault/sdk/graphql';
import { parse, print } from 'graphql';
import { describe, expect, test } from 'vitest';
import { keyClient, rejection } from '../support/client.ts';
import { StoppedClock } from '../support/clock.ts';
import { scriptedFetch } from '../support/fetch.ts';
import { startGraphqlClient } from '../support/graphql/server.ts';
import { json } from '../support/responses.ts';
import { until } from '../support/until.ts';

const respondingFetch = () => scriptedFetch(() => json({ data: { me: { id: '1' } } }));
const bodies = (sent: { body: string | null }[]) => sent.map(({ body }) => JSON.parse(body ?? ''));

describe('documents', () => {
  test('a document of the caller is sent as text with variables', async () => {
    const { gql, resources } = await startGraphqlClient();
    const query = 'query ($id: ID!) { vault(id: $id) { documents { data { vault { name } } } } }';
    expect(await gql.request(query, { id: resources.vaultId })).toEqual({
      vault: { documents: { data: [{ vault: { name: 'Of the owner' } }] } },
    });
  });

  test('a ready document is accepted by request()', async () => {
    const { gql, resources } = await startGraphqlClient();
    const { vault } = await gql.request(documents.vault, { id: resources.vaultId });
    expect(vault?.name).toBe('Of the owner');
    expect((await gql.request(documents.me)).me.name).toBe('Test User');
  });

  test('typed documents of GraphQL Code Generator are accepted as strings and syntax trees', async () => {
    class TypedDocumentString<Result, Variables> extends String {
      declare __apiType?: (variables: Variables) => Result;
    }
    const text = '{me{id}}';
    const asString = new TypedDocumentString<{ me: { id: string } }, Record<string, never>>(text);
    const asTree = parse(text) as unknown as TypedDocument<{ me: { id: string } }, object>;
    const { fetch, sent } = respondingFetch();
    const gql = createGraphql(keyClient({ fetch }));
    expect((await gql.request(asString)).me.id).toBe('1');
    expect((await gql.request(asTree)).me.id).toBe('1');
    expect(bodies(sent)).toEqual([{ query: text }, { query: print(parse(text)) }]);
  });

  test('documents are sent unchanged, including invalid ones', async () => {
    const { fetch, sent } = respondingFetch();
    const gql = createGraphql(keyClient({ fetch }));
    const texts = ['', 'query named { me { id } } # said', '{ me '];
    for (const text of texts) await gql.request(text);
    await gql.request('{me{id}}', { a: undefined, b: null }, { operationName: 'b' });
    expect(bodies(sent)).toEqual([
      ...texts.map((query) => ({ query })),
      { query: '{me{id}}', variables: { b: null }, operationName: 'b' },
    ]);
  });

  test('operationName selects one of several operations', async () => {
    const { gql } = await startGraphqlClient();
    const query = 'query a { me { id } } query b { me { name } }';
    const { data, requestId } = await gql
      .request(query, undefined, { operationName: 'b' })
      .withResponse();
    expect(data).toEqual({ me: { name: 'Test User' } });
    expect(requestId).toMatch(/^req_/);
  });
});

describe('withResponse', () => {
  test('withResponse returns request id, rate limit and cost without another request', async () => {
    const { gql, sent, resources } = await startGraphqlClient();
    const result = await gql.vault(resources.vaultId).withResponse();
    expect(result).toMatchObject({
      data: { id: resources.vaultId },
      requestId: result.response.headers.get('x-request-id'),
      rateLimit: { tier: 'enterprise', remaining: expect.any(Number) },
      cost: { points: 1, limit: 50_000, resetAt: new Date('2026-01-01T01:00:00.000Z') },
    });
    expect(sent).toHaveLength(1);
  });

  test('cost is undefined when the response has no valid cost', async () => {
    for (const extensions of [undefined, null, {}, { cost: 7 }, { cost: { points: 'x' } }]) {
      const { fetch } = scriptedFetch(() => json({ data: { me: {} }, extensions }));
      const result = await createGraphql(keyClient({ fetch })).me().withResponse();
      expect(result.cost).toBeUndefined();
    }
  });

  test('withResponse of a failed request leaves no unhandled rejection', async () => {
    const { fetch } = scriptedFetch(() => json({}));
    const result = rejection(createGraphql(keyClient({ fetch })).me().withResponse());
    expect(await result).toMatchObject({ name: 'ApiError' });
    // An unhandled rejection would end the run.
    await new Promise(setImmediate);
  });
});

describe('media types', () => {
  test('both GraphQL media types are accepted and the newer one is preferred', async () => {
    const { gql } = await startGraphqlClient();
    const { response } = await gql.me().withResponse();
    expect(response.headers.get('content-type')).toMatch('application/graphql-response+json');
    const { fetch, sent } = respondingFetch();
    await createGraphql(keyClient({ fetch })).me();
    expect(sent[0]?.headers).toMatchObject({
      accept: 'application/graphql-response+json, application/json',
      'content-type': 'application/json',
    });
  });

  test('a GraphQL body with another media type is accepted', async () => {
    const headers = { 'content-type': 'text/html' };
    const { fetch } = scriptedFetch(
      () => new Response('{"data":{"me":{"id":"1"}}}', { headers }),
      () => new Response('{"errors":[{"message":"no"}]}', { status: 400, headers }),
    );
    const gql = createGraphql(keyClient({ fetch }));
    expect(await gql.me()).toEqual({ id: '1' });
    expect(await rejection(gql.me())).toMatchObject({ status: 400, errors: [{ message: 'no' }] });
  });
});

describe('transport, ends', () => {
  test('abort rejects a request before sending, in flight and before a retry', async () => {
    const { fetch, sent } = respondingFetch();
    const early = createGraphql(keyClient({ fetch })).me({ signal: AbortSignal.abort('early') });
    expect(await rejection(early)).toMatchObject({ cause: 'early' });
    expect(sent).toHaveLength(0);

    const { gql, server } = await startGraphqlClient();
    const stall = server.fault('stall', { operations: 'graphql' });
    const flight = new AbortController();
    const flying = rejection(gql.me({ signal: flight.signal }));
    await until(() => stall.calls === 1);
    flight.abort();
    expect(await flying).toBeInstanceOf(AbortError);
    stall.restore();

    const clock = new StoppedClock();
    const failing = scriptedFetch(() => new Response('', { status: 503 }));
    const waiting = new AbortController();
    const options = { signal: waiting.signal };
    const vaults = createGraphql(keyClient({ fetch: failing.fetch, clock })).vaults({}, options);
    const error = rejection(vaults);
    await until(() => clock.sleepers === 1);
    waiting.abort();
    expect(await error).toBeInstanceOf(AbortError);
    expect(await error).toMatchObject({ attempts: 1, path: '/graphql' });
  });

  test('a request that exceeds timeout rejects with a TimeoutError', async () => {
    const gql = createGraphql(keyClient({ fetch: () => new Promise(() => {}), maxRetries: 0 }));
    expect(await rejection(gql.me({ timeout: 5 }))).toBeInstanceOf(TimeoutError);
  });
});

describe('client.fetch for other GraphQL clients', () => {
  test('retries a 429 of GraphQL and resolves to a response with errors', async () => {
    const { client, gql, server, sent } = await startGraphqlClient();
    server.fault('rateLimit', { operations: 'graphql', retryAfter: 7 });
    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"query":"{ me { name } nothing }"}',
    };
    const response = await client.fetch(gql.url, init);
    expect(await response.json()).toMatchObject({ errors: [{}] });
    expect(sent).toHaveLength(2);
    const second = await client.fetch(new URL(gql.url), {
      ...init,
      body: '{"query":"{me{name}}"}',
    });
    expect(await second.json()).toMatchObject({ data: { me: { name: 'Test User' } } });
  });
});
