import { type ApiError, DocumentVault, type DocumentVaultOptions } from '@document-vault/sdk';
import type { NewTestAccount } from '@document-vault/testing';
import { describe, expect, test } from 'vitest';
import { rejection } from '../../sdk/test/support/client.ts';
import { checkedFetch } from './support/checked-fetch.ts';
import { document } from './support/content-scenarios.ts';
import { useTestVault } from './support/kit.ts';

const { service, clock } = useTestVault();

const clientOf = (apiKey: string, options: Partial<DocumentVaultOptions> = {}) =>
  new DocumentVault({ baseUrl: service.baseUrl, apiKey, clock, fetch: checkedFetch(), ...options });

/** A client and a vault of the first account. */
function author(options: Partial<DocumentVaultOptions> = {}) {
  const { apiKey } = service.account;
  return { client: clientOf(apiKey, options), vaultId: service.account.createVault().id };
}

const ciphertext = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
const { encryptedData: _, ...described } = document;

/** Uploads `ciphertext` and makes a document of it. */
async function uploadedDocument({ client, vaultId }: ReturnType<typeof author>) {
  const sizeBytes = ciphertext.length;
  const { id } = await client.uploads.create({ vaultId, sizeBytes });
  await client.uploads.putPart(id, 0, ciphertext);
  return client.documents.create({ ...described, vaultId, sizeBytes, uploadId: id });
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream as BodyInit).arrayBuffer());
}

const sent = (operation: string) =>
  service.requests.filter((request) => request.operation === operation);

const gibibyte = 1024 ** 3;
const day = 24 * 60 * 60 * 1_000;

test('requests lists the bytes of a part', async () => {
  await uploadedDocument(author());
  expect(sent('uploadPart')).toMatchObject([
    { method: 'PUT', body: ciphertext, headers: { 'content-type': 'application/octet-stream' } },
  ]);
  expect(service.requests.map(({ operation }) => operation)).toEqual([
    'createUpload',
    'uploadPart',
    'createDocument',
  ]);
});

test('reset() removes uploads, contents and tickets, and frees their ids', async () => {
  const { client, vaultId } = author();
  const id = '019cadd9-4b10-7c02-9d1e-5a7f3c2b8e64';
  await client.uploads.create({ id, vaultId, sizeBytes: 8 });
  const { id: documentId } = await uploadedDocument({ client, vaultId });
  const { shareToken } = await client.shares.create(documentId, { access: 'anyone' });
  const { contentUrl } = await client.shares.open(shareToken);
  service.reset();
  for (const gone of [client.uploads.get(id), client.shares.content(contentUrl)]) {
    expect(await rejection(gone)).toMatchObject({ code: 'NOT_FOUND' });
  }
  const { id: again } = service.account.createVault();
  expect((await client.uploads.create({ id, vaultId: again, sizeBytes: 8 })).id).toBe(id);
});

test('a delayed part is not found when its upload was given up meanwhile', async () => {
  const { client, vaultId } = author();
  const { id } = await client.uploads.create({ vaultId, sizeBytes: 8 });
  const headers = { 'x-api-key': service.account.apiKey };
  const slow = service.fault('delay', { operations: 'uploadPart' });
  const part = rejection(client.uploads.putPart(id, 0, ciphertext));
  await expect.poll(() => slow.calls).toBe(1);
  await fetch(`${service.baseUrl}/api/v1/uploads/${id}`, { method: 'DELETE', headers });
  slow.restore();
  expect(await part).toMatchObject({ code: 'NOT_FOUND', details: { uploadId: id } });
});

test('deleting the account ends its uploads and tickets', async () => {
  const bob = service.createAccount();
  const client = clientOf(bob.apiKey);
  const { id: vaultId } = bob.createVault();
  const { id } = await client.uploads.create({ vaultId, sizeBytes: 8 });
  const { id: documentId } = bob.createDocument({ vaultId });
  const { shareToken } = await client.shares.create(documentId, { access: 'anyone' });
  const { contentUrl } = await client.shares.open(shareToken);
  await client.users.delete({ password: bob.password });
  const admin = clientOf(service.createAccount({ role: 'admin', scopes: ['admin:*'] }).apiKey);
  expect(await rejection(admin.uploads.get(id))).toMatchObject({ code: 'NOT_FOUND' });
  expect(await rejection(admin.shares.content(contentUrl))).toMatchObject({ code: 'NOT_FOUND' });
});

