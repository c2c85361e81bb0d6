import { readFile } from 'node:fs/promises';
import type { Document, DocumentVault } from '@document-vault/sdk';
import { createHttpClient } from '@document-vault/sdk/http';
import { createOAuthClients } from '@document-vault/sdk/oauth-clients';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { operations } from '../src/generated/openapi.ts';
import { baseUrl, keyClient, rejection, sessionClient } from './support/client.ts';
import { scriptedFetch } from './support/fetch.ts';
import { emptyPage, failure, json, requestId, vaultBody } from './support/responses.ts';

const account = { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada' };
const tokens = { accessToken: 'a', refreshToken: 'r', expiresIn: 3_600 };
const metadata = { algorithm: 'AES-256-GCM', iv: 'AAAAAAAAAAAAAAAA', authTag: 'AAAA' };
const document = {
  vaultId: 'v',
  fileName: 'a',
  encryptedData: '',
  sizeBytes: 0,
  mimeType: 'a/b',
  encryptionMetadata: metadata,
};
const oauthClient = {
  name: 'Tax Assistant',
  type: 'confidential' as const,
  scopes: ['vaults:read' as const],
};
const hook = {
  url: 'https://a.example',
  events: ['vault.created' as const],
  secret: 's'.repeat(32),
};

const firstKeyring = { version: 1, publicKey: 'BAAA', privateKey: 'AAAA', unlockers: [] };

type OperationId = Exclude<keyof operations, `on${string}`>;

type Calls = Record<OperationId, (client: DocumentVault) => PromiseLike<unknown>>;

/** A call for every operation of the contract: a missing one does not type-check. */
const calls: Calls = {
  register: ({ auth }) => auth.register(account),
  login: ({ auth }) => auth.login(account),
  refresh: async ({ auth, vaults }) => {
    await auth.login(account);
    await vaults.get('1');
  },
  logout: async ({ auth }) => {
    await auth.login(account);
    await auth.logout();
  },
  validateApiKey: ({ apiKeys }) => apiKeys.current(),
  listSessions: ({ auth }) => auth.sessions.list(),
  endSession: ({ auth }) => auth.sessions.delete('{id}'),
  endOtherSessions: ({ auth }) => auth.sessions.deleteOthers(),
  getJwks: ({ auth }) => auth.jwks(),
  listApiKeys: ({ apiKeys }) => apiKeys.list({ sortBy: 'name' }),
  createApiKey: ({ apiKeys }) => apiKeys.create({ name: 'ci', scopes: ['vaults:read'] }),
  revokeApiKey: ({ apiKeys }) => apiKeys.delete('{keyId}'),
  listOAuthClients: (client) => createOAuthClients(client).list({ sortBy: 'name' }),
  createOAuthClient: (client) => createOAuthClients(client).create(oauthClient),
  getOAuthClient: (client) => createOAuthClients(client).get('{clientId}'),
  updateOAuthClient: (client) =>
    createOAuthClients(client).update('{clientId}', { disabled: true }),
  deleteOAuthClient: (client) => createOAuthClients(client).delete('{clientId}'),
  rotateOAuthClientSecret: (client) => createOAuthClients(client).rotateSecret('{clientId}'),
  listVaults: ({ vaults }) => vaults.list({ isActive: true }),
  createVault: ({ vaults }) => vaults.create({ name: 'Taxes' }),
  searchVaults: ({ vaults }) => vaults.search('tax'),
  getVault: ({ vaults }) => vaults.get('{id}'),
  updateVault: ({ vaults }) => vaults.update('{id}', { name: 'Taxes' }),
  deleteVault: ({ vaults }) => vaults.delete('{id}'),
  listVaultKeys: ({ vaults }) => vaults.keys.list({ vaultId: 'v' }),
  updateVaultKeys: ({ vaults }) =>
    vaults.keys.update('{id}', { version: 1, generation: 1, sealed: 'AAAA' }),
  listDocuments: ({ documents }) => documents.list({ vaultId: 'v' }),
  createDocument: ({ documents }) => documents.create(document),
  getDocument: ({ documents }) => documents.get('{id}'),
  updateDocument: ({ documents }) => documents.update('{id}', { fileName: 'b' }),
  deleteDocument: ({ documents }) => documents.delete('{id}'),
  getDocumentContent: ({ documents }) => documents.content('{id}'),
  createUpload: ({ uploads }) => uploads.create({ vaultId: 'v', sizeBytes: 1 }),
  getUpload: ({ uploads }) => uploads.get('{id}'),
  uploadPart: ({ uploads }) => uploads.putPart('{id}', '{part}' as never, new Uint8Array(1)),
  deleteUpload: ({ uploads }) => uploads.delete('{id}'),
  shareDocument: ({ shares }) => shares.create('{id}', { maxAccessCount: 3 }),
  listDocumentShares: ({ shares }) => shares.list('{id}'),
  revokeDocumentShare: ({ shares }) => shares.delete('{id}', '{shareId}'),
  listShareAccesses: ({ shares }) => shares.accesses('{id}', '{shareId}'),
  openShare: ({ shares }) => shares.open('{token}'),
  getSharedContent: ({ shares }) => shares.content('{ticket}'),
  listInstances: ({ instances }) => instances.list(),
  createInstance: ({ instances }) => instances.create({ name: 'eu' }),
  getInstance: ({ instances }) => instances.get('{id}'),
  updateInstance: ({ instances }) => instances.update('{id}', { name: 'eu' }),
  getInstanceHealth: ({ instances }) => instances.health('{id}'),
  getInstanceStatistics: ({ instances }) => instances.statistics(),
  getInstanceHistory: ({ instances }) => instances.history('{id}', { step: 'day' }),
  getCurrentUser: ({ users }) => users.me(),
  updateCurrentUser: ({ users }) => users.updateMe({ name: 'Ada' }),
  deleteCurrentUser: ({ users }) => users.delete({ password: 'p' }),
  getKeyring: ({ keyring }) => keyring.get(),
  updateKeyring: ({ keyring }) => keyring.update(firstKeyring),
  listUsers: ({ users }) => users.list({ status: 'suspended' }),
  getUser: ({ users }) => users.get('{id}'),
  administerUser: ({ users }) => users.update('{id}', { tier: 'paid' }),
  listConsents: ({ consents }) => consents.list(),
  createConsent: ({ consents }) => consents.create({ purpose: 'p', grantedTo: 'g' }),
  updateConsent: ({ consents }) => consents.update('{id}', { status: 'revoked' }),
  listWebhooks: ({ webhooks }) => webhooks.list(),
  createWebhook: ({ webhooks }) => webhooks.create(hook),
  getWebhook: ({ webhooks }) => webhooks.get('{id}'),
  updateWebhook: ({ webhooks }) => webhooks.update('{id}', { active: false }),
  rotateWebhookSecret: ({ webhooks }) =>
    webhooks.rotateSecret('{id}', { previousSecretExpiresAt: null }),
  deleteWebhook: ({ webhooks }) => webhooks.delete('{id}'),
  testWebhook: ({ webhooks }) => webhooks.test('{id}', { eventType: 'vault.created' }),
  listDeliveries: ({ webhooks }) => webhooks.deliveries.list('{id}', { status: 'failed' }),
  getDelivery: ({ webhooks }) => webhooks.deliveries.get('{id}', '{deliveryId}'),
  retryDelivery: ({ webhooks }) => webhooks.deliveries.retry('{id}', '{deliveryId}'),
  retryFailedDeliveries: ({ webhooks }) => webhooks.deliveries.retryFailed('{id}'),
  listEvents: ({ events }) => events.list({ type: 'vault.created' }),
  getEvent: ({ events }) => events.get('{id}'),
  getOpenApiDocument: (client) => client.openapi(),
};

interface Operation {
  operationId: string;
  requestBody?: object;
  security: object[];
  parameters?: object[];
}

async function contractOperations() {
  const text = await readFile(new URL('../../../openapi/v1.json', import.meta.url), 'utf8');
  const paths: Record<string, Record<string, Operation>> = JSON.parse(text).paths;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== 'parameters')
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );
}

