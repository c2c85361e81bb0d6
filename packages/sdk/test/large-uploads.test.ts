/** Uploads in parts: which sources they take, which requests they send, and which responses they refuse. */
import { Readable } from 'node:stream';
import {
  type DocumentSource,
  type UploadCheckpoint,
  type UploadOptions,
  UsageError,
  VaultError,
} from '@document-vault/sdk';
import { describe, expect, test } from 'vitest';
import { rejection } from './support/client.ts';
import { json } from './support/responses.ts';
import { partBytes } from './support/upload-service.ts';
import { content, expectContent, inChunks, MiB, setUpUploads } from './support/uploads.ts';

describe('upload in parts: requests', () => {
  test('sends parts of the size that the service asks for, then creates the document', async () => {
    const { client, calls, log, documents, options } = await setUpUploads();
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
      fileName: options.fileName,
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
    expectContent((await client.documents.download(document.id, options)).bytes);
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
    const { client, sent, options } = await setUpUploads();
    const document = await client.documents.upload(source(), { ...options, ...more });
    expect(sent().sort()).toEqual([0, 1, 2, 3]);
    expectContent((await client.documents.download(document.id, options)).bytes);
  });

  test('a part size that is no multiple of a segment works for streams, too', async () => {
    const { client, state, uploads, options } = await setUpUploads();
    const odd = 2 * MiB + 4_321;
    state.intercept = ({ method, path, body }) => {
      if (method !== 'POST' || path !== '/api/v1/uploads') return undefined;
      const upload = JSON.parse(String(body));
      uploads.set(upload.id, { ...upload, parts: new Map() });
      return Response.json({ ...upload, partBytes: odd, parts: [] }, { status: 201 });
    };
    const source = inChunks(content);
    const document = await client.documents.upload(source, { ...options, size: content.length });
    expectContent((await client.documents.download(document.id, options)).bytes);
  });

  test('a service that returns another document, also for a resumed upload, is refused', async () => {
    const service = await setUpUploads();
    const { options } = service;
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
    const { client, log, options } = await setUpUploads();
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
    const { client, calls, options } = await setUpUploads();
    const error = await rejection(client.documents.upload(source, { ...options, ...more }));
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(message);
    expect(calls).toEqual([]);
  });

  test.each([
    ['ends before its size', content.length + 1],
    ['has more bytes than its size', content.length - 1],
  ])('creates no document of a stream that %s, and gives up the upload', async (_, size) => {
    const { client, documents, uploads, options } = await setUpUploads();
    const error = await rejection(client.documents.upload(inChunks(content), { ...options, size }));
    expect(error).toBeInstanceOf(UsageError);
    expect(documents.size).toBe(0);
    await expect.poll(() => uploads.size).toBe(0);
  });

  test.each([
    ['another id', { id: 'x' }],
    ['another size', { sizeBytes: 1 }],
    ['parts of 1 byte', { partBytes: 1 }],
    ['parts of 1 GiB', { partBytes: 2 ** 30 }],
    ['parts of no size', { partBytes: null }],
  ])('sends no part to a service that returns %s', async (_, change) => {
    const { client, state, sent, options } = await setUpUploads();
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
