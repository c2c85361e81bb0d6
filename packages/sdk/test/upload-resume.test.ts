/** Uploads in parts that continue an earlier one. */
import {
  DecryptionError,
  type DocumentSource,
  NotFoundError,
  SourceChangedError,
  type UploadCheckpoint,
  type UploadOptions,
  type UploadProgress,
  UsageError,
  VaultError,
} from '@document-vault/sdk';
import { describe, expect, test } from 'vitest';
import { cheapCipher } from './support/cipher.ts';
import { rejection } from './support/client.ts';
import { partBytes } from './support/upload-service.ts';
import {
  content,
  expectContent,
  inChunks,
  interruptedUpload,
  setUpUploads,
} from './support/uploads.ts';

/** A copy with one byte changed. */
function changed(bytes: Uint8Array<ArrayBuffer>, position: number): Uint8Array<ArrayBuffer> {
  const copy = bytes.slice();
  copy[position] = (copy[position] ?? 0) ^ 1;
  return copy;
}

describe('upload in parts: resume', () => {
  test('sends what is missing, and the document has the content, name and type of the first call', async () => {
    const service = await setUpUploads();
    const { options } = service;
    const resume = await interruptedUpload(service, {
      encryptFileName: true,
      mimeType: 'video/mp4',
    });
    const stored = [...(service.uploads.get(resume.uploadId)?.parts.keys() ?? [])];
    const seen: UploadProgress[] = [];
    const again = await cheapCipher('open sesame');
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
    const download = await service.client.documents.download(document.id, options);
    expectContent(download.bytes);
    expect(download).toMatchObject({ fileName: options.fileName, mimeType: 'video/mp4' });
  });

  test('continues from a checkpoint that was taken before the first part', async () => {
    const service = await setUpUploads();
    const { options } = service;
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
    expectContent((await service.client.documents.download(document.id, options)).bytes);
  });

  test.each([
    ['a part that was sent and lost', 2 * partBytes + 5],
    ['a part that the service has', 5],
  ])('rejects a source that differs in %s, and sends none of it', async (_, position) => {
    const service = await setUpUploads();
    const { options } = service;
    const resume = await interruptedUpload(service);
    const source = changed(content, position);
    const error = await rejection(service.client.documents.upload(source, { ...options, resume }));
    expect(error).toBeInstanceOf(SourceChangedError);
    const differing = Math.floor(position / partBytes);
    expect(service.sent()).not.toContain(differing);
    expect(service.documents.size).toBe(0);
    // The right source can still continue.
    const document = await service.client.documents.upload(content, { ...options, resume });
    expectContent((await service.client.documents.download(document.id, options)).bytes);
  });

  test('a service that denies having a part gets no other bytes for it', async () => {
    const service = await setUpUploads();
    const { options } = service;
    const resume = await interruptedUpload(service);
    service.uploads.get(resume.uploadId)?.parts.clear();
    const source = changed(content, partBytes + 5);
    expect(
      await rejection(service.client.documents.upload(source, { ...options, resume })),
    ).toBeInstanceOf(SourceChangedError);
    expect(service.sent()).not.toContain(1);
  });

  test('sends a part again whose digest at the service is another one', async () => {
    const service = await setUpUploads();
    const { options } = service;
    const resume = await interruptedUpload(service);
    service.uploads.get(resume.uploadId)?.parts.set(0, new Uint8Array(partBytes));
    const document = await service.client.documents.upload(content, { ...options, resume });
    expect(service.sent()).toContain(0);
    expectContent((await service.client.documents.download(document.id, options)).bytes);
  });

  test('a File with the same lastModified is read at its first, last and missing parts alone', async () => {
    const service = await setUpUploads();
    const { options } = service;
    const file = (lastModified: number) => new File([content], 'film.mp4', { lastModified });
    const resume = await interruptedUpload(service, { source: file(1_000), failAt: 3 });
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
    const service = await setUpUploads();
    const { options } = service;
    const file = (lastModified: number) => new File([content], 'film.mp4', { lastModified });
    const resume = await interruptedUpload(service, { source: file(1_000) });
    const again = service.client.documents.upload(file(2_000), { ...options, resume });
    expect(await rejection(again)).toBeInstanceOf(SourceChangedError);
    expect(service.calls).toEqual([]);
  });

  test('returns the document when the upload was finished and only the response was lost', async () => {
    const service = await setUpUploads();
    const { options } = service;
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
    const service = await setUpUploads();
    const { options } = service;
    const resume = await interruptedUpload(service);
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
  ])('rejects %s and sends no part', async (_, change, kind) => {
    const service = await setUpUploads();
    const { options } = service;
    const resume = await interruptedUpload(service);
    const { source = content, ...more } = change(resume);
    const error = await rejection(
      service.client.documents.upload(source, { ...options, resume, ...more }),
    );
    expect(error).toBeInstanceOf(kind);
    expect(service.sent()).toEqual([]);
    expect(service.uploads.size).toBe(1);
  });

  test('rejects when the service has changed the size of parts, and sends no part', async () => {
    const service = await setUpUploads();
    const resume = await interruptedUpload(service);
    service.state.intercept = ({ method }) => {
      const { id, sizeBytes } = service.uploads.get(resume.uploadId) ?? {};
      const upload = { id, sizeBytes, partBytes: partBytes / 2, parts: [] };
      return method === 'GET' ? Response.json(upload) : undefined;
    };
    const options = { ...service.options, resume };
    const error = await rejection(service.client.documents.upload(content, options));
    expect(error).toBeInstanceOf(VaultError);
    expect(String(error)).toContain('changed the size of parts');
    expect(service.sent()).toEqual([]);
  });

  test('rejects another passphrase with a DecryptionError', async () => {
    const service = await setUpUploads();
    const { options } = service;
    const resume = await interruptedUpload(service);
    const other = await cheapCipher('open barley');
    const error = await rejection(
      service.client.documents.upload(content, { ...options, cipher: other, resume }),
    );
    expect(error).toBeInstanceOf(DecryptionError);
    expect(service.calls).toEqual([]);
  });
});
