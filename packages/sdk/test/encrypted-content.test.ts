import { randomBytes } from 'node:crypto';
import {
  AbortError,
  ApiError,
  ConnectionError,
  TimeoutError,
  UsageError,
  VaultError,
} from '@document-vault/sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { apiKey, keyClient, rejection } from './support/client.ts';
import { type ContentFault, etagOf, startContentServer } from './support/content-server.ts';
import { until } from './support/until.ts';

const content = new Uint8Array(randomBytes(300_000));
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Starts a server with a content and faults, and a client of it. */
async function setUp(...faults: ContentFault[]) {
  const server = await startContentServer(content);
  server.faults.push(...faults);
  closers.push(server.close);
  const onResponse = () => void state.responses++;
  const state = Object.assign(server.state, { responses: 0 });
  return { ...server, state, client: keyClient({ baseUrl: server.url, onResponse }) };
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Reads a stream to its error, and returns what was read before it with the error. */
async function collectFailed(stream: ReadableStream<Uint8Array>) {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch (error) {
    return { error, read: Buffer.concat(chunks) };
  }
  throw new Error('It did not fail');
}

describe('documents.content: ranges', () => {
  test.each([
    ['all of it', undefined, undefined, [0, 300_000]],
    ['a range', { start: 10, end: 200_000 }, 'bytes=10-199999', [10, 200_000]],
    ['from a start', { start: 299_999 }, 'bytes=299999-', [299_999, 300_000]],
    ['up to an end', { end: 5 }, 'bytes=0-4', [0, 5]],
    [
      'a range that ends after the content',
      { start: 1, end: 400_000 },
      'bytes=1-399999',
      [1, 300_000],
    ],
  ] as const)('reads %s', async (_, range, header, [start, end]) => {
    const { client, requests } = await setUp();
    const { stream, size, etag } = await client.documents.content('d1', { range });
    expect([size, etag]).toEqual([300_000, etagOf(content)]);
    expect((await collect(stream)).equals(content.subarray(start, end))).toBe(true);
    expect(requests).toEqual([
      { url: '/api/v1/documents/d1/content', range: header, ifRange: undefined, key: apiKey },
    ]);
  });

  test('reads a range of a service or proxy that ignores Range', async () => {
    const { client } = await setUp({ ignoreRange: true });
    const { stream } = await client.documents.content('d1', {
      range: { start: 70_000, end: 70_010 },
    });
    expect((await collect(stream)).equals(content.subarray(70_000, 70_010))).toBe(true);
  });

  test.each([
    { start: -1 },
    { start: 1.5 },
    { start: 5, end: 5 },
    { end: Number.NaN },
    { start: 6, end: 2 },
  ])('rejects the range %j with a UsageError and sends nothing', async (range) => {
    const { client, requests } = await setUp();
    expect(await rejection(client.documents.content('d1', { range }))).toBeInstanceOf(UsageError);
    expect(requests).toEqual([]);
  });

  test('rejects with an ApiError of the status 416 for a range after the end', async () => {
    const { client } = await setUp({ status: 416 });
    const error = await rejection(client.documents.content('d1', { range: { start: 300_000 } }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 416,
      method: 'GET',
      path: '/api/v1/documents/{id}/content',
    });
  });

  test.each<[string, ContentFault]>([
    ['another range', { headers: { 'content-range': 'bytes 20-29/300000' } }],
    ['no range', { headers: { 'content-range': 'nonsense' } }],
  ])('rejects a response of %s and closes its connection', async (_, fault) => {
    const { client, state } = await setUp(fault);
    const error = await rejection(client.documents.content('d1', { range: { start: 10 } }));
    expect(error).toBeInstanceOf(ApiError);
    expect(String(error)).toContain('expected the requested range');
    await until(() => state.connections === 0);
  });
});

describe('documents.content: a response that is cut off', () => {
  test('continues with Range and If-Range where it was cut', async () => {
    const { client, requests } = await setUp({ cutAfter: 100_000 }, { cutAfter: 50_000 });
    const { stream } = await client.documents.content('d1', {
      range: { start: 1_000, end: 290_000 },
    });
    expect((await collect(stream)).equals(content.subarray(1_000, 290_000))).toBe(true);
    const ifRange = etagOf(content);
    expect(requests.map(({ range, ifRange }) => [range, ifRange])).toEqual([
      ['bytes=1000-289999', undefined],
      ['bytes=101000-289999', ifRange],
      ['bytes=151000-289999', ifRange],
    ]);
  });

  test('fails and yields no byte of another content that replaced the first', async () => {
    const { client, state } = await setUp({ cutAfter: 100_000 });
    const { stream } = await client.documents.content('d1');
    state.content = new Uint8Array(randomBytes(300_000));
    const { error, read } = await collectFailed(stream);
    expect(String(error)).toContain('The content has changed while it was read');
    expect(error).toBeInstanceOf(VaultError);
    expect(read.equals(content.subarray(0, 100_000))).toBe(true);
    await until(() => state.connections === 0);
  });

  test('fails without an ETag that identifies the bytes', async () => {
    const { client, requests } = await setUp({ cutAfter: 100_000, headers: { etag: 'W/"1"' } });
    const { stream } = await client.documents.content('d1');
    const { error, read } = await collectFailed(stream);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(read).toHaveLength(100_000);
    expect(requests).toHaveLength(1);
  });

  test('fails after maxRetries responses in a row without a byte', async () => {
    const cut = { cutAfter: 0 };
    const { client, requests } = await setUp({ cutAfter: 10 }, cut, cut, cut);
    const { stream } = await client.documents.content('d1', { maxRetries: 2 });
    const { error, read } = await collectFailed(stream);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ method: 'GET', path: '/api/v1/documents/{id}/content' });
    expect(read).toHaveLength(10);
    expect(requests).toHaveLength(3);
  });

  test('counts failures from the last byte on', async () => {
    const cuts = Array.from({ length: 20 }, () => ({ cutAfter: 1_000 }));
    const { client, requests } = await setUp(...cuts);
    const { stream } = await client.documents.content('d1', { maxRetries: 1 });
    expect((await collect(stream)).equals(content)).toBe(true);
    expect(requests).toHaveLength(21);
  });

  test('continues after a 503 of the service, as every call does', async () => {
    const { client, requests } = await setUp({ cutAfter: 100_000 }, { status: 503 });
    const { stream } = await client.documents.content('d1');
    expect((await collect(stream)).equals(content)).toBe(true);
    expect(requests).toHaveLength(3);
  });

  test('fails when the document was deleted meanwhile', async () => {
    const { client } = await setUp({ cutAfter: 100_000 }, { status: 404 });
    const { stream } = await client.documents.content('d1');
    const { error } = await collectFailed(stream);
    expect(error).toMatchObject({ name: 'NotFoundError', status: 404 });
  });
});

