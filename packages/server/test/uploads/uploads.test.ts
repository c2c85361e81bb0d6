import { describe, expect, test } from 'vitest';
import { uploadLifetime, uploadPartBytes } from '../../src/generated/rules/uploads.ts';
import { dataFolder, rowsIn } from '../support/data-folder.ts';
import { refusal } from '../support/front-door.ts';
import { documentOf, newDocument, newKey, newVault } from '../support/resources.ts';
import { type Caller, startTestServer } from '../support/server.ts';
import { begin, newId, putPart } from '../support/uploads.ts';

const mebibyte = 1024 * 1024;

async function usageOf(call: Caller) {
  return (await call('GET', '/api/v1/users/me')).body.usage;
}

describe('POST /uploads', () => {
  test('returns 201 with the part size, no parts and the expiry a day later', async () => {
    const { developer, clock } = await startTestServer();
    const vault = await newVault(developer);
    const { status, body } = await begin(developer, vault.id, 20 * mebibyte);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      vaultId: vault.id,
      sizeBytes: 20 * mebibyte,
      partBytes: uploadPartBytes,
      parts: [],
      expiresAt: new Date(clock.now() + uploadLifetime).toISOString(),
    });
    const got = await developer('GET', `/api/v1/uploads/${body.id}`);
    expect(got).toMatchObject({ status: 200, body });
  });

  test('emits no event and makes no document', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    await begin(developer, vault.id, 1);
    const events = await developer('GET', '/api/v1/events');
    const types = events.body.data.map(({ type }: { type: string }) => type);
    expect(types.filter((type: string) => type.startsWith('document'))).toEqual([]);
    expect((await developer('GET', '/api/v1/documents')).body.data).toEqual([]);
  });

  test('with an Idempotency-Key sent twice makes one upload', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const request = {
      body: { vaultId: vault.id, sizeBytes: 1 },
      headers: { 'idempotency-key': 'a' },
    };
    const first = await developer('POST', '/api/v1/uploads', request);
    const second = await developer('POST', '/api/v1/uploads', request);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect((await usageOf(developer)).uploads).toEqual({ used: 1, limit: 20 });
  });

  test('in an inactive vault returns 400 active', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    await developer('PUT', `/api/v1/vaults/${vault.id}`, { body: { isActive: false } });
    expect(await begin(developer, vault.id, 1)).toMatchObject(
      refusal('VALIDATION_ERROR', { field: 'vaultId', constraint: 'active' }),
    );
  });

  test('at maxDocumentBytes returns 201, and one byte above it 400 maximum', async () => {
    const { developer } = await startTestServer({ maxDocumentBytes: 1000 });
    const vault = await newVault(developer);
    expect(await begin(developer, vault.id, 1000)).toMatchObject({ status: 201 });
    expect(await begin(developer, vault.id, 1001)).toMatchObject(
      refusal('VALIDATION_ERROR', { field: 'sizeBytes', constraint: 'maximum' }),
    );
  });

  test('with 20 open uploads returns 400 accountRows until one ends', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const uploads = [];
    for (let count = 0; count < 20; count += 1) {
      uploads.push((await begin(developer, vault.id, 1)).body);
    }
    const excess = await begin(developer, vault.id, 1);
    expect(excess).toMatchObject(
      refusal('VALIDATION_ERROR', {
        field: 'body',
        constraint: 'accountRows',
        resource: 'uploads',
      }),
    );
    expect(excess.body.error.message).toBe(
      'An account may have 20 open uploads. Finish open uploads or give them up.',
    );
    expect(await developer('DELETE', `/api/v1/uploads/${uploads[0].id}`)).toMatchObject({
      status: 204,
    });
    expect(await begin(developer, vault.id, 1)).toMatchObject({ status: 201 });
  });
});

