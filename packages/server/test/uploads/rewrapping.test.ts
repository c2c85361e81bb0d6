import { describe, expect, test } from 'vitest';
import { refusal } from '../support/front-door.ts';
import { encryptionMetadata as derived, newDocument, newVault } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';

const encryptionMetadata = { ...derived, wrappedKey: 'QAjx5o6n6GTHB1n1', tag: 'kept' };

const wrapping = {
  keyDerivation: 'PBKDF2',
  iterations: 700_000,
  salt: 'fgQ2WMAEyD0XEqnV0pXJlQ==',
  wrappedKey: 'nVYVj3dJQJ6xWSRm',
};

async function startWithDocument(metadata: object = encryptionMetadata) {
  const server = await startTestServer();
  const vault = await newVault(server.developer);
  const { id } = await newDocument(server.developer, vault.id, 'ciphertext', {
    encryptionMetadata: metadata,
  });
  const update = (encryptionMetadata: object) =>
    server.developer('PUT', `/api/v1/documents/${id}`, { body: { encryptionMetadata } });
  const updates = async () =>
    (await server.developer('GET', '/api/v1/events?type=document.updated')).body.data;
  return { ...server, id, update, updates };
}

describe('PUT /documents with encryptionMetadata', () => {
  test('replaces the wrapping and keeps everything else', async () => {
    const { developer, id, update } = await startWithDocument();
    const updated = await update(wrapping);
    expect(updated.status).toBe(200);
    expect(updated.body.encryptionMetadata).toEqual({ ...encryptionMetadata, ...wrapping });
    const got = await developer('GET', `/api/v1/documents/${id}`);
    expect(got.body).toMatchObject({ ...updated.body, encryptedData: 'Y2lwaGVydGV4dA==' });
  });

  test('without a derivation removes the present one', async () => {
    const { update } = await startWithDocument();
    const { body } = await update({ wrappedKey: wrapping.wrappedKey });
    const { algorithm, iv, authTag, tag } = encryptionMetadata;
    const { wrappedKey } = wrapping;
    expect(body.encryptionMetadata).toEqual({ algorithm, iv, authTag, tag, wrappedKey });
  });

  test('emits document.updated, which contains no key', async () => {
    const { update, updates } = await startWithDocument();
    await update({ ...wrapping, keyDerivation: 'Argon2id' });
    const [event, ...others] = await updates();
    expect(others).toEqual([]);
    expect(event.data.changes).toEqual(['encryptionMetadata']);
    expect(event.data.previous).toEqual({
      encryptionMetadata: { algorithm: 'AES-256-GCM', keyDerivation: 'PBKDF2' },
    });
    expect(event.data.object.encryptionMetadata).toEqual({
      algorithm: 'AES-256-GCM',
      keyDerivation: 'Argon2id',
    });
    const text = JSON.stringify(event);
    for (const secret of [wrapping.wrappedKey, wrapping.salt, encryptionMetadata.wrappedKey]) {
      expect(text).not.toContain(secret);
    }
  });

  test('with the present values changes nothing and emits no event', async () => {
    const { update, updates } = await startWithDocument();
    const { keyDerivation, iterations, salt, wrappedKey } = encryptionMetadata;
    const { status, body } = await update({ keyDerivation, iterations, salt, wrappedKey });
    expect(status).toBe(200);
    expect(body.updatedAt).toBe(body.uploadedAt);
    expect(await updates()).toEqual([]);
  });

  test('of a document without wrappedKey returns 400 wrappedKey', async () => {
    const { update, updates } = await startWithDocument(derived);
    expect(await update(wrapping)).toMatchObject(
      refusal('VALIDATION_ERROR', { field: 'encryptionMetadata', constraint: 'wrappedKey' }),
    );
    expect(await updates()).toEqual([]);
  });

  test.each([
    [{ ...wrapping, salt: undefined }, 'encryptionMetadata.salt', 'dependentRequired'],
    [{ ...wrapping, wrappedKey: undefined }, 'encryptionMetadata.wrappedKey', 'required'],
    [{ ...wrapping, iv: 'AAAA' }, 'encryptionMetadata.iv', 'additionalProperties'],
    [{ ...wrapping, algorithm: 'none' }, 'encryptionMetadata.algorithm', 'additionalProperties'],
    [{ ...wrapping, iterations: 0 }, 'encryptionMetadata.iterations', 'minimum'],
    [{ ...wrapping, salt: '?' }, 'encryptionMetadata.salt', 'format'],
  ])('with %j returns 400 for %s', async (body, field, constraint) => {
    const { update } = await startWithDocument();
    expect(await update(body)).toMatchObject(refusal('VALIDATION_ERROR', { field, constraint }));
  });

  test('that makes the metadata larger than 16 KiB returns 400 maxBytes', async () => {
    const { update } = await startWithDocument({ ...encryptionMetadata, tag: 'a'.repeat(15_000) });
    const wrappedKey = 'AAAA'.repeat(1000);
    expect(await update({ ...wrapping, wrappedKey })).toMatchObject(
      refusal('VALIDATION_ERROR', { field: 'encryptionMetadata', constraint: 'maxBytes' }),
    );
  });

  test('works in GraphQL as in REST', async () => {
    const { developer, id, updates } = await startWithDocument();
    const query = `mutation ($id: ID!, $input: UpdateDocumentInput!) {
      updateDocument(id: $id, input: $input) { contentUrl encryptionMetadata { raw } }
    }`;
    const variables = { id, input: { encryptionMetadata: wrapping } };
    const { body } = await developer('POST', '/graphql', { body: { query, variables } });
    expect(body).toMatchObject({
      data: {
        updateDocument: {
          contentUrl: `/api/v1/documents/${id}/content`,
          encryptionMetadata: { raw: { ...encryptionMetadata, ...wrapping } },
        },
      },
    });
    expect(await updates()).toHaveLength(1);
  });
});
