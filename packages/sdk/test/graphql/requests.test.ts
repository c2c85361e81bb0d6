import { AbortError, TimeoutError } from '@document-vault/sdk';
import { createGraphql, documents, type TypedDocument } from '@document-vault/sdk/graphql';
import { parse, print } from 'graphql';
import { describe, expect, test } from 'vitest';
import { keyClient, rejection } from '../support/client.ts';
import { StoppedClock } from '../support/clock.ts';
import { scriptedFetch } from '../support/fetch.ts';
import { graphqlFaults, startGraphqlClient } from '../support/graphql/server.ts';
import { json } from '../support/responses.ts';
import { until } from '../support/until.ts';

const answered = () => scriptedFetch(() => json({ data: { me: { id: '1' } } }));
const bodies = (sent: { body: string | null }[]) => sent.map(({ body }) => JSON.parse(body ?? ''));

describe('documents', () => {
  test('of the caller, with variables, as text', async () => {
    const { gql, world } = await startGraphqlClient();
    const query = 'query ($id: ID!) { vault(id: $id) { documents { data { vault { name } } } } }';
    expect(await gql.request(query, { id: world.vaultId })).toEqual({
      vault: { documents: { data: [{ vault: { name: 'Of the owner' } }] } },
    });
  });

  test('that are ready, asked for by themselves', async () => {
    const { gql, world } = await startGraphqlClient();
    const { vault } = await gql.request(documents.vault, { id: world.vaultId });
    expect(vault?.name).toBe('Of the owner');
    expect((await gql.request(documents.me)).me.name).toBe('Test User');
  });

  test('of GraphQL Code Generator, as objects that are strings and as syntax trees', async () => {
    class TypedDocumentString<Result, Variables> extends String {
      declare __apiType?: (variables: Variables) => Result;
    }
    const text = '{me{id}}';
    const asString = new TypedDocumentString<{ me: { id: string } }, Record<string, never>>(text);
    const asTree = parse(text) as unknown as TypedDocument<{ me: { id: string } }, object>;
    const { fetch, sent } = answered();
    const gql = createGraphql(keyClient({ fetch }));
    expect((await gql.request(asString)).me.id).toBe('1');
    expect((await gql.request(asTree)).me.id).toBe('1');
    expect(bodies(sent)).toEqual([{ query: text }, { query: print(parse(text)) }]);
  });

  test('are sent as they are, whatever they hold', async () => {
    const { fetch, sent } = answered();
    const gql = createGraphql(keyClient({ fetch }));
    const texts = ['', 'query named { me { id } } # said', '{ me '];
    for (const text of texts) await gql.request(text);
    await gql.request('{me{id}}', { a: undefined, b: null }, { operationName: 'b' });
    expect(bodies(sent)).toEqual([
      ...texts.map((query) => ({ query })),
      { query: '{me{id}}', variables: { b: null }, operationName: 'b' },
    ]);
  });

  test('with several operations, of which one is named', async () => {
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
  test('tells of request id, rate limit and cost, without another request', async () => {
    const { gql, sent, world } = await startGraphqlClient();
    const result = await gql.vault(world.vaultId).withResponse();
    expect(result).toMatchObject({
      data: { id: world.vaultId },
      requestId: result.response.headers.get('x-request-id'),
      rateLimit: { tier: 'enterprise', remaining: expect.any(Number) },
      cost: { points: 1, limit: 50_000, resetAt: new Date('2026-01-01T01:00:00.000Z') },
    });
    expect(sent).toHaveLength(1);
  });

  test('has no cost where none is told', async () => {
    for (const extensions of [undefined, null, {}, { cost: 7 }, { cost: { points: 'x' } }]) {
      const { fetch } = scriptedFetch(() => json({ data: { me: {} }, extensions }));
      const result = await createGraphql(keyClient({ fetch })).me().withResponse();
      expect(result.cost).toBeUndefined();
    }
  });

  test('alone handles a failure', async () => {
    const { fetch } = scriptedFetch(() => json({}));
    const result = rejection(createGraphql(keyClient({ fetch })).me().withResponse());
    expect(await result).toMatchObject({ name: 'ApiError' });
    // A rejection that nobody handles would end the run.
    await new Promise(setImmediate);
  });
});

describe('media types', () => {
  test('the newer one is asked for, and the older taken', async () => {
    const { gql } = await startGraphqlClient();
    const { response } = await gql.me().withResponse();
    expect(response.headers.get('content-type')).toMatch('application/graphql-response+json');
    const { fetch, sent } = answered();
    await createGraphql(keyClient({ fetch })).me();
    expect(sent[0]?.headers).toMatchObject({
      accept: 'application/graphql-response+json, application/json',
      'content-type': 'application/json',
    });
  });

  test('a body counts, not what something on the way calls it', async () => {
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
  test('of a signal: before sending, in flight, and while it waits to be sent again', async () => {
    const { fetch, sent } = answered();
    const early = createGraphql(keyClient({ fetch })).me({ signal: AbortSignal.abort('early') });
    expect(await rejection(early)).toMatchObject({ cause: 'early' });
    expect(sent).toHaveLength(0);

    const { gql, server } = await startGraphqlClient();
    server.faults.order({ ...graphqlFaults, fault: 'delay', milliseconds: 600_000 });
    const flight = new AbortController();
    const flying = rejection(gql.me({ signal: flight.signal }));
    await until(() => server.faults.pending === 0);
    flight.abort();
    expect(await flying).toBeInstanceOf(AbortError);
    server.faults.clear();

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

  test('of the time for an attempt', async () => {
    const gql = createGraphql(keyClient({ fetch: () => new Promise(() => {}), maxRetries: 0 }));
    expect(await rejection(gql.me({ timeout: 5 }))).toBeInstanceOf(TimeoutError);
  });
});

describe('client.fetch for other GraphQL clients', () => {
  test('retries a 429 of GraphQL and resolves to a response with errors', async () => {
    const { client, gql, server, sent } = await startGraphqlClient();
    server.faults.order({ ...graphqlFaults, fault: 'rateLimit', retryAfter: 7 });
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
