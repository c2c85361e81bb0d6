import { randomFillSync } from 'node:crypto';
import {
  AbortError,
  type ContentRange,
  type DecryptedStream,
  DecryptionError,
  type Document,
  TimeoutError,
  UsageError,
  VaultError,
} from '@document-vault/sdk';
import type { Cipher } from '@document-vault/sdk/crypto';
import { openShare, shareUrl } from '@document-vault/sdk/share';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { cheapCipher } from './support/cipher.ts';
import { keyClient, rejection } from './support/client.ts';
import { failure, networkError } from './support/responses.ts';
import { createUploadService, type UploadCall } from './support/upload-service.ts';

const MiB = 1024 * 1024;
const content = randomFillSync(new Uint8Array(9 * MiB + 12_345));
const small = content.subarray(0, 2 * MiB + 99);
const fileName = 'film.mp4';
let cipher: Cipher;
beforeAll(async () => {
  cipher = await cheapCipher('open sesame');
});

/** Stores a document and returns its service; later requests alone are in `calls`. */
async function stored(bytes: Uint8Array = content) {
  const service = createUploadService();
  const client = keyClient({ fetch: service.fetch });
  const document = await client.documents.upload(bytes, { vaultId: 'v1', cipher, fileName });
  service.calls.length = 0;
  const ranges = () => service.calls.map(({ headers }) => headers.range).filter(Boolean);
  const download = (range?: ContentRange) =>
    client.documents.download(document.id, { cipher, range });
  const open = (range?: ContentRange) =>
    client.documents.download(document.id, { cipher, range, as: 'stream' });
  return { ...service, client, document, ranges, download, open };
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Reads a stream that fails. */
async function collectFailed(stream: ReadableStream<Uint8Array>) {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch (error) {
    return { error, read: Buffer.concat(chunks) };
  }
  throw new Error('It did not fail');
}

const expectBytes = (bytes: Uint8Array, expected: Uint8Array) =>
  expect(Buffer.compare(bytes, expected)).toBe(0);

const isContent = ({ path }: UploadCall) => /\/content|\/contents\//.test(path);

describe('download as a stream', () => {
  test('leaves the memory of a caller alone whose fetch makes its own responses', async () => {
    const service = await stored();
    const chunks = new Map<string, Uint8Array>();
    /** Returns the same array for each request of a range. */
    const fetch = async (url: string, init: RequestInit) => {
      const response = await service.fetch(url, init);
      if (!url.endsWith('/content')) return response;
      const range = String((init.headers as Record<string, string>).range);
      const chunk = chunks.get(range) ?? new Uint8Array(await response.arrayBuffer());
      chunks.set(range, chunk);
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(chunk);
          controller.close();
        },
      });
      return new Response(body, response);
    };
    const client = keyClient({ fetch });
    const { id } = service.document;
    for (let time = 0; time < 2; time++) {
      const { stream } = await client.documents.download(id, { cipher, as: 'stream' });
      expectBytes(await collect(stream), content);
      expectBytes((await client.documents.download(id, { cipher })).bytes, content);
    }
    expect(chunks.size).toBeGreaterThan(1);
  });

  test.each([
    ['that was uploaded in parts', content],
    ['that was uploaded in one request', small],
    ['without bytes', content.subarray(0, 0)],
  ])('returns name, type, size and bytes of a document %s', async (_, bytes) => {
    const { open, document, calls } = await stored(bytes);
    const { stream, ...about } = await open();
    expect(about).toMatchObject({ fileName, mimeType: 'application/octet-stream' });
    expect(about).toMatchObject({ size: bytes.length, document: { id: document.id } });
    expect(about.document).not.toHaveProperty('encryptedData');
    expectBytes(await collect(stream), bytes);
    expect(calls.filter((call) => !isContent(call)).map(({ query }) => query)).toEqual([
      '?content=false',
    ]);
  });

  test('requests the first segment to open, and the rest when it is read', async () => {
    const { open, ranges, document } = await stored();
    const { stream } = await open();
    expect(ranges()).toEqual(['bytes=0-1048575']);
    expectBytes(await collect(stream), content);
    expect(ranges()).toEqual(['bytes=0-1048575', `bytes=1048576-${document.sizeBytes - 1}`]);
  });

  test('yields segments as they are read, no more than one ahead', async () => {
    const { open, state } = await stored();
    let served = 0;
    const { stream } = await open();
    state.intercept = ({ headers }) => {
      const [start = 0, end = 0] =
        /(\d+)-(\d+)/
          .exec(headers.range ?? '')
          ?.slice(1)
          .map(Number) ?? [];
      const body = new ReadableStream(
        {
          pull(controller) {
            served++;
            controller.enqueue(new Uint8Array(64 * 1024));
          },
        },
        { highWaterMark: 0 },
      );
      const range = { 'content-range': `bytes ${start}-${end}/${end + 1}`, etag: etag(headers) };
      return new Response(body, { status: 206, headers: range });
    };
    const reader = stream.getReader();
    expect((await reader.read()).value?.length).toBeGreaterThan(MiB - 1_000);
    // While the consumer pauses, the next one arrives, and nothing after it.
    await expect.poll(() => served).toBe(16);
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    expect(served).toBe(16);
    await reader.cancel();
  });

  test('slice() reads other ranges of the same document without fetching it again', async () => {
    const { open, log, ranges } = await stored();
    const { slice, size } = await open();
    expectBytes(
      await collect(slice(5 * MiB, 5 * MiB + 10)),
      content.subarray(5 * MiB, 5 * MiB + 10),
    );
    expectBytes(await collect(slice(size - 7)), content.subarray(-7));
    expectBytes(await collect(slice(3, 3)), new Uint8Array());
    expectBytes(await collect(slice(0, 10)), content.subarray(0, 10));
    expect(log().filter((call) => !call.includes('/content'))).toEqual([
      'GET /api/v1/documents/{id}',
    ]);
    expect(ranges()).toHaveLength(3);
    expectBytes(await collect(slice(-7)), content.subarray(-7));
    expectBytes(await collect(slice(size + 1)), new Uint8Array());
    expectBytes(await collect(slice(5, 4)), new Uint8Array());
    expect(() => slice(0.5)).toThrow(UsageError);
  });

  test('every request after the first one requires the same content by If-Range', async () => {
    const { open, calls } = await stored();
    const { stream, slice } = await open();
    await collect(stream);
    await collect(slice(5 * MiB, 6 * MiB));
    const ifRange = calls.filter(isContent).map(({ headers }) => headers['if-range']);
    expect(ifRange).toEqual([undefined, expect.stringMatching(/^"/), ifRange[1]]);
  });
});

/** The ETag that a request expects. */
function etag(headers: Record<string, string>): string {
  return headers['if-range'] ?? '';
}

describe('download of a range', () => {
  test('decrypts the segments of the range only', async () => {
    const { download, ranges } = await stored();
    const start = 5 * MiB + 17;
    const { bytes, size } = await download({ start, end: start + 100 });
    expectBytes(bytes, content.subarray(start, start + 100));
    expect(size).toBe(content.length);
    expect(ranges()).toEqual(['bytes=0-1048575', 'bytes=5242880-6291455']);
  });

  test('a range of the first segment needs no further request', async () => {
    const { download, ranges } = await stored();
    expectBytes((await download({ end: 10 })).bytes, content.subarray(0, 10));
    expect(ranges()).toHaveLength(1);
  });

  test('equals the slice of the whole, for documents in JSON and in content', async () => {
    const [large, inline] = await Promise.all([stored(), stored(small)]);
    const [ofLarge, ofInline] = await Promise.all([large.open(), inline.open()]);
    const position = (size: number) =>
      fc.oneof(
        fc.integer({ min: -2 * size, max: 2 * size }),
        fc.constantFrom(Infinity, -Infinity),
        fc
          .tuple(fc.nat(Math.floor(size / MiB)), fc.integer({ min: -600, max: 60 }))
          .map(([segment, offset]) => Math.min(size, Math.max(0, segment * MiB + offset))),
      );
    const check = async (
      { slice, size }: DecryptedStream,
      [a, b]: [number, number],
      whole: Uint8Array,
    ) => {
      expect(size).toBe(whole.length);
      expectBytes(await collect(slice(a, b)), whole.slice(a, b));
    };
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(position(content.length), position(content.length)),
        fc.tuple(position(small.length), position(small.length)),
        async (range, smallRange) => {
          await check(ofLarge, range, content);
          await check(ofInline, smallRange, small);
        },
      ),
      { numRuns: 40 },
    );
  });

  test.each([{ start: 0.5 }, { start: '1' as never }, { end: Number.NaN }])(
    'rejects %j with a UsageError and sends nothing',
    async (range) => {
      const { download, calls } = await stored(small);
      expect(await rejection(download(range))).toBeInstanceOf(UsageError);
      expect(calls).toEqual([]);
    },
  );

  test.each([
    [{ start: -10 }, small.subarray(-10)],
    [{ start: -10, end: -4 }, small.subarray(-10, -4)],
    [{ start: 6, end: 5 }, new Uint8Array()],
    [{ start: small.length + 1 }, new Uint8Array()],
    [{ end: Infinity }, small],
  ])('%j is the range of Blob.slice', async (range, expected) => {
    const { download } = await stored(small);
    expectBytes((await download(range)).bytes, expected);
  });

  test('rejects an unknown value of as with a UsageError', async () => {
    const { client, document, calls } = await stored(small);
    const options = { cipher, as: 'blob' as 'bytes' };
    expect(await rejection(client.documents.download(document.id, options))).toBeInstanceOf(
      UsageError,
    );
    expect(calls).toEqual([]);
  });
});

