import { randomFillSync } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AbortError,
  DecryptionError,
  type DocumentSource,
  NotFoundError,
  ServerError,
  SourceChangedError,
  TimeoutError,
  type UploadCheckpoint,
  type UploadOptions,
  type UploadProgress,
  UsageError,
  VaultError,
} from '@document-vault/sdk';
import { type Cipher, createCipher } from '@document-vault/sdk/crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { keyClient, rejection } from './support/client.ts';
import { failure, json, networkError } from './support/responses.ts';
import { createUploadService, partBytes, sha256 } from './support/upload-service.ts';

const MiB = 1024 * 1024;
/** Four parts of 3 MiB, the last one short. */
const content = randomFillSync(new Uint8Array(9 * MiB + 12_345));
const fileName = 'film.mp4';
let cipher: Cipher;
let options: UploadOptions & { cipher: Cipher };
beforeAll(async () => {
  cipher = await createCipher({ passphrase: 'open sesame', iterations: 1_000 });
  options = { vaultId: 'v1', cipher, fileName };
});

/** Creates a service and its client. */
function setUp() {
  const service = createUploadService();
  const client = keyClient({ fetch: service.fetch });
  /** Numbers of the parts that were sent, in order. */
  const sent = () => service.calls.flatMap(({ part }) => part ?? []);
  return { ...service, client, sent };
}

async function* inChunks(bytes: Uint8Array, size = 1_000_003): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** A copy with one byte changed. */
function changed(bytes: Uint8Array<ArrayBuffer>, position: number): Uint8Array<ArrayBuffer> {
  const copy = bytes.slice();
  copy[position] = (copy[position] ?? 0) ^ 1;
  return copy;
}

const expectSame = (bytes: Uint8Array) => expect(Buffer.compare(bytes, content)).toBe(0);

