import { Readable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import { type DocumentSource, type UploadOptions, UsageError } from '@document-vault/sdk';
import type { Cipher } from '@document-vault/sdk/crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { cheapCipher } from './support/cipher.ts';
import { rejection } from './support/client.ts';
import { bytes, chunks, documentService, streamed, text } from './support/document-service.ts';
import { setUpUploads } from './support/uploads.ts';

let cipher: Cipher;
beforeAll(async () => {
  cipher = await cheapCipher('open sesame');
});

async function* generated(): AsyncGenerator<Uint8Array> {
  yield* chunks();
}

async function* endless(): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(1024 * 1024);
  for (;;) yield chunk;
}

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

/** It can be read as a whole alone. */
function withoutStream(blob: Blob): Blob {
  return new Proxy(blob, {
    has: (target, property) => property !== 'stream' && property in target,
    get: (target, property) =>
      property === 'arrayBuffer'
        ? () => target.arrayBuffer()
        : Reflect.get(target, property, target),
  });
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

describe('guarantee 13, upload: sources', () => {
  test.each<[string, () => DocumentSource, string]>([
    ['bytes', () => bytes, 'application/octet-stream'],
    ['a Node buffer', () => Buffer.from(bytes), 'application/octet-stream'],
    ['an ArrayBuffer', () => Uint8Array.from(bytes).buffer, 'application/octet-stream'],
    ['a string', () => text, 'text/plain'],
    ['a Blob', () => new Blob([bytes], { type: 'text/markdown; charset=utf-8' }), 'text/markdown'],
    ["a Blob of jsdom's", () => withoutStream(new Blob([bytes])), octets],
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
    const { client } = documentService();
    const document = await client.documents.upload(source(), {
      vaultId: 'v1',
      cipher,
      fileName: 'gruß.txt',
    });
    const download = await client.documents.download(document.id, { cipher });
    expect(new TextDecoder().decode(download.bytes)).toBe(text);
    expect(download).toMatchObject({ fileName: 'gruß.txt', mimeType });
    expect(download.document).not.toHaveProperty('encryptedData');
    expect(download.document).toMatchObject({ id: document.id, vaultId: 'v1' });
  });

  test("takes a File's own name and type, unless told otherwise", async () => {
    const { client, stored } = documentService();
    const file = new File([bytes], 'taxes.pdf', { type: 'application/pdf' });
    await client.documents.upload(file, { vaultId: 'v1', cipher });
    await client.documents.upload(file, {
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

  test('sends exactly what the contract takes, and no plaintext', async () => {
    const { client, stored } = documentService();
    await client.documents.upload(text, { vaultId: 'v1', cipher, fileName: 'a.txt' });
    const { id, encryptedData, ...rest } = stored[0] ?? {};
    expect(rest).toEqual({
      vaultId: 'v1',
      fileName: 'a.txt',
      mimeType: 'text/plain',
      sizeBytes: Buffer.from(String(encryptedData), 'base64').length,
      encryptionMetadata: expect.objectContaining({ algorithm: 'AES256_GCM_HKDF_1MB' }),
    });
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    const sent = Buffer.from(String(encryptedData), 'base64');
    expect(sent.length).toBeGreaterThan(bytes.length);
    expect(sent.includes('Tresor')).toBe(false);
  });

  test.each<[string, DocumentSource, Partial<UploadOptions>]>([
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
    const { client, stored } = documentService();
    const options = { vaultId: 'v1', cipher, fileName: 'a.txt', ...change };
    expect(await rejection(client.documents.upload(source, options))).toBeInstanceOf(UsageError);
    expect(stored).toHaveLength(0);
  });

  test('refuses an endless stream without its size before encrypting it', async () => {
    const { client, stored } = documentService();
    const encrypting = vi.spyOn(crypto.subtle, 'encrypt');
    const options = { vaultId: 'v1', cipher, fileName: 'a.bin' };
    const error = await rejection(client.documents.upload(endless(), options));
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain('A stream above 32 MiB needs its size');
    expect(encrypting).not.toHaveBeenCalled();
    expect(stored).toHaveLength(0);
    encrypting.mockRestore();
  });

  test('takes the words of a wider array in the order of memory', async () => {
    const { client } = documentService();
    const words = Uint16Array.from([0x0102, 0xfffe]);
    const options = { vaultId: 'v1', cipher, fileName: 'a.bin' };
    const document = await client.documents.upload(words, options);
    const download = await client.documents.download(document.id, { cipher });
    expect(download.bytes).toEqual(new Uint8Array(words.buffer));
  });
});

describe('guarantee 11, a Blob that cannot be read', () => {
  test.each([
    [
      'NotReadableError',
      new DOMException('permission problems', 'NotReadableError'),
      'SourceChangedError',
    ],
    ['NotFoundError', new DOMException('no such file', 'NotFoundError'), 'SourceChangedError'],
    ['RangeError', new RangeError('Array buffer allocation failed'), 'VaultError'],
  ])('with a %s rejects with its message and cause', async (_, cause, name) => {
    const blob = Object.assign(new Blob([new Uint8Array(9 * 1024 * 1024)]), {
      slice: () => ({ arrayBuffer: () => Promise.reject(cause) }) as Blob,
    });
    const { client, options } = await setUpUploads();
    const upload = client.documents.upload(blob, options);
    const error = (await rejection(upload)) as Error;
    expect(error).toMatchObject({ name, cause });
    expect(error.message).toContain(cause.message);
  });
});
