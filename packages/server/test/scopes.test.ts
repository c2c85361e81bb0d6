import { beforeEach, describe, expect, test } from 'vitest';
import { contractOperations, type Operation } from '../src/contract/contract.ts';
import { userScopes } from '../src/domain/access.ts';
import { filled, refusal } from './support/front-door.ts';
import { newKey } from './support/resources.ts';
import { type Caller, type Reply, startTestServer, type TestServer } from './support/server.ts';

// Generated from the contract: the credentials and scopes that each operation requires.

const scoped = contractOperations.filter(({ schemes }) =>
  [...schemes.values()].some((scopes) => scopes.length > 0),
);

/** Calls an operation with an empty request, which is enough to reach the scope check. */
function send(call: Caller, { method, path }: Operation) {
  return call(method.toUpperCase(), filled(path));
}

let server: TestServer;
/** Keys by their scopes. */
let keys: Map<string, string>;
let account: Caller;

beforeEach(async () => {
  server = await startTestServer();
  account = (await server.signUp('ada@example.com')).call;
  keys = new Map();
});

async function withScopes(scopes: readonly string[]): Promise<Caller> {
  const name = scopes.join();
  const key = keys.get(name) ?? (await newKey(account, scopes)).key;
  keys.set(name, key);
  return server.withKey(key);
}

/** Asserts that the request passed the scope check. */
function expectPastScopes({ status, body }: Reply, operation: string): void {
  expect([200, 201, 204, 400, 403, 404], operation).toContain(status);
  expect(body?.error?.details.requiredScopes, operation).toBeUndefined();
  expect(String(body?.error?.message), operation).not.toMatch(/^There is no operation at/);
}

describe('scopes in the contract', () => {
  test('every operation that is not public requires exactly one scope', () => {
    const free = contractOperations.filter(({ schemes }) => schemes.size === 0);
    expect(free.map(({ id }) => id).sort()).toEqual([
      'getJwks',
      'getOpenApiDocument',
      'login',
      'logout',
      'refresh',
      'register',
    ]);
    for (const { id, schemes } of scoped) {
      expect(schemes.get('apiKey'), id).toHaveLength(1);
    }
  });

  test('an ordinary account has every required scope except admin:*', () => {
    const needed = new Set(scoped.map(({ schemes }) => schemes.get('apiKey')?.[0]));
    const beyond = [...needed].filter((scope) => !userScopes.some((own) => own === scope));
    expect(beyond).toEqual(['admin:*']);
  });
});

test('a key with every scope except the required one returns INSUFFICIENT_PERMISSIONS', async () => {
  for (const operation of scoped) {
    const needed = operation.schemes.get('apiKey') ?? [];
    const others = userScopes.filter((scope) => !needed.includes(scope));
    const reply = await send(await withScopes(others), operation);
    expect(reply, operation.id).toMatchObject(
      refusal('INSUFFICIENT_PERMISSIONS', { requiredScopes: needed }),
    );
  }
});

test('a key with only the required scope passes the scope check', async () => {
  for (const operation of scoped) {
    const needed = operation.schemes.get('apiKey') ?? [];
    if (needed.includes('admin:*')) continue;
    expectPastScopes(await send(await withScopes(needed), operation), operation.id);
  }
});

test('an access token of an account passes the scope check of every operation but those of administrators', async () => {
  for (const operation of scoped) {
    const isForAdministrators = operation.schemes.get('bearer')?.includes('admin:*');
    const reply = await send(account, operation);
    if (!isForAdministrators) expectPastScopes(reply, operation.id);
    else expect(reply, operation.id).toMatchObject(refusal('INSUFFICIENT_PERMISSIONS', {}));
  }
});

test('without credentials, every operation that is not public returns MISSING_AUTH', async () => {
  for (const operation of contractOperations) {
    const reply = await send(server.anonymous, operation);
    if (operation.anonymous) expect(reply.body?.error?.code).not.toBe('MISSING_AUTH');
    else expect(reply, operation.id).toMatchObject(refusal('MISSING_AUTH', {}));
  }
  const withoutCredentials = contractOperations.filter(
    ({ anonymous, schemes }) => anonymous && schemes.size > 0,
  );
  expect(withoutCredentials.map(({ id }) => id)).toEqual(['openShare', 'getSharedContent']);
});

test.each([
  ['apiKey', { 'x-api-key': 'rubbish' }, 'INVALID_API_KEY'],
  ['bearer', { authorization: 'Bearer rubbish' }, 'INVALID_TOKEN'],
] as const)(
  'an invalid %s credential is rejected by every operation that accepts it',
  async (scheme, headers, code) => {
    for (const operation of contractOperations) {
      const { id, method, path, schemes, anonymous } = operation;
      const reply = await server.anonymous(method.toUpperCase(), filled(path), { headers });
      if (schemes.has(scheme)) expect(reply, id).toMatchObject(refusal(code, {}));
      else if (anonymous) expect([200, 400], id).toContain(reply.status);
      else expect(reply, id).toMatchObject(refusal('MISSING_AUTH', {}));
    }
  },
);

const keyInBearer = {
  headers: { authorization: `Bearer service_sk_${'a'.repeat(40)}` },
  code: 'INVALID_TOKEN',
  message: 'Authorization has an API key. Send it in X-Api-Key.',
} as const;
const tokenInApiKey = {
  headers: { 'x-api-key': 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln' },
  code: 'INVALID_API_KEY',
  message: 'X-Api-Key has an access token. Send it in Authorization: Bearer.',
} as const;
const basic = {
  headers: { authorization: 'Basic YWRhOnNlY3JldA==' },
  code: 'INVALID_TOKEN',
  message: 'Authorization must be Bearer, a space and an access token.',
} as const;

test.each([
  ['an API key in Authorization: Bearer', keyInBearer],
  ['an access token in X-Api-Key', tokenInApiKey],
  ['Authorization: Basic', basic],
])('%s returns 401 with a message that names the right header', async (_, expected) => {
  const { headers, code, message } = expected;
  const reply = await server.anonymous('GET', '/api/v1/vaults', { headers });
  expect(reply).toMatchObject(refusal(code, {}));
  expect(reply.body.error.message).toBe(message);
  const graphql = await server.anonymous('POST', '/graphql', {
    headers,
    body: { query: '{ me { id } }' },
  });
  expect(graphql.status).toBe(401);
  expect(JSON.stringify(graphql.body)).toContain(message);
});

test('an access token where only API keys are accepted returns 401 with a message that says so', async () => {
  const reply = await account('GET', '/api/v1/auth/validate');
  expect(reply).toMatchObject(refusal('MISSING_AUTH', {}));
  expect(reply.body.error.message).toBe(
    'Send an API key in X-Api-Key. This operation takes no access token.',
  );
});
