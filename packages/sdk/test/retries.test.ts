import {
  ConnectionError,
  type DocumentVault,
  type DocumentVaultOptions,
  ServerError,
  VaultError,
} from '@document-vault/sdk';
import { createHttpClient } from '@document-vault/sdk/http';
import { describe, expect, test } from 'vitest';
import { type Attempt, decide } from '../src/http/retry.ts';
import { apiKey, keyClient, rejection } from './support/client.ts';
import { type Reaction, scriptedFetch } from './support/fetch.ts';
import { failure, json, vaultBody } from './support/responses.ts';
import { startServer } from './support/server.ts';

const ok: Reaction = () => json(vaultBody);

describe('guarantee 2, retries: conditions', () => {
  test.each([408, 429, 500, 502, 503, 504])('a GET is retried after a %i', async (status) => {
    const { fetch, sent } = scriptedFetch(() => new Response('', { status }), ok);
    await expect(keyClient({ fetch }).vaults.get('1')).resolves.toEqual(vaultBody);
    expect(sent).toHaveLength(2);
  });

  test.each([400, 401, 403, 404, 409, 501])('a GET is not retried after a %i', async (status) => {
    const { fetch, sent } = scriptedFetch(() => new Response('', { status }), ok);
    await expect(keyClient({ fetch }).vaults.get('1')).rejects.toMatchObject({ status });
    expect(sent).toHaveLength(1);
  });

  const statuses = [400, 401, 403, 404, 405, 408, 409, 418, 422, 429];
  statuses.push(500, 501, 502, 503, 504, 505, 507);
  const passing = [408, 429, 500, 502, 503, 504];
  test.each<[string, number[], (client: DocumentVault) => Promise<unknown>]>([
    ['GET', passing, ({ vaults }) => vaults.get('1')],
    ['PUT', passing, ({ vaults }) => vaults.update('1', {})],
    ['DELETE', passing, ({ vaults }) => vaults.delete('1')],
    ['POST under a key', passing, ({ vaults }) => vaults.create({ name: 'a' })],
    [
      'the typed client',
      passing,
      (client) => createHttpClient(client).POST('/api/v1/vaults', { body: { name: 'a' } }),
    ],
    [
      'POST without a key',
      [429],
      ({ auth }) => auth.register({ name: 'a', email: 'b', password: 'c' }),
    ],
    ['GET that counts', [429], ({ shares }) => shares.open('token')],
  ])('of all statuses, for %s, repeats %j alone', async (_, repeated, call) => {
    const attempts = new Map<number, number>();
    for (const status of statuses) {
      const { fetch, sent } = scriptedFetch(() => new Response('', { status }));
      await call(keyClient({ fetch })).catch(() => {});
      attempts.set(status, sent.length);
    }
    expect(statuses.filter((status) => attempts.get(status) === 3)).toEqual(repeated);
    expect(statuses.filter((status) => attempts.get(status) === 1)).toHaveLength(
      statuses.length - repeated.length,
    );
  });

  test.each([
    'fetch failed',
    'Failed to fetch',
    'network error',
    'NetworkError when attempting to fetch resource.',
    'Load failed',
    'The network connection was lost.',
    'terminated',
    'error sending request for url (https://vault.example.com/)',
    'Network connection lost.',
    'internal error; reference = l1393cug9p574fi70qaj4oq0',
  ])('a TypeError with the message "%s" is a network error and retried', async (message) => {
    const { fetch, sent } = scriptedFetch(() => {
      throw new TypeError(message);
    }, ok);
    await keyClient({ fetch }).vaults.get('1');
    expect(sent).toHaveLength(2);
  });

  const fault = new TypeError("Cannot read properties of undefined (reading 'socket')");
  const fails = () => {
    throw fault;
  };
  /** Throws the message of a network error from code of the program. */
  const lies = () => {
    throw new TypeError('fetch failed');
  };
  test.each<[string, Partial<DocumentVaultOptions>, number]>([
    ['fetch', { fetch: async () => fails() }, 0],
    ['fetch, at once', { fetch: fails }, 0],
    [
      'the random source',
      { random: lies, fetch: async () => new Response('', { status: 503 }) },
      0,
    ],
  ])('a TypeError that %s throws is not retried', async (_, options, requests) => {
    const { fetch, sent } = scriptedFetch(ok);
    const error = await rejection(keyClient({ fetch, ...options }).vaults.get('1'));
    expect(error).toBeInstanceOf(VaultError);
    expect(error).not.toBeInstanceOf(ConnectionError);
    expect((error as VaultError).cause).toBeInstanceOf(TypeError);
    expect(sent).toHaveLength(requests);
  });

  test('a body that JSON cannot represent rejects with a VaultError and sends no request', async () => {
    const { fetch, sent } = scriptedFetch(ok);
    const metadata: Record<string, unknown> = {};
    metadata.itself = metadata;
    const consent = { purpose: 'a', grantedTo: 'b', metadata };
    const error = await rejection(keyClient({ fetch }).consents.create(consent));
    expect(error).toBeInstanceOf(VaultError);
    expect(sent).toHaveLength(0);
  });

  test('a connection to a closed port is tried 3 times', async () => {
    const server = await startServer(() => {});
    await server.close();
    for (const call of [
      (client: DocumentVault) => client.vaults.get('1'),
      (client: DocumentVault) => client.auth.register({ name: 'a', email: 'b', password: 'c' }),
    ]) {
      const error = await rejection(call(keyClient({ baseUrl: server.url })));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ attempts: 3 });
    }
  });

  const attempt: Attempt = {
    outcome: { status: 503 },
    call: {
      idempotent: true,
      retries: 0,
      maxRetries: 2,
      maxRetryAfter: 60_000,
      clock: { now: () => 0 },
      endsAt: Infinity,
    },
    refreshable: false,
    delayMs: 500,
    requested: false,
  };
  test.each<[string, ReturnType<typeof decide>, Partial<Attempt & Attempt['call']>]>([
    ['a 503 of an idempotent call', 'retry', {}],
    ['a 503 of another call', 'fail', { idempotent: false }],
    ['a 429 of another call', 'retry', { idempotent: false, outcome: { status: 429 } }],
    ['a 404', 'fail', { outcome: { status: 404 } }],
    ['an unsent call', 'retry', { idempotent: false, outcome: { failure: 'unsent' } }],
    ['a lost connection', 'fail', { idempotent: false, outcome: { failure: 'network' } }],
    ['a timeout', 'fail', { idempotent: false, outcome: { failure: 'timeout' } }],
    ['a timeout of an idempotent call', 'retry', { outcome: { failure: 'timeout' } }],
    ['a 503 without a retry left', 'fail', { maxRetries: 0 }],
    ['a 503 without time left for the wait', 'fail', { endsAt: 500 }],
    ['a requested wait above maxRetryAfter', 'fail', { requested: true, delayMs: 60_001 }],
    ['a requested wait of maxRetryAfter', 'retry', { requested: true, delayMs: 60_000 }],
    [
      'a 429 whose own delay is above maxRetryAfter',
      'fail',
      {
        outcome: { status: 429 },
        maxRetryAfter: 499,
      },
    ],
    ['a 503 whose own delay is above maxRetryAfter', 'retry', { maxRetryAfter: 499 }],
    [
      'an expired token, also without a retry left',
      'refresh',
      {
        outcome: { status: 401, error: { code: 'EXPIRED_TOKEN' } },
        refreshable: true,
        maxRetries: 0,
      },
    ],
    [
      'an invalid token',
      'refresh',
      {
        outcome: { status: 401, error: { code: 'INVALID_TOKEN' } },
        refreshable: true,
      },
    ],
    [
      'an expired token after a refresh',
      'fail',
      {
        outcome: { status: 401, error: { code: 'EXPIRED_TOKEN' } },
      },
    ],
    [
      'another 401',
      'fail',
      { outcome: { status: 401, error: { code: 'MISSING_AUTH' } }, refreshable: true },
    ],
  ])('decide: %s returns %s', (_, decision, given) => {
    const call = { ...attempt.call, ...given };
    expect(decide({ ...attempt, ...given, call })).toBe(decision);
  });
});

