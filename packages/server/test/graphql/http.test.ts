import { describe, expect, test } from 'vitest';
import { expectEveryHeader } from '../support/front-door.ts';
import { expectWellFormed, graphqlJson } from '../support/graphql/asking.ts';
import { type Caller, type Reply, startTestServer } from '../support/server.ts';

const json = 'application/json';
const hello = JSON.stringify({ query: '{ me { email } }' });

const send = (call: Caller, body: string | undefined, headers: Record<string, string> = {}) =>
  call('POST', '/graphql', { ...(body !== undefined && { body }), headers });

/** Media type of a response; asserts that its character set is UTF-8. */
function mediaTypeOf({ headers }: Reply): string | undefined {
  const [type, charset] = (headers.get('content-type') ?? '').split('; ');
  expect(charset).toBe('charset=utf-8');
  return type;
}

describe('media type of the response', () => {
  test.each([
    ['*/*', json],
    ['application/*', json],
    [json, json],
    [`${json}; charset=utf-8`, json],
    [graphqlJson, graphqlJson],
    [`${graphqlJson}; charset=utf-8`, graphqlJson],
    [`${graphqlJson}, ${json};q=0.9`, graphqlJson],
    [`${json};q=0.5, ${graphqlJson}`, graphqlJson],
    [`text/html, ${json}`, json],
  ])('Accept: %s returns %s', async (accept, expected) => {
    const { developer } = await startTestServer();
    const reply = await send(developer, hello, { accept });
    expect(reply).toMatchObject({ status: 200, body: { data: { me: {} } } });
    expect(mediaTypeOf(reply)).toBe(expected);
  });

  test.each(['text/html', 'text/plain, image/png', `${json}; charset=latin1`])(
    'Accept: %s returns 406 and executes nothing',
    async (accept) => {
      const { developer } = await startTestServer();
      const body = JSON.stringify({
        query: 'mutation { createVault(input: { name: "Taxes" }) { id } }',
      });
      const reply = await send(developer, body, { accept });
      expect(reply.status).toBe(406);
      expect(mediaTypeOf(reply)).toBe(json);
      expectWellFormed(reply);
      expect((await developer('GET', '/api/v1/vaults')).body.data).toEqual([]);
    },
  );

  test('an Accept header of more than 1,000 characters counts as */*', async () => {
    const { developer } = await startTestServer();
    for (const [length, status] of [
      [1_000, 406],
      [1_001, 200],
    ] as const) {
      const accept = 'text/html,'.padEnd(length, '",');
      const reply = await send(developer, hello, { accept });
      expect(reply.status).toBe(status);
      expect(mediaTypeOf(reply)).toBe(json);
    }
  });
});

