import { ConnectionError } from '@document-vault/sdk';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { keyClient, rejection, sessionClient } from './support/client.ts';
import { JumpingClock } from './support/clock.ts';
import { type Reaction, scriptedFetch } from './support/fetch.ts';
import { failure, json, networkError, vaultBody } from './support/responses.ts';
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

describe('guarantee 2, retries: POST', () => {
  test('retries of a POST have one Idempotency-Key and another call has another key', async () => {
    const { fetch, sent } = scriptedFetch(breaks('ECONNRESET'), ok, ok);
    const client = keyClient({ fetch });
    await client.vaults.create({ name: 'Taxes' });
    await client.vaults.create({ name: 'Taxes' });
    const keys = sent.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^\d+(-\d+){3}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  test('the Idempotency-Key has 128 random bits, also without crypto.randomUUID', async () => {
    vi.stubGlobal('crypto', {
      getRandomValues: (words: Uint32Array) => words.fill(10),
    });
    const { fetch, sent } = scriptedFetch(ok);
    await keyClient({ fetch }).vaults.create({ name: 'Taxes' });
    expect(sent[0]?.headers['idempotency-key']).toBe('10-10-10-10');
  });

  test('the idempotencyKey of the caller is sent', async () => {
    const { fetch, sent } = scriptedFetch(ok);
    await keyClient({ fetch }).vaults.create({ name: 'Taxes' }, { idempotencyKey: 'order-17' });
    expect(sent[0]?.headers['idempotency-key']).toBe('order-17');
  });

  test('other methods have no Idempotency-Key', async () => {
    const { fetch, sent } = scriptedFetch(ok);
    await keyClient({ fetch }).vaults.get('1');
    expect(sent[0]?.headers).not.toHaveProperty('idempotency-key');
  });

  test('a POST is retried when a real connection is lost after the work was done', async () => {
    const done = new Map<unknown, unknown>();
    const server = await startServer(({ headers }, response) => {
      const key = headers['idempotency-key'];
      if (done.has(key)) return sendJson(response, done.get(key), { status: 201 });
      done.set(key, vaultBody);
      response.destroy();
    });
    closers.push(server.close);
    const client = keyClient({ baseUrl: server.url });
    await expect(client.vaults.create({ name: 'Taxes' })).resolves.toEqual(vaultBody);
    expect(done.size).toBe(1);
    expect(server.arrivals).toHaveLength(2);
    const [first, second] = server.arrivals;
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(second?.body).toBe(first?.body);
  });

  test('a GET is retried when a real connection is lost within the body', async () => {
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

describe('guarantee 2, retries: the operations without an account', () => {
  const login = { email: 'ada@example.com', password: 'correct horse battery' };

  test('a login is not retried after a lost connection and has no Idempotency-Key', async () => {
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

  test.each([500, 502, 503, 504])('a login is not retried after a %i', async (status) => {
    const { fetch, sent } = scriptedFetch(() => new Response('', { status }));
    await rejection(sessionClient({ fetch }).auth.login(login));
    expect(sent).toHaveLength(1);
  });

  test.each(['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT'])(
    'repeats a login that was never sent (%s)',
    async (code) => {
      const { fetch, sent } = scriptedFetch(breaks(code), () => failure(401, 'INVALID_TOKEN'));
      await rejection(sessionClient({ fetch }).auth.login(login));
      expect(sent).toHaveLength(2);
    },
  );

  test('a login is retried after a 429', async () => {
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

describe('guarantee 2, retries: opening a share, which counts', () => {
  test.each([
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