describe('download of content that was tampered with', () => {
  /** Changes the stored content. */
  function tamper(
    { documents }: Awaited<ReturnType<typeof stored>>,
    change: (bytes: Buffer) => Buffer,
  ) {
    for (const document of documents.values())
      document.content = change(Buffer.from(document.content));
  }
  const flip = (position: number) => (bytes: Buffer) => {
    bytes[position] = (bytes[position] ?? 0) ^ 1;
    return bytes;
  };

  test('a changed byte fails the stream before its segment, and bytes reject', async () => {
    const service = await stored();
    tamper(service, flip(4 * MiB + 5));
    const { error, read } = await collectFailed((await service.open()).stream);
    expect(error).toBeInstanceOf(DecryptionError);
    expect(read.length).toBeLessThanOrEqual(4 * MiB);
    expectBytes(read, content.subarray(0, read.length));
    expect(await rejection(service.download())).toBeInstanceOf(DecryptionError);
    // Other segments can be read.
    expectBytes(
      (await service.download({ start: 7 * MiB, end: 7 * MiB + 9 })).bytes,
      content.subarray(7 * MiB, 7 * MiB + 9),
    );
  });

  test('a changed byte closes the connection, though more is being read', async () => {
    const service = await stored();
    const { stream } = await service.open();
    let cancelled = false;
    service.state.intercept = ({ headers }) => {
      const [, start, end] = /(\d+)-(\d+)/.exec(headers.range ?? '') ?? [];
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new Uint8Array(MiB)),
        // Nothing follows the changed segment.
        pull: () => new Promise(() => {}),
        cancel() {
          cancelled = true;
        },
      });
      const range = {
        'content-range': `bytes ${start}-${end}/${Number(end) + 1}`,
        etag: etag(headers),
      };
      return new Response(body, { status: 206, headers: range });
    };
    expect((await collectFailed(stream)).error).toBeInstanceOf(DecryptionError);
    await expect.poll(() => cancelled).toBe(true);
  });

  test('a changed first segment rejects the download', async () => {
    const service = await stored();
    tamper(service, flip(60));
    expect(await rejection(service.open())).toBeInstanceOf(DecryptionError);
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['cut off at a segment', (bytes) => bytes.subarray(0, 6 * MiB)],
    ['cut off within a segment', (bytes) => bytes.subarray(0, 6 * MiB + 7)],
    ['cut off to its first segment', (bytes) => bytes.subarray(0, MiB)],
    [
      'with two segments exchanged',
      (bytes) =>
        Buffer.concat([
          bytes.subarray(0, 3 * MiB),
          bytes.subarray(4 * MiB, 5 * MiB),
          bytes.subarray(3 * MiB, 4 * MiB),
          bytes.subarray(5 * MiB),
        ]),
    ],
    [
      'with a segment repeated',
      (bytes) => Buffer.concat([bytes.subarray(0, 2 * MiB), bytes.subarray(MiB)]),
    ],
  ])('content that is %s never ends normally', async (_, change) => {
    const service = await stored();
    tamper(service, change);
    const { stream } = await service.open();
    const { error, read } = await collectFailed(stream);
    expect(error).toBeInstanceOf(VaultError);
    expect(read.length).toBeLessThan(content.length);
    expectBytes(read, content.subarray(0, read.length));
    expect(await rejection(service.download())).toBeInstanceOf(VaultError);
  });

  test('content of another document rejects', async () => {
    const service = await stored();
    const other = await service.client.documents.upload(content, {
      vaultId: 'v1',
      cipher,
      fileName,
    });
    const [first, second] = [service.document.id, other.id].map((id) => service.documents.get(id));
    if (first && second) first.content = second.content;
    expect(await rejection(service.open())).toBeInstanceOf(DecryptionError);
  });

  test('the response of another document rejects with the reason document', async () => {
    const service = await stored();
    const other = await service.client.documents.upload(content, {
      vaultId: 'v1',
      cipher,
      fileName,
    });
    const body = service.documents.get(other.id);
    if (body) service.documents.set(service.document.id, body);
    expect(await rejection(service.open())).toMatchObject({
      name: 'DecryptionError',
      reason: 'document',
    });
  });

  test('content that is replaced while it is read fails the stream', async () => {
    const service = await stored();
    const { stream } = await service.open();
    tamper(service, flip(9 * MiB));
    const { error, read } = await collectFailed(stream);
    expect(error).toBeInstanceOf(VaultError);
    expectBytes(read, content.subarray(0, read.length));
  });

  test('content of another format rejects with the reason metadata', async () => {
    const service = await stored();
    const document = service.documents.get(service.document.id);
    const metadata = document?.body.encryptionMetadata as Document['encryptionMetadata'];
    metadata.algorithm = 'AES-256-GCM';
    expect(await rejection(service.download())).toMatchObject({
      name: 'DecryptionError',
      reason: 'metadata',
    });
  });
});