describe('upload in parts: requests', () => {
  test('sends parts of the size that the service asks for, then creates the document', async () => {
    const { client, calls, log, documents } = setUp();
    const document = await client.documents.upload(content, options);
    expect(log().sort()).toEqual([
      'POST /api/v1/documents',
      'POST /api/v1/uploads',
      ...[0, 1, 2, 3].map((part) => `PUT /api/v1/uploads/{id}/parts/${part}`),
    ]);
    const [begin, end] = [calls[0], calls.at(-1)].map((call) => JSON.parse(String(call?.body)));
    expect(begin).toEqual({ id: document.id, vaultId: 'v1', sizeBytes: document.sizeBytes });
    expect(end).toEqual({
      uploadId: document.id,
      vaultId: 'v1',
      fileName,
      mimeType: 'application/octet-stream',
      sizeBytes: document.sizeBytes,
      encryptionMetadata: expect.objectContaining({ algorithm: 'AES256_GCM_HKDF_1MB' }),
    });
    const lengths = calls
      .filter(({ part }) => part !== undefined && part < 3)
      .map(({ body }) => body?.length);
    expect(lengths).toEqual([partBytes, partBytes, partBytes]);
    expect(
      documents.get(document.id)?.content.includes(Buffer.from(content.subarray(100, 132))),
    ).toBe(false);
    expectSame((await client.documents.download(document.id, { cipher })).bytes);
  });

  test.each<[string, () => DocumentSource, Partial<UploadOptions>]>([
    ['a Blob', () => new Blob([content]), {}],
    ['a File', () => new File([content], 'other.mp4'), {}],
    ['an ArrayBuffer', () => content.buffer, {}],
    [
      'a stream with its size',
      () => Readable.toWeb(Readable.from(inChunks(content))) as ReadableStream<Uint8Array>,
      { size: content.length },
    ],
    ['an async iterable with its size', () => inChunks(content, 4 * MiB), { size: content.length }],
    ['a stream without its size, up to 32 MiB', () => inChunks(content), {}],
  ])('takes %s', async (_, source, more) => {
    const { client, sent } = setUp();
    const document = await client.documents.upload(source(), { ...options, ...more });
    expect(sent().sort()).toEqual([0, 1, 2, 3]);
    expectSame((await client.documents.download(document.id, { cipher })).bytes);
  });

  test('a part size that is no multiple of a segment works for streams, too', async () => {
    const { client, state, uploads } = setUp();
    const odd = 2 * MiB + 4_321;
    state.intercept = ({ method, path, body }) => {
      if (method !== 'POST' || path !== '/api/v1/uploads') return undefined;
      const upload = JSON.parse(String(body));
      uploads.set(upload.id, { ...upload, parts: new Map() });
      return Response.json({ ...upload, partBytes: odd, parts: [] }, { status: 201 });
    };
    const source = inChunks(content);
    const document = await client.documents.upload(source, { ...options, size: content.length });
    expectSame((await client.documents.download(document.id, { cipher })).bytes);
  });

  test('a service that returns another document, also for a resumed upload, is refused', async () => {
    const service = setUp();
    let checkpoint: UploadCheckpoint | undefined;
    const onCheckpoint = (given: UploadCheckpoint) => {
      checkpoint = given;
    };
    service.state.intercept = ({ method, path }) =>
      /\/documents/.test(path) && !/parts/.test(path)
        ? json({ id: 'another' }, { status: method === 'POST' ? 201 : 200 })
        : undefined;
    const other = { name: 'DecryptionError', reason: 'document' };
    const uploading = service.client.documents.upload(content, { ...options, onCheckpoint });
    expect(await rejection(uploading)).toMatchObject(other);
    await service.client.uploads.delete(checkpoint?.uploadId ?? '');
    const resuming = service.client.documents.upload(content, { ...options, resume: checkpoint });
    expect(await rejection(resuming)).toMatchObject(other);
  });

  test('up to 8 MiB, one request sends the document', async () => {
    const { client, log } = setUp();
    await client.documents.upload(content.subarray(0, 8 * MiB), options);
    expect(log()).toEqual(['POST /api/v1/documents']);
    await client.documents.upload(inChunks(content.subarray(0, 99)), { ...options, size: 99 });
    expect(log()).toHaveLength(2);
  });

  test.each<[string, DocumentSource, Partial<UploadOptions>, string]>([
    ['a size that the bytes do not have', content, { size: 5 }, 'size is 5, but'],
    [
      'a size that a small stream does not have',
      inChunks(content.subarray(0, 50)),
      { size: 49 },
      'size is 49, but',
    ],
    [
      'a stream above 32 MiB without its size',
      inChunks(new Uint8Array(33 * MiB)),
      {},
      'pass the option size',
    ],
  ])('refuses %s and sends nothing', async (_, source, more, message) => {
    const { client, calls } = setUp();
    const error = await rejection(client.documents.upload(source, { ...options, ...more }));
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(message);
    expect(calls).toEqual([]);
  });

  test.each([
    ['ends before its size', content.length + 1],
    ['has more bytes than its size', content.length - 1],
  ])('creates no document of a stream that %s, and gives up the upload', async (_, size) => {
    const { client, documents, uploads } = setUp();
    const error = await rejection(client.documents.upload(inChunks(content), { ...options, size }));
    expect(error).toBeInstanceOf(UsageError);
    expect(documents.size).toBe(0);
    await vi.waitFor(() => expect(uploads.size).toBe(0));
  });

  test.each([
    ['another id', { id: 'x' }],
    ['another size', { sizeBytes: 1 }],
    ['parts of 1 byte', { partBytes: 1 }],
    ['parts of 1 GiB', { partBytes: 2 ** 30 }],
    ['parts of no size', { partBytes: null }],
  ])('sends no part to a service that returns %s', async (_, change) => {
    const { client, state, sent } = setUp();
    state.intercept = ({ method, path, body }) =>
      method === 'POST' && path === '/api/v1/uploads'
        ? Response.json(
            { partBytes, parts: [], ...JSON.parse(String(body)), ...change },
            { status: 201 },
          )
        : undefined;
    expect(await rejection(client.documents.upload(content, options))).toBeInstanceOf(VaultError);
    expect(sent()).toEqual([]);
  });
});

