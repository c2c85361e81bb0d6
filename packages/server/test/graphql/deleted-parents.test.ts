import { expect, onTestFinished, test, vi } from 'vitest';
import { ask, dataOf, refusedWith } from '../support/graphql/asking.ts';
import { newDocument, newShare, newVault } from '../support/resources.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { listen } from '../support/webhook-events.ts';

// Another request deletes an object between the batch that read it and the batch of its nested list.

/** Runs `change` before the next batch of these objects is read. */
function beforeBatchOf(
  { store }: TestServer,
  objects: 'vaults' | 'documents' | 'webhooks',
  change: () => Promise<unknown>,
): void {
  const repository: { findMany(ids: readonly string[]): Promise<unknown> } = store[objects];
  const findMany = repository.findMany;
  const spy = vi.spyOn(repository, 'findMany').mockImplementationOnce(async (ids) => {
    await change();
    return findMany.call(repository, ids);
  });
  onTestFinished(() => spy.mockRestore());
}

/** A store lists each vault alone when a filter would scan too many documents. */
const cases = [
  { filter: '', isListedAlone: false },
  { filter: '(search: "a")', isListedAlone: false },
  { filter: '(search: "a")', isListedAlone: true },
];

const empty = { data: [], pagination: { totalCount: 0 } };

test('a vault that was deleted meanwhile has no documents, and the others have theirs', async () => {
  const server = await startTestServer();
  const { developer } = server;
  const kept = await newVault(developer, { name: 'Kept' });
  await newDocument(developer, kept.id, 'x', { fileName: 'a.pdf' });
  for (const { filter, isListedAlone } of cases) {
    const gone = await newVault(developer, { name: 'Gone' });
    await newDocument(developer, gone.id, 'x', { fileName: 'a.pdf' });
    beforeBatchOf(server, 'vaults', () => developer('DELETE', `/api/v1/vaults/${gone.id}`));
    const listOfEach = vi.spyOn(server.store.documents, 'listOfEach').mockClear();
    if (isListedAlone) listOfEach.mockResolvedValueOnce(undefined);
    const query = `{ vaults(sortBy: name) {
      data { name documents${filter} { data { fileName } pagination { totalCount } } }
    } }`;
    expect((await dataOf(developer, query)).vaults.data).toEqual([
      { name: 'Gone', documents: empty },
      { name: 'Kept', documents: { data: [{ fileName: 'a.pdf' }], pagination: { totalCount: 1 } } },
    ]);
    expect(listOfEach).toHaveBeenCalledOnce();
  }
});

test('a document that was deleted meanwhile has no shares', async () => {
  const server = await startTestServer();
  const { developer } = server;
  const vault = await newVault(developer);
  const { id } = await newDocument(developer, vault.id, 'x', { fileName: 'a.pdf' });
  await newShare(developer, id);
  beforeBatchOf(server, 'documents', () => developer('DELETE', `/api/v1/documents/${id}`));
  const query =
    '{ documents { data { fileName shares { data { id } pagination { totalCount } } } } }';
  const { documents } = await dataOf(developer, query);
  expect(documents.data).toEqual([{ fileName: 'a.pdf', shares: empty }]);
});

test('a webhook that was deleted meanwhile has no deliveries', async () => {
  const server = await startTestServer();
  const { developer } = server;
  const { path } = await listen({ server, call: developer });
  await newVault(developer);
  await server.settled();
  beforeBatchOf(server, 'webhooks', () => developer('DELETE', path));
  const query = '{ webhooks { data { deliveries { data { id } pagination { totalCount } } } } }';
  expect((await dataOf(developer, query)).webhooks.data).toEqual([{ deliveries: empty }]);
});

test('the vault of a document that was deleted meanwhile is NOT_FOUND', async () => {
  const server = await startTestServer();
  const { developer } = server;
  const vault = await newVault(developer);
  const { id } = await newDocument(developer, vault.id, 'x');
  beforeBatchOf(server, 'vaults', async () => {
    await developer('DELETE', `/api/v1/documents/${id}`);
    await developer('DELETE', `/api/v1/vaults/${vault.id}`);
  });
  const reply = await ask(developer, '{ documents { data { vault { name } } } }');
  expect(reply).toMatchObject(refusedWith(200, 'NOT_FOUND', { vaultId: vault.id }));
});