describe('documents.content: timeouts', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Advances the timers when a read waits for the bytes of the last response. */
  const advance = async (ms: number) => {
    await new Promise(setImmediate);
    vi.advanceTimersByTime(ms);
  };

  test('a response without a byte for timeout is cut off and continued', async () => {
    const { client, requests } = await setUp({ stallAfter: 1_000 });
    const { stream } = await client.documents.content('d1');
    const reader = stream.getReader();
    const chunks: Uint8Array[] = [];
    for (let read = 0; read < 1_000; read += chunks.at(-1)?.length ?? 0) {
      chunks.push((await reader.read()).value ?? new Uint8Array());
    }
    const pending = reader.read();
    await advance(59_999);
    expect(requests).toHaveLength(1);
    await advance(1);
    for (let next = await pending; !next.done; next = await reader.read()) chunks.push(next.value);
    expect(Buffer.concat(chunks).equals(content)).toBe(true);
    expect(requests[1]?.range).toBe('bytes=1000-299999');
  });

  test('fails with a TimeoutError when every response stalls', async () => {
    const stall = { stallAfter: 0 };
    const { client, requests, state } = await setUp(stall, stall);
    const { stream } = await client.documents.content('d1', { timeout: 5_000, maxRetries: 1 });
    const failed = collectFailed(stream);
    await advance(5_000);
    await until(() => state.responses === 2);
    await advance(5_000);
    expect((await failed).error).toBeInstanceOf(TimeoutError);
    expect(requests).toHaveLength(2);
  });

  test('a paused reader runs no timeout', async () => {
    const { client, requests } = await setUp();
    const { stream } = await client.documents.content('d1');
    const reader = stream.getReader();
    const first = await reader.read();
    await advance(180_000);
    const chunks = [first.value ?? new Uint8Array()];
    for (let next = await reader.read(); !next.done; next = await reader.read())
      chunks.push(next.value);
    expect(Buffer.concat(chunks).equals(content)).toBe(true);
    expect(requests).toHaveLength(1);
  });
});

