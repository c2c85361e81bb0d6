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

describe('http: middleware is kept until openapi-fetch is there', () => {
  test('in the order in which it was given, that of a call last', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const http = createHttpClient(keyClient({ fetch }));
    const log: string[] = [];
    http.use(marking('a', log), marking('b', log));
    await http.GET('/api/v1/users/me', { middleware: [marking('c', log)] });
    expect(sent[0]?.headers['x-seen']).toBe('abc');
    expect(log).toEqual(['c', 'b', 'a']);
  });

  test('until it is taken out', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const http = createHttpClient(keyClient({ fetch }));
    const [a, b] = [marking('a'), marking('b')];
    http.use(a, b);
    http.eject(a);
    await http.GET('/api/v1/users/me');
    expect(sent[0]?.headers['x-seen']).toBe('b');
  });

  test('for calls that begin later', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const http = createHttpClient(keyClient({ fetch }));
    const first = http.GET('/api/v1/users/me');
    http.use(marking('a'));
    await first;
    await http.request('get', '/api/v1/users/me');
    expect(sent.map(({ headers }) => headers['x-seen'])).toEqual([undefined, 'a']);
  });
});

describe('http: a client of openapi-fetch to whatever is built on one', () => {
  test('by type and by what it does', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const byPath = wrapAsPathBasedClient(createHttpClient(keyClient({ fetch })));
    const params = { path: { id: vaultBody.id } };
    const { data } = await byPath['/api/v1/vaults/{id}'].GET({ params });
    expect(data?.name).toBe(vaultBody.name);
    expect(sent).toHaveLength(1);
  });
});

describe('guarantee 11, http: only errors of the SDK for answers that are none of the service', () => {
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

  test('and no error at all for an answer of the service', async () => {
    const answers = [
      () => new Response(null, { status: 204 }),
      () => failure(404, 'NOT_FOUND'),
      () => new Response('<html>', { status: 404 }),
    ] as const;
    const http = createHttpClient(keyClient({ fetch: scriptedFetch(...answers).fetch }));
    const remove = () => http.DELETE('/api/v1/vaults/{id}', { params: { path: { id: '1' } } });
    expect((await remove()).response.status).toBe(204);
    expect((await remove()).error?.error.code).toBe('NOT_FOUND');
    expect((await remove()).error).toBe('<html>');
  });
});
