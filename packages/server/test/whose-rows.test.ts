import { expect, test } from 'vitest';
import { contractOperations } from '../src/contract/contract.ts';
import { startWithAdministrator } from './support/administrator.ts';
import { refusal } from './support/front-door.ts';
import { ask } from './support/graphql/asking.ts';
import { createResources } from './support/owned-resources.ts';
import { invalid } from './support/replies.ts';
import { newDocument, newKey, newVault } from './support/resources.ts';
import type { Caller } from './support/server.ts';

// Lists, searches and statistics show the rows of the caller's account. `account` chooses others.

const operations = contractOperations.filter(({ parameters }) =>
  parameters.some(({ name }) => name === 'account'),
);
const paths = operations.map(({ path }) => path);
const pagedPaths = operations
  .filter(({ parameters }) => parameters.some(({ name }) => name === 'pageSize'))
  .map(({ path }) => path);

/** What a list shows, without what differs between two requests. */
async function rowsOf(call: Caller, path: string, account?: string): Promise<unknown> {
  const query = new URLSearchParams({
    ...(path.endsWith('/search') && { search: 'own' }),
    // All events of both accounts are more than a page of the default size.
    ...(pagedPaths.includes(path) && { pageSize: '100' }),
    ...(account !== undefined && { account }),
  });
  const { status, body } = await call('GET', `${path}?${query}`);
  expect(status, `${path}?${query}`).toBe(200);
  return body.data ?? body;
}

/** The administrator holds a row of each type, and the user two of each. */
async function startWithRows() {
  const server = await startWithAdministrator({
    requestsPerMinute: { enterprise: 100_000 },
    webhookHostPause: 0,
  });
  const { call, userId } = await server.signUp('owner@example.com');
  await createResources(server, server.admin);
  await createResources(server, call);
  await createResources(server, call);
  return { ...server, user: call, userId, adminId: server.adminAccount.userId };
}

test('every list of rows with an owner has the parameter account', () => {
  const lists = contractOperations.filter(
    ({ method, parameters }) => method === 'get' && parameters.some(({ name }) => name === 'page'),
  );
  const without = lists.filter(({ path }) => !paths.includes(path)).map(({ id }) => id);
  // Sessions and vault keys are only the caller's, parts of a resource belong to its owner, and instances to no account.
  expect(without.toSorted()).toEqual([
    'listDeliveries',
    'listDocumentShares',
    'listInstances',
    'listSessions',
    'listShareAccesses',
    'listUsers',
    'listVaultKeys',
  ]);
});

test('an administrator sees the own rows, and with account those of one account or of all', async () => {
  const { admin, user, userId, adminId } = await startWithRows();
  for (const path of paths) {
    const own = await rowsOf(admin, path);
    const others = await rowsOf(admin, path, userId);
    const everyone = await rowsOf(admin, path, 'all');
    expect(await rowsOf(admin, path, adminId), path).toEqual(own);
    expect(others, path).toEqual(await rowsOf(user, path));
    expect(await rowsOf(admin, path, userId.toUpperCase()), path).toEqual(others);
    expect(JSON.stringify(own), path).not.toBe(JSON.stringify(others));
    if (Array.isArray(own) && Array.isArray(others) && Array.isArray(everyone)) {
      expect(everyone.length, path).toBeGreaterThanOrEqual(own.length + others.length);
      for (const row of [...own, ...others]) expect(everyone, path).toContainEqual(row);
      for (const row of own) expect(others, path).not.toContainEqual(row);
    } else {
      expect(own).toMatchObject({ documents: 1, vaults: 1, webhooks: 1 });
      expect(others).toMatchObject({ documents: 2, vaults: 2, webhooks: 2 });
      expect(everyone).toMatchObject({ documents: 3, vaults: 3, webhooks: 3 });
    }
  }
});

test('rows of others without admin:* return 403, and an unknown account gives an empty page', async () => {
  const { admin, user, userId, adminId, withKey } = await startWithRows();
  const { key } = await newKey(admin, [
    'vaults:read',
    'documents:read',
    'consents:read',
    'webhooks:read',
    'instances:read',
  ]);
  const denied = refusal('INSUFFICIENT_PERMISSIONS');
  for (const path of paths) {
    const search = path.endsWith('/search') ? '&search=own' : '';
    for (const account of ['all', adminId]) {
      expect(await user('GET', `${path}?account=${account}${search}`), path).toMatchObject(denied);
    }
    for (const account of ['all', userId]) {
      const url = `${path}?account=${account}${search}`;
      expect(await withKey(key)('GET', url), path).toMatchObject(denied);
    }
    expect(await admin('GET', `${path}?account=everyone${search}`), path).toMatchObject(
      invalid('account', 'pattern'),
    );
    const ofUnknown = await rowsOf(admin, path, '01900000-0000-7000-8000-000000000001');
    if (Array.isArray(ofUnknown)) expect(ofUnknown, path).toEqual([]);
    else expect(ofUnknown).toMatchObject({ documents: 0, vaults: 0 });
  }
});

test('GraphQL lists take the same argument with the same rule', async () => {
  const { admin, user, userId } = await startWithRows();
  for (const list of ['vaults', 'documents', 'consents', 'webhooks']) {
    const query = (account?: string) =>
      `{ ${list}${account ? `(account: "${account}")` : ''} { data { id } pagination { totalCount } } }`;
    const count = async (call: Caller, account?: string) =>
      (await ask(call, query(account))).body.data[list].pagination.totalCount;
    expect(await count(admin), list).toBe(1);
    expect(await count(admin, userId), list).toBe(2);
    expect(await count(admin, 'all'), list).toBe(3);
    expect(await count(user), list).toBe(2);
    expect(await count(user, userId), list).toBe(2);
    const { body } = await ask(user, query('all'));
    expect(body.errors, list).toMatchObject([
      {
        extensions: {
          code: 'INSUFFICIENT_PERMISSIONS',
          details: { requiredScopes: ['admin:*'] },
        },
      },
    ]);
    expect(body.data?.[list] ?? null).toBeNull();
  }
});

test('GraphQL shows the documents of a foreign vault that admin:* reaches by its id', async () => {
  const { admin, developer } = await startWithAdministrator();
  const vault = await newVault(developer);
  const document = await newDocument(developer, vault.id);
  for (const filter of ['', '(sortBy: sizeBytes)', '(search: "pdf")']) {
    const query = `{ vault(id: "${vault.id}") { documents${filter} { data { id } } } }`;
    const { body } = await ask(admin, query);
    expect(body.data.vault.documents.data, filter).toEqual([{ id: document.id }]);
  }
  expect(await rowsOf(admin, '/api/v1/documents')).toEqual([]);
  expect(await admin('GET', `/api/v1/documents/${document.id}`)).toMatchObject({ status: 200 });
});
