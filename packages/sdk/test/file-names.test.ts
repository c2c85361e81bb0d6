import { hkdfSync } from 'node:crypto';
import {
  type Document,
  type DocumentVault,
  UsageError,
  type VaultError,
} from '@document-vault/sdk';
import { type Cipher, DecryptionError } from '@document-vault/sdk/crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { cheapCipher } from './support/cipher.ts';
import { keyClient, rejection } from './support/client.ts';
import { json } from './support/responses.ts';

const bytes = new Uint8Array([1, 2, 3]);
const name = 'Kündigung – geheim.pdf';

let cipher: Cipher;
beforeAll(async () => {
  cipher = await cheapCipher('open sesame');
});

/** What the contract takes as a name. */
const acceptable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names must not hold them
  /^[^/\\\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]{1,255}$/u;

/** Names that lead to another folder, or that a screen shows as another name. */
const dangerous = [
  '.',
  '..',
  ...Array.from(
    '\u200b\u2060\u2065\ufeff\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069',
    (control) => `invoice${control}fdp.exe`,
  ),
];

const sealed = (fileName: string) => cipher.seal(bytes, { fileName, encryptFileName: true });

/** A service that keeps one document, and its client. */
function documentService(): { client: DocumentVault; sent: string[] } {
  const sent: string[] = [];
  let stored: object = {};
  const fetch = async (_: string, init: RequestInit) => {
    if (init.body) {
      sent.push(String(init.body));
      stored = { ...stored, ...JSON.parse(String(init.body)) };
    }
    return json(stored);
  };
  return { client: keyClient({ fetch }), sent };
}

describe('guarantee 14: encrypted file names', () => {
  test('an encrypted name is decrypted, and its ciphertext is a valid file name of the contract', async () => {
    const fit = (text: string) => acceptable.test(text) && text !== '.' && text !== '..';
    const anyName = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
      .filter((text) => fit(text) && Buffer.byteLength(text) <= 160 && text.isWellFormed());
    await fc.assert(
      fc.asyncProperty(anyName, async (fileName) => {
        const document = await sealed(fileName);
        expect(document.fileName).toMatch(acceptable);
        // A few letters are in any text by chance.
        if (fileName.length > 8) expect(document.fileName).not.toContain(fileName);
        expect(await cipher.fileName(document)).toBe(fileName);
      }),
      { numRuns: 100 },
    );
  });

  test('a name of 160 bytes of UTF-8 fills the longest file name of the contract', async () => {
    const longest = 'ü'.repeat(80);
    expect((await sealed(longest)).fileName).toHaveLength(255);
    const error = await rejection(sealed(`${longest}a`));
    expect(error).toBeInstanceOf(UsageError);
    expect((error as VaultError).message).toBe(
      'fileName has 161 bytes of UTF-8; at most 160 can be encrypted',
    );
  });

  test.each(['', 'a/b', '..\\b', 'a\nb', 'a\ud800', '\udc00b', ...dangerous])(
    'are not encrypted from %j: the service could not refuse it',
    async (bad) => {
      expect(await rejection(sealed(bad))).toBeInstanceOf(UsageError);
    },
  );

  test('encrypting a name twice returns different texts', async () => {
    const [first, second] = [await sealed(name), await sealed(name)];
    expect(first.fileName).not.toBe(second.fileName);
  });

  test('a changed encrypted name or that of another document rejects with a DecryptionError', async () => {
    const document = await sealed(name);
    const raw = Buffer.from(document.fileName.slice(4), 'base64url');
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: raw.length * 8 - 1 }), async (bit) => {
        const changed = Uint8Array.from(raw);
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const fileName = `enc.${Buffer.from(changed).toString('base64url')}`;
        const error = await rejection(cipher.fileName({ ...document, fileName }));
        expect(error).toBeInstanceOf(DecryptionError);
      }),
      { numRuns: 100 },
    );
    const { fileName } = await sealed(name);
    const swapped = rejection(cipher.fileName({ ...document, fileName }));
    expect(await swapped).toBeInstanceOf(DecryptionError);
    const cut = { ...document, fileName: `${document.fileName.slice(0, 45)}` };
    expect(await rejection(cipher.fileName(cut))).toBeInstanceOf(DecryptionError);
  });

  test('a content is not decrypted as a name', async () => {
    const document = await sealed(name);
    const stream = Buffer.from(document.encryptedData, 'base64');
    const nonce = Buffer.concat([stream.subarray(33, 40), Buffer.from([0, 0, 0, 0, 1])]);
    const text = Buffer.concat([nonce, stream.subarray(40)]).toString('base64url');
    const error = await rejection(cipher.fileName({ ...document, fileName: `enc.${text}` }));
    expect(error).toBeInstanceOf(DecryptionError);
    expect(error).toMatchObject({ reason: 'name' });
  });

  test.each(['../../etc/passwd', ...dangerous])(
    'throw DecryptionError when the key was used to encrypt %j',
    async (evil) => {
      const document = await sealed(name);
      const root = await cipher.documentKey(document);
      const info = `document-vault/3/name/${document.id}`;
      const raw = new Uint8Array(hkdfSync('sha256', root, '', info, 32));
      const key = await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt']);
      const iv = new Uint8Array(12);
      const additionalData = new TextEncoder().encode('fileName');
      const plain = new TextEncoder().encode(evil);
      const data = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, key, plain);
      const text = Buffer.concat([iv, Buffer.from(data)]).toString('base64url');
      const evilName = { ...document, fileName: `enc.${text}` };
      const error = await rejection(cipher.fileName(evilName));
      expect(String(error)).toContain('not a valid file name');
      expect(error).toBeInstanceOf(DecryptionError);
      expect(String(error)).not.toContain('passwd');
    },
  );

  test.each(['../../.bashrc', 'C:\\x', 'a\nb', '', ...dangerous])(
    'throw DecryptionError when the service returns the plain name %j',
    async (fileName) => {
      const document = await sealed(name);
      const error = await rejection(cipher.fileName({ ...document, fileName }));
      expect(error).toBeInstanceOf(DecryptionError);
    },
  );

  test.each([
    'plain.pdf',
    'می\u200cخواهم 👩\u200d🔬.pdf',
    'enc.pdf',
    `enc.${'a very long name of a plain file with dots and blanks'}.pdf`,
  ])('a plain name that resembles an encrypted one is returned unchanged: %s', async (fileName) => {
    const document = await cipher.seal(bytes, { fileName });
    expect(await cipher.fileName(document)).toBe(fileName);
    expect(await cipher.unseal(document)).toMatchObject({ fileName });
  });

  test('a plain name with the form of an encrypted one is returned by unseal', async () => {
    const fileName = `enc.${'a'.repeat(60)}`;
    const document = await cipher.seal(bytes, { fileName });
    expect(await cipher.unseal(document)).toMatchObject({ fileName });
  });

  test.each([undefined, null])(
    'in a document whose metadata is %s are a DecryptionError',
    async (no) => {
      const answer = {
        ...(await sealed(name)),
        id: 'd',
        encryptionMetadata: no,
      };
      const client = keyClient({ fetch: async () => json(answer) });
      const error = await rejection(client.documents.download('d', { cipher }));
      expect(error).toBeInstanceOf(DecryptionError);
    },
  );
});