describe('resources: a method for every operation of the contract', async () => {
  const contract = await contractOperations();

  test('the client has no method without an operation of the contract', () => {
    expect(Object.keys(calls).sort()).toEqual(
      contract.map(({ operationId }) => operationId).sort(),
    );
  });

  test.each(contract)('$operationId is $method $path', async (operation) => {
    const { fetch, sent } = scriptedFetch(({ url, method }) =>
      method === 'DELETE' || /\/logout$|\/parts\//.test(url)
        ? new Response(null, { status: 204 })
        : // Expires at once, so that the next call has to renew.
          json(
            {
              // The id with which the methods are called.
              id: '{id}',
              ...emptyPage,
              ...tokens,
              ...(operation.operationId === 'refresh' && { expiresIn: 0 }),
            },
            { headers: { 'content-length': '2', etag: '"1"' } },
          ),
    );
    const client = /^\/auth\//.test(operation.path)
      ? sessionClient({ fetch })
      : keyClient({ fetch });
    await calls[operation.operationId as OperationId](client);
    const request = sent.find(
      ({ method, url }) =>
        method === operation.method && decodeURIComponent(new URL(url).pathname) === operation.path,
    );
    expect(request).toBeDefined();
    expect(request?.body !== null).toBe(operation.requestBody !== undefined);
    const isPublic = operation.security.length === 0;
    expect(request?.headers['x-api-key'] === undefined).toBe(isPublic);
    const takesKey = JSON.stringify(operation.parameters ?? []).includes('IdempotencyKey');
    expect(request?.headers['idempotency-key'] !== undefined).toBe(takesKey);
    const isJson = operation.operationId !== 'uploadPart';
    expect(request?.headers['content-type']).toBe(
      request?.body === null ? undefined : `application/${isJson ? 'json' : 'octet-stream'}`,
    );
  });
});

