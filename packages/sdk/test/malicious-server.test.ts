/** docs/threat-model.md lists what a malicious server can do. Each test shows one trick and the error. */
import { hkdfSync } from 'node:crypto';
import { type CreatedShare, DecryptionError } from '@document-vault/sdk';
import type { Cipher, SealedContent } from '@document-vault/sdk/crypto';
import { openShare, shareUrl } from '@document-vault/sdk/share';
import { beforeAll, describe, expect, test } from 'vitest';
import { cheapCipher } from './support/cipher.ts';
import { keyClient, rejection } from './support/client.ts';
import { json } from './support/responses.ts';

const contractId = '019cadd9-1528-7f5e-848b-0eb02474ebdb';
const letterId = '019cadd9-1528-7f5e-848b-0eb02474ebdc';
const page = 'https://app.example/open';

let cipher: Cipher;
let contract: Stored;
let letter: Stored;

type Stored = SealedContent & { vaultId: string };

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

async function stored(id: string, text: string, fileName: string, options = {}): Promise<Stored> {
  const about = { id, fileName, mimeType: 'text/plain', encryptFileName: true, ...options };
  return { vaultId: 'v1', ...(await cipher.seal(text, about)) };
}

/** Downloads the contract while the server returns this. */
async function download(returned: object) {
  const client = keyClient({ fetch: async () => json(returned) });
  const { bytes, ...rest } = await client.documents.download(contractId, { cipher });
  return { text: textOf(bytes), ...rest };
}

/** Returns the reason of the error with which the download of the contract ends. */
async function refusal(returned: object): Promise<string> {
  const error = await rejection(download(returned));
  expect(error).toBeInstanceOf(DecryptionError);
  return (error as DecryptionError).reason;
}

const withMetadata = (document: Stored, change: object) => ({
  ...document,
  encryptionMetadata: { ...document.encryptionMetadata, ...change },
});

/** The document with another content, as the holder of a document's own key can make it. */
async function forgedWith(root: Uint8Array, document: Stored): Promise<Stored> {
  const content = 'We owe you 999.';
  const facts = { mimeType: 'text/plain', size: content.length, encryptFileName: true };
  const description = Buffer.from(JSON.stringify({ fileName: 'contract.pdf', ...facts }));
  const length = Buffer.alloc(2);
  length.writeUInt16BE(description.length);
  const header = Buffer.concat([Buffer.from([40]), Buffer.alloc(39)]);
  const info = `document-vault/3/content/${document.id}`;
  const raw = new Uint8Array(hkdfSync('sha256', root, header.subarray(1, 33), info, 32));
  const key = await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt']);
  const iv = Buffer.concat([Buffer.alloc(11), Buffer.from([1])]);
  const message = Buffer.concat([length, description, Buffer.from(content)]);
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, message);
  const stream = Buffer.concat([header, Buffer.from(sealed)]);
  return withMetadata(
    { ...document, encryptedData: stream.toString('base64'), sizeBytes: stream.length },
    { iv: Buffer.alloc(7).toString('base64'), authTag: stream.subarray(-16).toString('base64') },
  );
}

beforeAll(async () => {
  cipher = await cheapCipher('open sesame');
  contract = await stored(contractId, 'We owe you 100.', 'contract.pdf');
  letter = await stored(letterId, 'Dear Ada', 'letter.txt');
});

