import { Readable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import {
  AbortError,
  type DocumentSource,
  type UploadOptions,
  type UploadProgress,
  UsageError,
} from '@document-vault/sdk';
import { type Cipher, createCipher, DecryptionError } from '@document-vault/sdk/crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { failure, json } from './support/answers.ts';
import { keyClient, rejection } from './support/client.ts';
import { type Arrival, sendJson, startServer } from './support/server.ts';

const text = 'Grüße aus dem Tresor, zweimal: Grüße aus dem Tresor';
const bytes = new TextEncoder().encode(text);

let cipher: Cipher;
beforeAll(async () => {
  cipher = await createCipher({ passphrase: 'open sesame', iterations: 1_000 });
});

/** A service that keeps the documents it is sent. */
function shelf() {
  const stored: Record<string, unknown>[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    if (init.method === 'POST') {
      const { encryptedData, ...document } = JSON.parse(init.body as string);
      stored.push({ id: `d${stored.length}`, encryptedData, ...document });
      return json({ id: `d${stored.length - 1}`, ...document }, { status: 201 });
    }
    const index = Number(url.split('/').at(-1)?.slice(1));
    return json(stored[index]);
  };
  return { stored, fetch, vault: keyClient({ fetch }) };
}

const chunks = () => [bytes.subarray(0, 7), bytes.subarray(7, 20), bytes.subarray(20)];

async function* generated(): AsyncGenerator<Uint8Array> {
  yield* chunks();
}

const streamed = () =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks()) controller.enqueue(chunk);
      controller.close();
    },
  });

const octets = 'application/octet-stream';

/** A buffer with the bytes from the eighth on, and others around them. */
function spaced(): ArrayBuffer {
  const buffer = new Uint8Array(bytes.length + 16).fill(1);
  buffer.set(bytes, 8);
  return buffer.buffer;
}

function shared(): Uint8Array {
  const view = new Uint8Array(new SharedArrayBuffer(bytes.length));
  view.set(bytes);
  return view;
}

/** An array of another window, whose classes are not this one's. */
function foreign(): Uint8Array {
  return runInNewContext('Uint8Array.from(list)', { list: [...bytes] });
}

function responseBody(): ReadableStream<Uint8Array> {
  const { body } = new Response(bytes);
  if (!body) throw new Error('no body');
  return body;
}

describe('promise 13, upload: sources', () => {
  it.each<[string, () => DocumentSource, string]>([
    ['bytes', () => bytes, 'application/octet-stream'],
    ['a Node buffer', () => Buffer.from(bytes), 'application/octet-stream'],
    ['an ArrayBuffer', () => Uint8Array.from(bytes).buffer, 'application/octet-stream'],
    ['a string', () => text, 'text/plain'],
    ['a Blob', () => new Blob([bytes], { type: 'text/markdown; charset=utf-8' }), 'text/markdown'],
    ['a stream', streamed, 'application/octet-stream'],
    ['an async iterable', generated, 'application/octet-stream'],
    ["Node's stream", () => Readable.from(chunks()), 'application/octet-stream'],
    ['the body of a response', () => responseBody(), 'application/octet-stream'],
    ['a DataView', () => new DataView(spaced(), 8, bytes.length), 'application/octet-stream'],
    ['an Int8Array', () => new Int8Array(spaced(), 8, bytes.length), 'application/octet-stream'],
    ['shared memory', () => shared().buffer, 'application/octet-stream'],
    ['a view of shared memory', shared, 'application/octet-stream'],
    ['bytes of another realm', () => runInNewContext('a.slice()', { a: foreign() }), octets],
    ['a buffer of another realm', () => foreign().buffer as ArrayBuffer, octets],
  ])('takes %s, and download gives it back', async (_, source, mimeType) => {
    const { vault } = shelf();
    const document = await vault.documents.upload(source(), {
      vaultId: 'v1',
      cipher,
      fileName: 'gruß.txt',
    });
    const download = await vault.documents.download(document.id, { cipher });
    expect(new TextDecoder().decode(download.bytes)).toBe(text);
    expect(download).toMatchObject({ fileName: 'gruß.txt', mimeType });
    expect(download.document).not.toHaveProperty('encryptedData');
    expect(download.document).toMatchObject({ id: document.id, vaultId: 'v1' });
  });

  it("takes a File's own name and type, unless told otherwise", async () => {
    const { vault, stored } = shelf();
    const file = new File([bytes], 'taxes.pdf', { type: 'application/pdf' });
    await vault.documents.upload(file, { vaultId: 'v1', cipher });
    await vault.documents.upload(file, {
      vaultId: 'v1',
      cipher,
      fileName: 'other.txt',
      mimeType: 'text/plain',
    });
    expect(stored).toMatchObject([
      { fileName: 'taxes.pdf', mimeType: 'application/pdf' },
      { fileName: 'other.txt', mimeType: 'text/plain' },
    ]);
  });

  it('sends exactly what the contract takes, and no plaintext', async () => {
    const { vault, stored } = shelf();
    await vault.documents.upload(text, { vaultId: 'v1', cipher, fileName: 'a.txt' });
    const { id: _, encryptedData, ...rest } = stored[0] ?? {};
    expect(rest).toEqual({
      vaultId: 'v1',
      fileName: 'a.txt',
      mimeType: 'text/plain',
      sizeBytes: bytes.length,
      encryptionMetadata: expect.objectContaining({ algorithm: 'AES-256-GCM' }),
    });
    const sent = Buffer.from(String(encryptedData), 'base64');
    expect(sent).toHaveLength(bytes.length);
    expect(sent.includes('Tresor')).toBe(false);
  });

  it.each<[string, DocumentSource, Partial<UploadOptions>]>([
    ['no cipher', text, { cipher: undefined as unknown as Cipher }],
    ['no name', new Blob([bytes]), { fileName: undefined }],
    ['a source of no kind', 17 as unknown as DocumentSource, {}],
    [
      'a stream of strings',
      (async function* () {
        yield text;
      })() as unknown as DocumentSource,
      {},
    ],
  ])('sends nothing with %s', async (_, source, change) => {
    const { vault, stored } = shelf();
    const options = { vaultId: 'v1', cipher, fileName: 'a.txt', ...change };
    expect(await rejection(vault.documents.upload(source, options))).toBeInstanceOf(UsageError);
    expect(stored).toHaveLength(0);
  });
});