describe('bytes that open uploads have reserved', () => {
  test('count against the vault quota of later uploads, documents and moves', async () => {
    const { developer } = await startTestServer({ vaultQuota: { enterprise: 1000 } });
    const vault = await newVault(developer);
    const upload = (await begin(developer, vault.id, 900)).body;
    expect(await begin(developer, vault.id, 101)).toMatchObject(
      refusal('VALIDATION_ERROR', { field: 'sizeBytes', constraint: 'vaultQuota' }),
    );
    const body = documentOf(vault.id, Buffer.alloc(101));
    const created = await developer('POST', '/api/v1/documents', { body });
    expect(created).toMatchObject(
      refusal('VALIDATION_ERROR', { field: 'encryptedData', constraint: 'vaultQuota' }),
    );
    const other = await newVault(developer);
    const { id } = await newDocument(developer, other.id, Buffer.alloc(101));
    const moved = await developer('PUT', `/api/v1/documents/${id}`, {
      body: { vaultId: vault.id },
    });
    expect(moved).toMatchObject(
      refusal('VALIDATION_ERROR', { field: 'vaultId', constraint: 'vaultQuota' }),
    );
    await developer('DELETE', `/api/v1/uploads/${upload.id}`);
    expect(await begin(developer, vault.id, 1000)).toMatchObject({ status: 201 });
  });

  test('count in the usage of the account and against its quota, not in the size of the vault', async () => {
    const accountQuota = { free: 1, paid: 1, enterprise: 10_000 };
    const { developer } = await startTestServer({ accountQuota });
    const vault = await newVault(developer);
    const before = await usageOf(developer);
    const upload = (await begin(developer, vault.id, 9000)).body;
    const after = await usageOf(developer);
    expect(after.bytes.used).toBe(before.bytes.used + 9000);
    expect(after.documents).toEqual(before.documents);
    expect((await developer('GET', `/api/v1/vaults/${vault.id}`)).body.totalSize).toBe(0);
    expect(await begin(developer, vault.id, 1000)).toMatchObject(
      refusal('VALIDATION_ERROR', {
        field: 'sizeBytes',
        constraint: 'accountQuota',
        resource: 'bytes',
      }),
    );
    await developer('DELETE', `/api/v1/uploads/${upload.id}`);
    expect(await usageOf(developer)).toEqual(before);
  });

  test('above the vault quota emit vault.quota.exceeded', async () => {
    const { developer } = await startTestServer({ vaultQuota: { enterprise: 1000 } });
    const vault = await newVault(developer);
    await begin(developer, vault.id, 1001);
    const events = await developer('GET', '/api/v1/events?type=vault.quota.exceeded');
    expect(events.body.data).toHaveLength(1);
  });
});

describe('an upload', () => {
  test('of another account returns 404 for every operation', async () => {
    const { developer, signUp } = await startTestServer();
    const vault = await newVault(developer);
    const { id } = (await begin(developer, vault.id, 1)).body;
    const { call } = await signUp('other@example.com');
    for (const method of ['GET', 'DELETE']) {
      const reply = await call(method, `/api/v1/uploads/${id}`);
      expect(reply).toMatchObject(refusal('NOT_FOUND', { uploadId: id }));
    }
    expect(await begin(call, vault.id, 1)).toMatchObject(refusal('NOT_FOUND'));
    expect(await developer('GET', `/api/v1/uploads/${id}`)).toMatchObject({ status: 200 });
  });

  test('is 404 from its expiry on, and the sweeper frees its bytes', async () => {
    const { developer, clock, settled } = await startTestServer();
    const vault = await newVault(developer);
    const before = await usageOf(developer);
    const { id } = (await begin(developer, vault.id, 100)).body;
    clock.advance(uploadLifetime - 1);
    expect(await developer('GET', `/api/v1/uploads/${id}`)).toMatchObject({ status: 200 });
    clock.advance(1);
    expect(await developer('GET', `/api/v1/uploads/${id}`)).toMatchObject(refusal('NOT_FOUND'));
    clock.advance(60_000);
    await settled();
    expect(await usageOf(developer)).toEqual(before);
  });

  test('ends with its vault', async () => {
    const { developer } = await startTestServer();
    const before = await usageOf(developer);
    const vault = await newVault(developer);
    const { id } = (await begin(developer, vault.id, 100)).body;
    await developer('DELETE', `/api/v1/vaults/${vault.id}`);
    expect(await developer('GET', `/api/v1/uploads/${id}`)).toMatchObject(refusal('NOT_FOUND'));
    expect(await usageOf(developer)).toEqual(before);
  });
});

