import { ApiError } from '@document-vault/sdk';
import { createHttpClient } from '@document-vault/sdk/http';
import { wrapAsPathBasedClient } from 'openapi-fetch';
import { describe, expect, test } from 'vitest';
import { keyClient, rejection } from './support/client.ts';
import { scriptedFetch } from './support/fetch.ts';
import { failure, json, vaultBody } from './support/responses.ts';

/** Middleware that leaves its name on the request and in `log`. */
function marking(name: string, log: string[] = []) {
  return {
    onRequest({ request }: { request: Request }) {
      request.headers.set('x-seen', `${request.headers.get('x-seen') ?? ''}${name}`);
    },
    onResponse() {
      log.push(name);
    },
  };
}

describe('http: middleware before openapi-fetch has loaded', () => {
  test('middleware runs in the order of use(), and that of a call last', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const http = createHttpClient(keyClient({ fetch }));
    const log: string[] = [];
    http.use(marking('a', log), marking('b', log));
    await http.GET('/api/v1/users/me', { middleware: [marking('c', log)] });
    expect(sent[0]?.headers['x-seen']).toBe('abc');
    expect(log).toEqual(['c', 'b', 'a']);
  });

  test('middleware does not run after eject()', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const http = createHttpClient(keyClient({ fetch }));
    const [a, b] = [marking('a'), marking('b')];
    http.use(a, b);
    http.eject(a);
    await http.GET('/api/v1/users/me');
    expect(sent[0]?.headers['x-seen']).toBe('b');
  });

  test('middleware applies to calls that begin after use()', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const http = createHttpClient(keyClient({ fetch }));
    const first = http.GET('/api/v1/users/me');
    http.use(marking('a'));
    await first;
    await http.request('get', '/api/v1/users/me');
    expect(sent.map(({ headers }) => headers['x-seen'])).toEqual([undefined, 'a']);
  });
});

describe('http: compatibility with openapi-fetch', () => {
  test('createHttpClient returns an openapi-fetch client by type and behaviour', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const byPath = wrapAsPathBasedClient(createHttpClient(keyClient({ fetch })));
    const params = { path: { id: vaultBody.id } };
    const { data } = await byPath['/api/v1/vaults/{id}'].GET({ params });
    expect(data?.name).toBe(vaultBody.name);
    expect(sent).toHaveLength(1);
  });
});

describe('guarantee 11, http: only errors of the SDK for responses that do not fit the contract', () => {
  test.each<[string, () => Response]>([
    ['an HTML page', () => new Response('<html>Log in to the Wi-Fi</html>')],
    [
      'broken JSON of a known length',
      () => new Response('{"id":', { headers: { 'content-length': '6' } }),
    ],
    ['an empty body', () => new Response('')],
    ['no content', () => new Response(null, { status: 204 })],
    [
      'a status of no class',
      () => Object.defineProperties(json({}), { status: { value: 999 }, ok: { value: false } }),
    ],
  ])('%s', async (_, answer) => {
    const http = createHttpClient(keyClient({ fetch: scriptedFetch(answer).fetch, maxRetries: 0 }));
    const error = await rejection(http.GET('/api/v1/users/me'));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: undefined, path: '/api/v1/users/me', attempts: 1 });
    expect(String(error)).not.toContain('Wi-Fi');
  });

  test('an error response of the service is returned and not thrown', async () => {
    const responses = [
      () => new Response(null, { status: 204 }),
      () => failure(404, 'NOT_FOUND'),
      () => new Response('<html>', { status: 404 }),
    ] as const;
    const http = createHttpClient(keyClient({ fetch: scriptedFetch(...responses).fetch }));
    const remove = () => http.DELETE('/api/v1/vaults/{id}', { params: { path: { id: '1' } } });
    expect((await remove()).response.status).toBe(204);
    expect((await remove()).error?.error.code).toBe('NOT_FOUND');
    expect((await remove()).error).toBe('<html>');
  });
});