describe('upload in parts: progress, retries and timeouts', () => {
  test('onProgress counts the bytes that the service has confirmed', async () => {
    const { client, state } = setUp();
    const seen: UploadProgress[] = [];
    let confirmed = 0;
    state.intercept = ({ part }) => void (part === undefined || confirmed++);
    const confirmedAtReport: number[] = [];
    await client.documents.upload(content, {
      ...options,
      onProgress: (progress) => {
        seen.push(progress);
        confirmedAtReport.push(confirmed);
      },
    });
    const total = content.length;
    expect(seen[0]).toEqual({ phase: 'uploading', loaded: 0, total });
    expect(seen.at(-1)).toEqual({ phase: 'uploading', loaded: total, total });
    expect(seen).toHaveLength(5);
    for (const [n, { loaded }] of seen.entries()) {
      expect(loaded).toBeGreaterThanOrEqual(seen[n - 1]?.loaded ?? 0);
      expect(confirmedAtReport[n]).toBeGreaterThanOrEqual(n);
    }
  });

  test('three parts are in flight at once', async () => {
    const { client, state } = setUp();
    let release = () => {};
    const released = new Promise<undefined>((resolve) => {
      release = () => resolve(undefined);
    });
    state.intercept = ({ part }) => (part === undefined ? undefined : released);
    const upload = client.documents.upload(content, options);
    await vi.waitFor(() => expect(state.inFlight).toBe(3));
    await sleep(50);
    expect(state.inFlight).toBe(3);
    release();
    await upload;
    expect(state.mostInFlight).toBe(3);
  });

  test('a part that fails is sent again alone, with the same bytes and digest', async () => {
    const { client, state, sent, calls } = setUp();
    let failures = 0;
    state.intercept = ({ part }) => {
      if (part !== 1 || failures === 2) return undefined;
      failures++;
      if (failures === 1) throw networkError('ECONNRESET');
      return failure(503, 'INTERNAL_ERROR');
    };
    const document = await client.documents.upload(inChunks(content), {
      ...options,
      size: content.length,
    });
    expect(sent().sort()).toEqual([0, 1, 1, 1, 2, 3]);
    const attempts = calls.filter(({ part }) => part === 1);
    expect(new Set(attempts.map(({ headers }) => headers['content-digest'])).size).toBe(1);
    expect(new Set(attempts.map(({ body }) => sha256(body ?? new Uint8Array()))).size).toBe(1);
    expectSame((await client.documents.download(document.id, { cipher })).bytes);
  });

  test('the timeout of a part grows with its bytes: 1 second for each 20,000', async () => {
    const { client, state } = setUp();
    const delays: number[] = [];
    const timer = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
      _: unknown,
      ms: number,
    ) => {
      delays.push(ms);
      return 0;
    }) as never);
    try {
      await client.uploads.putPart('u1', 0, new Uint8Array(8 * MiB)).catch(() => {});
      await client.uploads
        .putPart('u1', 0, new Uint8Array(8 * MiB), { timeout: 1_000 })
        .catch(() => {});
    } finally {
      timer.mockRestore();
    }
    expect(delays).toEqual([60_000 + 419_431, 1_000 + 419_431]);
    expect(state.inFlight).toBe(0);
  });

  test('totalTimeout ends the whole upload with a TimeoutError', async () => {
    const { client, state, uploads } = setUp();
    state.intercept = ({ part }) => (part === 2 ? new Promise(() => {}) : undefined);
    const error = await rejection(
      client.documents.upload(content, { ...options, totalTimeout: 1_500 }),
    );
    expect(error).toBeInstanceOf(TimeoutError);
    await vi.waitFor(() => expect(uploads.size).toBe(0));
  });

  test('an upload that fails without onCheckpoint is given up, and its stream is closed', async () => {
    const { client, state, uploads, documents } = setUp();
    state.intercept = ({ part }) => (part === 2 ? failure(500, 'INTERNAL_ERROR') : undefined);
    let closed = false;
    const source = (async function* () {
      try {
        yield* inChunks(content, MiB);
      } finally {
        closed = true;
      }
    })();
    const error = await rejection(
      client.documents.upload(source, { ...options, size: content.length }),
    );
    expect(error).toBeInstanceOf(ServerError);
    await vi.waitFor(() => expect([uploads.size, closed]).toEqual([0, true]));
    expect(documents.size).toBe(0);
  });
});

