import { beforeEach, expect, test } from 'vitest';
import { contractOperations } from '../src/contract/contract.ts';
import { userScopes } from '../src/domain/access.ts';
import { startWithAdministrator } from './support/administrator.ts';
import { everyRow, madeOnce, makeAdmin } from './support/data-folder.ts';
import { type EveryRequest, everyRequest } from './support/every-request.ts';
import { refusal } from './support/front-door.ts';
import { createResources } from './support/owned-resources.ts';
import { newKey } from './support/resources.ts';
import { startTestServer } from './support/server.ts';

// The scopes of every operation, written by hand and compared with real requests.

const table: Readonly<Record<string, readonly string[]>> = {
  'vaults:read': ['listVaults', 'getVault', 'searchVaults'],
  'vaults:write': ['createVault', 'updateVault', 'updateVaultKeys', 'deleteVault'],
  'documents:read': [
    'listDocuments',
    'getDocument',
    'getDocumentContent',
    'getKeyring',
    'listVaultKeys',
  ],
  'documents:write': [
    'createDocument',
    'updateDocument',
    'deleteDocument',
    'createUpload',
    'getUpload',
    'uploadPart',
    'deleteUpload',
  ],
  'documents:share': [
    'shareDocument',
    'listDocumentShares',
    'openShare',
    'getSharedContent',
    'listShareAccesses',
    'revokeDocumentShare',
  ],
  'instances:read': [
    'listInstances',
    'getInstance',
    'getInstanceHealth',
    'getInstanceStatistics',
    'getInstanceHistory',
  ],
  'instances:write': ['createInstance', 'updateInstance'],
  'users:read': ['getCurrentUser'],
  'users:write': ['updateKeyring', 'updateCurrentUser', 'deleteCurrentUser'],
  'webhooks:read': [
    'listWebhooks',
    'getWebhook',
    'listDeliveries',
    'getDelivery',
    'listEvents',
    'getEvent',
  ],
  'webhooks:write': [
    'createWebhook',
    'updateWebhook',
    'rotateWebhookSecret',
    'testWebhook',
    'retryFailedDeliveries',
    'retryDelivery',
    'deleteWebhook',
  ],
  'consents:read': ['listConsents'],
  'consents:write': ['createConsent', 'updateConsent'],
  'admin:*': [
    'listApiKeys',
    'createApiKey',
    'revokeApiKey',
    'listOAuthClients',
    'createOAuthClient',
    'getOAuthClient',
    'updateOAuthClient',
    'rotateOAuthClientSecret',
    'deleteOAuthClient',
    'listUsers',
    'getUser',
    'administerUser',
  ],
};

/** Operations that require no scope. */
const free = ['register', 'login', 'refresh', 'logout', 'getJwks', 'getOpenApiDocument'];

/** Operations of a signed-in user. API keys cannot call them. */
const signedIn = ['listSessions', 'endSession', 'endOtherSessions'];

let prepared: Awaited<ReturnType<typeof prepare>>;
beforeEach(async () => {
  prepared = await prepare();
});

/** Creates an administrator, one of each resource, and two keys for every scope: it alone, and all others. */
const prepare = madeOnce(async () => {
  const first = await startWithAdministrator({ requestsPerMinute: { enterprise: 100_000 } });
  const { admin, data, instanceId, clock } = first;
  const resources = await createResources(first, admin);
  const keys = new Map<string, { readonly alone: string; readonly others: string }>();
  for (const scope of Object.keys(table)) {
    const others = userScopes.filter((other) => other !== scope);
    keys.set(scope, {
      alone: (await newKey(admin, [scope])).key,
      others: (await newKey(admin, others)).key,
    });
  }
  // The last administrator cannot delete their own account.
  const colleague = await first.signUp('colleague@example.com');
  await first.close();
  makeAdmin(data, colleague.email);
  const requests = everyRequest(resources, instanceId);
  return { data, clock, keys, requests };
});

const open = () =>
  startTestServer({
    data: prepared.data,
    clock: prepared.clock,
    requestsPerMinute: { enterprise: 100_000 },
  });

/** Returns the requests of an operation, one for each of its paths. */
function requestsOf(id: string): EveryRequest[] {
  const found = prepared.requests.filter(({ operation }) => operation.id === id);
  expect(found, id).not.toEqual([]);
  return found;
}

test('the table lists every operation once, and every scope', () => {
  const named = [...Object.values(table).flat(), ...free, ...signedIn, 'validateApiKey'];
  expect(named.toSorted()).toEqual(contractOperations.map(({ id }) => id).toSorted());
  expect(Object.keys(table).toSorted()).toEqual([...userScopes, 'admin:*'].toSorted());
});

test('a key with every scope except the required one returns INSUFFICIENT_PERMISSIONS and changes nothing', async () => {
  const before = everyRow(prepared.data);
  const server = await open();
  for (const [scope, operations] of Object.entries(table)) {
    const call = server.withKey(prepared.keys.get(scope)?.others ?? '');
    for (const { name, send } of operations.flatMap(requestsOf)) {
      expect(await send(call), name).toMatchObject(
        refusal('INSUFFICIENT_PERMISSIONS', { requiredScopes: [scope] }),
      );
    }
  }
  await server.close();
  expect(withoutLastUse(everyRow(prepared.data))).toEqual(withoutLastUse(before));
});

test.each(Object.entries(table))(
  'a key with %s alone may call its operations',
  async (scope, operations) => {
    const server = await open();
    const call = server.withKey(prepared.keys.get(scope)?.alone ?? '');
    for (const id of operations) {
      const [request] = requestsOf(id);
      const reply = await request?.send(call);
      // A test delivery cannot be retried. The key with the scope gets that error.
      if (id === 'retryDelivery') {
        expect(reply).toMatchObject(refusal('VALIDATION_ERROR', { constraint: 'retryable' }));
      } else if (id === 'getKeyring') {
        expect(reply).toMatchObject(refusal('NOT_FOUND'));
      } else if (id === 'getEvent') {
        // The event contains a consent, so its read scope is needed too.
        const requiredScopes = ['consents:read'];
        expect(reply).toMatchObject(refusal('INSUFFICIENT_PERMISSIONS', { requiredScopes }));
      } else expect(reply?.status, id).toBe(request?.operation.successStatus);
    }
  },
);

test('a key with admin:* may call every operation, and a key with any scope may validate itself', async () => {
  const server = await open();
  const call = server.withKey(prepared.keys.get('admin:*')?.alone ?? '');
  const last = ['updateCurrentUser', 'deleteCurrentUser'];
  for (const { operation, name, send } of prepared.requests) {
    if (operation.schemes.size === 0 || last.includes(operation.id)) continue;
    const { body } = await send(call);
    expect(body?.error?.code, name).not.toBe('INSUFFICIENT_PERMISSIONS');
  }
  for (const { alone } of prepared.keys.values()) {
    expect((await server.withKey(alone)('GET', '/api/v1/auth/validate')).status).toBe(200);
  }
  for (const { send } of last.flatMap(requestsOf))
    expect((await send(call)).status).toBeLessThan(300);
});

/** All stored rows, without the last use of the API keys. */
function withoutLastUse({ api_keys: keys = [], ...rows }: Record<string, unknown[]>) {
  return { ...rows, api_keys: keys.map((key) => ({ ...(key as object), last_used_at: null })) };
}
