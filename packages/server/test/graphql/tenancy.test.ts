import { expect, test } from 'vitest';
import { userScopes } from '../../src/domain/access.ts';
import { startWithAdministrator } from '../support/administrator.ts';
import { dataFolder, everyRow, inDatabase } from '../support/data-folder.ts';
import { expectEveryHeader } from '../support/front-door.ts';
import { ask, dataOf, refusedWith } from '../support/graphql/asking.ts';
import {
  createWithWaitingDelivery,
  documentFor,
  everyRoute,
  type Ids,
  type Route,
} from '../support/graphql/every-field.ts';
import { newDocument, newKey, newVault } from '../support/resources.ts';
import { type Caller, type Reply, startTestServer } from '../support/server.ts';

// Generated from the schema: every field, at the root and inside others, requested by accounts that do not
// own the objects.

const limits = {
  requestsPerMinute: { enterprise: 100_000 },
  graphqlPoints: { enterprise: 1_000_000 },
  // The test clock does not advance, so that a paused host would never resume.
  webhookHostPause: 0,
};

const queries = everyRoute('Query');
const routes = [...queries, ...everyRoute('Mutation')];

/** Ids that do not exist. */
const nowhere: Ids = {
  vaultId: '01900000-0000-7000-8000-000000000001',
  documentId: '01900000-0000-7000-8000-000000000002',
  webhookId: '01900000-0000-7000-8000-000000000003',
  consentId: '01900000-0000-7000-8000-000000000004',
  deliveryId: 'dlv_00000000000000000000000000000000',
};

/** Whether a route begins with an argument of an id. */
const isById = (route: Route) => documentFor(route, nowhere).includes('01900000');

/** Whether a route begins with one object. A list shows the rows of the caller. */
const isOfOneObject = (route: Route) =>
  route[0].place === 'Query.me' || (isById(route) && route[0].place !== 'Query.documents');

/** A response without values that differ between requests, and with its ids replaced by unknown ones. */
function normalized({ status, body }: Reply, ids: Ids): unknown {
  let text = JSON.stringify({ status, body }, (name, value) =>
    ['requestId', 'timestamp', 'cost'].includes(name) ? undefined : value,
  );
  for (const [name, id] of Object.entries(nowhere)) {
    text = text.replaceAll(ids[name as keyof Ids], id);
  }
  return JSON.parse(text);
}

/** Everything that can be read with these ids. */
async function everything(call: Caller, ids: Ids): Promise<unknown[]> {
  const replies: unknown[] = [];
  for (const route of queries) replies.push(await dataOf(call, documentFor(route, ids)));
  return replies;
}

/** Starts a server with one of each resource of an account, and another account. */
async function startWithStranger() {
  const server = await startTestServer(limits);
  const { call: owner } = await server.signUp('owner@example.com');
  const resources = await createWithWaitingDelivery(server, owner);
  const { call: stranger } = await server.signUp('stranger@example.com');
  const { key } = await newKey(stranger, userScopes);
  return { server, owner, resources, others: { token: stranger, key: server.withKey(key) } };
}

test('objects of another account return the same response as unknown ids, and are not changed', async () => {
  const { server, owner, resources, others } = await startWithStranger();
  const before = await everything(owner, resources);
  const events = (await server.events()).length;
  const foreign = routes.filter(isById);
  expect(foreign.length).toBeGreaterThan(25);
  for (const call of Object.values(others)) {
    for (const route of foreign) {
      const query = documentFor(route, resources);
      const theirs = await ask(call, query);
      expect(normalized(theirs, resources), query).toEqual(
        normalized(await ask(call, documentFor(route, nowhere)), resources),
      );
      if (route[0].place === 'Query.documents') {
        expect(theirs.body.data.documents.data, query).toEqual([]);
      } else {
        expect(theirs, query).toMatchObject(refusedWith(200, 'NOT_FOUND'));
        expect(Object.values(theirs.body.data ?? {}), query).toEqual(
          route[0].type === 'Query' ? [null] : [],
        );
      }
    }
  }
  expect(await everything(owner, resources)).toEqual(before);
  await server.settled();
  expect(await server.events()).toHaveLength(events);
});