test('an upload ends with its account, and its id stays used', async () => {
  const data = await dataFolder();
  const { developer, signUp, clock, settled, url } = await startTestServer({ data });
  const { call, password } = await signUp('ada@example.com');
  const upload = (await begin(call, (await newVault(call)).id, 3)).body;
  const { key } = await newKey(call, ['documents:write']);
  const headers = { 'x-api-key': key };
  await putPart({ url, headers, id: upload.id, part: 0, bytes: 'abc' });
  expect(rowsIn(data, 'document_contents')).toBe(1);
  await call('DELETE', '/api/v1/users/me', { body: { password } });
  clock.advance(60_000);
  await settled();
  for (const table of ['uploads', 'content_parts', 'document_contents', 'content_erasures']) {
    expect(rowsIn(data, table), table).toBe(0);
  }
  const vault = await newVault(developer);
  expect(await begin(developer, vault.id, 3, { id: upload.id })).toMatchObject(
    refusal('VALIDATION_ERROR', { field: 'id', constraint: 'unique' }),
  );
});

describe('an id that the client has made', () => {
  test('becomes the id of the document or upload', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const [ofDocument, ofUpload] = [newId(), newId()];
    expect((await newDocument(developer, vault.id, 'a', { id: ofDocument })).id).toBe(ofDocument);
    expect((await begin(developer, vault.id, 1, { id: ofUpload })).body.id).toBe(ofUpload);
  });

  test.each(['a', '019cadd9-1528-4f5e-848b-0eb02474ebdb', '019cadd915287f5e848b0eb02474ebdb'])(
    '%s is not a UUIDv7 and returns 400 pattern',
    async (id) => {
      const { developer } = await startTestServer();
      const vault = await newVault(developer);
      const expected = refusal('VALIDATION_ERROR', { field: 'id', constraint: 'pattern' });
      expect(await begin(developer, vault.id, 1, { id })).toMatchObject(expected);
      const body = documentOf(vault.id, 'a', { id });
      expect(await developer('POST', '/api/v1/documents', { body })).toMatchObject(expected);
    },
  );

  test('returns 400 unique when it was ever used, also by another account', async () => {
    const { developer, signUp, signIn, clock, settled } = await startTestServer();
    const vault = await newVault(developer);
    const other = await signUp('other@example.com');
    const theirs = await newVault(other.call);
    const document = await newDocument(developer, vault.id);
    const deleted = await newDocument(developer, vault.id);
    await developer('DELETE', `/api/v1/documents/${deleted.id}`);
    const open = (await begin(developer, vault.id, 1)).body;
    const given = (await begin(developer, vault.id, 1)).body;
    await developer('DELETE', `/api/v1/uploads/${given.id}`);
    const gone = await newVault(developer);
    const ofDeletedVault = await newDocument(developer, gone.id);
    await developer('DELETE', `/api/v1/vaults/${gone.id}`);
    const unique = refusal('VALIDATION_ERROR', { field: 'id', constraint: 'unique' });
    const ids = [document, deleted, open, given, ofDeletedVault].map(({ id }) => id);
    const large = Buffer.alloc(5 * mebibyte);
    const tryAll = async (call: Caller) => {
      for (const id of ids) {
        expect(await begin(call, theirs.id, 1, { id }), id).toMatchObject(unique);
        for (const content of ['a', large]) {
          const body = documentOf(theirs.id, content, { id });
          const reply = await call('POST', '/api/v1/documents', { body });
          expect(reply, id).toMatchObject(unique);
        }
      }
    };
    await tryAll(other.call);
    clock.advance(uploadLifetime + 60_000);
    await settled();
    const again = await signIn(other);
    await tryAll(again);
    expect((await usageOf(again)).documents.used).toBe(0);
  });

  test('sent by two requests at once makes one document', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    for (const bytes of [10, 5 * mebibyte]) {
      const id = newId();
      const body = documentOf(vault.id, Buffer.alloc(bytes), { id });
      const replies = await Promise.all(
        [1, 2, 3].map(() => developer('POST', '/api/v1/documents', { body })),
      );
      expect(replies.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
      const got = await developer('GET', `/api/v1/documents/${id}`);
      expect(Buffer.from(got.body.encryptedData, 'base64')).toHaveLength(bytes);
    }
  });
});
