import { AbortError, LockedError, type UploadProgress } from '@document-vault/sdk';
import { type Cipher, DecryptionError } from '@document-vault/sdk/crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { cheapCipher } from './support/cipher.ts';
import { keyClient, rejection } from './support/client.ts';
import { bytes, documentService, streamed, text } from './support/document-service.ts';
import { failure } from './support/responses.ts';
import { type ReceivedRequest, sendJson, startServer } from './support/server.ts';

let cipher: Cipher;
beforeAll(async () => {
  cipher = await cheapCipher('open sesame');
});

describe('guarantee 13, upload: progress and abort', () => {
  test('onProgress receives every phase with loaded and total', async () => {
    const seen: UploadProgress[] = [];
    const onProgress = (progress: UploadProgress) => seen.push(progress);
    const { client } = documentService();
    const options = { vaultId: 'v1', cipher, fileName: 'a.txt', onProgress };
    await client.documents.upload(streamed(), options);
    const total = bytes.length;
    expect(seen).toEqual([
      { phase: 'reading', loaded: 7, total: undefined },
      { phase: 'reading', loaded: 20, total: undefined },
      { phase: 'reading', loaded: total, total: undefined },
      { phase: 'encrypting', loaded: 0, total },
      { phase: 'encrypting', loaded: total, total },
      { phase: 'uploading', loaded: 0, total },
      { phase: 'uploading', loaded: total, total },
    ]);
  });

  test('onProgress receives uploading once for several attempts and not after a failure', async () => {
    const seen: UploadProgress[] = [];
    const onProgress = (progress: UploadProgress) => seen.push(progress);
    const options = { vaultId: 'v1', cipher, fileName: 'a.txt', onProgress };
    const { fetch } = documentService();
    const busy = async () => failure(503, 'INTERNAL_ERROR');
    let calls = 0;
    const once = keyClient({ fetch: (...sent) => (calls++ ? fetch(...sent) : busy()) });
    await once.documents.upload(bytes, options);
    const total = bytes.length;
    expect(calls).toBe(2);
    const uploading = seen.splice(0).filter(({ phase }) => phase === 'uploading');
    expect(uploading).toEqual([
      { phase: 'uploading', loaded: 0, total },
      { phase: 'uploading', loaded: total, total },
    ]);
    const never = keyClient({ fetch: () => busy() });
    await rejection(never.documents.upload(bytes, options));
    expect(seen.at(-1)).toEqual({ phase: 'uploading', loaded: 0, total });
  });

  test('progress of a Blob has its size as total while reading', async () => {
    const seen: UploadProgress[] = [];
    const onProgress = (progress: UploadProgress) => seen.push(progress);
    const options = { vaultId: 'v1', cipher, fileName: 'a.txt', onProgress };
    await documentService().client.documents.upload(new Blob([bytes]), options);
    expect(seen[0]).toEqual({ phase: 'reading', loaded: bytes.length, total: bytes.length });
  });

  test('abort while reading rejects the upload and cancels the stream', async () => {
    const controller = new AbortController();
    let cancelled: unknown;
    const endless = new ReadableStream<Uint8Array>({
      start: (stream) => stream.enqueue(bytes),
      cancel: (reason) => {
        cancelled = reason;
      },
    });
    const { client, stored } = documentService();
    const options = {
      vaultId: 'v1',
      cipher,
      fileName: 'a.txt',
      signal: controller.signal,
      onProgress: () => controller.abort(),
    };
    const error = await rejection(client.documents.upload(endless, options));
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({ method: 'POST', path: '/api/v1/documents', attempts: 0 });
    await new Promise(setImmediate);
    expect(cancelled).toBeInstanceOf(AbortError);
    expect(stored).toHaveLength(0);
  });

  test('abort while a stream stalls rejects the upload when the stream cannot be cancelled', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    process.on('uncaughtException', unhandled);
    const controller = new AbortController();
    const { signal } = controller;
    const stalled = new ReadableStream<Uint8Array>({
      pull: () => new Promise(() => {}),
      cancel: () => Promise.reject(new Error('cannot')),
    });
    const options = { vaultId: 'v1', cipher, fileName: 'a.txt', signal };
    const upload = rejection(documentService().client.documents.upload(stalled, options));
    await new Promise(setImmediate);
    controller.abort();
    expect(await upload).toBeInstanceOf(AbortError);
    for (let n = 0; n < 3; n++) await new Promise(setImmediate);
    process.off('unhandledRejection', unhandled);
    process.off('uncaughtException', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  test('an onProgress that throws cancels the stream of the upload', async () => {
    const cancel = vi.fn();
    const endless = new ReadableStream<Uint8Array>({
      pull: (stream) => stream.enqueue(bytes),
      cancel,
    });
    const onProgress = () => {
      throw new Error('hook');
    };
    const options = { vaultId: 'v1', cipher, fileName: 'a.txt', onProgress };
    await rejection(documentService().client.documents.upload(endless, options));
    await new Promise(setImmediate);
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  test('abort while encrypting rejects the upload', async () => {
    const controller = new AbortController();
    const stuck = { ...cipher, seal: () => new Promise<never>(() => {}) };
    const { client, stored } = documentService();
    const options = {
      vaultId: 'v1',
      cipher: stuck,
      fileName: 'a.txt',
      signal: controller.signal,
    };
    setImmediate(() => controller.abort());
    const error = await rejection(client.documents.upload(bytes, options));
    expect(error).toBeInstanceOf(AbortError);
    expect(stored).toHaveLength(0);
  });
});

describe('download and shares', () => {
  test('a download with a wrong passphrase or changed content rejects with a DecryptionError', async () => {
    const { client, stored } = documentService();
    const options = { vaultId: 'v1', cipher, fileName: 'a.txt' };
    const { id } = await client.documents.upload(bytes, options);
    const wrong = await cheapCipher('open barley');
    const download = (other: Cipher) => rejection(client.documents.download(id, { cipher: other }));
    expect(await download(wrong)).toMatchObject({ name: 'DecryptionError', reason: 'key' });
    for (const encryptedData of ['AAAA', 'not base64', '']) {
      stored[0] = { ...stored[0], encryptedData };
      expect(await download(cipher)).toBeInstanceOf(DecryptionError);
    }
  });

  test('a download without a cipher rejects with a LockedError', async () => {
    const { client } = documentService();
    const options = {} as { cipher: Cipher };
    expect(await rejection(client.documents.download('d0', options))).toBeInstanceOf(LockedError);
  });

  test('upload and download without options reject instead of throwing', async () => {
    const { client } = documentService();
    const none = undefined as never;
    expect(await rejection(client.documents.upload(text, none))).toBeInstanceOf(LockedError);
    expect(await rejection(client.documents.download('d0', none))).toBeInstanceOf(LockedError);
  });

  test('shares.open returns the stored content, or decrypts it with a cipher', async () => {
    const { client } = documentService();
    const options = { vaultId: 'v1', cipher, fileName: 'a.txt' };
    const { id } = await client.documents.upload(bytes, options);
    const shared = await client.shares.open(id);
    expect(shared.encryptedData).toMatch(/^[A-Za-z0-9+/]+=*$/);
    const opened = await client.shares.open(id, { cipher });
    expect(Buffer.from(opened.bytes).toString()).toBe(text);
    expect(opened.fileName).toBe('a.txt');
  });

  test('withResponse of a download returns the response', async () => {
    const { client } = documentService();
    const options = { vaultId: 'v1', cipher, fileName: 'a.txt' };
    const { id } = await client.documents.upload(bytes, options);
    const { data, rateLimit } = await client.documents.download(id, { cipher }).withResponse();
    expect(Buffer.from(data.bytes).toString()).toBe(text);
    expect(rateLimit).toEqual({
      limit: 10_000,
      remaining: 9_987,
      resetAt: new Date(1_772_445_600_000),
      tier: 'paid',
    });
  });

  test('a document of one megabyte is uploaded and downloaded over a real connection', async () => {
    let stored: ReceivedRequest | undefined;
    const server = await startServer((arrival, response) => {
      if (arrival.method === 'POST') stored = arrival;
      sendJson(response, JSON.parse(stored?.body ?? '{}'));
    });
    const client = keyClient({ baseUrl: server.url });
    const large = Uint8Array.from({ length: 2 ** 20 }, (_, n) => (n * 31) % 256);
    const options = { vaultId: 'v1', cipher, fileName: 'large.bin' };
    const { id } = await client.documents.upload(large, options);
    const download = await client.documents.download(id, { cipher });
    await server.close();
    expect(Buffer.compare(download.bytes, large)).toBe(0);
    expect(stored?.headers['content-type']).toBe('application/json');
  });
});