describe('faults of parts and contents', () => {
  test.each([
    ['rateLimit', { retryAfter: 1 }],
    ['error', {}],
    ['networkError', { when: 'before' }],
    ['networkError', { when: 'after' }],
  ] as const)('a client sends a part again after %s %j', async (kind, options) => {
    const { client, vaultId } = author();
    const { id } = await client.uploads.create({ vaultId, sizeBytes: 8 });
    const fault = service.fault(kind, { ...options, operations: 'uploadPart' });
    await client.uploads.putPart(id, 0, ciphertext);
    expect([fault.calls, sent('uploadPart').length]).toEqual([1, 2]);
    expect((await client.uploads.get(id)).parts).toMatchObject([{ part: 0, sizeBytes: 8 }]);
  });

  test.each(['rateLimit', 'error', 'networkError', 'truncate'] as const)(
    'a client reads a content to its end after %s',
    async (kind) => {
      const { client, vaultId } = author();
      const { id } = await uploadedDocument({ client, vaultId });
      const fault = service.fault(kind, { operations: 'getDocumentContent' });
      const { stream } = await client.documents.content(id);
      expect(await bytesOf(stream)).toEqual(ciphertext);
      expect(fault.calls).toBe(1);
      const continued = sent('getDocumentContent').at(-1)?.headers;
      if (kind === 'truncate') expect(continued).toMatchObject({ range: 'bytes=4-7' });
    },
  );

  test('an injected error with details rejects a part and stores nothing', async () => {
    const { client, vaultId } = author({ maxRetries: 0 });
    const { id } = await client.uploads.create({ vaultId, sizeBytes: 8 });
    const details = { field: 'Content-Digest', constraint: 'digest' };
    service.fault('error', { code: 'VALIDATION_ERROR', details, operations: 'uploadPart' });
    const error = await rejection(client.uploads.putPart(id, 0, ciphertext));
    expect(error).toMatchObject({ status: 400, details });
    expect((await client.uploads.get(id)).parts).toEqual([]);
  });
});

describe('limits of uploads', () => {
  async function accountOf(account: NewTestAccount) {
    const owner = service.createAccount(account);
    const client = clientOf(owner.apiKey);
    const create = async (vaultId: string, sizeBytes: number) =>
      client.uploads.create({ vaultId, sizeBytes });
    const refused = async (vaultId: string, sizeBytes: number) =>
      (await rejection(create(vaultId, sizeBytes))) as ApiError;
    return { owner, client, create, refused };
  }

  test('open uploads reserve their bytes in the vault until they end', async () => {
    const { owner, client, create, refused } = await accountOf({ tier: 'free' });
    const { id: vaultId } = owner.createVault();
    const quota = 100 * 1024 ** 2;
    const { id } = await create(vaultId, quota - 8);
    const error = { field: 'sizeBytes', constraint: 'vaultQuota' };
    expect(await refused(vaultId, 9)).toMatchObject({ code: 'VALIDATION_ERROR', details: error });
    const beyond = client.documents.create({
      ...described,
      vaultId,
      encryptedData: 'AAAAAAAAAAAA',
      sizeBytes: 9,
    });
    expect(await rejection(beyond)).toMatchObject({
      details: { field: 'encryptedData', constraint: 'vaultQuota' },
    });
    const other = await create(vaultId, 8);
    await client.uploads.delete(id);
    await create(vaultId, quota - 8);
    clock.advance(day);
    await create(vaultId, quota);
    expect(await rejection(client.uploads.get(other.id))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('an upload that fills the vault becomes a document', async () => {
    const { owner, client, create, refused } = await accountOf({ tier: 'free' });
    const { id: vaultId } = owner.createVault();
    const { id } = await create(vaultId, 8);
    await create(vaultId, 100 * 1024 ** 2 - 8);
    await client.uploads.putPart(id, 0, ciphertext);
    const finished = { ...described, vaultId, sizeBytes: 8, uploadId: id };
    expect(await client.documents.create(finished)).toMatchObject({ id, sizeBytes: 8 });
    expect(await client.vaults.get(vaultId)).toMatchObject({ documentCount: 1, totalSize: 8 });
    expect(await refused(vaultId, 1)).toMatchObject({ details: { constraint: 'vaultQuota' } });
  });

  test('an account has at most the bytes of its tier, open uploads included', async () => {
    const { owner, client, create, refused } = await accountOf({ tier: 'free' });
    const vaults = Array.from({ length: 11 }, () => owner.createVault().id);
    const [last = '', ...others] = vaults;
    for (const vaultId of others) await create(vaultId, 100 * 1024 ** 2);
    const { usage } = await client.users.me();
    expect(usage.uploads).toEqual({ used: 10, limit: 20 });
    const left = gibibyte - usage.bytes.used;
    expect(await refused(last, left + 1)).toMatchObject({
      details: { field: 'sizeBytes', constraint: 'accountQuota', resource: 'bytes' },
    });
    await create(last, left);
    expect((await client.users.me()).usage.bytes).toEqual({ used: gibibyte, limit: gibibyte });
  });

  test('an instance has at most its quota', async () => {
    const { client } = author();
    const admin = clientOf(service.createAccount({ role: 'admin', scopes: ['admin:*'] }).apiKey);
    const [instance] = (await admin.instances.list()).data;
    await admin.instances.update(instance?.id ?? '', { quotaBytes: 8 });
    const { id: vaultId } = service.account.createVault();
    const upload = client.uploads.create({ vaultId, sizeBytes: 9 });
    expect(await rejection(upload)).toMatchObject({
      details: { field: 'sizeBytes', constraint: 'instanceQuota' },
    });
    await client.uploads.create({ vaultId, sizeBytes: 8 });
  });
});
