import { NotFoundError, UsageError } from '@document-vault/sdk';
import { type Cipher, createCipher, DecryptionError } from '@document-vault/sdk/crypto';
import { openShare, shareUrl } from '@document-vault/sdk/share';
import { beforeAll, describe, expect, test } from 'vitest';
import { rejection } from './support/client.ts';
import { startKeyClient } from './support/real-server.ts';

let from: Cipher;
let to: Cipher;
beforeAll(async () => {
  from = await createCipher({ passphrase: 'an old passphrase', iterations: 1_000 });
  to = await createCipher({ passphrase: 'a new passphrase', iterations: 2_000 });
});

/** A real server with documents of the old passphrase. */
async function startWithDocuments(count: number) {
  const service = await startKeyClient({ requestsPerMinute: { enterprise: 100_000 } });
  const { client } = service;
  const { id: vaultId } = await client.vaults.create({ name: 'Contracts' });
  const upload = (n: number) =>
    client.documents.upload(`content ${n}`, {
      vaultId,
      cipher: from,
      fileName: `${n}.txt`,
      encryptFileName: true,
    });
  const ids: string[] = [];
  for (let n = 0; n < count; n += 20) {
    const length = Math.min(20, count - n);
    const documents = await Promise.all(Array.from({ length }, (_, at) => upload(n + at)));
    ids.push(...documents.map(({ id }) => id));
  }
  return { ...service, ids };
}

const updates = (sent: readonly string[]) =>
  sent.filter((line) => line === 'PUT /api/v1/documents/{id}').length;

describe('documents.rewrap', () => {
  test('a rewrapped document opens with the new passphrase alone, with content, name and links as before', async () => {
    const { client, ids } = await startWithDocuments(1);
    const before = await client.documents.get(ids[0] ?? '');
    const share = await client.shares.create(before.id, { access: 'anyone' });
    const link = await shareUrl(share, { cipher: from, document: before });
    const document = await client.documents.rewrap(before, { from, to });
    const { iterations, salt } = document.encryptionMetadata;
    expect({ iterations, salt }).toEqual({ iterations: 2_000, salt: to.salt });
    const after = await client.documents.get(before.id);
    expect(after.encryptedData).toBe(before.encryptedData);
    expect(after.fileName).toBe(before.fileName);
    const { bytes, fileName } = await client.documents.download(before.id, { cipher: to });
    expect([Buffer.from(bytes).toString(), fileName]).toEqual(['content 0', '0.txt']);
    const error = await rejection(client.documents.download(before.id, { cipher: from }));
    expect(error).toMatchObject({ name: 'DecryptionError', reason: 'key' });
    expect(await openShare(link)).toMatchObject({ fileName: '0.txt' });
  });

  test('1,000 documents are rewrapped after an interruption, each with one request', async () => {
    const { client, ids, sent } = await startWithDocuments(1_000);
    const interrupted = new Error('interrupted');
    const rewrapAll = async (most: number) => {
      let done = 0;
      for await (const document of client.documents.list({ pageSize: 100 })) {
        if (done++ === most) throw interrupted;
        await client.documents.rewrap(document, { from, to });
      }
    };
    await expect(rewrapAll(437)).rejects.toBe(interrupted);
    expect(updates(sent)).toBe(437);
    await rewrapAll(1_000);
    expect(updates(sent)).toBe(1_000);
    await rewrapAll(1_000);
    expect(updates(sent)).toBe(1_000);
    const names = new Set<string>();
    for await (const document of client.documents.list({ pageSize: 100 })) {
      expect(await to.check(document)).toBe(true);
      expect(await from.check(document)).toBe(false);
      names.add(await to.fileName(document));
    }
    expect(names.size).toBe(1_000);
    const id = ids[999] ?? '';
    const { bytes } = await client.documents.download(id, { cipher: to });
    expect(Buffer.from(bytes).toString()).toBe('content 999');
  }, 600_000);

  test('a wrong passphrase, a missing cipher and a missing document reject and change nothing', async () => {
    const { client, ids, sent } = await startWithDocuments(1);
    const document = await client.documents.get(ids[0] ?? '');
    const wrong = await createCipher({ passphrase: 'wrong', iterations: 1 });
    const refused = await rejection(client.documents.rewrap(document, { from: wrong, to }));
    expect(refused).toBeInstanceOf(DecryptionError);
    expect(refused).toMatchObject({ reason: 'key' });
    const none = undefined as unknown as Cipher;
    for (const options of [
      { from, to: none },
      { from: none, to },
    ]) {
      const error = await rejection(client.documents.rewrap(document, options));
      expect(error).toBeInstanceOf(UsageError);
    }
    expect(updates(sent)).toBe(0);
    await client.documents.delete(document.id);
    const gone = await rejection(client.documents.rewrap(document, { from, to }));
    expect(gone).toBeInstanceOf(NotFoundError);
  });
});
