import { ConnectionError, ServerError, VaultError } from '@document-vault/sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { askedWait, backoff, isRetried } from '../src/http/retry.ts';
import { failure, json, networkError, vaultBody } from './support/answers.ts';
import { apiKey, keyClient, rejection, sessionClient } from './support/client.ts';
import { JumpingClock } from './support/clock.ts';
import { type Reaction, scriptedFetch } from './support/fetch.ts';
import { sendJson, startServer } from './support/server.ts';

const ok: Reaction = () => json(vaultBody);
const breaks =
  (code: string): Reaction =>
  () => {
    throw networkError(code);
  };

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.unstubAllGlobals();
  for (const close of closers.splice(0)) await close();
});

describe('transport, retries: which endings', () => {
  it.each([408, 429, 500, 502, 503, 504])('repeats a GET after %i', async (status) => {
    const { fetch, sent } = scriptedFetch(() => new Response('', { status }), ok);
    await expect(keyClient({ fetch }).vaults.get('1')).resolves.toEqual(vaultBody);
    expect(sent).toHaveLength(2);
  });

  it.each([400, 401, 403, 404, 409, 501])('does not repeat a GET after %i', async (status) => {
    const { fetch, sent } = scriptedFetch(() => new Response('', { status }), ok);
    await expect(keyClient({ fetch }).vaults.get('1')).rejects.toMatchObject({ status });
    expect(sent).toHaveLength(1);
  });

  it.each([
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
  ])('knows "%s" for a network failure', async (message) => {
    const { fetch, sent } = scriptedFetch(() => {
      throw new TypeError(message);
    }, ok);
    await keyClient({ fetch }).vaults.get('1');
    expect(sent).toHaveLength(2);
  });

  it('never repeats after a TypeError of the program', async () => {
    const { fetch, sent } = scriptedFetch(() => {
      throw new TypeError("Cannot read properties of undefined (reading 'socket')");
    }, ok);
    const error = await rejection(keyClient({ fetch }).vaults.get('1'));
    expect(error).toBeInstanceOf(VaultError);
    expect(error).not.toBeInstanceOf(ConnectionError);
    expect((error as VaultError).cause).toBeInstanceOf(TypeError);
    expect(sent).toHaveLength(1);
  });

  it('decides by the ending and by whether the work can be done twice, and by nothing else', () => {
    expect(isRetried({ status: 429 }, false)).toBe(true);
    expect(isRetried({ status: 503 }, false)).toBe(false);
    expect(isRetried({ status: 503 }, true)).toBe(true);
    expect(isRetried({ failure: 'unsent' }, false)).toBe(true);
    expect(isRetried({ failure: 'network' }, false)).toBe(false);
    expect(isRetried({ failure: 'timeout' }, false)).toBe(false);
    expect(isRetried({ failure: 'timeout' }, true)).toBe(true);
  });
});