describe('promise 13, upload: progress and abort', () => {
  it('reports each phase, with what is done of how much', async () => {
    const seen: UploadProgress[] = [];
    const onProgress = (progress: UploadProgress) => seen.push(progress);
    const { vault } = shelf();
    const options = { vaultId: 'v1', cipher, fileName: 'a.txt', onProgress };
    await vault.documents.upload(streamed(), options);
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

  it('takes the words of a wider array in the order of memory', async () => {
    const { vault } = shelf();
    const words = Uint16Array.from([0x0102, 0xfffe]);
    const options = { vaultId: 'v1', cipher, fileName: 'a.bin' };
    const document = await vault.documents.upload(words, options);
    const download = await vault.documents.download(document.id, { cipher });
    expect(download.bytes).toEqual(new Uint8Array(words.buffer));
  });

  it('tells of an upload once, however many attempts it takes, and never of one that failed', async () => {
    const seen: UploadProgress[] = [];
    const onProgress = (progress: UploadProgress) => seen.push(progress);
    const options = { vaultId: 'v1', cipher, fileName: 'a.txt', onProgress };
    const { fetch } = shelf();
    const busy = async () => failure(503, 'INTERNAL_ERROR');
    let calls = 0;
    const once = keyClient({ fetch: (...sent) => (calls++ ? fetch(...sent) : busy()) });
    await once.documents.upload(bytes, options);
    expect(calls).toBe(2);
    const total = bytes.length;
    const uploading = seen.splice(0).filter(({ phase }) => phase === 'uploading');
    expect(uploading).toEqual([
      { phase: 'uploading', loaded: 0, total },
      { phase: 'uploading', loaded: total, total },
    ]);
    const never = keyClient({ fetch: () => busy() });
    await rejection(never.documents.upload(bytes, options));
    expect(seen.at(-1)).toEqual({ phase: 'uploading', loaded: 0, total });
  });

  it('knows the size of a Blob while it reads', async () => {
    const seen: UploadProgress[] = [];
    const onProgress = (progress: UploadProgress) => seen.push(progress);
    const options = { vaultId: 'v1', cipher, fileName: 'a.txt', onProgress };
    await shelf().vault.documents.upload(new Blob([bytes]), options);
    expect(seen[0]).toEqual({ phase: 'reading', loaded: bytes.length, total: bytes.length });
  });

  it('ends while it reads, and cancels the stream', async () => {
    const controller = new AbortController();
    let cancelled: unknown;
    const endless = new ReadableStream<Uint8Array>({
      start: (stream) => stream.enqueue(bytes),
      cancel: (reason) => {
        cancelled = reason;
      },
    });
    const { vault, stored } = shelf();
    const options = {
      vaultId: 'v1',
      cipher,
      fileName: 'a.txt',
      signal: controller.signal,
      onProgress: () => controller.abort(),
    };
    const error = await rejection(vault.documents.upload(endless, options));
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({ method: 'POST', path: '/api/v1/documents', attempts: 0 });
    await new Promise(setImmediate);
    expect(cancelled).toBeInstanceOf(AbortError);
    expect(stored).toHaveLength(0);
  });

  it('ends while a stream that cannot be cancelled stalls', async () => {
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
    const upload = rejection(shelf().vault.documents.upload(stalled, options));
    await new Promise(setImmediate);
    controller.abort();
    expect(await upload).toBeInstanceOf(AbortError);
    for (let n = 0; n < 3; n++) await new Promise(setImmediate);
    process.off('unhandledRejection', unhandled);
    process.off('uncaughtException', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('cancels the stream when reading fails', async () => {
    const cancel = vi.fn();
    const endless = new ReadableStream<Uint8Array>({
      pull: (stream) => stream.enqueue(bytes),
      cancel,
    });
    const onProgress = () => {
      throw new Error('hook');
    };
    const options = { vaultId: 'v1', cipher, fileName: 'a.txt', onProgress };
    await rejection(shelf().vault.documents.upload(endless, options));
    await new Promise(setImmediate);
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  it('ends while it encrypts', async () => {
    const controller = new AbortController();
    const stuck = { ...cipher, seal: () => new Promise<never>(() => {}) };
    const { vault, stored } = shelf();
    const options = {
      vaultId: 'v1',
      cipher: stuck,
      fileName: 'a.txt',
      signal: controller.signal,
    };
    setImmediate(() => controller.abort());
    const error = await rejection(vault.documents.upload(bytes, options));
    expect(error).toBeInstanceOf(AbortError);
    expect(stored).toHaveLength(0);
  });
});

describe('download and shares', () => {
  it('refuses a wrong passphrase and changed content', async () => {
    const { vault, stored } = shelf();
    await vault.documents.upload(bytes, { vaultId: 'v1', cipher, fileName: 'a.txt' });
    const wrong = await createCipher({ passphrase: 'open barley', iterations: 1_000 });
    const download = (other: Cipher) =>
      rejection(vault.documents.download('d0', { cipher: other }));
    expect(await download(wrong)).toBeInstanceOf(DecryptionError);
    for (const encryptedData of ['AAAA', 'not base64', '']) {
      stored[0] = { ...stored[0], encryptedData };
      expect(await download(cipher)).toBeInstanceOf(DecryptionError);
    }
  });

  it('refuses to download without a cipher', async () => {
    const { vault } = shelf();
    const options = {} as { cipher: Cipher };
    expect(await rejection(vault.documents.download('d0', options))).toBeInstanceOf(UsageError);
  });

  it('refuses both ways, as a promise does, without any options', async () => {
    const { vault } = shelf();
    const none = undefined as never;
    expect(await rejection(vault.documents.upload(text, none))).toBeInstanceOf(UsageError);
    expect(await rejection(vault.documents.download('d0', none))).toBeInstanceOf(UsageError);
  });

  it('opens a share as it is stored, or decrypted', async () => {
    const { vault } = shelf();
    await vault.documents.upload(bytes, { vaultId: 'v1', cipher, fileName: 'a.txt' });
    const shared = await vault.shares.open('d0');
    expect(shared.encryptedData).toMatch(/^[A-Za-z0-9+/]+=*$/);
    const opened = await vault.shares.open('d0', { cipher });
    expect(Buffer.from(opened.bytes).toString()).toBe(text);
    expect(opened.fileName).toBe('a.txt');
  });

  it('tells the answer behind a download too', async () => {
    const { vault } = shelf();
    await vault.documents.upload(bytes, { vaultId: 'v1', cipher, fileName: 'a.txt' });
    const { data, rateLimit } = await vault.documents.download('d0', { cipher }).withResponse();
    expect(Buffer.from(data.bytes).toString()).toBe(text);
    expect(rateLimit).toEqual({
      limit: 10_000,
      remaining: 9_987,
      resetAt: new Date(1_772_445_600_000),
      tier: 'paid',
    });
  });

  it('carries a megabyte there and back over a real connection', async () => {
    let stored: Arrival | undefined;
    const server = await startServer((arrival, response) => {
      if (arrival.method === 'POST') stored = arrival;
      sendJson(response, { id: 'd0', ...JSON.parse(stored?.body ?? '{}') });
    });
    const vault = keyClient({ baseUrl: server.url });
    const large = Uint8Array.from({ length: 2 ** 20 }, (_, n) => (n * 31) % 256);
    await vault.documents.upload(large, { vaultId: 'v1', cipher, fileName: 'large.bin' });
    const download = await vault.documents.download('d0', { cipher });
    await server.close();
    expect(Buffer.compare(download.bytes, large)).toBe(0);
    expect(stored?.headers['content-type']).toBe('application/json');
  });
});