describe('documents.content: abort and cancellation', () => {
  test('a signal ends a pending read within one turn of the event loop with an AbortError', async () => {
    const { client, state } = await setUp({ stallAfter: 0 });
    const controller = new AbortController();
    const { stream } = await client.documents.content('d1', { signal: controller.signal });
    const failed = collectFailed(stream);
    await new Promise(setImmediate);
    controller.abort(new Error('enough'));
    const turn = new Promise((resolve) => setImmediate(resolve, 'still waiting'));
    expect(await Promise.race([failed, turn])).toMatchObject({ error: expect.any(AbortError) });
    await until(() => state.connections === 0);
  });

  test('a signal that is aborted before the first read fails the stream', async () => {
    const { client, state } = await setUp();
    const controller = new AbortController();
    const { stream } = await client.documents.content('d1', { signal: controller.signal });
    controller.abort();
    expect((await collectFailed(stream)).error).toBeInstanceOf(AbortError);
    await until(() => state.connections === 0);
  });

  test.each([
    ['before the first read', false],
    ['while a read is pending', true],
  ])('cancel() closes the connection %s', async (_, reads) => {
    const { client, state } = await setUp({ stallAfter: 0 });
    const { stream } = await client.documents.content('d1');
    const reader = stream.getReader();
    const pending = reads ? reader.read() : undefined;
    await reader.cancel();
    expect(await pending).toMatchObject(reads ? { done: true } : {});
    await until(() => state.connections === 0);
  });
});

describe('shares.content', () => {
  test.each([
    ['the path of an opened share', (_: string) => '/api/v1/contents/t1.abc'],
    ['a URL of the service', (url: string) => `${url}/api/v1/contents/t1.abc`],
    ['a ticket', (_: string) => 't1.abc'],
  ])('reads the content of %s', async (_, contentUrl) => {
    const { client, url, requests } = await setUp();
    const { stream } = await client.shares.content(contentUrl(url));
    expect((await collect(stream)).equals(content)).toBe(true);
    expect(requests[0]?.url).toBe('/api/v1/contents/t1.abc');
  });

  test.each([
    'https://elsewhere.example/api/v1/contents/t1',
    '//elsewhere.example/api/v1/contents/t1',
    '/api/v1/users/me',
    '/api/v1/contents/../users/me',
    '/api/v1/contents/',
    '/api/v1/contents/%zz',
    'http:',
    'https://[',
    '',
    undefined as never,
  ])('rejects %s with a UsageError and sends nothing', async (contentUrl) => {
    const { client, requests } = await setUp();
    expect(await rejection(client.shares.content(contentUrl))).toBeInstanceOf(UsageError);
    expect(requests).toEqual([]);
  });

  test('an error contains no ticket', async () => {
    const { client, state } = await setUp({ status: 404 });
    const error = await rejection(client.shares.content('/api/v1/contents/t0pSecret'));
    expect(JSON.stringify(error) + String(error)).not.toContain('t0pSecret');
    expect(error).toMatchObject({ path: '/api/v1/contents/{ticket}' });
    expect(state.connections).toBeGreaterThanOrEqual(0);
  });
});