describe('a malicious server is detected when it', () => {
  test('returns another document under its own id', async () => {
    expect(await download(contract)).toMatchObject({ text: 'We owe you 100.' });
    expect(await refusal(letter)).toBe('document');
  });

  test('returns another document for documents.get or update, whose result could be decrypted or shared', async () => {
    const client = keyClient({ fetch: async () => json(letter) });
    const changes = { fileName: 'b' };
    const error = { name: 'ApiError', status: 200, path: '/api/v1/documents/{id}' };
    expect(await rejection(client.documents.get(contractId))).toMatchObject(error);
    expect(await rejection(client.documents.update(contractId, changes))).toMatchObject(error);
    expect(await client.documents.get(letterId)).toMatchObject({ id: letterId });
  });

  test('returns another document of the same passphrase under the id of this one', async () => {
    expect(await refusal({ ...letter, id: contractId })).toBe('key');
  });

  test('combines the key of this document with the content of another one', async () => {
    const { encryptedData, sizeBytes, encryptionMetadata } = letter;
    const { iv, authTag } = encryptionMetadata;
    const mixed = withMetadata({ ...contract, encryptedData, sizeBytes }, { iv, authTag });
    expect(await refusal(mixed)).toBe('content');
  });

  test('replaces an encrypted name by a plain one, or by that of another document', async () => {
    expect(await refusal({ ...contract, fileName: 'invoice.exe' })).toBe('name');
    expect(await refusal({ ...contract, fileName: letter.fileName })).toBe('name');
    const error = await rejection(cipher.fileName({ ...contract, fileName: letter.fileName }));
    expect(error).toMatchObject({ name: 'DecryptionError', reason: 'name' });
  });

  test('reports another size', async () => {
    expect(await refusal({ ...contract, sizeBytes: contract.sizeBytes - 1 })).toBe('size');
  });

  test('cuts off the content', async () => {
    const bytes = Buffer.from(contract.encryptedData, 'base64');
    for (const length of [0, 39, 40, 60, bytes.length - 1]) {
      const encryptedData = bytes.subarray(0, length).toString('base64');
      expect(await refusal({ ...contract, encryptedData, sizeBytes: length })).toBe('content');
    }
  });

  test('cuts off, reorders or repeats segments of a long content', async () => {
    const long = await stored(contractId, 'We owe you 100.\n'.repeat(140_000), 'long.txt');
    const bytes = Buffer.from(long.encryptedData, 'base64');
    const [a, b, c] = [0, 1, 2].map((n) => bytes.subarray(n * 2 ** 20, (n + 1) * 2 ** 20)) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    for (const parts of [[a], [a, b], [a, c], [a, c, b], [a, b, b, c], [b, a, c]]) {
      const cut = Buffer.concat(parts);
      const authTag = cut.subarray(-16).toString('base64');
      const encryptedData = cut.toString('base64');
      const lies = withMetadata({ ...long, encryptedData, sizeBytes: cut.length }, { authTag });
      expect(['content', 'size']).toContain(await refusal(lies));
      const same = { ...long, encryptedData };
      expect(['content', 'size']).toContain(await refusal(same));
    }
  });

  test('says that the content has another format', async () => {
    expect(await refusal(withMetadata(contract, { algorithm: 'AES-256-GCM' }))).toBe('metadata');
    expect(await refusal(withMetadata(contract, { wrappedKey: undefined }))).toBe('metadata');
    expect(await refusal(withMetadata(contract, { keyDerivation: 'none' }))).toBe('metadata');
  });

  test('asks for a key that would take hours', async () => {
    expect(await refusal(withMetadata(contract, { iterations: 2 ** 40 }))).toBe('metadata');
  });

  test('gives a link the key of another document', async () => {
    const share = { documentId: contractId, access: 'anyone', shareToken: 't'.repeat(43) };
    const document = { ...letter, id: contractId };
    const error = await rejection(shareUrl(share as CreatedShare, { cipher, document, page }));
    expect(error).toMatchObject({ name: 'DecryptionError', reason: 'key' });
  });

  test('forges another document of the same passphrase together with the holder of a link', async () => {
    const root = await cipher.documentKey(letter);
    const forged = await forgedWith(root, contract);
    const { wrappedKey } = letter.encryptionMetadata;
    expect(await refusal(withMetadata(forged, { wrappedKey }))).toBe('key');
    expect(await refusal(forged)).toBe('content');
  });

  test('creates the share of another document, and returns that one for the link', async () => {
    const share = { documentId: letterId, access: 'anyone', shareToken: 't'.repeat(43) };
    const fetch = async (_: string, { method }: RequestInit) =>
      json(method === 'POST' ? share : letter);
    const created = await keyClient({ fetch }).shares.create(contractId, { access: 'anyone' });
    const error = await rejection(shareUrl(created, { cipher }));
    expect(error).toMatchObject({ name: 'DecryptionError', reason: 'document' });
  });

  test('returns another document for an upload, so that its id would be shared', async () => {
    const { documents } = keyClient({ fetch: async () => json(letter, { status: 201 }) });
    const options = { vaultId: 'v1', cipher, fileName: 'contract.pdf' };
    const uploaded = await rejection(documents.upload('We owe you 100.', options));
    expect(uploaded).toMatchObject({ name: 'DecryptionError', reason: 'document' });
  });

  test('returns another document to the holder of a link', async () => {
    const share = { documentId: contractId, access: 'anyone', shareToken: 't'.repeat(43) };
    const link = await shareUrl(share as CreatedShare, { cipher, document: contract, page });
    const opened = (returned: object) =>
      openShare(link, { baseUrl: 'https://vault.example', fetch: async () => json(returned) });
    expect(await opened(contract)).toMatchObject({ fileName: 'contract.pdf' });
    expect(await rejection(opened(letter))).toMatchObject({ reason: 'document' });
    expect(await rejection(opened({ ...letter, id: contractId }))).toMatchObject({ reason: 'key' });
    const older = withMetadata(contract, { algorithm: 'AES-256-GCM' });
    expect(await rejection(opened(older))).toMatchObject({ reason: 'metadata' });
    const renamed = { ...contract, fileName: 'invoice.exe' };
    expect(await rejection(opened(renamed))).toMatchObject({ reason: 'name' });
  });
});

describe('a malicious server changes nothing in the result when it', () => {
  test('reports another media type', async () => {
    const seen = await download({ ...contract, mimeType: 'text/html' });
    expect(seen).toMatchObject({ mimeType: 'text/plain', document: { mimeType: 'text/html' } });
  });

  test('reports another plain name', async () => {
    const plain = await stored(contractId, 'Total', 'total.txt', { encryptFileName: false });
    const seen = await download({ ...plain, fileName: 'invoice.exe' });
    expect(seen).toMatchObject({ fileName: 'total.txt', document: { fileName: 'invoice.exe' } });
  });
});

describe('a malicious server is not detected when it', () => {
  test('returns an earlier encrypted name', async () => {
    const fileName = await cipher.encryptFileName(contract, 'void.pdf');
    expect(await download({ ...contract, fileName })).toMatchObject({ fileName: 'void.pdf' });
    expect(await download(contract)).toMatchObject({ fileName: 'contract.pdf' });
  });

  test('changes a plain name in a list, where there is no content', async () => {
    expect(await cipher.fileName({ ...contract, fileName: 'invoice.exe' })).toBe('invoice.exe');
  });

  test('forges a content together with the holder of its link', async () => {
    const forged = await forgedWith(await cipher.documentKey(contract), contract);
    expect(await download(forged)).toMatchObject({ text: 'We owe you 999.' });
  });
});
