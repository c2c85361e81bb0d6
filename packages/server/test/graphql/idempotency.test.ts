import { describe, expect, test } from 'vitest';
import { ask, dataOf, invalid, refusedWith } from '../support/graphql/asking.ts';
import { newDocument, newVault } from '../support/resources.ts';
import { type Caller, startTestServer } from '../support/server.ts';
import { listen } from '../support/webhook-events.ts';

const create = 'mutation { createVault(input: { name: "Taxes" }) { id name } }';
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

async function countVaults(call: Caller): Promise<number> {
  return (await dataOf(call, '{ vaults { pagination { totalCount } } }')).vaults.pagination
    .totalCount;
}

describe('mutation with an Idempotency-Key', () => {
  test('a repeated mutation is executed once and returns the same data', async () => {
    const server = await startTestServer();
    const { developer } = server;
    const first = await ask(developer, create, keyed('a'));
    expect(first.headers.has('idempotency-replayed')).toBe(false);
    const again = await ask(developer, create, keyed('a'));
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body.data).toEqual(first.body.data);
    expect((await ask(developer, create, keyed('b'))).body.data).not.toEqual(first.body.data);
    expect(await countVaults(developer)).toBe(2);
    expect((await server.events()).map(({ type }) => type).slice(1)).toEqual([
      'vault.created',
      'vault.created',
    ]);
  });

  test('concurrent repetitions are executed once', async () => {
    const { developer } = await startTestServer();
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => ask(developer, create, keyed('a'))),
    );
    expect(new Set(replies.map(({ body }) => body.data.createVault.id)).size).toBe(1);
    expect(await countVaults(developer)).toBe(1);
  });

  test('a rejected mutation is replayed, and its key with another body returns reuse', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const document = await newDocument(developer, vault.id);
    const move = `mutation { updateDocument(id: "${document.id}", input: { vaultId: "unknown" }) { id } }`;
    const refused = await ask(developer, move, keyed('a'));
    expect(refused).toMatchObject(refusedWith(200, 'NOT_FOUND', { vaultId: 'unknown' }));
    const again = await ask(developer, move, keyed('a'));
    expect(again).toMatchObject(refusedWith(200, 'NOT_FOUND', { vaultId: 'unknown' }));
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const details = { field: 'Idempotency-Key', constraint: 'reuse' };
    expect(await ask(developer, create, keyed('a'))).toMatchObject(
      refusedWith(200, 'VALIDATION_ERROR', details),
    );
    expect(await countVaults(developer)).toBe(1);
  });

  test('the outcome of an administrator is not replayed after the account lost the role', async () => {
    const server = await startTestServer();
    const { developer } = server;
    const ada = await server.signUp('ada@example.com');
    const setRole = (role: 'user' | 'admin') =>
      server.store.transaction(async (tx) => {
        const user = await tx.users.find(ada.userId);
        if (user) await tx.users.save({ ...user, role });
      });
    const { id } = await newDocument(developer, (await newVault(developer)).id);
    const rename = `mutation { updateDocument(id: "${id}", input: { fileName: "b.pdf" }) { fileName } }`;

    await setRole('admin');
    const admin = await server.signIn(ada);
    const first = await ask(admin, rename, keyed('a'));
    expect(first.body.data.updateDocument).toEqual({ fileName: 'b.pdf' });
    expect((await ask(admin, rename, keyed('a'))).body.data).toEqual(first.body.data);

    await setRole('user');
    const refused = await ask(admin, rename, keyed('a'));
    const details = { field: 'Idempotency-Key', constraint: 'reuse' };
    expect(refused).toMatchObject(refusedWith(200, 'VALIDATION_ERROR', details));
    expect(JSON.stringify(refused.body)).not.toContain('b.pdf');
    expect(await ask(admin, rename, keyed('b'))).toMatchObject(refusedWith(200, 'NOT_FOUND'));
  });

  test('each change of an operation is executed once', async () => {
    const { developer } = await startTestServer();
    const several = `mutation {
      a: createVault(input: { name: "A" }) { id }
      b: updateVault(id: "unknown", input: { name: "B" }) { id }
    }`;
    for (const replayed of [null, 'true']) {
      const { body, headers } = await ask(developer, several, keyed('a'));
      expect(body).toMatchObject({ data: null, errors: [{ path: ['b'] }] });
      expect(headers.get('idempotency-replayed')).toBe(replayed);
    }
    expect(await countVaults(developer)).toBe(1);
  });

  test('replayed data contains the token of a share and the id of a deleted object', async () => {
    const server = await startTestServer();
    const { developer } = server;
    const vault = await newVault(developer);
    const { id } = await newDocument(developer, vault.id);
    const share = `mutation { shareDocument(documentId: "${id}") { id shareToken } }`;
    const { data } = (await ask(developer, share, keyed('share'))).body;
    expect((await ask(developer, share, keyed('share'))).body.data).toEqual(data);
    const webhook = await listen({ server, call: developer });
    for (const [field, gone] of [
      ['deleteVault', vault.id],
      ['deleteWebhook', webhook.id],
    ]) {
      const remove = `mutation { ${field}(id: "${gone}") }`;
      for (const replayed of [null, 'true']) {
        const { body, headers } = await ask(developer, remove, keyed(`${field}`));
        expect(body.data).toEqual({ [`${field}`]: gone });
        expect(headers.get('idempotency-replayed')).toBe(replayed);
      }
    }
  });

  test('a repeated shareDocument returns usable instead of the token after the share is revoked', async () => {
    const { developer } = await startTestServer();
    const { id } = await newDocument(developer, (await newVault(developer)).id);
    const share = `mutation { shareDocument(documentId: "${id}") { id shareToken } }`;
    const first = (await ask(developer, share, keyed('share'))).body.data.shareDocument;
    await developer('DELETE', `/api/v1/documents/${id}/shares/${first.id}`);
    const again = await ask(developer, share, keyed('share'));
    const details = { field: 'Idempotency-Key', constraint: 'usable' };
    expect(again).toMatchObject(refusedWith(200, 'VALIDATION_ERROR', details));
    expect(JSON.stringify(again.body)).not.toContain(first.shareToken);
    expect(again.headers.has('idempotency-replayed')).toBe(false);
  });

  test('an invalid key returns the same error as over REST', async () => {
    const { developer } = await startTestServer();
    const key = 'x'.repeat(256);
    const rest = await developer('POST', '/api/v1/vaults', { body: { name: 'x' }, ...keyed(key) });
    const { field, constraint } = rest.body.error.details;
    expect(await ask(developer, create, keyed(key))).toMatchObject(invalid(field, constraint));
    expect(await countVaults(developer)).toBe(0);
  });
});

test('a query with an Idempotency-Key is executed every time', async () => {
  const { developer } = await startTestServer();
  const query = '{ vaults { pagination { totalCount } } }';
  await ask(developer, query, keyed('a'));
  await newVault(developer);
  const { body, headers } = await ask(developer, query, keyed('a'));
  expect(body.data.vaults.pagination.totalCount).toBe(1);
  expect(headers.has('idempotency-replayed')).toBe(false);
});

test('REST and GraphQL do not share keys', async () => {
  const { developer } = await startTestServer();
  await developer('POST', '/api/v1/vaults', { body: { name: 'x' }, ...keyed('a') });
  await dataOf(developer, create, keyed('a'));
  expect(await countVaults(developer)).toBe(2);
});
