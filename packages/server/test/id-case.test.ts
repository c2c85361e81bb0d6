import { describe, expect, test } from 'vitest';
import { contractOperations } from '../src/contract/contract.ts';
import { createResources, pathWithIds, type ResourceIds } from './support/owned-resources.ts';
import { invalid } from './support/replies.ts';
import { documentOf, newDocument, newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The resources with their UUIDs in upper case; other ids and tokens stay. */
function inUpperCase(resources: ResourceIds): ResourceIds {
  return Object.fromEntries(
    Object.entries(resources).map(([name, id]) => [
      name,
      typeof id === 'string' && uuid.test(id) ? id.toUpperCase() : id,
    ]),
  ) as unknown as ResourceIds;
}

describe('UUIDs in upper case', () => {
  test('in the path of every GET return the resource, with its ids in lower case', async () => {
    const server = await startTestServer();
    const { call } = await server.signUp('ada@example.com');
    const resources = await createResources(server, call);
    const ids = inUpperCase(resources);
    let tried = 0;
    for (const operation of contractOperations.filter(({ method }) => method === 'get')) {
      const path = pathWithIds(ids, operation);
      if (!path || path === pathWithIds(resources, operation)) continue;
      // Of administrators.
      if (operation.id === 'getUser') continue;
      tried += 1;
      const { status, body } = await call('GET', path);
      expect(status, operation.id).toBe(200);
      const text = Buffer.isBuffer(body) ? '' : JSON.stringify(body);
      expect(text, operation.id).not.toMatch(/[0-9A-F]{8}-[0-9A-F]{4}-7/);
    }
    expect(tried).toBeGreaterThan(8);
  });

  test('in query, body and GraphQL arguments name the same resources', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const other = await newVault(developer, { name: 'Other' });
    const upper = vault.id.toUpperCase();
    const id = '01999999-ABCD-7DEF-8ABC-0123456789AB';
    const created = await newDocument(developer, upper, 'ciphertext', { id });
    expect(created).toMatchObject({ id: id.toLowerCase(), vaultId: vault.id });
    const taken = { body: documentOf(vault.id, 'ciphertext', { id: id.toLowerCase() }) };
    const again = await developer('POST', '/api/v1/documents', taken);
    expect(again).toMatchObject(invalid('id', 'unique'));

    const list = await developer('GET', `/api/v1/documents?vaultId=${upper}`);
    expect(list.body.data).toHaveLength(1);
    const { body: me } = await developer('GET', '/api/v1/users/me');
    const own = await developer('GET', `/api/v1/vaults?account=${me.id.toUpperCase()}`);
    expect(own.body.data).toHaveLength(2);

    const query = `query ($id: ID!) {
      vault(id: $id) { id documents { data { id } } }
      documents(vaultId: $id) { data { id } }
      literal: vault(id: "${upper}") { id }
    }`;
    const { body } = await developer('POST', '/graphql', {
      body: { query, variables: { id: upper } },
    });
    const documents = { data: [{ id: created.id }] };
    expect(body.data).toEqual({
      vault: { id: vault.id, documents },
      documents,
      literal: { id: vault.id },
    });

    const moved = await developer('PUT', `/api/v1/documents/${id}`, {
      body: { vaultId: other.id.toUpperCase() },
    });
    expect(moved.body).toMatchObject({ id: created.id, vaultId: other.id });
    const upload = await developer('POST', '/api/v1/uploads', {
      body: { vaultId: upper, sizeBytes: 1 },
    });
    expect(upload.body).toMatchObject({ vaultId: vault.id });
  });
});