describe('download: connections, timeouts and abort', () => {
  test('a stream continues after a lost connection', async () => {
    const { open, state, calls } = await stored();
    const { stream } = await open();
    let lost = 0;
    state.intercept = () => {
      if (lost++ < 2) throw networkError('ECONNRESET');
      return undefined;
    };
    expectBytes(await collect(stream), content);
    expect(calls.filter(isContent)).toHaveLength(4);
  });

  test('a connection lost while the consumer pauses fails its next read, and not the process', async () => {
    const { open, state } = await stored();
    const { stream } = await open();
    let lost = 0;
    state.intercept = () => {
      lost++;
      throw networkError('ECONNRESET');
    };
    const reader = stream.getReader();
    expect((await reader.read()).done).toBe(false);
    await expect.poll(() => lost).toBeGreaterThan(1);
    // An unhandled rejection would fail this file.
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    expect(await rejection(reader.read())).toMatchObject({ name: 'ConnectionError' });
  });

  test.each([
    { failure: 'a lost connection', respond: () => Promise.reject(networkError('ECONNRESET')) },
    { failure: 'a failing service', respond: () => failure(503, 'INTERNAL_ERROR') },
  ])('after $failure while the consumer pauses, its next read goes on', async ({ respond }) => {
    const { open, state } = await stored();
    const { stream } = await open();
    const pause = Promise.withResolvers<void>();
    let failed = 0;
    state.intercept = async () => {
      await pause.promise;
      failed++;
      return respond();
    };
    const reader = stream.getReader();
    const chunks = [(await reader.read()).value ?? new Uint8Array()];
    pause.resolve();
    // With all its repetitions.
    await expect.poll(() => failed).toBe(3);
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    state.intercept = undefined;
    for (let next = await reader.read(); !next.done; next = await reader.read())
      chunks.push(next.value);
    expectBytes(Buffer.concat(chunks), content);
  });

  test('a connection lost while the consumer waits is replaced as often as maxRetries says', async () => {
    const { document, fetch, state, calls } = await stored();
    const client = keyClient({ fetch, maxRetries: 0 });
    state.intercept = ({ headers }) => {
      if (headers.range?.startsWith('bytes=1048')) throw networkError('ECONNRESET');
      return undefined;
    };
    const downloading = client.documents.download(document.id, { cipher });
    expect(await rejection(downloading)).toMatchObject({ name: 'ConnectionError' });
    const ranges = calls.filter(isContent).map(({ headers }) => headers.range);
    expect(ranges.filter((range) => range?.startsWith('bytes=1048'))).toHaveLength(1);
  });

  test('totalTimeout ends the download of bytes with a TimeoutError', async () => {
    const { client, document, state } = await stored();
    state.intercept = ({ headers }) =>
      headers.range?.startsWith('bytes=1048576') ? new Promise(() => {}) : undefined;
    const options = { cipher, totalTimeout: 500 };
    expect(await rejection(client.documents.download(document.id, options))).toBeInstanceOf(
      TimeoutError,
    );
  });

  test('a signal ends download and stream with an AbortError', async () => {
    const { client, document } = await stored();
    const controller = new AbortController();
    const { signal } = controller;
    const { stream, slice } = await client.documents.download(document.id, {
      cipher,
      signal,
      as: 'stream',
    });
    const reader = stream.getReader();
    await reader.read();
    controller.abort();
    expect(await rejection(reader.read().then(() => reader.read()))).toBeInstanceOf(AbortError);
    expect((await collectFailed(slice(MiB, 2 * MiB))).error).toBeInstanceOf(AbortError);
    const again = client.documents.download(document.id, { cipher, signal });
    expect(await rejection(again)).toBeInstanceOf(AbortError);
  });
});

