import { beforeEach, describe, expect, test } from 'vitest';
import { contractOperations, type Operation } from '../src/contract/contract.ts';
import { comparable, filled, refusal } from './support/front-door.ts';
import { createResources, pathWithIds, type ResourceIds } from './support/owned-resources.ts';
import { exampleBody, exampleBytes } from './support/request-fields.ts';
import { documentOf, newDocument, newKey, newVault } from './support/resources.ts';
import { type Caller, type Reply, startTestServer, type TestServer } from './support/server.ts';

// Generated from the contract: calls every operation as an account that does not own the objects.

let server: TestServer;
let owner: Caller;
let stranger: Caller;
let resources: ResourceIds;

beforeEach(async () => {
  server = await startTestServer({ requestsPerMinute: { enterprise: 100_000 } });
  owner = (await server.signUp('owner@example.com')).call;
  stranger = (await server.signUp('stranger@example.com')).call;
  resources = await createResources(server, owner);
});

/** Operations that any signed-in account may call with the token or the ticket of a share. */
const shared: readonly string[] = ['openShare', 'getSharedContent'];

function send(call: Caller, operation: Operation, path: string): Promise<Reply> {
  const isBytes = operation.body === 'bytes';
  const body =
    operation.body === 'none' ? undefined : isBytes ? exampleBytes : exampleBody(operation);
  return call(operation.method.toUpperCase(), path, { body });
}

/** Everything that the owner can read of the owner's objects. */
async function everything(): Promise<Record<string, unknown>> {
  const state: Record<string, unknown> = {};
  for (const operation of contractOperations) {
    if (operation.method !== 'get' || operation.id === 'openShare') continue;
    const path = operation.path.includes('{') ? pathWithIds(resources, operation) : operation.path;
    if (path === undefined || operation.id === 'searchVaults') continue;
    if (operation.path.startsWith('/api/v1/instances')) continue;
    const reply = await owner('GET', path);
    // A cursor moves on with the events of all accounts, and shows nothing of them.
    if (operation.id === 'listEvents') delete reply.body.cursor;
    state[operation.id] = comparable(reply);
  }
  return state;
}

describe('objects of another account', () => {
  /** Operations of administrators return 403 to both accounts. */
  const reaching = contractOperations.filter(
    ({ path, schemes }) => path.includes('{') && !schemes.get('bearer')?.includes('admin:*'),
  );

  test('every path returns NOT_FOUND and changes nothing', async () => {
    const before = await everything();
    const tried: string[] = [];
    for (const operation of reaching) {
      const path = pathWithIds(resources, operation);
      if (path === undefined || shared.includes(operation.id)) continue;
      const reply = await send(stranger, operation, path);
      expect(reply, operation.id).toMatchObject(refusal('NOT_FOUND'));
      tried.push(operation.id);
    }
    expect(tried).toHaveLength(reaching.length - 6);
    await server.settled();
    expect(await everything()).toEqual(before);
  });

  test('the response is the same as for an object that does not exist', async () => {
    for (const operation of reaching) {
      const path = pathWithIds(resources, operation);
      if (path === undefined || shared.includes(operation.id)) continue;
      const theirs = comparable(await send(stranger, operation, path));
      const nowhere = comparable(await send(stranger, operation, filled(operation.path)));
      const anonymised = JSON.stringify(theirs).replaceAll(
        /[0-9a-f]{8}-[0-9a-f-]{27}|(dlv|evt|key)_[0-9a-f]{32}/g,
        'unknown',
      );
      expect(anonymised, operation.id).toBe(JSON.stringify(nowhere));
    }
  });

  test('lists, counts and searches do not contain them', async () => {
    const secrets = Object.values(resources);
    for (const operation of contractOperations) {
      if (operation.method !== 'get' || operation.path.includes('{')) continue;
      const reply = await stranger('GET', `${operation.path}?search=owner`);
      const text = JSON.stringify(reply.body);
      for (const secret of secrets) expect(text, operation.id).not.toContain(secret);
      expect(text, operation.id).not.toContain('f-the-owner');
      expect(text, operation.id).not.toContain('Of the owner');
      const page = reply.body.pagination;
      // The only session and events that the stranger sees are the stranger's own.
      const shared = ['listInstances', 'listSessions', 'listEvents'];
      if (page && !shared.includes(operation.id)) expect(page.totalCount, operation.id).toBe(0);
    }
  });

  test('documents cannot be created in, moved to or moved out of a vault of another account', async () => {
    const { vaultId } = resources;
    const before = await everything();
    const own = await newVault(stranger);
    const document = await newDocument(stranger, own.id);
    for (const reply of [
      await stranger('POST', '/api/v1/documents', { body: documentOf(vaultId, 'x') }),
      await stranger('PUT', `/api/v1/documents/${document.id}`, { body: { vaultId } }),
      await stranger('PUT', `/api/v1/documents/${resources.documentId}`, {
        body: { vaultId: own.id },
      }),
    ]) {
      expect(reply).toMatchObject(refusal('NOT_FOUND'));
    }
    expect(await everything()).toEqual(before);
    const kept = await stranger('GET', `/api/v1/documents/${document.id}`);
    expect(kept.body).toMatchObject({ vaultId: own.id });
  });

  test('API keys of another account return NOT_FOUND too', async () => {
    const { key } = await newKey(stranger, [
      'vaults:read',
      'documents:read',
      'documents:share',
      'webhooks:read',
      'consents:write',
    ]);
    const call = server.withKey(key);
    for (const path of [
      `/api/v1/vaults/${resources.vaultId}`,
      `/api/v1/documents/${resources.documentId}`,
      `/api/v1/documents/${resources.documentId}/shares`,
      `/webhooks/${resources.webhookId}`,
    ]) {
      expect(await call('GET', path), path).toMatchObject(refusal('NOT_FOUND'));
    }
  });
});
