import { describe, expect, test } from 'vitest';
import { dataFolder, makeAdmin, rowsIn, usedBytes } from './support/data-folder.ts';
import { emptyPage, invalid, missing } from './support/replies.ts';
import { newDocument, newKey, newShare, newVault } from './support/resources.ts';
import { type Caller, startTestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

/** The counters of a vault. */
async function countersOf(call: Caller, vaultId: string) {
  const { body } = await call('GET', `/api/v1/vaults/${vaultId}`);
  return { documentCount: body.documentCount, totalSize: body.totalSize };
}

describe('PUT /documents/{id}', () => {
  test('changes only the sent fields and updatedAt, and never the content', async () => {
    const { developer, clock } = await startTestServer();
    const vault = await newVault(developer);
    const { id } = await newDocument(developer, vault.id);
    const path = `/api/v1/documents/${id}`;
    let document = (await developer('GET', path)).body;
    const changes = [
      { fileName: 'renamed.pdf' },
      { mimeType: 'text/plain' },
      { fileName: 'both.png', mimeType: 'image/png' },
    ];
    for (const change of changes) {
      clock.advance(1000);
      const updatedAt = new Date(clock.now()).toISOString();
      const expected = { ...document, ...change, updatedAt };
      const changed = await developer('PUT', path, { body: change });
      expect(changed).toMatchObject({ status: 200 });
      expect(changed.body).not.toHaveProperty('encryptedData');
      document = (await developer('GET', path)).body;
      expect(document).toEqual(expected);
    }
  });

  test('returns only algorithm, iv and authTag of the encryption without documents:read', async () => {
    const { signUp, withKey } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    const vault = await newVault(call);
    const { id, encryptionMetadata } = await newDocument(call, vault.id);
    expect(encryptionMetadata).toHaveProperty('salt');
    const { algorithm, iv, authTag } = encryptionMetadata;
    const writer = withKey((await newKey(call, ['documents:write'])).key);
    const query = `mutation ($id: ID!, $input: UpdateDocumentInput!) {
      updateDocument(id: $id, input: $input) { fileName encryptionMetadata { iv salt iterations wrappedKey } }
    }`;
    // The second one changes nothing.
    for (const fileName of ['renamed.pdf', 'renamed.pdf']) {
      const input = { fileName };
      const changed = await writer('PUT', `/api/v1/documents/${id}`, { body: input });
      expect(changed.body).toMatchObject({ fileName });
      expect(changed.body.encryptionMetadata).toEqual({ algorithm, iv, authTag });
      const { body } = await writer('POST', '/graphql', {
        body: { query, variables: { id, input } },
      });
      const reduced = { iv, salt: null, iterations: null, wrappedKey: null };
      expect(body).toMatchObject({
        data: { updateDocument: { fileName, encryptionMetadata: reduced } },
      });
    }
    const kept = await call('GET', `/api/v1/documents/${id}`);
    expect(kept.body.encryptionMetadata).toEqual(encryptionMetadata);
  });

  test('with unchanged values returns 200, keeps updatedAt and emits no event', async () => {
    const server = await startTestServer();
    const { developer, clock } = server;
    const vault = await newVault(developer);
    const document = await newDocument(developer, vault.id);
    const webhook = await listen({ server, call: developer });
    clock.advance(1000);
    const { fileName, mimeType, vaultId } = document;
    const body = { fileName, mimeType, vaultId };
    const unchanged = await developer('PUT', `/api/v1/documents/${document.id}`, { body });
    expect(unchanged).toMatchObject({ status: 200 });
    expect(unchanged.body).toEqual(document);
    expect(await webhook.events()).toEqual([]);
  });

  test('with an invalid field or with content returns 400 and changes nothing', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const document = await newDocument(developer, vault.id);
    const refusals: [object, string, string][] = [
      [{}, 'body', 'minProperties'],
      [{ fileName: '' }, 'fileName', 'minLength'],
      [{ fileName: 'a/b' }, 'fileName', 'format'],
      [{ fileName: null }, 'fileName', 'type'],
      [{ mimeType: 'pdf' }, 'mimeType', 'pattern'],
      [{ vaultId: '' }, 'vaultId', 'minLength'],
      [{ encryptedData: 'QUJD' }, 'encryptedData', 'additionalProperties'],
      [{ sizeBytes: 3 }, 'sizeBytes', 'additionalProperties'],
      [{ encryptionMetadata: {} }, 'encryptionMetadata.wrappedKey', 'required'],
      [{ contentUrl: '/' }, 'contentUrl', 'additionalProperties'],
    ];
    for (const [body, field, constraint] of refusals) {
      const refused = await developer('PUT', `/api/v1/documents/${document.id}`, { body });
      expect(refused, JSON.stringify(body)).toMatchObject(invalid(field, constraint));
    }
    const { data } = (await developer('GET', '/api/v1/documents')).body;
    expect(data).toEqual([document]);
  });

  test('and DELETE return 200 and 204 for a document of an inactive vault', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const { id } = await newDocument(developer, vault.id);
    await developer('PUT', `/api/v1/vaults/${vault.id}`, { body: { isActive: false } });
    const renamed = await developer('PUT', `/api/v1/documents/${id}`, { body: { fileName: 'b' } });
    expect(renamed).toMatchObject({ status: 200, body: { fileName: 'b' } });
    expect(await developer('DELETE', `/api/v1/documents/${id}`)).toMatchObject({ status: 204 });
  });
});