describe('shares of large documents', () => {
  /** Stores a document and returns the options that open its link. */
  async function linked() {
    const service = await stored();
    const { document, fetch } = service;
    const share = { shareToken: document.id, access: 'anyone', documentId: document.id } as never;
    const link = await shareUrl(share, { cipher, document, page: 'https://app.example.com/open' });
    return { ...service, link, options: { baseUrl: 'https://vault.example.com', fetch } };
  }

  test('openShare returns bytes, a range or a stream, and opens the share once each', async () => {
    const { link, options, log } = await linked();
    expectBytes((await openShare(link, options)).bytes, content);
    const { bytes } = await openShare(link, {
      ...options,
      range: { start: 5 * MiB, end: 5 * MiB + 5 },
    });
    expectBytes(bytes, content.subarray(5 * MiB, 5 * MiB + 5));
    const { stream, slice, ...about } = await openShare(link, { ...options, as: 'stream' });
    expectBytes(await collect(stream), content);
    expectBytes(await collect(slice(1, 2 * MiB)), content.subarray(1, 2 * MiB));
    expect(about).toMatchObject({ fileName, size: content.length });
    expect(log().filter((call) => call.includes('/share/'))).toHaveLength(3);
    expect(log().filter((call) => call.includes('/contents/'))).toHaveLength(7);
  });

  test('openShare sends no credentials, and refuses a contentUrl of another origin', async () => {
    const { link, options, calls, documents, document } = await linked();
    await openShare(link, options);
    expect(calls.every(({ headers }) => !headers['x-api-key'] && !headers.authorization)).toBe(
      true,
    );
    const spying = async (url: string, init: RequestInit) => {
      const response = await options.fetch(url, init);
      if (!url.includes('/share/')) return response;
      const contentUrl = 'https://elsewhere.example/api/v1/contents/t1';
      return Response.json({ ...(await response.json()), contentUrl });
    };
    calls.length = 0;
    const error = await rejection(openShare(link, { ...options, fetch: spying }));
    expect(error).toBeInstanceOf(VaultError);
    expect(calls).toHaveLength(1);
    expect(documents.has(document.id)).toBe(true);
  });

  test('shares.open returns a stream with a cipher', async () => {
    const { client, document } = await stored();
    const { stream } = await client.shares.open(document.id, { cipher, as: 'stream' });
    expectBytes(await collect(stream), content);
  });

  test('a share that ends while its stream is read fails the stream', async () => {
    const { link, options, state } = await linked();
    const { stream } = await openShare(link, { ...options, as: 'stream' });
    state.intercept = () => failure(404, 'NOT_FOUND');
    expect((await collectFailed(stream)).error).toMatchObject({ name: 'NotFoundError' });
  });
});