describe('transport, retries: how often', () => {
  it('repeats twice by default and says how many requests there were', async () => {
    const { fetch, sent } = scriptedFetch(() => failure(500, 'INTERNAL_ERROR'));
    const error = await rejection(keyClient({ fetch }).vaults.get('1'));
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ attempts: 3 });
    expect(sent).toHaveLength(3);
  });

  it('repeats as often as the client or the call says', async () => {
    const { fetch, sent } = scriptedFetch(() => failure(500, 'INTERNAL_ERROR'));
    const vault = keyClient({ fetch, maxRetries: 4 });
    await rejection(vault.vaults.get('1'));
    expect(sent).toHaveLength(5);
    await rejection(vault.vaults.get('1', { maxRetries: 0 }));
    expect(sent).toHaveLength(6);
  });

  it('sends the same URL and body each time, and makes no Request of them', async () => {
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

describe('transport, retries: POST', () => {
  it('repeats it under one Idempotency-Key, which is new for each call', async () => {
    const { fetch, sent } = scriptedFetch(breaks('ECONNRESET'), ok, ok);
    const vault = keyClient({ fetch });
    await vault.vaults.create({ name: 'Taxes' });
    await vault.vaults.create({ name: 'Taxes' });
    const keys = sent.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  it('makes a key where the platform makes no UUIDs', async () => {
    vi.stubGlobal('crypto', {
      getRandomValues: (bytes: Uint8Array) => bytes.fill(10),
    });
    const { fetch, sent } = scriptedFetch(ok);
    await keyClient({ fetch }).vaults.create({ name: 'Taxes' });
    expect(sent[0]?.headers['idempotency-key']).toBe('0a'.repeat(16));
  });

  it("takes the caller's key", async () => {
    const { fetch, sent } = scriptedFetch(ok);
    await keyClient({ fetch }).vaults.create({ name: 'Taxes' }, { idempotencyKey: 'order-17' });
    expect(sent[0]?.headers['idempotency-key']).toBe('order-17');
  });

  it('sends no key with other methods', async () => {
    const { fetch, sent } = scriptedFetch(ok);
    await keyClient({ fetch }).vaults.get('1');
    expect(sent[0]?.headers).not.toHaveProperty('idempotency-key');
  });

  it('repeats it after the connection was lost once the work was done, over a real one', async () => {
    const done = new Map<unknown, unknown>();
    const server = await startServer(({ headers }, response) => {
      const key = headers['idempotency-key'];
      if (done.has(key)) return sendJson(response, done.get(key), { status: 201 });
      done.set(key, vaultBody);
      response.destroy();
    });
    closers.push(server.close);
    const vault = keyClient({ baseUrl: server.url });
    await expect(vault.vaults.create({ name: 'Taxes' })).resolves.toEqual(vaultBody);
    expect(done.size).toBe(1);
    expect(server.arrivals).toHaveLength(2);
    const [first, second] = server.arrivals;
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(second?.body).toBe(first?.body);
  });

  it('repeats a GET whose body broke off, over a real connection', async () => {
    const server = await startServer((_, response) => {
      if (server.arrivals.length > 1) return sendJson(response, vaultBody);
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"id":');
      setImmediate(() => response.destroy());
    });
    closers.push(server.close);
    await expect(keyClient({ baseUrl: server.url }).vaults.get('1')).resolves.toEqual(vaultBody);
    expect(server.arrivals).toHaveLength(2);
  });
});

describe('transport, retries: the operations without an account', () => {
  const login = { email: 'ada@example.com', password: 'correct horse battery' };

  it('does not repeat a login over a connection that was lost, and sends no key', async () => {
    const server = await startServer((_, response) => {
      response.destroy();
    });
    closers.push(server.close);
    const error = await rejection(sessionClient({ baseUrl: server.url }).auth.login(login));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ method: 'POST', path: '/auth/login', attempts: 1 });
    expect(server.arrivals).toHaveLength(1);
    expect(server.arrivals[0]?.headers).not.toHaveProperty('idempotency-key');
  });

  it.each([500, 502, 503, 504])('does not repeat a login after %i', async (status) => {
    const { fetch, sent } = scriptedFetch(() => new Response('', { status }));
    await rejection(sessionClient({ fetch }).auth.login(login));
    expect(sent).toHaveLength(1);
  });

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT'])(
    'repeats a login that was never sent (%s)',
    async (code) => {
      const { fetch, sent } = scriptedFetch(breaks(code), () => failure(401, 'INVALID_TOKEN'));
      await rejection(sessionClient({ fetch }).auth.login(login));
      expect(sent).toHaveLength(2);
    },
  );

  it('repeats a login that the rate limit refused', async () => {
    const clock = new JumpingClock();
    const { fetch, sent } = scriptedFetch(
      () => failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfter: 7 }),
      () => failure(401, 'INVALID_TOKEN'),
    );
    await rejection(sessionClient({ fetch, clock }).auth.login(login));
    expect(sent).toHaveLength(2);
    expect(clock.slept).toEqual([7_000]);
  });
});

describe('transport, retries: opening a share, which counts', () => {
  it.each([
    ['a lost answer', breaks('ECONNRESET'), 1],
    ['503', () => new Response('', { status: 503 }), 1],
    ['a request that was never sent', breaks('ECONNREFUSED'), 2],
    [
      'a refusal by the rate limit',
      () => failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfter: 1 }),
      2,
    ],
  ])('after %s', async (_, first, requests) => {
    const { fetch, sent } = scriptedFetch(first, ok);
    await keyClient({ fetch })
      .shares.open('token')
      .catch(() => {});
    expect(sent).toHaveLength(requests);
  });
});

