import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  type DocumentVault,
  isVaultError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ValidationError,
  VaultError,
} from '@document-vault/sdk';
import { describe, expect, test } from 'vitest';
import { keyClient, rejection, sessionClient } from './support/client.ts';
import { scriptedFetch } from './support/fetch.ts';
import { failure, json, networkError, requestId } from './support/responses.ts';
import { storeOf } from './support/session.ts';

const failing = (answer: () => Response) =>
  rejection(keyClient({ fetch: scriptedFetch(answer).fetch, maxRetries: 0 }).vaults.get('1'));

describe('guarantee 11, errors: the sentence of the service', () => {
  test('reason is the sentence alone, without method, path, status and code', async () => {
    const error = (await failing(() => failure(404, 'NOT_FOUND'))) as ApiError;
    expect(error.reason).toBe('It is NOT_FOUND');
    expect(error.message).toBe('GET /api/v1/vaults/{id}: 404 NOT_FOUND It is NOT_FOUND');
  });

  test("reason is undefined when the response is a proxy's", async () => {
    const page = () => new Response('<h1>Bad Gateway</h1>', { status: 502 });
    expect((await failing(page)) as ApiError).toHaveProperty('reason', undefined);
  });
});

describe('guarantee 11, errors: classes', () => {
  test.each([
    [400, 'VALIDATION_ERROR', ValidationError],
    [401, 'INVALID_API_KEY', AuthenticationError],
    [401, 'EXPIRED_TOKEN', AuthenticationError],
    [403, 'INSUFFICIENT_PERMISSIONS', PermissionError],
    [403, 'IP_BLOCKED', PermissionError],
    [404, 'NOT_FOUND', NotFoundError],
    [429, 'RATE_LIMIT_EXCEEDED', RateLimitError],
    [500, 'INTERNAL_ERROR', ServerError],
  ] as const)('%i %s', async (status, code, errorClass) => {
    const error = await failing(() => failure(status, code));
    expect(error).toBeInstanceOf(errorClass);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toBeInstanceOf(VaultError);
    expect(error).toMatchObject({ status, code, name: errorClass.name });
  });

  test('an ApiError has code, message, details, request id and retryAfter of the response', async () => {
    const details = { field: 'name', constraint: 'required' };
    const error = (await failing(() => failure(400, 'VALIDATION_ERROR', { details }))) as ApiError;
    expect({ ...error }).toEqual({
      method: 'GET',
      path: '/api/v1/vaults/{id}',
      attempts: 1,
      status: 400,
      code: 'VALIDATION_ERROR',
      reason: 'It is VALIDATION_ERROR',
      details,
      requestId,
      timestamp: '2026-03-02T09:17:30.512Z',
      retryAfterMs: undefined,
    });
    expect(error.message).toBe(
      'GET /api/v1/vaults/{id}: 400 VALIDATION_ERROR It is VALIDATION_ERROR',
    );
  });
});

describe('guarantee 11, errors: nothing but VaultError is thrown', () => {
  test.each<[string, () => Response]>([
    ['an HTML page with 502', () => new Response('<html>Bad Gateway</html>', { status: 502 })],
    ['an empty body with 404', () => new Response('', { status: 404 })],
    ['an error of another shape', () => json({ error: 'no' }, { status: 400 })],
    ['an HTML page with 200', () => new Response('<html>Log in to the Wi-Fi</html>')],
    ['an empty body with 200', () => new Response('')],
    ['broken JSON with 200', () => new Response('{"id":')],
    ['JSON that is no object with 200', () => new Response('null')],
    ['no content where there has to be some', () => new Response(null, { status: 204 })],
    ['an unknown status', () => new Response('', { status: 418 })],
  ])('for %s', async (_, answer) => {
    const error = await failing(answer);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: undefined, details: {}, status: answer().status });
  });

  test.each([
    ['a deletion', (client: DocumentVault) => client.vaults.delete('1')],
    ['a logout', (client: DocumentVault) => client.auth.logout()],
  ])('a 204 response of %s resolves to undefined', async (_, call) => {
    const { fetch, sent } = scriptedFetch(() => new Response(null, { status: 204 }));
    const client = sessionClient({ fetch, session: { store: storeOf('a', 'r') } });
    await expect(call(client)).resolves.toBeUndefined();
    expect(sent).toHaveLength(1);
  });

  test('requestId comes from the header when the body has none', async () => {
    const headers = { 'x-request-id': 'req_1' };
    const error = await failing(() => new Response('<html>', { status: 502, headers }));
    expect(error).toMatchObject({ requestId: 'req_1' });
  });

  test('a host name that does not resolve rejects with a ConnectionError', async () => {
    const client = keyClient({ baseUrl: 'https://nowhere.invalid', maxRetries: 0 });
    const error = await rejection(client.vaults.get('1'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ method: 'GET', path: '/api/v1/vaults/{id}', attempts: 1 });
    expect((error as Error).cause).toBeInstanceOf(TypeError);
  });

  test('a page without pagination rejects with a VaultError', async () => {
    const client = keyClient({ fetch: scriptedFetch(() => json({})).fetch });
    const error = await rejection(client.vaults.list()[Symbol.asyncIterator]().next());
    expect(error).toBeInstanceOf(VaultError);
  });
});

describe('guarantee 11, errors: several copies of the package', () => {
  test('isVaultError returns true for an error of another copy of the module', async () => {
    const path = '../src/errors.ts?copy';
    const copy = await import(/* @vite-ignore */ path);
    const foreign = new copy.NotFoundError('gone', {});
    expect(foreign).not.toBeInstanceOf(VaultError);
    expect(isVaultError(foreign)).toBe(true);
    expect(foreign.name).toBe('NotFoundError');
  });

  test.each([undefined, null, 'VaultError', {}, new Error('no'), networkError('ECONNRESET')])(
    'isVaultError returns false for %s',
    (value) => {
      expect(isVaultError(value)).toBe(false);
    },
  );

  test('stack and JSON of an error contain its name', async () => {
    const error = (await failing(() => failure(404, 'NOT_FOUND'))) as ApiError;
    expect(error.stack).toMatch(/^NotFoundError: /);
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      name: 'NotFoundError',
      message: error.message,
      code: 'NOT_FOUND',
    });
  });
});