describe('status of the response', () => {
  const wrongDocument = ['query', 'mutation($a: Nope) { x }', '{ me { nope } }', '{ me', ''];
  const documents = wrongDocument.map((query) => JSON.stringify({ query }));
  const variables = JSON.stringify({
    query: 'query($id: ID!) { vault(id: $id) { id } }',
    variables: { id: { not: 'an id' } },
  });
  const unnamed = JSON.stringify({ query: 'query A { me { id } } query B { me { id } }' });
  const subscription = JSON.stringify({ query: 'subscription { vaults { data { id } } }' });
  // The defaults allow these variables where a value is required. An explicit null removes it again.
  const nulls = [
    'query($x: ID = "a") { vault(id: $x) { id } }',
    'query($x: Boolean = true) { me { id @include(if: $x) } }',
    'query($x: Boolean = true) { ...f @skip(if: $x) } fragment f on Query { me { id } }',
    'mutation($x: String = "a") { createVault(input: { name: $x }) { id } }',
  ].map((query) => JSON.stringify({ query, variables: { x: null } }));

  test.each([...documents, variables, unnamed, subscription, ...nulls])(
    'an invalid operation is 400 with the media type of GraphQL and 200 with application/json: %s',
    async (body) => {
      const { developer } = await startTestServer();
      for (const [accept, status] of [
        [graphqlJson, 400],
        [json, 200],
      ] as const) {
        const reply = await send(developer, body, { accept });
        expect(reply.status).toBe(status);
        expect(reply.body).not.toHaveProperty('data');
        expectWellFormed(reply);
        expect(reply.body.errors[0].extensions.code).toBe('VALIDATION_ERROR');
        expectEveryHeader(reply);
      }
    },
  );

  test.each([
    ['{"query":', 'body', 'json'],
    ['', 'body', 'required'],
    ['"text"', 'body', 'type'],
    ['null', 'body', 'type'],
    ['[]', 'body', 'batch'],
    [`[${hello},${hello}]`, 'body', 'batch'],
    ['{}', 'query', 'required'],
    ['{"query":null}', 'query', 'type'],
    ['{"query":7}', 'query', 'type'],
    ['{"query":"{ me { id } }","variables":[]}', 'variables', 'type'],
    ['{"query":"{ me { id } }","variables":"{}"}', 'variables', 'type'],
    ['{"query":"{ me { id } }","operationName":7}', 'operationName', 'type'],
    ['{"query":"{ me { id } }","extensions":7}', 'extensions', 'type'],
    ['{"query":"half \\ud83d"}', 'body', 'json'],
    [`{"query":"${'x'.repeat(1024 * 1024)}"}`, 'body', 'maxBytes'],
  ])('an invalid request is 400 with both media types: %.40s', async (body, field, constraint) => {
    const { developer } = await startTestServer();
    for (const accept of [graphqlJson, json]) {
      const reply = await send(developer, body, { accept, 'content-type': json });
      expect(reply.status).toBe(400);
      expectWellFormed(reply);
      expect(reply.body.errors[0].extensions.details).toMatchObject({ field, constraint });
    }
  });

  test.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/graphql'],
    ['application/json; charset=utf-16'],
  ])('Content-Type: %s is 415', async (type) => {
    const { developer } = await startTestServer();
    const reply = await send(developer, hello, { 'content-type': type });
    expect(reply.status).toBe(415);
    expectWellFormed(reply);
  });

  test.each(['application/json; charset=utf-8', 'application/json;charset="UTF-8"'])(
    'Content-Type: %s is 200',
    async (type) => {
      const { developer } = await startTestServer();
      expect((await send(developer, hello, { 'content-type': type })).status).toBe(200);
    },
  );

  test.each(['GET', 'PUT', 'DELETE', 'PATCH'])(
    '%s is 405 for queries and mutations',
    async (method) => {
      const { developer } = await startTestServer();
      for (const query of ['{ me { id } }', 'mutation { deleteVault(id: "x") }']) {
        const path = `/graphql?query=${encodeURIComponent(query)}`;
        const reply = await developer(method, path, { headers: { accept: json } });
        expect(reply.status).toBe(405);
        expect(reply.headers.get('allow')).toBe('POST');
        expectWellFormed(reply);
        expectEveryHeader(reply);
      }
    },
  );

  test('other paths return the 404 of REST', async () => {
    const { developer } = await startTestServer();
    for (const path of ['/graphql/', '/GraphQL', '/graphql/x', '/api/v1/graphql']) {
      const reply = await developer('POST', path, { body: hello });
      expect(reply, path).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    }
  });
});

test('operationName selects the operation, and unknown variables are ignored', async () => {
  const { developer } = await startTestServer();
  const query =
    'query A { me { email } } query B($x: Int = 1) { vaults(page: $x) { data { id } } }';
  const body = (operationName: string) =>
    JSON.stringify({ query, operationName, variables: { other: 1 }, extensions: {}, id: 7 });
  expect((await send(developer, body('A'))).body.data).toEqual({ me: expect.any(Object) });
  expect((await send(developer, body('B'))).body.data).toEqual({ vaults: { data: [] } });
  const unknown = await send(developer, body('C'), { accept: graphqlJson });
  expect(unknown.status).toBe(400);
  expect(unknown.body.errors[0].extensions.details).toMatchObject({ field: 'operationName' });
});

test('a variable that is missing is called a variable', async () => {
  const { developer } = await startTestServer();
  const query = 'query ($size: Int!) { vaults(pageSize: $size) { data { name } } }';
  const reply = await send(developer, JSON.stringify({ query, variables: { sise: 1 } }), {
    accept: json,
  });
  expect(reply.body.errors).toEqual([
    expect.objectContaining({
      message: 'Variable "$size" was not provided.',
      extensions: expect.objectContaining({
        details: expect.objectContaining({ field: 'size', constraint: 'required' }),
      }),
    }),
  ]);
});