describe('transport, retries: how long between', () => {
  it.each([
    [0, 0, 250],
    [0, 0.5, 375],
    [1, 0, 250],
    [1, 1, 1_000],
    [3, 1, 4_000],
    [4, 1, 8_000],
    [9, 1, 8_000],
    [9, 0, 250],
  ])('waits between half the base and the ceiling: retry %i, random %d', (retry, random, ms) => {
    expect(backoff(retry, random)).toBe(ms);
  });

  it('takes random source and clock from outside', async () => {
    const clock = new JumpingClock();
    const { fetch } = scriptedFetch(() => failure(500, 'INTERNAL_ERROR'));
    await rejection(keyClient({ fetch, clock, random: () => 0.5 }).vaults.get('1'));
    expect(clock.slept).toEqual([375, 625]);
  });

  const now = Date.UTC(2026, 2, 2, 9, 0, 0);
  const at = (seconds: number) => new Date(now + seconds * 1_000);
  it.each<[string, number, Record<string, string>, unknown, number | undefined]>([
    ['seconds', 429, { 'retry-after': '120' }, undefined, 120_000],
    ['a date', 429, { 'retry-after': at(90).toUTCString() }, undefined, 90_000],
    [
      "a date by the server's clock",
      429,
      { 'retry-after': at(3_690).toUTCString(), date: at(3_600).toUTCString() },
      undefined,
      90_000,
    ],
    ["the body's seconds", 429, {}, 42, 42_000],
    ['the longer of header and body', 429, { 'retry-after': '5' }, 42, 42_000],
    [
      'the reset in seconds',
      429,
      { 'x-ratelimit-reset': `${at(30).getTime() / 1_000}` },
      undefined,
      30_000,
    ],
    [
      'the reset in ISO 8601',
      429,
      { 'x-rate-limit-reset': at(31).toISOString() },
      undefined,
      31_000,
    ],
    [
      'the reset only without more',
      429,
      { 'retry-after': '5', 'x-ratelimit-reset': `${at(3_000).getTime() / 1_000}` },
      undefined,
      5_000,
    ],
    [
      'no reset but for 429',
      503,
      { 'x-ratelimit-reset': `${at(30).getTime() / 1_000}` },
      undefined,
      undefined,
    ],
    ['Retry-After of a 503', 503, { 'retry-after': '3' }, undefined, 3_000],
    ['no nonsense', 429, { 'retry-after': 'soon' }, 'later', undefined],
    ['no negative number', 429, { 'retry-after': '-5' }, -5, undefined],
    ['no number for a year', 429, { 'retry-after': '2050' }, undefined, 2_050_000],
    ['a moment gone by as none', 429, { 'retry-after': at(-90).toUTCString() }, undefined, 0],
  ])('reads from an answer %s', (_, status, headers, retryAfter, expected) => {
    expect(askedWait({ status, headers: new Headers(headers), retryAfter }, now)).toBe(expected);
  });

  it('waits as long as a 503 asks', async () => {
    const clock = new JumpingClock();
    const busy = () => failure(503 as 500, 'INTERNAL_ERROR', { headers: { 'retry-after': '9' } });
    const { fetch } = scriptedFetch(busy, ok);
    await keyClient({ fetch, clock }).vaults.get('1');
    expect(clock.slept).toEqual([9_000]);
  });

  it('does not wait for a 503 that asks for longer than allowed', async () => {
    const busy = () => failure(503, 'INTERNAL_ERROR', { headers: { 'retry-after': '61' } });
    const { fetch, sent } = scriptedFetch(busy, ok);
    const error = await rejection(keyClient({ fetch }).vaults.get('1'));
    expect(error).toMatchObject({ name: 'ServerError', retryAfterMs: 61_000 });
    expect(sent).toHaveLength(1);
  });

  it('starts no attempt that the total time does not leave room for', async () => {
    const clock = new JumpingClock();
    const { fetch, sent } = scriptedFetch(() => failure(500, 'INTERNAL_ERROR'));
    const vault = keyClient({ fetch, clock, random: () => 0.5, totalTimeout: 900 });
    const error = await rejection(vault.vaults.get('1'));
    expect(error).toBeInstanceOf(ServerError);
    expect(sent).toHaveLength(2);
    expect(clock.slept).toEqual([375]);
  });
});

it('transport, retries: an API key goes out with each attempt', async () => {
  const { fetch, sent } = scriptedFetch(() => failure(500, 'INTERNAL_ERROR'), ok);
  await keyClient({ fetch }).vaults.get('1');
  expect(sent.map(({ headers }) => headers['x-api-key'])).toEqual([apiKey, apiKey]);
});
