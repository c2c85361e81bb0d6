import { describe, expect, test } from 'vitest';
import { uploadLifetime, uploadPartBytes } from '../../src/generated/rules/uploads.ts';
import { refusal } from '../support/front-door.ts';
import { documentOf, newDocument, newVault } from '../support/resources.ts';
import { startTestServer, type TestServerOptions } from '../support/server.ts';
import {
  begin,
  contentOfLength,
  documentOfUpload,
  newId,
  partOf,
  putPart,
} from '../support/uploads.ts';

async function startWithParts(
  sizeBytes: number,
  sent: readonly number[],
  options: TestServerOptions = {},
) {
  const server = await startTestServer(options);
  const { developer, url, apiKey } = server;
  const vault = await newVault(developer);
  const upload = (await begin(developer, vault.id, sizeBytes)).body;
  const content = contentOfLength(sizeBytes);
  for (const part of sent) {
    const bytes = partOf(content, part);
    await putPart({ url, headers: { 'x-api-key': apiKey }, id: upload.id, part, bytes });
  }
  const finish = (fields: object = {}, headers = {}) =>
    developer('POST', '/api/v1/documents', {
      body: { ...documentOfUpload(upload), ...fields },
      headers,
    });
  return { ...server, vault, upload, content, finish };
}

describe('POST /documents with an uploadId', () => {
  test('returns 201 with the id of the upload, and the content is that of the parts', async () => {
    const size = uploadPartBytes + 1001;
    const { finish, developer, upload, content, vault } = await startWithParts(size, [1, 0]);
    const created = await finish();
    expect(created).toMatchObject({
      status: 201,
      body: { id: upload.id, vaultId: vault.id, sizeBytes: size, fileName: 'recording.mp4' },
    });
    const { encryptedData } = (await developer('GET', `/api/v1/documents/${upload.id}`)).body;
    expect(Buffer.from(encryptedData, 'base64').equals(content)).toBe(true);
  });

  test('emits document.uploaded, and turns the reservation into the size of the document', async () => {
    const { finish, developer, upload, vault } = await startWithParts(10, [0]);
    const usage = async () => (await developer('GET', '/api/v1/users/me')).body.usage;
    const reserved = await usage();
    await finish();
    const { data } = (await developer('GET', '/api/v1/events?type=document.uploaded')).body;
    expect(data).toHaveLength(1);
    expect(data[0].data.object).toMatchObject({ id: upload.id, sizeBytes: 10 });
    expect(data[0].data.object).not.toHaveProperty('contentUrl');
    const after = await usage();
    expect(after.uploads.used).toBe(0);
    expect(after.documents.used).toBe(1);
    const { fileName, mimeType, encryptionMetadata } = documentOfUpload(upload);
    const described = fileName.length + mimeType.length + JSON.stringify(encryptionMetadata).length;
    expect(after.bytes.used).toBe(reserved.bytes.used + described);
    const { totalSize } = (await developer('GET', `/api/v1/vaults/${vault.id}`)).body;
    expect(totalSize).toBe(10);
  });

  test('sent again returns the same document, and emits nothing', async () => {
    const { finish, developer } = await startWithParts(10, [0]);
    const first = await finish();
    const second = await finish();
    expect(second).toMatchObject({ status: 201, body: first.body });
    const { data } = (await developer('GET', '/api/v1/events?type=document.uploaded')).body;
    expect(data).toHaveLength(1);
    expect((await developer('GET', '/api/v1/documents')).body.data).toHaveLength(1);
  });

  test('works once: afterwards the upload is 404 for another document and account', async () => {
    const { finish, developer, upload, vault, signUp } = await startWithParts(10, [0]);
    await finish();
    const gone = refusal('NOT_FOUND', { uploadId: upload.id });
    const others = [
      { fileName: 'other.mp4' },
      { mimeType: 'video/webm' },
      { encryptionMetadata: { algorithm: 'AES-256-GCM', iv: 'AAAA', authTag: 'AAAA' } },
    ];
    for (const other of others) expect(await finish(other)).toMatchObject(gone);
    const stranger = await signUp('stranger@example.com');
    const body = documentOfUpload(upload);
    expect(await stranger.call('POST', '/api/v1/documents', { body })).toMatchObject(gone);
    for (const method of ['GET', 'DELETE']) {
      const reply = await developer(method, `/api/v1/uploads/${upload.id}`);
      expect(reply).toMatchObject(refusal('NOT_FOUND'));
    }
    expect(await begin(developer, vault.id, 10, { id: upload.id })).toMatchObject(
      refusal('VALIDATION_ERROR', { field: 'id', constraint: 'unique' }),
    );
    expect((await developer('GET', '/api/v1/documents')).body.data).toHaveLength(1);
  });

  test('by five requests at once makes one document', async () => {
    const { finish, developer } = await startWithParts(10, [0]);
    const replies = await Promise.all([1, 2, 3, 4, 5].map(() => finish()));
    for (const reply of replies)
      expect(reply).toMatchObject({ status: 201, body: replies[0]?.body });
    expect((await developer('GET', '/api/v1/documents')).body.data).toHaveLength(1);
  });

  test('with an Idempotency-Key sent twice returns the document again', async () => {
    const { finish } = await startWithParts(10, [0]);
    const first = await finish({}, { 'idempotency-key': 'a' });
    const second = await finish({}, { 'idempotency-key': 'a' });
    expect(second).toMatchObject({ status: 201, body: first.body });
  });

  test('without all parts returns 400 missingParts, and works after they have arrived', async () => {
    const size = 2 * uploadPartBytes + 1;
    const { finish, developer, upload, content, url, apiKey } = await startWithParts(size, [1]);
    const missing = await finish();
    expect(missing).toMatchObject(
      refusal('VALIDATION_ERROR', { field: 'uploadId', constraint: 'missingParts' }),
    );
    expect(missing.body.error.message).toBe(
      'Parts have not arrived: 0, 2. Send them, then create the document.',
    );
    expect((await developer('GET', '/api/v1/documents')).body.data).toEqual([]);
    for (const part of [0, 2]) {
      const bytes = partOf(content, part);
      await putPart({ url, headers: { 'x-api-key': apiKey }, id: upload.id, part, bytes });
    }
    expect(await finish()).toMatchObject({ status: 201 });
  });

  test('with another size than the upload returns 400 decodedLength', async () => {
    const { finish } = await startWithParts(10, [0]);
    expect(await finish({ sizeBytes: 9 })).toMatchObject(
      refusal('VALIDATION_ERROR', { field: 'sizeBytes', constraint: 'decodedLength' }),
    );
  });

  test('in another vault than the upload returns 400 sameVault', async () => {
    const { finish, developer } = await startWithParts(10, [0]);
    const other = await newVault(developer);
    expect(await finish({ vaultId: other.id })).toMatchObject(
      refusal('VALIDATION_ERROR', { field: 'vaultId', constraint: 'sameVault' }),
    );
  });

  test('in a vault that became inactive returns 400 active, and works once it is active', async () => {
    const { developer, vault, finish } = await startWithParts(3, [0]);
    const setActive = (isActive: boolean) =>
      developer('PUT', `/api/v1/vaults/${vault.id}`, { body: { isActive } });
    await setActive(false);
    expect(await finish()).toMatchObject(
      refusal('VALIDATION_ERROR', { field: 'vaultId', constraint: 'active' }),
    );
    await setActive(true);
    expect(await finish()).toMatchObject({ status: 201 });
  });

  test('with encryptedData or id too returns 400 exclusive, and without both 400 required', async () => {
    const { finish, developer, vault } = await startWithParts(10, [0]);
    for (const [field, value] of [
      ['encryptedData', 'AAAA'],
      ['id', newId()],
    ] as const) {
      const reply = await finish({ [field]: value });
      expect(reply).toMatchObject(refusal('VALIDATION_ERROR', { field, constraint: 'exclusive' }));
      expect(reply.body.error.message).toBe(`${field} must not be given together with uploadId.`);
    }
    const { encryptedData: _, ...body } = documentOf(vault.id, 'a');
    const reply = await developer('POST', '/api/v1/documents', { body });
    expect(reply).toMatchObject(
      refusal('VALIDATION_ERROR', { field: 'encryptedData', constraint: 'required' }),
    );
    expect(reply.body.error.details.violations).toHaveLength(1);
  });

  test('with an unknown, foreign or expired upload returns 404', async () => {
    const { finish, signUp, signIn, upload, clock } = await startWithParts(10, [0]);
    expect(await finish({ uploadId: newId() })).toMatchObject(refusal('NOT_FOUND'));
    const other = await signUp('other@example.com');
    const theirs = await newVault(other.call);
    const body = { ...documentOfUpload(upload), vaultId: theirs.id };
    expect(await other.call('POST', '/api/v1/documents', { body })).toMatchObject(
      refusal('NOT_FOUND', { uploadId: upload.id }),
    );
    clock.advance(uploadLifetime);
    expect(await finish()).toMatchObject(refusal('NOT_FOUND', { uploadId: upload.id }));
    expect((await (await signIn(other))('GET', '/api/v1/documents')).body.data).toEqual([]);
  });

  test('above the document limit returns 400 accountRows, and the upload stays', async () => {
    const accountDocuments = { free: 1, paid: 1, enterprise: 1 };
    const { finish, developer, upload, vault } = await startWithParts(10, [0], {
      accountDocuments,
    });
    const other = await newDocument(developer, vault.id);
    expect(await finish()).toMatchObject(
      refusal('VALIDATION_ERROR', { constraint: 'accountRows', resource: 'documents' }),
    );
    const { body } = await developer('GET', `/api/v1/uploads/${upload.id}`);
    expect(body.parts).toHaveLength(1);
    await developer('DELETE', `/api/v1/documents/${other.id}`);
    expect(await finish()).toMatchObject({ status: 201 });
  });

  test('beyond the account quota by its metadata returns 400 accountQuota for uploadId', async () => {
    const accountQuota = { free: 1, paid: 1, enterprise: 1000 };
    const { developer, finish, upload } = await startWithParts(500, [0], { accountQuota });
    const metadata = documentOfUpload(upload).encryptionMetadata;
    const encryptionMetadata = { ...metadata, note: 'n'.repeat(500) };
    const beyond = { field: 'uploadId', constraint: 'accountQuota', resource: 'bytes' };
    expect(await finish({ encryptionMetadata })).toMatchObject(refusal('VALIDATION_ERROR', beyond));
    expect((await developer('GET', '/api/v1/documents')).body.data).toEqual([]);
    expect(await finish()).toMatchObject({ status: 201 });
  });

  test('beyond the instance quota returns 400 instanceQuota for uploadId', async () => {
    const { developer, finish, vault } = await startWithParts(500, [0], { instanceQuota: 600 });
    const { id } = await newDocument(developer, vault.id, Buffer.alloc(101));
    const beyond = { field: 'uploadId', constraint: 'instanceQuota' };
    expect(await finish()).toMatchObject(refusal('VALIDATION_ERROR', beyond));
    await developer('DELETE', `/api/v1/documents/${id}`);
    expect(await finish()).toMatchObject({ status: 201 });
  });

  test('fills a vault to its last byte', async () => {
    const { finish } = await startWithParts(1000, [0], { vaultQuota: { enterprise: 1000 } });
    expect(await finish()).toMatchObject({ status: 201 });
  });
});