describe('PUT /documents/{id} with another vaultId', () => {
  test('moves the document with its size, content and shares', async () => {
    const { developer, anonymous } = await startTestServer();
    const from = await newVault(developer, { name: 'From' });
    const to = await newVault(developer, { name: 'To' });
    const document = await newDocument(developer, from.id, '12345');
    await newDocument(developer, from.id, 'stays');
    await newDocument(developer, to.id, 'here');
    const share = await newShare(developer, document.id, { access: 'anyone' });

    const body = { vaultId: to.id, fileName: 'moved.pdf' };
    const moved = await developer('PUT', `/api/v1/documents/${document.id}`, { body });
    expect(moved).toMatchObject({ status: 200, body });
    expect(await countersOf(developer, from.id)).toEqual({ documentCount: 1, totalSize: 5 });
    expect(await countersOf(developer, to.id)).toEqual({ documentCount: 2, totalSize: 9 });
    const inVault = await developer('GET', `/api/v1/documents?vaultId=${to.id}`);
    expect(inVault.body.pagination.totalCount).toBe(2);
    const opened = await anonymous('GET', `/shares/${share.shareToken}`);
    expect(opened.body).toMatchObject({ ...body, encryptedData: 'MTIzNDU=' });

    await developer('DELETE', `/api/v1/vaults/${from.id}`);
    const read = await developer('GET', `/api/v1/documents/${document.id}`);
    expect(read).toMatchObject({ status: 200, body: { encryptedData: 'MTIzNDU=' } });
  });

  test('of an inactive vault returns 400, of an unknown or foreign vault 404, and changes nothing', async () => {
    const { developer, signUp } = await startTestServer();
    const vault = await newVault(developer);
    const inactive = await newVault(developer);
    await developer('PUT', `/api/v1/vaults/${inactive.id}`, { body: { isActive: false } });
    const stranger = await signUp('stranger@example.com');
    const foreign = await newVault(stranger.call);
    const document = await newDocument(developer, vault.id, 'ABC');
    const moveTo = (vaultId: string) =>
      developer('PUT', `/api/v1/documents/${document.id}`, {
        body: { vaultId, fileName: 'moved' },
      });

    expect(await moveTo(inactive.id)).toMatchObject(invalid('vaultId', 'active'));
    expect(await moveTo(foreign.id)).toMatchObject(missing({ vaultId: foreign.id }));
    expect(await moveTo('unknown')).toMatchObject(missing({ vaultId: 'unknown' }));
    expect((await developer('GET', '/api/v1/documents')).body.data).toEqual([document]);
    expect(await countersOf(developer, vault.id)).toEqual({ documentCount: 1, totalSize: 3 });
    expect(await countersOf(developer, inactive.id)).toEqual({ documentCount: 0, totalSize: 0 });
  });

  test('of another account returns 400 sameAccount, also for an administrator', async () => {
    const folder = await dataFolder();
    const before = await startTestServer({ data: folder });
    const admin = await before.signUp('admin@example.com');
    const vault = await newVault(before.developer);
    const document = await newDocument(before.developer, vault.id);
    await before.close();
    makeAdmin(folder, admin.email);

    const { signIn } = await startTestServer({ data: folder });
    const call = await signIn(admin);
    const own = await newVault(call);
    const path = `/api/v1/documents/${document.id}`;
    const moved = await call('PUT', path, { body: { vaultId: own.id } });
    expect(moved).toMatchObject(invalid('vaultId', 'sameAccount'));
    expect((await call('GET', path)).body).toMatchObject({ vaultId: vault.id });
  });
});