describe('guarantee 2, retries: number', () => {
  test('a call is retried twice by default and its error has the number of attempts', async () => {
    const { fetch, sent } = scriptedFetch(() => failure(500, 'INTERNAL_ERROR'));
    const error = await rejection(keyClient({ fetch }).vaults.get('1'));
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ attempts: 3 });
    expect(sent).toHaveLength(3);
  });

  test('maxRetries of the call takes precedence over that of the client', async () => {
    const { fetch, sent } = scriptedFetch(() => failure(500, 'INTERNAL_ERROR'));
    const client = keyClient({ fetch, maxRetries: 4 });
    await rejection(client.vaults.get('1'));
    expect(sent).toHaveLength(5);
    await rejection(client.vaults.get('1', { maxRetries: 0 }));
    expect(sent).toHaveLength(6);
  });

  test('guarantee 1: all attempts pass the same URL and body to fetch, without a Request object', async () => {
    const { fetch, sent } = scriptedFetch(() => failure(500, 'INTERNAL_ERROR'), ok);
    await keyClient({ fetch }).vaults.update('1', { name: 'Taxes' });
    expect(sent.map(({ url, body }) => ({ url, body }))).toEqual(
      Array(2).fill({
        url: 'https://vault.example.com/api/v1/vaults/1',
        body: '{"name":"Taxes"}',
      }),
    );
    expect(typeof sent[0]?.url).toBe('string');
  });
});

test('guarantee 2, retries: every attempt has the API key', async () => {
  const { fetch, sent } = scriptedFetch(() => failure(500, 'INTERNAL_ERROR'), ok);
  await keyClient({ fetch }).vaults.get('1');
  expect(sent.map(({ headers }) => headers['x-api-key'])).toEqual([apiKey, apiKey]);
});
