import {
  ApiError,
  ConnectionError,
  RateLimitError,
  ServerError,
  VaultError,
} from '@document-vault/sdk';
import { describe, expect, test } from 'vitest';
import { cheapCipher } from './support/cipher.ts';
import { keyClient, rejection, sessionClient } from './support/client.ts';
import { JumpingClock } from './support/clock.ts';
import { scriptedFetch } from './support/fetch.ts';
import { emptyPage, failure, json, vaultBody } from './support/responses.ts';
import { ada } from './support/session.ts';

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/** An endless body of spaces, which JSON allows around a value. */
function endless(chunkSize: number) {
  const chunk = new Uint8Array(chunkSize).fill(0x20);
  const counts = { bytes: 0, canceled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        counts.bytes += chunkSize;
        controller.enqueue(chunk);
      },
      cancel() {
        counts.canceled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, counts };
}

describe('guarantee 11: the size of a response', () => {
  test('a body above 64 MiB rejects the call, is canceled and not fetched again', async () => {
    const { body, counts } = endless(mebibyte);
    const { fetch, sent } = scriptedFetch(() => new Response(body));
    const error = await rejection(keyClient({ fetch }).vaults.get('1'));
    expect(error).toBeInstanceOf(VaultError);
    expect(error).toMatchObject({ method: 'GET', path: '/api/v1/vaults/{id}', attempts: 1 });
    expect(String(error)).toContain('64 MiB');
    expect(counts).toEqual({ bytes: 65 * mebibyte, canceled: true });
    expect(sent).toHaveLength(1);
  });

  test('of an error body above 64 KiB only the beginning is read, and the call is retried', async () => {
    const bodies = [endless(kibibyte), endless(kibibyte)];
    const [first, second] = bodies;
    const { fetch } = scriptedFetch(
      () => new Response(first?.body ?? null, { status: 503 }),
      () => new Response(second?.body ?? null, { status: 502 }),
    );
    const error = await rejection(keyClient({ fetch, maxRetries: 1 }).vaults.get('1'));
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ status: 502, code: undefined, attempts: 2 });
    for (const { counts } of bodies) {
      expect(counts).toEqual({ bytes: 65 * kibibyte, canceled: true });
    }
  });

  test('of a refused redirect only the beginning of the body is read', async () => {
    const { body, counts } = endless(kibibyte);
    const { fetch } = scriptedFetch(() => new Response(body, { status: 307 }));
    const error = await rejection(keyClient({ fetch }).vaults.get('1', { maxRetries: 0 }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(counts).toEqual({ bytes: 65 * kibibyte, canceled: true });
  });

  test('a body whose characters are cut by the chunks is read whole', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify({ ...vaultBody, name: 'Ünï 🗝 文書' }));
    const chunks = [...bytes].map((byte) => Uint8Array.of(byte));
    const body = new ReadableStream({
      pull(controller) {
        const chunk = chunks.shift();
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
    });
    const { fetch } = scriptedFetch(() => new Response(body));
    await expect(keyClient({ fetch }).vaults.get('1')).resolves.toMatchObject({
      name: 'Ünï 🗝 文書',
    });
  });

  test('the response of another fetch library, whose body is no web stream, is read as text', async () => {
    const response = json(vaultBody);
    Object.defineProperty(response, 'body', { value: { pipe() {} } });
    const { fetch } = scriptedFetch(() => response);
    await expect(keyClient({ fetch }).vaults.get('1')).resolves.toEqual(vaultBody);
  });
});

describe('guarantee 11: the shape of a response', () => {
  test.each([
    ['null', null],
    ['an object without data', { pagination: emptyPage.pagination }],
    ['data: null', { ...emptyPage, data: null }],
    ['data of another type', { ...emptyPage, data: { length: 1 } }],
    ['an item that is no object', { ...emptyPage, data: [null] }],
    ['no pagination', { data: [] }],
    ['pagination: null', { data: [], pagination: null }],
  ])('a list whose body is %s rejects with an ApiError that names a page', async (_, body) => {
    const client = keyClient({ fetch: scriptedFetch(() => json(body)).fetch });
    const iterate = async () => {
      for await (const vault of client.vaults.list()) expect(vault).toBeUndefined();
    };
    for (const error of [await rejection(client.vaults.list()), await rejection(iterate())]) {
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ name: 'ApiError', status: 200, code: undefined, attempts: 1 });
      expect(String(error)).toContain('GET /api/v1/vaults: 200 expected a page');
    }
  });

  test.each([
    ['null', 'null'],
    ['a number', '42'],
    ['HTML', '<html>'],
    ['nothing', ''],
  ])('a body of %s rejects with an ApiError that names a JSON object', async (_, body) => {
    const { fetch } = scriptedFetch(() => new Response(body));
    const error = await rejection(keyClient({ fetch }).vaults.get('1'));
    expect(error).toBeInstanceOf(ApiError);
    expect(String(error)).toContain('GET /api/v1/vaults/{id}: 200 expected the requested object');
  });

  test('a login without tokens rejects with an error that names them', async () => {
    const { fetch } = scriptedFetch(() => json({ accessToken: 'a', refreshToken: null }));
    const error = await rejection(sessionClient({ fetch }).auth.login(ada));
    expect(error).toBeInstanceOf(VaultError);
    expect(String(error)).toContain('accessToken, refreshToken and expiresIn');
  });

  test('a download without content rejects with an error that names the property', async () => {
    const cipher = await cheapCipher('open sesame', { iterations: 1 });
    const { fetch } = scriptedFetch(() => json({ id: '1', encryptedData: 'AAAA' }));
    const error = await rejection(keyClient({ fetch }).documents.download('1', { cipher }));
    expect(error).toBeInstanceOf(VaultError);
    expect(String(error)).toMatch(/encryptedData|encryptionMetadata/);
  });
});

describe('guarantee 4: the wait that a 429 asks for', () => {
  test.each([
    [
      'Retry-After of 31 years',
      () => failure(429, 'RATE_LIMIT_EXCEEDED', { headers: { 'retry-after': '1000000000' } }),
    ],
    [
      'Retry-After in the far future',
      () =>
        failure(429, 'RATE_LIMIT_EXCEEDED', {
          headers: { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' },
        }),
    ],
    ['retryAfter of 31 years', () => failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfter: 1e9 })],
    [
      'a reset in the year 5138',
      () =>
        failure(429, 'RATE_LIMIT_EXCEEDED', { headers: { 'x-ratelimit-reset': '99999999999' } }),
    ],
  ])('%s closes the limiter for an hour at most', async (_, refuse) => {
    const clock = new JumpingClock();
    const { fetch, sent } = scriptedFetch(refuse, () => json(vaultBody));
    const client = keyClient({ fetch, clock });
    expect(await rejection(client.vaults.get('1'))).toBeInstanceOf(RateLimitError);
    clock.advance(3_599_000 - 60_000);
    const error = await rejection(client.vaults.get('1'));
    expect(error).toMatchObject({ name: 'RateLimitError', attempts: 0, retryAfterMs: 61_000 });
    expect(sent).toHaveLength(1);
    clock.advance(61_000);
    await expect(client.vaults.get('1')).resolves.toEqual(vaultBody);
    expect(sent).toHaveLength(2);
  });
});
