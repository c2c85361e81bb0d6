import { describe, expect, test } from 'vitest';
import { startWithAdministrator } from './support/administrator.ts';
import { newDocument, newShare, newVault } from './support/resources.ts';
import { type Caller, startTestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

const minute = 60_000;

async function statistics(call: Caller, query = '') {
  const reply = await call('GET', `/api/v1/instances/statistics${query}`);
  expect(reply.status).toBe(200);
  return reply.body;
}

const nothing = {
  vaults: 0,
  documents: 0,
  usedBytes: 0,
  activeShares: 0,
  webhooks: 0,
  deliveries: { pending: 0, retrying: 0, succeeded: 0, failed: 0 },
};

test('GET /instances/statistics of a new server returns one instance and zeros', async () => {
  const { developer } = await startTestServer();
  const { body: me } = await developer('GET', '/api/v1/users/me');
  expect(await statistics(developer)).toEqual({
    instances: 1,
    ...nothing,
    perInstance: [{ instanceId: me.instanceId, ...nothing }],
  });
});

test('vaults, documents and bytes of all accounts are counted until they are deleted', async () => {
  const { developer, signUp, admin } = await startWithAdministrator();
  const ofAll = () => statistics(admin, '?account=all');
  const { call } = await signUp('ada@example.com');
  const [own, foreign] = [await newVault(developer), await newVault(call)];
  const document = await newDocument(developer, own.id, 'four');
  await newDocument(call, foreign.id, 'and six');
  const held = { ...nothing, vaults: 2, documents: 2, usedBytes: 11 };
  expect(await ofAll()).toMatchObject(held);
  expect(await statistics(developer)).toMatchObject({ vaults: 1, documents: 1, usedBytes: 4 });
  await developer('DELETE', `/api/v1/documents/${document.id}`);
  expect(await ofAll()).toMatchObject({ ...held, documents: 1, usedBytes: 7 });
  await call('DELETE', `/api/v1/vaults/${foreign.id}`);
  expect(await ofAll()).toMatchObject({ ...nothing, vaults: 1 });
  expect(await statistics(call)).toMatchObject(nothing);
});

describe('activeShares', () => {
  test('counts shares that are not revoked, used up, expired or deleted', async () => {
    const { developer, clock } = await startTestServer();
    const vault = await newVault(developer);
    const document = await newDocument(developer, vault.id);
    const active = async () => (await statistics(developer)).activeShares;
    const in10 = new Date(clock.now() + 10 * minute).toISOString();
    const revoked = await newShare(developer, document.id);
    const usedUp = await newShare(developer, document.id, { maxAccessCount: 2 });
    await newShare(developer, document.id, { expiresAt: in10 });
    const usedUpBeforeExpiry = await newShare(developer, document.id, {
      expiresAt: in10,
      maxAccessCount: 1,
    });
    expect(await active()).toBe(4);
    await developer('DELETE', `/api/v1/documents/${document.id}/shares/${revoked.id}`);
    await developer('DELETE', `/api/v1/documents/${document.id}/shares/${revoked.id}`);
    expect(await active()).toBe(3);
    const open = ({ shareToken }: { shareToken: string }) =>
      developer('GET', `/shares/${shareToken}`);
    await open(usedUp);
    expect(await active()).toBe(3);
    await open(usedUp);
    await open(usedUp);
    await open(usedUpBeforeExpiry);
    expect(await active()).toBe(1);
    clock.advance(10 * minute - 1);
    expect(await active()).toBe(1);
    clock.advance(1);
    expect(await active()).toBe(0);
    await developer('DELETE', `/api/v1/vaults/${vault.id}`);
    expect(await active()).toBe(0);
  });
});

test('deliveries are counted by status, without test events and deleted webhooks', async () => {
  const server = await startTestServer({ webhookRetryDelays: [minute] });
  const { developer, clock } = server;
  const events = ['vault.created'];
  const good = await listen({ server, call: developer, events });
  const bad = await listen({
    server,
    call: developer,
    events,
    reply: (response) => {
      response.statusCode = 500;
      response.end();
    },
  });
  await listen({ server, call: developer, events, fields: { active: false } });
  await newVault(developer);
  expect((await developer('POST', `${good.path}/test`)).status).toBe(201);
  await server.settled();
  const counts = async () => {
    const { webhooks, deliveries } = await statistics(developer);
    return { webhooks, deliveries };
  };
  expect(await counts()).toEqual({
    webhooks: 3,
    deliveries: { pending: 1, retrying: 1, succeeded: 1, failed: 0 },
  });
  clock.advance(minute);
  await server.settled();
  expect(await counts()).toEqual({
    webhooks: 3,
    deliveries: { pending: 1, retrying: 0, succeeded: 1, failed: 1 },
  });
  await developer('DELETE', bad.path);
  await developer('DELETE', good.path);
  expect(await counts()).toEqual({
    webhooks: 1,
    deliveries: { pending: 1, retrying: 0, succeeded: 0, failed: 0 },
  });
});

test('statistics count the rows of the account in its instance, and with account=all those of all', async () => {
  const server = await startWithAdministrator();
  const { admin, developer, instanceId, clock } = server;
  clock.advance(1000);
  const second = (await admin('POST', '/instances', { body: { name: 'Second' } })).body.id;
  await admin('PUT', `/instances/${instanceId}`, { body: { isActive: false } });
  const { call } = await server.signUp('ada@example.com');
  await newDocument(call, (await newVault(call)).id, 'four');
  await newVault(developer);
  await newVault(admin);

  const first = { ...nothing, vaults: 2 };
  const own = { ...nothing, vaults: 1 };
  const other = { ...nothing, vaults: 1, documents: 1, usedBytes: 4 };
  expect(await statistics(developer)).toEqual({
    instances: 1,
    ...own,
    perInstance: [{ instanceId, ...own }],
  });
  expect(await statistics(call)).toEqual({
    instances: 1,
    ...other,
    perInstance: [{ instanceId: second, ...other }],
  });
  expect(await statistics(admin)).toMatchObject({ instances: 2, ...own });
  expect(await statistics(admin, '?account=all')).toEqual({
    instances: 2,
    ...nothing,
    vaults: 3,
    documents: 1,
    usedBytes: 4,
    perInstance: [
      { instanceId, ...first },
      { instanceId: second, ...other },
    ],
  });
});
