/** Mistakes of programs without types are named, and nothing is sent. */
import { Readable } from 'node:stream';
import {
  type CallOptions,
  DocumentVault,
  type DocumentVaultOptions,
  type UploadOptions,
  UsageError,
} from '@document-vault/sdk';
import { type Cipher, type CipherOptions, createCipher } from '@document-vault/sdk/crypto';
import { shareUrl } from '@document-vault/sdk/share';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { cheapCipher } from './support/cipher.ts';
import { apiKey, baseUrl, keyClient, rejection } from './support/client.ts';
import { bytes, documentService, streamed } from './support/document-service.ts';
import { scriptedFetch } from './support/fetch.ts';
import { json, vaultBody } from './support/responses.ts';

let cipher: Cipher;
beforeAll(async () => {
  cipher = await cheapCipher('open sesame');
});

/** Expects a UsageError whose message has a text. */
async function expectUsage(promise: Promise<unknown>, text: string): Promise<void> {
  const error = await rejection(promise);
  expect(error).toBeInstanceOf(UsageError);
  expect(String(error)).toContain(text);
}

describe('an unknown option', () => {
  test('of the client is a UsageError that lists the options', () => {
    const create = (options: object) => () => new DocumentVault(options as DocumentVaultOptions);
    expect(create({ baseURL: baseUrl, apiKey })).toThrow(
      'baseURL is not one of the options: baseUrl, apiKey, accessToken, session,',
    );
    expect(create({ baseUrl, session: { onExpire: () => {} } })).toThrow(
      'onExpire is not one of the options: store, onExpired, onChange, source',
    );
    expect(create({ baseUrl, apiKey, retries: undefined })).not.toThrow();
    expect(() => new DocumentVault('https://vault.example.com' as never)).toThrow(UsageError);
  });

  test('of a call is a UsageError that lists the options, and nothing is sent', async () => {
    const { fetch, sent } = scriptedFetch(() => json(vaultBody));
    const client = keyClient({ fetch });
    const misspelt = { maxRetrys: 0 } as CallOptions;
    await expectUsage(
      client.vaults.get('1', misspelt),
      'maxRetrys is not one of the options: timeout, totalTimeout, maxRetries,',
    );
    await expectUsage(
      client.vaults.list({}, { page: 2 } as never),
      'page is not one of the options',
    );
    const upload = { vaultId: 'v', cipher, filename: 'a.txt' } as unknown as UploadOptions;
    await expectUsage(client.documents.upload(bytes, upload), 'filename is not one of the options');
    await expectUsage(
      shareUrl({} as never, { cypher: cipher } as never),
      'cypher is not one of the options',
    );
    const secret = { passPhrase: 'x' } as unknown as CipherOptions;
    await expectUsage(createCipher(secret), 'one of the options: passphrase, salt');
    expect(sent).toEqual([]);
  });

  test('of client.fetch is ignored: other libraries pass those of fetch', async () => {
    const { fetch } = scriptedFetch(() => json(vaultBody));
    const init: RequestInit = { credentials: 'include', cache: 'no-store' };
    const response = await keyClient({ fetch }).fetch('/api/v1/vaults/1', init as object);
    expect(response.status).toBe(200);
  });

  test('an empty name is no parameter of a list', async () => {
    const { fetch, sent } = scriptedFetch(() => json({}));
    const client = keyClient({ fetch });
    await expectUsage(
      Promise.resolve(client.shares.list('1', { '': '1' } as never)),
      ' is not one of',
    );
    expect(sent).toEqual([]);
  });
});

