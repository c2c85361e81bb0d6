import { beforeEach, expect, test } from 'vitest';
import { contractOperations } from '../src/contract/contract.ts';
import { userScopes } from '../src/domain/access.ts';
import { startWithAdministrator } from './support/administrator.ts';
import { everyRow } from './support/data-folder.ts';
import { type EveryRequest, everyRequest } from './support/every-request.ts';
import { refusal } from './support/front-door.ts';
import { newKey } from './support/resources.ts';
import { startTestServer } from './support/server.ts';
import { newWorld } from './support/world.ts';

// The scope table of the specification, written out once more, held against requests that do something.

const table: Readonly<Record<string, readonly string[]>> = {
  'vaults:read': ['listVaults', 'getVault', 'searchVaults'],
  'vaults:write': ['createVault', 'updateVault', 'deleteVault'],
  'documents:read': ['listDocuments', 'getDocument'],
  'documents:write': ['createDocument', 'updateDocument', 'deleteDocument'],
  'documents:share': ['shareDocument', 'listDocumentShares', 'openShare', 'revokeDocumentShare'],
  'instances:read': ['listInstances', 'getInstance', 'getInstanceHealth', 'getInstanceStatistics'],
  'instances:write': ['createInstance', 'updateInstance'],
  'users:read': ['getCurrentUser'],
  'users:write': ['updateCurrentUser', 'deleteCurrentUser'],
  'webhooks:read': ['listWebhooks', 'getWebhook', 'listDeliveries', 'getDelivery'],
  'webhooks:write': [
    'createWebhook',
    'updateWebhook',
    'testWebhook',
    'retryFailedDeliveries',
    'retryDelivery',
    'deleteWebhook',
  ],
  'consents:read': ['listConsents'],
  'consents:write': ['createConsent', 'updateConsent'],
  'admin:*': ['listApiKeys', 'createApiKey', 'revokeApiKey'],
};

/** Operations that no scope opens or closes. */
const free = ['register', 'login', 'refresh', 'logout', 'getJwks', 'getOpenApiDocument'];

/** Operations of a signed-in user, which take no API key. */
const signedIn = ['listSessions', 'endSession', 'endOtherSessions'];

let house: Awaited<ReturnType<typeof prepare>>;
beforeEach(async () => {
  house = await prepare();
});

/** An administrator with one of everything, and a key for every scope: with it alone, and with all others. */
async function prepare() {
  const first = await startWithAdministrator({ enterpriseRequestsPerMinute: 100_000 });
  const { admin, data, instanceId, clock } = first;
  const world = await newWorld(first, admin);
  const keys = new Map<string, { readonly alone: string; readonly others: string }>();
  for (const scope of Object.keys(table)) {
    const others = userScopes.filter((other) => other !== scope);
    keys.set(scope, {
      alone: (await newKey(admin, [scope])).key,
      others: (await newKey(admin, others)).key,
    });
  }
  await first.close();
  const requests = everyRequest(world, instanceId);
  return { data, clock, keys, requests };
}

const open = () =>
  startTestServer({
    data: house.data,
    clock: house.clock,
    enterpriseRequestsPerMinute: 100_000,
  });

/** Requests of this operation, under each of its paths. */
function requestsOf(id: string): EveryRequest[] {
  const found = house.requests.filter(({ operation }) => operation.id === id);
  expect(found, id).not.toEqual([]);
  return found;
}

test('the table has every operation once, and every scope', () => {
  const named = [...Object.values(table).flat(), ...free, ...signedIn, 'validateApiKey'];
  expect(named.toSorted()).toEqual(contractOperations.map(({ id }) => id).toSorted());
  expect(Object.keys(table).toSorted()).toEqual([...userScopes, 'admin:*'].toSorted());
});

test('without its scope, with every other one, an operation is refused and does nothing', async () => {
  const before = everyRow(house.data);
  const server = await open();
  for (const [scope, operations] of Object.entries(table)) {
    const call = server.withKey(house.keys.get(scope)?.others ?? '');
    for (const { name, send } of operations.flatMap(requestsOf)) {
      expect(await send(call), name).toMatchObject(
        refusal('INSUFFICIENT_PERMISSIONS', { requiredScopes: [scope] }),
      );
    }
  }
  await server.close();
  expect(withoutUse(everyRow(house.data))).toEqual(withoutUse(before));
});

test.each(Object.entries(table))(
  '%s alone is enough for its operations',
  async (scope, operations) => {
    const server = await open();
    const call = server.withKey(house.keys.get(scope)?.alone ?? '');
    for (const id of operations) {
      const [request] = requestsOf(id);
      const reply = await request?.send(call);
      // A test delivery is not sent again: that is for a key with the scope to know.
      if (id === 'retryDelivery') {
        expect(reply).toMatchObject(refusal('VALIDATION_ERROR', { constraint: 'retryable' }));
      } else expect(reply?.status, id).toBe(request?.operation.successStatus);
    }
  },
);

test('admin:* is enough for every operation, and no scope is needed to know a key', async () => {
  const server = await open();
  const call = server.withKey(house.keys.get('admin:*')?.alone ?? '');
  const last = ['updateCurrentUser', 'deleteCurrentUser'];
  for (const { operation, name, send } of house.requests) {
    if (operation.schemes.size === 0 || last.includes(operation.id)) continue;
    const { body } = await send(call);
    expect(body?.error?.code, name).not.toBe('INSUFFICIENT_PERMISSIONS');
  }
  for (const { alone } of house.keys.values()) {
    expect((await server.withKey(alone)('GET', '/api/v1/auth/validate')).status).toBe(200);
  }
  for (const { send } of last.flatMap(requestsOf))
    expect((await send(call)).status).toBeLessThan(300);
});

/** All that is stored but when keys were last used. */
function withoutUse({ api_keys: keys = [], ...rows }: Record<string, unknown[]>) {
  return { ...rows, api_keys: keys.map((key) => ({ ...(key as object), last_used_at: null })) };
}