describe('upload: encrypted file names', () => {
  test('an encrypted name is not sent in plaintext and is returned by download and share', async () => {
    const { client, sent } = documentService();
    const file = new File([bytes], name, { type: 'application/pdf' });
    const options = { vaultId: 'v1', cipher, encryptFileName: true };
    const document = await client.documents.upload(file, options);
    expect(document.fileName).toMatch(/^enc\.[\w-]+$/);
    expect(sent.join()).not.toMatch(/Kündigung|geheim/);
    expect(await cipher.fileName(document)).toBe(name);
    expect(await client.documents.download(document.id, { cipher })).toMatchObject({
      fileName: name,
      document: { fileName: document.fileName },
    });
    expect(await client.shares.open('d0', { cipher })).toMatchObject({ fileName: name });
  });

  test('an encrypted name is replaced by another one, and not by a plain one', async () => {
    const { client, sent } = documentService();
    const options = { vaultId: 'v1', cipher, encryptFileName: true, fileName: name };
    const document = await client.documents.upload(bytes, options);
    const fileName = await cipher.encryptFileName(document, 'harmlos.pdf');
    const renamed = (await client.documents.update(document.id, { fileName })) as Document;
    expect(sent.at(-1)).not.toContain('harmlos');
    expect(await cipher.fileName(renamed)).toBe('harmlos.pdf');
    expect(await client.documents.download(document.id, { cipher })).toMatchObject({
      fileName: 'harmlos.pdf',
    });
    await client.documents.update(document.id, { fileName: 'offen.pdf' });
    const error = await rejection(client.documents.download(document.id, { cipher }));
    expect(error).toMatchObject({ name: 'DecryptionError', reason: 'name' });
  });

  test('a plain name is replaced by an encrypted one', async () => {
    const { client } = documentService();
    const document = await client.documents.upload(bytes, { vaultId: 'v1', cipher, fileName: 'a' });
    const fileName = await cipher.encryptFileName(document, name);
    await client.documents.update(document.id, { fileName });
    const download = await client.documents.download(document.id, { cipher });
    expect(download).toMatchObject({ fileName: name, document: { fileName } });
  });

  test('a plain name that was changed by an update is in the document, and not in the result', async () => {
    const { client } = documentService();
    const document = await client.documents.upload(bytes, { vaultId: 'v1', cipher, fileName: 'a' });
    await client.documents.update(document.id, { fileName: 'b', mimeType: 'text/html' });
    expect(await client.documents.download(document.id, { cipher })).toMatchObject({
      fileName: 'a',
      mimeType: 'application/octet-stream',
      document: { fileName: 'b', mimeType: 'text/html' },
    });
  });
});