describe('a cipher', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['createCipher of a string', () => createCipher('abc' as never)],
    ['createCipher of null', () => createCipher(null as never)],
    ['createCipher of half a character', () => createCipher({ passphrase: 'a\ud800' })],
    ['fileName of null', () => cipher.fileName(null as never)],
    ['unseal of nothing', () => cipher.unseal(undefined as never)],
    ['documentKey of nothing', () => cipher.documentKey(undefined as never)],
    ['encrypt of a string', () => cipher.encrypt('a' as never, { fileName: 'a' })],
    ['seal of nothing', () => cipher.seal(undefined as never, { fileName: 'a' })],
  ])('rejects %s with a UsageError', async (_, work) => {
    expect(await rejection(work())).toBeInstanceOf(UsageError);
  });

  test('names the missing argument and its place', async () => {
    await expectUsage(
      cipher.unseal(undefined as never),
      'document is missing: pass it as the first',
    );
    await expectUsage(cipher.seal(null as never), 'source is missing: pass it as the first');
  });

  const { buffer } = new Uint8Array([9, 1, 0, 44, 1, 1, 2, 9]);
  test.each([
    ['a Uint16Array', new Uint16Array(buffer, 2, 2)],
    ['a DataView', new DataView(buffer, 2, 4)],
    ['an ArrayBuffer', buffer.slice(2, 6)],
  ])('encrypts the visible bytes of %s, as uploads do', async (_, source) => {
    const sealed = await cipher.encrypt(source as never, { fileName: 'a' });
    expect((await cipher.decrypt(sealed)).bytes).toEqual(new Uint8Array([0, 44, 1, 1]));
  });
});

describe('documents.upload', () => {
  const options = () => ({ vaultId: 'v1', cipher, fileName: 'a.bin' });

  test.each([
    './big.bin',
    'big.bin',
    '/tmp/my film.mp4',
    'C:\\data\\big.bin',
    '../a/b.tar',
    'file:///a',
  ])('refuses %j, which looks like a path, and names openAsBlob', async (path) => {
    const { client, stored } = documentService();
    await expectUsage(client.documents.upload(path, options()), 'openAsBlob');
    const pdf = { ...options(), mimeType: 'application/pdf' };
    await expectUsage(client.documents.upload(path, pdf), 'openAsBlob');
    expect(stored).toEqual([]);
    await client.documents.upload(path, { ...options(), mimeType: 'Text/plain' });
    expect(stored).toHaveLength(1);
  });

  test.each(['Total: 42', 'see ./big.bin', './a\n./b', '3.14', 'Hello.', '{"a":1}', ''])(
    'takes the text %j',
    async (text) => {
      const { client, stored } = documentService();
      await client.documents.upload(text, options());
      expect(stored).toHaveLength(1);
    },
  );

  test('refuses a stream that was read or is being read, instead of storing nothing', async () => {
    const { client, stored } = documentService();
    const read = new Response(bytes);
    const { body } = read;
    await read.text();
    const locked = streamed();
    locked.getReader();
    const ended = Readable.from([bytes]);
    for await (const _ of ended);
    for (const source of [body as ReadableStream<Uint8Array>, locked, ended]) {
      await expectUsage(client.documents.upload(source, options()), 'was read already');
      const known = { ...options(), size: 20_000_000 };
      await expectUsage(client.documents.upload(source, known), 'was read already');
    }
    expect(stored).toEqual([]);
  });

  test('names the cause when a Blob of React Native cannot be read', async () => {
    const { client } = documentService();
    const blob = (size: number) =>
      new Proxy(new Blob([bytes]), {
        has: (target, name) => name !== 'stream' && name !== 'arrayBuffer' && name in target,
        get: (target, name) => (name === 'size' ? size : Reflect.get(target, name, target)),
      });
    for (const size of [bytes.length, 20_000_000]) {
      await expectUsage(client.documents.upload(blob(size), options()), 'React Native');
    }
  });

  test('waits for onProgress, and an error of it ends the upload', async () => {
    const { client, stored } = documentService();
    const onProgress = async () => {
      throw new Error('no bar');
    };
    const error = await rejection(client.documents.upload(bytes, { ...options(), onProgress }));
    expect(error).toMatchObject({ name: 'VaultError', cause: { message: 'no bar' } });
    expect(stored).toEqual([]);
  });
});

test.each([
  [
    'blocked',
    () => {
      throw new Error('SecurityError');
    },
  ],
  ['undefined, as in Node 26', () => undefined],
])('localStorage that is %s is a UsageError of the call', async (_name, get) => {
  const { localStorageTokenStore } = await import('@document-vault/sdk/stores');
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, 'localStorage');
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, get });
  onTestFinished(() => {
    if (descriptor) Object.defineProperty(globalThis, 'localStorage', descriptor);
    else Reflect.deleteProperty(globalThis, 'localStorage');
  });
  const store = localStorageTokenStore();
  const client = new DocumentVault({ baseUrl, session: { store } });
  await expectUsage(client.vaults.get('1'), 'localStorage is missing or blocked');
});