describe('upload in parts: abort', () => {
  test('a signal ends the upload within 20 ms and gives it up', async () => {
    const { client, state, uploads, documents, log } = setUp();
    const controller = new AbortController();
    let stalled = 0;
    state.intercept = ({ part }) => {
      if (part === undefined || part === 0) return undefined;
      stalled++;
      return new Promise(() => {});
    };
    const onCheckpoint = () => {};
    const { signal } = controller;
    const upload = rejection(
      client.documents.upload(content, { ...options, signal, onCheckpoint }),
    );
    await vi.waitFor(() => expect(stalled).toBe(3));
    const abortedAt = performance.now();
    controller.abort();
    const error = await upload;
    expect(performance.now() - abortedAt).toBeLessThan(20);
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({ method: 'POST', path: '/api/v1/documents' });
    await vi.waitFor(() => expect(uploads.size).toBe(0));
    expect(log().at(-1)).toBe('DELETE /api/v1/uploads/{id}');
    expect(documents.size).toBe(0);
  });

  test('an abort while onCheckpoint runs sends no part', async () => {
    const { client, sent } = setUp();
    const controller = new AbortController();
    const onCheckpoint = async ({ parts }: UploadCheckpoint) => {
      if (parts.length > 0) controller.abort();
      await sleep(5);
    };
    const { signal } = controller;
    const error = await rejection(
      client.documents.upload(content, { ...options, signal, onCheckpoint }),
    );
    expect(error).toBeInstanceOf(AbortError);
    await sleep(20);
    expect(sent()).toEqual([]);
  });

  test('an aborted signal sends nothing but the removal', async () => {
    const { client, calls } = setUp();
    const signal = AbortSignal.abort();
    const error = await rejection(client.documents.upload(content, { ...options, signal }));
    expect(error).toBeInstanceOf(AbortError);
    expect(calls).toEqual([]);
  });
});

describe('upload in parts: checkpoints', () => {
  test('are JSON without secrets, one before each part is first sent', async () => {
    const { client, state } = setUp();
    const taken: string[] = [];
    const early: number[] = [];
    state.intercept = ({ part, body }) => {
      if (part === undefined) return undefined;
      const stored = JSON.parse(taken.at(-1) ?? '{}') as UploadCheckpoint;
      if (stored.parts[part] !== sha256(body ?? new Uint8Array())) early.push(part);
      return undefined;
    };
    const secret = 'Severance plan.mp4';
    const { id } = await client.documents.upload(content, {
      ...options,
      fileName: secret,
      encryptFileName: true,
      onCheckpoint: async (checkpoint) => {
        await sleep(2);
        taken.push(JSON.stringify(checkpoint));
      },
    });
    expect(early).toEqual([]);
    expect(JSON.parse(taken[0] ?? '')).toMatchObject({
      uploadId: id,
      vaultId: 'v1',
      partBytes,
      parts: [],
    });
    expect(taken.length).toBeLessThanOrEqual(5);
    for (const text of taken) expect(text).not.toMatch(/Severance|open sesame/);
    const { encryptionMetadata } = await client.documents.get(id);
    const key = Buffer.from(await cipher.documentKey({ id, encryptionMetadata }));
    for (const text of taken) expect(text).not.toContain(key.toString('base64'));
  });

  test('never overlap, and parts that wait share one', async () => {
    const { client } = setUp();
    let running = 0;
    let count = 0;
    await client.documents.upload(content, {
      ...options,
      onCheckpoint: async () => {
        count++;
        expect(++running).toBe(1);
        await sleep(10);
        running--;
      },
    });
    expect(count).toBeLessThanOrEqual(5);
  });

  test('an onCheckpoint that throws ends the upload before the part is sent, and keeps it', async () => {
    const { client, sent, uploads } = setUp();
    const onCheckpoint = ({ parts }: UploadCheckpoint) => {
      if (parts.length > 0) throw new Error('disk full');
    };
    const error = await rejection(client.documents.upload(content, { ...options, onCheckpoint }));
    expect(error).toBeInstanceOf(VaultError);
    expect(String(error)).toContain('disk full');
    await sleep(10);
    expect(sent()).toEqual([]);
    expect(uploads.size).toBe(1);
  });
});

