/** The README lists what a malicious server can do. Each test shows one case that the client does not detect. */
import type { CreatedShare, Document } from '@document-vault/sdk';
import { type Cipher, createCipher } from '@document-vault/sdk/crypto';
import { openShare, shareUrl } from '@document-vault/sdk/share';
import { beforeAll, describe, expect, test } from 'vitest';
import { keyClient } from './support/client.ts';
import { json } from './support/responses.ts';

type Stored = Awaited<ReturnType<typeof stored>>;

let cipher: Cipher;
let contract: Stored;
let letter: Stored;

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

async function stored(id: string, text: string, fileName: string) {
  const sealed = await cipher.seal(bytesOf(text), { fileName });
  return { id, vaultId: 'v1', mimeType: 'text/plain', ...sealed };
}

/** What an app sees when the server returns this for any document. */
async function download(returned: object) {
  const client = keyClient({ fetch: async () => json(returned) });
  const { bytes, fileName, mimeType, document } = await client.documents.download('d1', { cipher });
  return { text: textOf(bytes), fileName, mimeType, stored: document.fileName };
}

/** Encrypts a content under the key of a document, as the holder of its link can. */
async function forged(rawKey: Uint8Array<ArrayBuffer>, text: string) {
  const key = await crypto.subtle.importKey('raw', rawKey, 'AES-GCM', false, ['encrypt']);
  const iv = new Uint8Array(12);
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, bytesOf(text));
  const base64 = (start: number, end?: number) =>
    Buffer.from(sealed).subarray(start, end).toString('base64');
  return {
    encryptedData: base64(0, -16),
    iv: Buffer.from(iv).toString('base64'),
    authTag: base64(-16),
  };
}

beforeAll(async () => {
  cipher = await createCipher({ passphrase: 'open sesame', iterations: 1_000 });
  contract = await stored('d1', 'We owe you 100.', 'contract.pdf');
  letter = await stored('d2', 'Dear Ada', 'letter.txt');
});

describe('a malicious server, undetected by the client,', () => {
  test('returns another document of the same passphrase', async () => {
    const seen = await download({ ...letter, id: contract.id });
    expect(seen).toMatchObject({ text: 'Dear Ada', fileName: 'letter.txt' });
  });

  test('returns an earlier name', async () => {
    const earlier = contract.fileName;
    const renamed = await cipher.encryptFileName(contract as unknown as Document, 'void.pdf');
    expect(await download({ ...contract, fileName: renamed })).toMatchObject({
      fileName: 'void.pdf',
    });
    expect(await download({ ...contract, fileName: earlier })).toMatchObject({
      fileName: 'contract.pdf',
    });
  });

  test('replaces an encrypted name by a plain one, which an app can see in document.fileName', async () => {
    const seen = await download({ ...contract, fileName: 'invoice.exe' });
    expect(seen).toMatchObject({ fileName: 'invoice.exe', stored: 'invoice.exe' });
    expect((await download(contract)).stored).toMatch(/^enc\./);
  });

  test('changes the media type', async () => {
    const seen = await download({ ...contract, mimeType: 'text/html' });
    expect(seen).toMatchObject({ text: 'We owe you 100.', mimeType: 'text/html' });
  });

  test('forges a document together with the holder of its link', async () => {
    const key = await cipher.documentKey(contract.encryptionMetadata);
    const { encryptedData, ...vector } = await forged(key, 'We owe you 999.');
    const encryptionMetadata = { ...contract.encryptionMetadata, ...vector };
    const seen = await download({ ...contract, encryptedData, encryptionMetadata });
    expect(seen.text).toBe('We owe you 999.');
  });

  test('gives a link the key of another document, unless the app passes what it sealed', async () => {
    const share = { id: 's1', documentId: 'd1', access: 'anyone', shareToken: 't'.repeat(43) };
    const linkOf = async (metadata: Stored) => {
      const document = { ...contract, encryptionMetadata: metadata.encryptionMetadata };
      return shareUrl(share as CreatedShare, { cipher, document, page: 'https://app.example/' });
    };
    const fetch = async () => json({ ...letter, id: contract.id });
    const opened = await openShare(await linkOf(letter), {
      baseUrl: 'https://vault.example',
      fetch,
    });
    expect(textOf(opened.bytes)).toBe('Dear Ada');
    const honest = openShare(await linkOf(contract), { baseUrl: 'https://vault.example', fetch });
    await expect(honest).rejects.toThrow('Cannot decrypt');
  });
});