describe('resources: results', () => {
  test('a method resolves to the data, and withResponse() to data and response', async () => {
    const client = keyClient({ fetch: scriptedFetch(() => json(vaultBody)).fetch });
    expect(await client.vaults.get('1')).toEqual(vaultBody);
    const result = await client.vaults.get('1').withResponse();
    expect(result).toMatchObject({ data: vaultBody, requestId });
    expect(result.response.status).toBe(200);
    expect(result.rateLimit).toEqual({
      limit: 10_000,
      remaining: 9_987,
      resetAt: new Date(1_772_445_600_000),
      tier: 'paid',
    });
  });

  test('rateLimit is read from both spellings of the headers and undefined without them', async () => {
    const headers = {
      'x-rate-limit-limit': '5',
      'x-rate-limit-remaining': '4',
      'x-rate-limit-reset': '2026-03-02T10:00:00.000Z',
    };
    const { fetch } = scriptedFetch(
      () => new Response('{}', { headers }),
      () => new Response('{}'),
    );
    const client = keyClient({ fetch });
    expect((await client.vaults.get('1').withResponse()).rateLimit).toEqual({
      limit: 5,
      remaining: 4,
      resetAt: new Date(1_772_445_600_000),
      tier: undefined,
    });
    expect((await client.vaults.get('1').withResponse()).rateLimit).toBeUndefined();
  });

  test('rateLimit.minute has the requests of the current minute', async () => {
    const headers = {
      'x-ratelimit-minute-limit': '10',
      'x-ratelimit-minute-remaining': '3',
      'x-ratelimit-minute-reset': '1772442060',
    };
    const { fetch } = scriptedFetch(() => json(vaultBody, { headers }));
    const { rateLimit } = await keyClient({ fetch }).vaults.get('1').withResponse();
    expect(rateLimit).toEqual({
      limit: 10_000,
      remaining: 9_987,
      resetAt: new Date(1_772_445_600_000),
      minute: { limit: 10, remaining: 3, resetAt: new Date(1_772_442_060_000) },
      tier: 'paid',
    });
  });

  test('content: false of get and open sends content=false; without it no query is sent', async () => {
    const { fetch, sent } = scriptedFetch(() => json({ id: 'd1', fileName: 'a' }));
    const { documents, shares } = keyClient({ fetch });
    const described = await documents.get('d1', { content: false });
    expectTypeOf(described).toEqualTypeOf<Document>();
    expectTypeOf(await shares.open('token', { content: false })).toEqualTypeOf<Document>();
    await documents.get('d1');
    await shares.open('token');
    expect(sent.map(({ url }) => url.slice(baseUrl.length))).toEqual([
      '/api/v1/documents/d1?content=false',
      '/api/v1/documents/share/token?content=false',
      '/api/v1/documents/d1',
      '/api/v1/documents/share/token',
    ]);
  });

  test('a deletion resolves to undefined', async () => {
    const { fetch } = scriptedFetch(() => new Response(null, { status: 204 }));
    expect(await keyClient({ fetch }).vaults.delete('1')).toBeUndefined();
  });

  test('results keep properties that the SDK does not know', async () => {
    const { fetch } = scriptedFetch(() => json({ ...vaultBody, colour: 'red' }));
    expect(await keyClient({ fetch }).vaults.get('1')).toHaveProperty('colour', 'red');
  });

  test('asResponse() resolves to a response whose body can be read, of lists and without content too', async () => {
    const page = { data: [], pagination: { totalCount: 0 } };
    const { fetch, sent } = scriptedFetch(
      () => json(vaultBody),
      () => json(page),
      () => new Response(null, { status: 204 }),
      () => failure(404, 'NOT_FOUND'),
    );
    const client = keyClient({ fetch });
    const response = await client.vaults.get('1').asResponse();
    expect([response.status, await response.json()]).toEqual([200, vaultBody]);
    expect(await (await client.vaults.list().asResponse()).json()).toEqual(page);
    expect((await client.vaults.delete('1').asResponse()).status).toBe(204);
    const error = await rejection(client.vaults.get('1').asResponse());
    expect(error).toMatchObject({ name: 'NotFoundError' });
    expect(sent).toHaveLength(4);
  });

  test('withResponse() of a failed call leaves no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    const { fetch } = scriptedFetch(() => new Response('', { status: 404 }));
    await keyClient({ fetch })
      .vaults.get('1')
      .withResponse()
      .catch(() => {});
    await new Promise(setImmediate);
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

describe('http: the typed openapi-fetch client', () => {
  test('the HTTP client returns data and response, with credentials, retries and call options', async () => {
    const { fetch, sent } = scriptedFetch(
      () => new Response('', { status: 503 }),
      () => json(vaultBody),
    );
    const http = createHttpClient(keyClient({ fetch }));
    const { data, error, response } = await http.GET('/api/v1/vaults/{id}', {
      params: { path: { id: '1' } },
    });
    expect(data).toEqual(vaultBody);
    expect(error).toBeUndefined();
    expect(response.headers.get('x-request-id')).toBe(requestId);
    expect(sent).toHaveLength(2);
    expect(sent[1]?.headers).toHaveProperty('x-api-key');
  });

  test('the HTTP client returns an error of the service without throwing', async () => {
    const { fetch } = scriptedFetch(() => new Response('{"error":{"code":"X"}}', { status: 404 }));
    const { error, response } = await createHttpClient(keyClient({ fetch })).GET(
      '/api/v1/users/me',
    );
    expect(error).toEqual({ error: { code: 'X' } });
    expect(response.status).toBe(404);
  });

  test('the HTTP client accepts call options', async () => {
    const { fetch, sent } = scriptedFetch(() => new Response('', { status: 503 }));
    const http = createHttpClient(keyClient({ fetch }));
    await http.GET('/api/v1/users/me', { maxRetries: 0 });
    expect(sent).toHaveLength(1);
    const call = http.GET('/api/v1/users/me', { signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ name: 'AbortError', path: '/api/v1/users/me' });
  });

  test('the HTTP client sends body, query, headers and the Idempotency-Key of a POST', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody, { status: 201 }));
    const http = createHttpClient(keyClient({ fetch }));
    await http.POST('/api/v1/vaults', {
      body: { name: 'Taxes' },
      params: { header: { 'Idempotency-Key': 'order-17' } },
      headers: { traceparent: '00-1' },
    });
    await http.GET('/api/v1/vaults', { params: { query: { search: 'a b', isActive: false } } });
    expect(sent[0]).toMatchObject({
      body: '{"name":"Taxes"}',
      headers: { 'idempotency-key': 'order-17', traceparent: '00-1' },
    });
    expect(sent[0]?.headers['content-type']).toBe('application/json');
    expect(sent[1]?.url).toBe(`${baseUrl}/api/v1/vaults?search=a%20b&isActive=false`);
  });

  test('middleware receives the request', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const http = createHttpClient(keyClient({ fetch }));
    http.use({
      onRequest({ request }) {
        request.headers.set('x-seen', `${request.method} ${new URL(request.url).pathname}`);
      },
    });
    await http.GET('/api/v1/users/me');
    expect(sent[0]?.headers['x-seen']).toBe('GET /api/v1/users/me');
  });
});
