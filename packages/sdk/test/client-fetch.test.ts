import { AbortError, type RequestEvent, UsageError, VaultError } from '@document-vault/sdk';
import { createHttpClient } from '@document-vault/sdk/http';
import createClient from 'openapi-fetch';
import { describe, expect, test } from 'vitest';
import type { paths } from '../src/generated/openapi.ts';
import { apiKey, baseUrl, keyClient, rejection } from './support/client.ts';
import { scriptedFetch } from './support/fetch.ts';
import { failure, json, vaultBody } from './support/responses.ts';

describe('client.fetch: request', () => {
  test('sends a path below baseUrl with the credentials of the client', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const client = keyClient({ baseUrl: `${baseUrl}/prefix`, fetch });
    await client.fetch('/api/v1/users/me');
    expect(sent[0]).toMatchObject({ url: `${baseUrl}/prefix/api/v1/users/me`, method: 'GET' });
    expect(sent[0]?.headers['x-api-key']).toBe(apiKey);
  });

  test.each(['GET', 'POST', 'DELETE'])(
    'sends %s below /oauth without credentials',
    async (method) => {
      const { fetch, sent } = scriptedFetch(() => json({}));
      await keyClient({ fetch }).fetch('/oauth/anything', { method });
      expect(sent[0]?.headers).not.toHaveProperty('x-api-key');
    },
  );

  test.each<[string, string | URL | Request]>([
    ['a string', `${baseUrl}/api/v1/vaults`],
    ['a URL', new URL(`${baseUrl}/api/v1/vaults`)],
    ['a Request', new Request(`${baseUrl}/api/v1/vaults`, { method: 'POST', body: '{}' })],
  ])('accepts %s and sends method, headers and body of the init', async (_, input) => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const init = { method: 'post', headers: { 'X-Trace': '1' }, body: '{"name":"Taxes"}' };
    await keyClient({ fetch }).fetch(input, init);
    expect(sent[0]).toMatchObject({ method: 'POST', body: '{"name":"Taxes"}' });
    expect(sent[0]?.headers['x-trace']).toBe('1');
    expect(sent[0]?.headers['idempotency-key']).toBeDefined();
  });

  test('the signal of a Request ends it, also beside an init without one', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const input = new Request(`${baseUrl}/api/v1/vaults`, { signal: AbortSignal.abort() });
    const client = keyClient({ fetch });
    for (const init of [undefined, { headers: { 'X-Trace': '1' } }]) {
      expect(await rejection(client.fetch(input, init))).toBeInstanceOf(AbortError);
    }
    expect(sent).toEqual([]);
  });

  test('reads method, headers and body of a Request', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const headers = { 'Idempotency-Key': 'order-17' };
    const input = new Request(`${baseUrl}/api/v1/vaults`, { method: 'POST', body: '{}', headers });
    await keyClient({ fetch }).fetch(input);
    expect(sent[0]).toMatchObject({ method: 'POST', body: '{}' });
    expect(sent[0]?.headers['idempotency-key']).toBe('order-17');
  });

  test.each<[string, string, object]>([
    ['another origin', 'https://elsewhere.example/api/v1/vaults', {}],
    ['a path outside the prefix of baseUrl', `${baseUrl}/prefix/../api/v1/vaults`, {}],
    ['a relative path', 'api/v1/vaults', {}],
    ['a body of bytes', '/api/v1/vaults', { method: 'POST', body: new Uint8Array(1) }],
    ['credentials in headers', '/api/v1/vaults', { headers: { Authorization: 'Bearer a' } }],
  ])('rejects %s with a UsageError and sends nothing', async (_, input, init) => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const client = keyClient({ baseUrl: `${baseUrl}/prefix`, fetch });
    expect(await rejection(client.fetch(input, init))).toBeInstanceOf(UsageError);
    expect(sent).toEqual([]);
  });
});

describe('client.fetch: response', () => {
  test('resolves to an error of the service, with a body that can be read', async () => {
    const { fetch } = scriptedFetch(() => failure(404, 'NOT_FOUND'));
    const response = await keyClient({ fetch }).fetch('/api/v1/vaults/1');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  test('retries a 503 as often as maxRetries says', async () => {
    const { fetch, sent } = scriptedFetch(() => new Response('', { status: 503 }));
    const client = keyClient({ fetch });
    expect((await client.fetch('/api/v1/vaults', { maxRetries: 1 })).status).toBe(503);
    expect(sent).toHaveLength(2);
  });

  test('retries the opening of a share only when it was never sent', async () => {
    const { fetch, sent } = scriptedFetch(() => new Response('', { status: 503 }));
    await keyClient({ fetch }).fetch('/api/v1/documents/share/Secret-token');
    expect(sent).toHaveLength(1);
  });

  test('reports path templates to hooks: no id and no share token', async () => {
    const events: RequestEvent[] = [];
    const { fetch } = scriptedFetch(() => {
      throw new TypeError('fetch failed');
    });
    const client = keyClient({ fetch, maxRetries: 0, onRequest: (event) => events.push(event) });
    const id = '0190a6f5-3c4e-7b2a-9d61-5f0c8e7a1b23';
    for (const path of [`/api/v1/documents/${id}/shares?page=2`, '/api/v1/documents/share/token']) {
      expect(await rejection(client.fetch(path))).toBeInstanceOf(VaultError);
    }
    expect(events.map(({ path }) => path)).toEqual([
      '/api/v1/documents/{id}/shares',
      '/api/v1/documents/share/{token}',
    ]);
  });

  test('returns the bytes of a content unchanged, also through the /http client', async () => {
    const bytes = Uint8Array.from([0xff, 0x00, 0xc3, 0x28]);
    const { fetch } = scriptedFetch(() => new Response(bytes, { headers: { etag: '"1"' } }));
    const client = keyClient({ fetch });
    const response = await client.fetch('/api/v1/documents/1/content');
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
    const { data } = await createHttpClient(client).GET('/api/v1/documents/{id}/content', {
      params: { path: { id: '1' } },
      parseAs: 'arrayBuffer',
    });
    expect(new Uint8Array(data as ArrayBuffer)).toEqual(bytes);
  });

  test('serves an openapi-fetch client of the user', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const own = createClient<paths>({ baseUrl, fetch: keyClient({ fetch }).fetch });
    const { data } = await own.POST('/api/v1/vaults', { body: { name: 'Taxes' } });
    expect(data).toEqual(vaultBody);
    expect(sent[0]).toMatchObject({ method: 'POST', body: '{"name":"Taxes"}' });
  });
});

describe('headers option', () => {
  test('adds the headers of client and call to each request; those of the call win', async () => {
    const { fetch, sent } = scriptedFetch(
      () => new Response('', { status: 503 }),
      () => json(vaultBody),
    );
    const client = keyClient({ fetch, headers: { 'X-Proxy': 'a', 'X-Trace': 'client' } });
    await client.vaults.create({ name: 'Taxes' }, { headers: { 'x-trace': 'call' } });
    expect(sent).toHaveLength(2);
    for (const { headers } of sent) {
      expect(headers).toMatchObject({
        'x-proxy': 'a',
        'x-trace': 'call',
        'content-type': 'application/json',
        'x-api-key': apiKey,
      });
    }
  });

  test.each([
    { Authorization: 'Bearer secret-1' },
    { 'x-api-key': 'secret-1' },
    { a: 'secret-1\n1' },
  ])('throws a UsageError without the value for %s', async (headers) => {
    expect(() => keyClient({ headers })).toThrow(UsageError);
    const error = await rejection(keyClient().vaults.get('1', { headers: { ...headers } }));
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).not.toContain('secret-1');
  });
});