describe('DELETE /documents/{id}', () => {
  test('removes the content and the shares and frees the used bytes', async () => {
    const folder = await dataFolder();
    const server = await startTestServer({ data: folder });
    const { developer, anonymous } = server;
    const vault = await newVault(developer);
    const document = await newDocument(developer, vault.id, 'gone');
    const kept = await newDocument(developer, vault.id, 'stays');
    const { shareToken } = await newShare(developer, document.id, { access: 'anyone' });
    const path = `/api/v1/documents/${document.id}`;

    expect(await developer('DELETE', path)).toMatchObject({ status: 204, body: undefined });
    const gone = missing({ documentId: document.id });
    expect(await developer('GET', path)).toMatchObject(gone);
    expect(await developer('PUT', path, { body: { fileName: 'x' } })).toMatchObject(gone);
    expect(await developer('DELETE', path)).toMatchObject(gone);
    expect(await developer('POST', `${path}/share`, { body: {} })).toMatchObject(gone);
    expect(await developer('GET', `${path}/shares`)).toMatchObject(gone);
    expect(await anonymous('GET', `/shares/${shareToken}`)).toMatchObject(missing());
    expect((await developer('GET', '/api/v1/documents')).body.data).toEqual([kept]);
    expect(await countersOf(developer, vault.id)).toEqual({ documentCount: 1, totalSize: 5 });

    server.clock.advance(60_000);
    await server.settled();
    await server.close();
    expect(rowsIn(folder, 'document_contents')).toBe(1);
    expect(rowsIn(folder, 'shares')).toBe(0);
    expect(usedBytes(folder)).toBe(5);
  });
});

describe('documents of another account', () => {
  test('return 404 for every operation and are not in lists', async () => {
    const { developer, signUp } = await startTestServer();
    const vault = await newVault(developer);
    const document = await newDocument(developer, vault.id);
    const share = await newShare(developer, document.id);
    const { call } = await signUp('stranger@example.com');
    const own = await newVault(call);
    const path = `/api/v1/documents/${document.id}`;
    const gone = missing({ documentId: document.id });
    expect(await call('GET', path)).toMatchObject(gone);
    expect(await call('PUT', path, { body: { fileName: 'x' } })).toMatchObject(gone);
    expect(await call('PUT', path, { body: { vaultId: own.id } })).toMatchObject(gone);
    expect(await call('DELETE', path)).toMatchObject(gone);
    expect(await call('POST', `${path}/share`, { body: {} })).toMatchObject(gone);
    expect(await call('GET', `${path}/shares`)).toMatchObject(gone);
    expect(await call('DELETE', `${path}/shares/${share.id}`)).toMatchObject(missing());
    for (const query of ['', `?vaultId=${vault.id}`, '?search=letter']) {
      expect(await call('GET', `/api/v1/documents${query}`), query).toMatchObject(emptyPage);
    }
    expect((await developer('GET', path)).body).toMatchObject(document);
    const { data } = (await developer('GET', `${path}/shares`)).body;
    expect(data).toMatchObject([{ id: share.id, isActive: true }]);
  });
});
