import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dataFolder, usedBytes } from './support/data-folder.ts';
import { documentOf, newVault } from './support/resources.ts';
import { type Caller, startTestServer } from './support/server.ts';

interface Document {
  readonly id: string;
  readonly vaultId: string;
  readonly sizeBytes: number;
}

/** The expected state. */
interface Model {
  readonly vaultIds: string[];
  readonly documents: Map<string, Document>;
}

/** One operation; `pick` and `to` are indexes into the existing resources. */
type Step =
  | { readonly kind: 'createVault' }
  | { readonly kind: 'deleteVault'; readonly pick: number }
  | {
      readonly kind: 'upload';
      readonly pick: number;
      readonly size: number;
      readonly wrongSize: boolean;
    }
  | { readonly kind: 'move'; readonly pick: number; readonly to: number }
  | { readonly kind: 'rename'; readonly pick: number }
  | { readonly kind: 'deleteDocument'; readonly pick: number };

const pick = fc.nat(30);

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('createVault' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('deleteVault' as const), pick }) },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('upload' as const),
        pick,
        size: fc.nat(50),
        wrongSize: fc.boolean(),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('move' as const), pick, to: pick }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('rename' as const), pick }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('deleteDocument' as const), pick }) },
  ),
  { minLength: 10, maxLength: 30 },
);

function chosen<Item>(items: Iterable<Item>, index: number): Item | undefined {
  const all = [...items];
  return all[index % all.length];
}

async function upload(call: Caller, model: Model, step: Step & { kind: 'upload' }): Promise<void> {
  const vaultId = chosen(model.vaultIds, step.pick);
  if (vaultId === undefined) return;
  const content = Buffer.alloc(step.size, 1);
  const fields = step.wrongSize ? { sizeBytes: step.size + 1 } : {};
  const { status, body } = await call('POST', '/api/v1/documents', {
    body: documentOf(vaultId, content, fields),
  });
  expect(status).toBe(step.wrongSize ? 400 : 201);
  if (!step.wrongSize) model.documents.set(body.id, body);
}

async function change(call: Caller, document: Document, body: object): Promise<Document> {
  const changed = await call('PUT', `/api/v1/documents/${document.id}`, { body });
  expect(changed.status).toBe(200);
  return changed.body;
}

async function take(call: Caller, model: Model, step: Step): Promise<void> {
  if (step.kind === 'createVault') {
    model.vaultIds.push((await newVault(call)).id);
  } else if (step.kind === 'upload') {
    await upload(call, model, step);
  } else if (step.kind === 'deleteVault') {
    const vaultId = chosen(model.vaultIds, step.pick);
    if (vaultId === undefined) return;
    expect((await call('DELETE', `/api/v1/vaults/${vaultId}`)).status).toBe(204);
    model.vaultIds.splice(model.vaultIds.indexOf(vaultId), 1);
    for (const { id, ...document } of model.documents.values()) {
      if (document.vaultId === vaultId) model.documents.delete(id);
    }
  } else {
    const document = chosen(model.documents.values(), step.pick);
    if (document === undefined) return;
    if (step.kind === 'deleteDocument') {
      expect((await call('DELETE', `/api/v1/documents/${document.id}`)).status).toBe(204);
      model.documents.delete(document.id);
    } else {
      const vaultId = step.kind === 'move' ? chosen(model.vaultIds, step.to) : undefined;
      const body = vaultId === undefined ? { fileName: `${step.pick}` } : { vaultId };
      model.documents.set(document.id, await change(call, document, body));
    }
  }
}

/** Documents and bytes of each vault, counted in the model. */
function recount({ vaultIds, documents }: Model) {
  return vaultIds.map((id) => {
    const inVault = [...documents.values()].filter(({ vaultId }) => vaultId === id);
    const totalSize = inVault.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    return { id, documentCount: inVault.length, totalSize };
  });
}

test('vault counters, list counts and used bytes equal a recount after random operations', async () => {
  const folder = await dataFolder();
  const limits = {
    requestsPerMinute: { enterprise: 100_000 },
    requestsPerHour: { enterprise: 100_000 },
  };
  const server = await startTestServer({ data: folder, ...limits });
  const { developer } = server;
  const model: Model = { vaultIds: [], documents: new Map() };
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      for (const step of sequence) await take(developer, model, step);
      for (const { id, ...counters } of recount(model)) {
        const { body } = await developer('GET', `/api/v1/vaults/${id}`);
        expect(body).toMatchObject(counters);
        const listed = await developer('GET', `/api/v1/documents?vaultId=${id}`);
        expect(listed.body.pagination.totalCount).toBe(counters.documentCount);
      }
    }),
    // Each sequence starts with the data of the previous one, so a failing one cannot be made smaller.
    { numRuns: 15, endOnFailure: true },
  );
  await server.close();
  const used = recount(model).reduce((sum, { totalSize }) => sum + totalSize, 0);
  expect(usedBytes(folder)).toBe(used);
});