test('objects of another account are in no list and in no result of a mutation', async () => {
  const { resources, others } = await startWithStranger();
  const open = routes.filter((route) => !isById(route));
  expect(open.length).toBeGreaterThan(10);
  for (const call of Object.values(others)) {
    for (const route of open) {
      const query = documentFor(route, resources);
      const text = JSON.stringify(await dataOf(call, query));
      for (const known of [...Object.values(resources), 'f the owner', 'f-the-owner', 'owner@']) {
        expect(text, query).not.toContain(known);
      }
    }
  }
});

test('documents cannot be moved into or out of a vault of another account', async () => {
  const { owner, resources, others } = await startWithStranger();
  const call = others.token;
  const own = await newVault(call);
  const document = await newDocument(call, own.id);
  const before = await everything(owner, resources);
  for (const [documentId, vaultId] of [
    [document.id, resources.vaultId],
    [resources.documentId, own.id],
  ]) {
    const query = `mutation { updateDocument(id: "${documentId}", input: { vaultId: "${vaultId}" }) { id } }`;
    expect(await ask(call, query)).toMatchObject(refusedWith(200, 'NOT_FOUND'));
  }
  const kept = await dataOf(call, `{ document(id: "${document.id}") { vaultId vault { id } } }`);
  expect(kept.document).toEqual({ vaultId: own.id, vault: { id: own.id } });
  expect(await everything(owner, resources)).toEqual(before);
});

test('an administrator reads and changes the objects of any account', async () => {
  const server = await startWithAdministrator(limits);
  const { call: owner } = await server.signUp('owner@example.com');
  const resources = await createWithWaitingDelivery(server, owner);
  const { key } = await newKey(server.admin, ['admin:*']);
  for (const call of [server.admin, server.withKey(key)]) {
    for (const route of queries.filter(isOfOneObject)) {
      const query = documentFor(route, resources);
      const { me, ...data } = await dataOf(call, query);
      if (route[0].place === 'Query.me') expect(me.email).toBe('admin@example.com');
      else expect(data, query).toEqual(await dataOf(owner, query));
    }
  }
  const denied: string[] = [];
  for (const route of routes) {
    const query = documentFor(route, resources);
    const { body } = await ask(server.withKey(key), query);
    if (!body.errors) continue;
    expect(body, query).toMatchObject({
      errors: [{ extensions: { code: 'INSUFFICIENT_PERMISSIONS' } }],
    });
    denied.push(route[0].place);
  }
  // `owners.test.ts` has what an administrator can change there.
  expect(denied).toEqual(['Mutation.shareDocument']);
  const { vaults } = await dataOf(owner, '{ vaults { data { id } } }');
  expect(vaults.data).toEqual([]);
});

test('every field returns 403 to a suspended account and a blocked address, and nothing changes', async () => {
  const data = await dataFolder();
  const first = await startTestServer({ ...limits, data });
  const owner = await first.signUp('owner@example.com');
  const resources = await createWithWaitingDelivery(first, owner.call);
  const { key } = await newKey(owner.call, userScopes);
  const { email, password } = owner;
  // The use of the key is stored now, so that later requests store none.
  await first.withKey(key)('GET', '/api/v1/vaults');
  const session = await first.anonymous('POST', '/auth/login', { body: { email, password } });
  await first.settled();
  await first.close();
  const { clock } = first;
  const port = Number(new URL(first.url).port);
  const refused = async (options: object, code: 'ACCOUNT_SUSPENDED' | 'IP_BLOCKED') => {
    const before = everyRow(data);
    const server = await startTestServer({ ...limits, data, clock, port, ...options });
    for (const call of [server.withKey(key), server.withToken(session.body.accessToken)]) {
      for (const query of [...routes.map((route) => documentFor(route, resources)), '{ nope', '']) {
        const reply = await ask(call, query);
        expect(reply, query).toMatchObject(refusedWith(403, code));
        expect(reply.body, query).not.toHaveProperty('data');
        expectEveryHeader(reply);
      }
    }
    await server.close();
    expect(everyRow(data)).toEqual(before);
  };
  await refused({ blockedAddresses: ['127.0.0.1/32'] }, 'IP_BLOCKED');
  inDatabase(data, (database) =>
    database.prepare(`UPDATE users SET status = 'suspended' WHERE email = ?`).run(email),
  );
  await refused({}, 'ACCOUNT_SUSPENDED');
});