/** Uploads until a part fails, and returns the last checkpoint as JSON would restore it. */
async function interrupted(
  service: ReturnType<typeof setUp>,
  {
    source = content,
    failAt = 2,
    ...more
  }: Partial<UploadOptions> & { source?: DocumentSource; failAt?: number } = {},
): Promise<UploadCheckpoint> {
  let checkpoint = '';
  service.state.intercept = ({ part }) =>
    part === failAt ? failure(500, 'INTERNAL_ERROR') : undefined;
  const onCheckpoint = (given: UploadCheckpoint) => {
    checkpoint = JSON.stringify(given);
  };
  await rejection(
    service.client.documents.upload(source, { ...options, onCheckpoint, maxRetries: 0, ...more }),
  );
  service.state.intercept = undefined;
  service.calls.length = 0;
  return JSON.parse(checkpoint);
}

describe('upload in parts: resume', () => {
  test('sends what is missing, and the document has the content, name and type of the first call', async () => {
    const service = setUp();
    const resume = await interrupted(service, { encryptFileName: true, mimeType: 'video/mp4' });
    const stored = [...(service.uploads.get(resume.uploadId)?.parts.keys() ?? [])];
    const seen: UploadProgress[] = [];
    const again = await createCipher({ passphrase: 'open sesame', iterations: 1_000 });
    const document = await service.client.documents.upload(content, {
      vaultId: 'v1',
      cipher: again,
      fileName: 'another.name',
      resume,
      onProgress: (progress) => seen.push(progress),
    });
    expect(document.id).toBe(resume.uploadId);
    expect(service.sent().sort()).toEqual([0, 1, 2, 3].filter((part) => !stored.includes(part)));
    expect(seen[0]?.loaded).toBeGreaterThan(0);
    const download = await service.client.documents.download(document.id, { cipher });
    expectSame(download.bytes);
    expect(download).toMatchObject({ fileName, mimeType: 'video/mp4' });
  });

  test('continues from a checkpoint that was taken before the first part', async () => {
    const service = setUp();
    const first: UploadCheckpoint[] = [];
    const onCheckpoint = (checkpoint: UploadCheckpoint) => {
      first.push(checkpoint);
      throw new Error('crash');
    };
    await rejection(service.client.documents.upload(content, { ...options, onCheckpoint }));
    const document = await service.client.documents.upload(content, {
      ...options,
      resume: first[0],
    });
    expectSame((await service.client.documents.download(document.id, { cipher })).bytes);
  });

  test.each([
    ['a part that was sent and lost', 2 * partBytes + 5],
    ['a part that the service has', 5],
  ])('rejects a source that differs in %s, and sends none of it', async (_, position) => {
    const service = setUp();
    const resume = await interrupted(service);
    const source = changed(content, position);
    const error = await rejection(service.client.documents.upload(source, { ...options, resume }));
    expect(error).toBeInstanceOf(SourceChangedError);
    const differing = Math.floor(position / partBytes);
    expect(service.sent()).not.toContain(differing);
    expect(service.documents.size).toBe(0);
    // The right source can still continue.
    const document = await service.client.documents.upload(content, { ...options, resume });
    expectSame((await service.client.documents.download(document.id, { cipher })).bytes);
  });

  test('a service that denies having a part gets no other bytes for it', async () => {
    const service = setUp();
    const resume = await interrupted(service);
    service.uploads.get(resume.uploadId)?.parts.clear();
    const source = changed(content, partBytes + 5);
    expect(
      await rejection(service.client.documents.upload(source, { ...options, resume })),
    ).toBeInstanceOf(SourceChangedError);
    expect(service.sent()).not.toContain(1);
  });

  test('sends a part again whose digest at the service is another one', async () => {
    const service = setUp();
    const resume = await interrupted(service);
    service.uploads.get(resume.uploadId)?.parts.set(0, new Uint8Array(partBytes));
    const document = await service.client.documents.upload(content, { ...options, resume });
    expect(service.sent()).toContain(0);
    expectSame((await service.client.documents.download(document.id, { cipher })).bytes);
  });

  test('a File with the same lastModified is read at its first, last and missing parts alone', async () => {
    const service = setUp();
    const file = (lastModified: number) => new File([content], fileName, { lastModified });
    const resume = await interrupted(service, { source: file(1_000), failAt: 3 });
    expect([...(service.uploads.get(resume.uploadId)?.parts.keys() ?? [])].sort()).toEqual([
      0, 1, 2,
    ]);
    const reads: number[] = [];
    const source = file(1_000);
    const slice = source.slice.bind(source);
    source.slice = (start = 0, end) => {
      // A segment begins a little before its place in the ciphertext.
      reads.push(Math.floor((start + 1_000) / partBytes));
      return slice(start, end);
    };
    await service.client.documents.upload(source, { ...options, resume });
    expect([...new Set(reads)].sort()).toEqual([0, 3]);
    expect(service.sent()).toEqual([3]);
  });

  test('rejects a File that was modified since the upload began', async () => {
    const service = setUp();
    const file = (lastModified: number) => new File([content], fileName, { lastModified });
    const resume = await interrupted(service, { source: file(1_000) });
    const again = service.client.documents.upload(file(2_000), { ...options, resume });
    expect(await rejection(again)).toBeInstanceOf(SourceChangedError);
    expect(service.calls).toEqual([]);
  });

  test('returns the document when the upload was finished and only the response was lost', async () => {
    const service = setUp();
    let checkpoint: UploadCheckpoint | undefined;
    const document = await service.client.documents.upload(content, {
      ...options,
      onCheckpoint: (given) => {
        checkpoint = given;
      },
    });
    service.calls.length = 0;
    const resumed = await service.client.documents.upload(content, {
      ...options,
      resume: checkpoint,
    });
    expect(resumed.id).toBe(document.id);
    expect(resumed).not.toHaveProperty('encryptedData');
    expect(service.log()).toEqual(['GET /api/v1/uploads/{id}', 'GET /api/v1/documents/{id}']);
  });

  test('rejects with a NotFoundError when the upload has expired or was given up', async () => {
    const service = setUp();
    const resume = await interrupted(service);
    service.uploads.clear();
    const error = await rejection(service.client.documents.upload(content, { ...options, resume }));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({
      status: 404,
      message: expect.stringContaining('has expired or was given up'),
    });
  });

  test.each<
    [
      string,
      (resume: UploadCheckpoint) => Partial<UploadOptions> & { source?: DocumentSource },
      unknown,
    ]
  >([
    ['a stream', () => ({ source: inChunks(content), size: content.length }), UsageError],
    ['another vault', () => ({ vaultId: 'v2' }), UsageError],
    ['something else', () => ({ resume: { uploadId: 'x' } as UploadCheckpoint }), UsageError],
    ['a source of another size', () => ({ source: content.subarray(1) }), SourceChangedError],
    [
      'a changed size of parts',
      (resume) => ({ resume: { ...resume, partBytes: partBytes / 2 } }),
      VaultError,
    ],
  ])('rejects %s and sends no part', async (_, change, kind) => {
    const service = setUp();
    const resume = await interrupted(service);
    const { source = content, ...more } = change(resume);
    const error = await rejection(
      service.client.documents.upload(source, { ...options, resume, ...more }),
    );
    expect(error).toBeInstanceOf(kind);
    expect(service.sent()).toEqual([]);
    expect(service.uploads.size).toBe(1);
  });

  test('rejects another passphrase with a DecryptionError', async () => {
    const service = setUp();
    const resume = await interrupted(service);
    const other = await createCipher({ passphrase: 'open barley', iterations: 1_000 });
    const error = await rejection(
      service.client.documents.upload(content, { ...options, cipher: other, resume }),
    );
    expect(error).toBeInstanceOf(DecryptionError);
    expect(service.calls).toEqual([]);
  });
});
