import type { ApiError, DocumentVault } from '@document-vault/sdk';
import type { FaultKinds, NewTestAccount, OperationId } from '@document-vault/testing';
import { describe, expect, test } from 'vitest';
import {
  clientOf,
  failure,
  keyClient,
  type Scenario,
  type Service,
  withKit,
  withServer,
} from './support/both-services.ts';
import { document } from './support/content-scenarios.ts';

// Uploads and contents with injected faults and near the limits of a tier. The results of the test kit and the
// test server must be equal.

const ciphertext = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
const { encryptedData: _, ...described } = document;
const mebibyte = 1024 ** 2;

/** Uploads the ciphertext and makes a document of it. */
async function uploadedDocument(client: DocumentVault, vaultId: string): Promise<string> {
  const sizeBytes = ciphertext.length;
  const { id } = await client.uploads.create({ vaultId, sizeBytes });
  await client.uploads.putPart(id, 0, ciphertext);
  await client.documents.create({ ...described, vaultId, sizeBytes, uploadId: id });
  return id;
}

async function read({ stream }: { readonly stream: ReadableStream<Uint8Array> }) {
  return [...new Uint8Array(await new Response(stream as BodyInit).arrayBuffer())];
}

const codeOf = (error: ApiError) => error.code ?? error.name;

/** Ways to use an operation with bytes. */
const uses: Partial<Record<OperationId, (service: Service) => Promise<() => Promise<unknown>>>> = {
  async uploadPart(service) {
    const { id: vaultId } = await service.account.createVault();
    const client = keyClient(service, { maxRetries: 2 });
    const { id } = await client.uploads.create({ vaultId, sizeBytes: ciphertext.length });
    return async () => {
      const outcome = await client.uploads.putPart(id, 0, ciphertext).then(() => 'sent', codeOf);
      return { outcome, parts: (await client.uploads.get(id)).parts };
    };
  },

  async getDocumentContent(service) {
    const { id: vaultId } = await service.account.createVault();
    const client = keyClient(service, { maxRetries: 2 });
    const id = await uploadedDocument(client, vaultId);
    return () => client.documents.content(id).then(read).catch(codeOf);
  },

  async getSharedContent(service) {
    const { id: vaultId } = await service.account.createVault();
    const client = keyClient(service, { maxRetries: 2 });
    const id = await uploadedDocument(client, vaultId);
    const { shareToken } = await client.shares.create(id, { access: 'anyone' });
    const { contentUrl } = await client.shares.open(shareToken);
    return async () => {
      const outcome = await client.shares.content(contentUrl).then(read).catch(codeOf);
      return { outcome, shares: (await client.shares.list(id)).data.map((one) => one.accessCount) };
    };
  },
};

const faults: [keyof FaultKinds, object][] = [
  ['rateLimit', { retryAfter: 2 }],
  ['error', {}],
  ['error', { times: 3 }],
  ['error', { code: 'VALIDATION_ERROR', details: { field: 'Content-Digest' } }],
  ['networkError', {}],
  ['networkError', { when: 'after' }],
  ['truncate', {}],
];

const scenarios: Record<string, Scenario> = {};

for (const [operation, begin] of Object.entries(uses)) {
  for (const [kind, options] of faults) {
    scenarios[`${operation} with the fault ${kind} ${JSON.stringify(options)}`] = async (
      service,
    ) => {
      const use = await begin(service);
      const fault = service.fault(kind, { ...options, operations: operation as OperationId });
      return [await use(), fault.calls];
    };
  }
}

async function limited(service: Service, account: NewTestAccount = { tier: 'free' }) {
  const owner = await service.createAccount(account);
  const client = clientOf(service, { apiKey: owner.apiKey });
  const create = (vaultId: string, sizeBytes: number) => {
    // The server limits the requests of a minute.
    service.clock.advance(60_000);
    return client.uploads.create({ vaultId, sizeBytes });
  };
  const message = async (call: Promise<unknown>) => {
    const error = await call.catch((reason: ApiError) => reason);
    return [(error as ApiError).message, await failure(Promise.reject(error))];
  };
  return { owner, client, create, message };
}

Object.assign(scenarios, {
  async 'the quota of a vault with open uploads'(service) {
    const { owner, client, create, message } = await limited(service);
    const { id: vaultId } = await owner.createVault();
    const { id: otherVault } = await owner.createVault();
    const { id } = await create(vaultId, 100 * mebibyte - 8);
    const nine = { ...described, encryptedData: 'AAAAAAAAAAAA', sizeBytes: 9 };
    const moved = await client.documents.create({ ...nine, vaultId: otherVault });
    const failures = [
      await message(create(vaultId, 9)),
      await message(client.documents.create({ ...nine, vaultId })),
      await message(client.documents.update(moved.id, { vaultId })),
    ];
    await uploadedDocument(client, vaultId);
    failures.push(await message(create(vaultId, 1)));
    await client.uploads.delete(id);
    await create(vaultId, 100 * mebibyte - 8);
    const { totalSize, documentCount } = await client.vaults.get(vaultId);
    const { usage } = await client.users.me();
    return { failures, totalSize, documentCount, usage };
  },

  async 'the bytes of an account with open uploads'(service) {
    const { owner, client, create, message } = await limited(service);
    const vaults: string[] = [];
    for (let vault = 0; vault < 11; vault++) vaults.push((await owner.createVault()).id);
    const [last = '', ...others] = vaults;
    for (const vaultId of others) await create(vaultId, 100 * mebibyte);
    const { usage } = await client.users.me();
    const left = usage.bytes.limit - usage.bytes.used;
    const failures = [await message(create(last, left + 1))];
    await create(last, left);
    const document = { ...described, vaultId: last, encryptedData: '', sizeBytes: 0 };
    failures.push(await message(client.documents.create(document)));
    return { left, failures, usage: (await client.users.me()).usage };
  },

  async 'the number of open uploads'(service) {
    const { owner, create, message } = await limited(service, { tier: 'paid' });
    const { id: vaultId } = await owner.createVault();
    for (let open = 0; open < 20; open++) await create(vaultId, 1);
    return message(create(vaultId, 1));
  },

  async 'the quota of an instance'(service) {
    const { create, message, owner } = await limited(service, { tier: 'enterprise' });
    const { apiKey } = await service.createAccount({ role: 'admin', scopes: ['admin:*'] });
    const admin = clientOf(service, { apiKey });
    const [instance] = (await admin.instances.list()).data;
    await admin.instances.update(instance?.id ?? '', { quotaBytes: 8 });
    const { id: vaultId } = await owner.createVault();
    const failures = [await message(create(vaultId, 9))];
    await create(vaultId, 8);
    await create(vaultId, 8);
    return failures;
  },
} satisfies Record<string, Scenario>);

describe('the test kit and the test server treat uploads and contents alike', () => {
  test.each(Object.entries(scenarios))('%s gives the same results', async (_, scenario) => {
    const expected = await withServer(scenario);
    expect(expected).toBeDefined();
    expect(await withKit(scenario)).toEqual(expected);
  });
});
