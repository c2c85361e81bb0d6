import fc from 'fast-check';
import { expect, test } from 'vitest';
import { command } from './support/command-line.ts';
import { dataFolder, usedBytes } from './support/data-folder.ts';
import { documentOf } from './support/resources.ts';
import { type Account, type Reply, startTestServer, type TestServer } from './support/server.ts';

// Random operations of several accounts, some concurrent, while some accounts are deleted.

interface Resource {
  readonly id: string;
  readonly vaultId: string;
  readonly sizeBytes: number;
  readonly documentCount: number;
  readonly totalSize: number;
}

/** An account with the ids of all it has created, deleted ones included. */
interface Member {
  account: Account;
  vaultIds: string[];
  documentIds: string[];
}

const kinds = ['createVault', 'upload', 'move', 'rename', 'deleteDocument', 'deleteVault'] as const;

const step = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('upload', 'createVault') },
    { weight: 6, arbitrary: fc.constantFrom(...kinds) },
    { weight: 1, arbitrary: fc.constant('deleteAccount' as const) },
  ),
  member: fc.nat(2),
  pick: fc.nat(30),
  to: fc.nat(30),
  size: fc.nat(40),
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Batches of concurrent steps. */
const batches = fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), {
  minLength: 2,
  maxLength: 8,
});

const chosen = (ids: readonly string[], index: number) => ids[index % ids.length] ?? 'unknown';

function send({ account, vaultIds, documentIds }: Member, step: Step): Promise<Reply> {
  const { call, password } = account;
  const vault = `/api/v1/vaults/${chosen(vaultIds, step.pick)}`;
  const document = `/api/v1/documents/${chosen(documentIds, step.pick)}`;
  const vaultId = chosen(vaultIds, step.to);
  const content = Buffer.alloc(step.size, 1);
  switch (step.kind) {
    case 'createVault':
      return call('POST', '/api/v1/vaults', { body: { name: 'Taxes' } });
    case 'upload':
      return call('POST', '/api/v1/documents', { body: documentOf(vaultId, content) });
    case 'move':
      return call('PUT', document, { body: { vaultId } });
    case 'rename':
      return call('PUT', document, { body: { fileName: `${step.to}` } });
    case 'deleteDocument':
      return call('DELETE', document);
    case 'deleteVault':
      return call('DELETE', vault);
    case 'deleteAccount':
      return call('DELETE', '/api/v1/users/me', { body: { password } });
  }
}

/** Takes a step, which may fail because of others, and returns whether it deleted the account. */
async function take(member: Member, step: Step): Promise<boolean> {
  const { status, body } = await send(member, step);
  expect([200, 201, 204, 401, 404], `${step.kind}: ${JSON.stringify(body)}`).toContain(status);
  if (status === 201) {
    (step.kind === 'upload' ? member.documentIds : member.vaultIds).push(body.id);
  }
  return step.kind === 'deleteAccount' && status === 204;
}

/** All items of an account's list. */
async function all({ account }: Member, path: string): Promise<Resource[]> {
  const { status, body } = await account.call('GET', `${path}?pageSize=100`);
  expect(status).toBe(200);
  expect(body.pagination.totalPages).toBeLessThanOrEqual(1);
  expect(body.pagination.totalCount).toBe(body.data.length);
  return body.data;
}

const sum = (items: readonly Resource[], of: (item: Resource) => number) =>
  items.reduce((total, item) => total + of(item), 0);

/** Counts an account's vaults and documents, and compares the counters of the vaults. */
async function recount(member: Member) {
  const [vaults, documents] = [
    await all(member, '/api/v1/vaults'),
    await all(member, '/api/v1/documents'),
  ];
  for (const { id, documentCount, totalSize } of vaults) {
    const inside = documents.filter(({ vaultId }) => vaultId === id);
    expect({ documentCount, totalSize }).toEqual({
      documentCount: inside.length,
      totalSize: sum(inside, ({ sizeBytes }) => sizeBytes),
    });
  }
  const known = new Set(vaults.map(({ id }) => id));
  for (const { vaultId } of documents) expect(known).toContain(vaultId);
  return {
    vaults: vaults.length,
    documents: documents.length,
    usedBytes: sum(documents, ({ sizeBytes }) => sizeBytes),
  };
}

/** Compares the counters of the instance with the sums over its accounts. */
async function compareInstance({ store, clock }: TestServer, members: readonly Member[]) {
  const total = { vaults: 0, documents: 0, usedBytes: 0 };
  for (const member of members) {
    const { vaults, documents, usedBytes } = await recount(member);
    total.vaults += vaults;
    total.documents += documents;
    total.usedBytes += usedBytes;
  }
  const all = { instanceId: null, userId: null, now: clock.now() };
  expect(await store.instances.figures(all)).toMatchObject([total]);
  return total;
}

test('vault and instance counters equal a recount after concurrent changes and account deletions', async () => {
  const data = await dataFolder();
  const server = await startTestServer({
    data,
    requestsPerMinute: { enterprise: 1_000_000 },
    requestsPerHour: { enterprise: 1_000_000 },
  });
  let signUps = 0;
  const newMember = async (): Promise<Member> => {
    signUps += 1;
    const account = await server.signUp(`member-${signUps}@example.com`);
    return { account, vaultIds: [], documentIds: [] };
  };
  let members: Member[] = [];
  let total = { vaults: 0, documents: 0, usedBytes: 0 };

  await fc.assert(
    fc.asyncProperty(batches, async (plan) => {
      for (const { account } of members) {
        await account.call('DELETE', '/api/v1/users/me', { body: { password: account.password } });
      }
      members = [await newMember(), await newMember(), await newMember()];
      for (const batch of plan) {
        const left = await Promise.all(
          batch.map(async (each) => {
            const member = members[each.member];
            return member && (await take(member, each)) ? each.member : undefined;
          }),
        );
        for (const index of left) if (index !== undefined) members[index] = await newMember();
        total = await compareInstance(server, members);
      }
    }),
    { numRuns: 8, endOnFailure: true },
  );

  await server.close();
  expect(usedBytes(data)).toBe(total.usedBytes);
  // The doctor command also checks tables that no list shows.
  expect(await command(['doctor', '--data', data])).toMatchObject({ code: 0, err: '' });
});
