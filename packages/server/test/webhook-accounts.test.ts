import { expect, test } from 'vitest';
import { startWithAdministrator } from './support/administrator.ts';
import { refusal } from './support/front-door.ts';
import { ask } from './support/graphql/asking.ts';
import { missing } from './support/replies.ts';
import { newKey, newVault } from './support/resources.ts';
import type { Caller } from './support/server.ts';
import { listen, secret } from './support/webhook-events.ts';

// A webhook receives the events of its account. `accounts: 'all'` adds those of others while its account is an
// active administrator.

const events = ['vault.created', 'user.created', 'instance.health.degraded'];
const minute = 60_000;
const denied = {
  ...refusal('INSUFFICIENT_PERMISSIONS'),
  body: { error: { details: { requiredScopes: ['admin:*'] } } },
};

/** Another administrator can demote and suspend the first one. */
async function start() {
  const server = await startWithAdministrator({ webhookRetryDelays: [minute] });
  const second = await server.signUp('second@example.com');
  const { userId } = server.adminAccount;
  const administer = (id: string, body: object, by: Caller = server.admin) =>
    by('PUT', `/api/v1/users/${id}`, { body });
  await administer(second.userId, { role: 'admin' });
  const root = await server.signIn(second);
  return {
    ...server,
    change: (body: object) => administer(userId, body, root),
    root,
    register: (call: Caller, fields: object = {}) =>
      call('POST', '/api/v1/webhooks', {
        body: { url: 'http://127.0.0.1:9/hook', events, secret, ...fields },
      }),
  };
}

const namesOf = (received: readonly { data: { object: { name?: string } } }[]) =>
  received.map(({ data }) => data.object.name);

test('accounts is all by default with admin:* alone, and all without admin:* returns 403', async () => {
  const { admin, developer, withKey, register } = await start();
  const writer = withKey((await newKey(admin, ['webhooks:write', 'webhooks:read'])).key);
  expect((await register(admin)).body.accounts).toBe('all');
  expect((await register(admin, { accounts: 'own' })).body.accounts).toBe('own');
  expect((await register(writer)).body.accounts).toBe('own');
  expect((await register(developer)).body.accounts).toBe('own');
  expect(await register(writer, { accounts: 'all' })).toMatchObject(denied);
  expect(await register(developer, { accounts: 'all' })).toMatchObject(denied);
  const { body } = await ask(
    writer,
    `mutation { createWebhook(input: { url: "http://127.0.0.1:9/", events: ["vault.created"],
      secret: "${secret}", accounts: all }) { id } }`,
  );
  expect(body.errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PERMISSIONS' } }]);
});

test('a key without admin:* cannot redirect a webhook of all accounts, and sees none of its foreign deliveries', async () => {
  const server = await start();
  const { admin, developer, withKey } = server;
  const scopes = ['webhooks:write', 'webhooks:read', 'vaults:read'];
  const writer = withKey((await newKey(admin, scopes)).key);
  const webhook = await listen({ server, call: admin, events });
  await newVault(developer, { name: 'foreign' });
  await newVault(admin, { name: 'own' });
  expect(namesOf(await webhook.events()).toSorted()).toEqual(['foreign', 'own']);

  for (const body of [
    { url: 'http://127.0.0.1:9/mine' },
    { events: ['vault.deleted'] },
    { headers: { 'X-Mine': '1' } },
    { secret: `another ${secret}` },
  ]) {
    expect(await writer('PUT', webhook.path, { body }), JSON.stringify(body)).toMatchObject(denied);
  }
  expect(await writer('PUT', webhook.path, { body: { description: 'Mine' } })).toMatchObject({
    status: 200,
  });
  const listed = await admin('GET', `${webhook.path}/deliveries`);
  expect(listed.body.data).toHaveLength(2);
  const [own] = (await writer('GET', `${webhook.path}/deliveries`)).body.data;
  const foreign = listed.body.data.find(({ id }: { id: string }) => id !== own.id);
  const query = `{ webhooks { data { deliveries { data { id } pagination { totalCount } } } } }`;
  const asked = await ask(writer, query);
  expect(asked.body.data.webhooks.data[0].deliveries).toEqual({
    data: [{ id: own.id }],
    pagination: { totalCount: 1 },
  });
  const path = `${webhook.path}/deliveries/${foreign.id}`;
  expect(await admin('GET', path)).toMatchObject({ status: 200 });
  expect(await writer('GET', path)).toMatchObject(missing());
  expect(await writer('POST', `${path}/retry`)).toMatchObject(missing());
});

for (const [name, body] of [
  ['demoted', { role: 'user' }],
  ['suspended', { status: 'suspended' }],
] as const) {
  test(`an administrator who was ${name} receives and reads no event of other accounts`, async () => {
    const server = await start();
    const { developer, admin, change, root, clock, settled, adminAccount, signIn } = server;
    const webhook = await listen({
      server,
      call: admin,
      events,
      reply: (response) => response.writeHead(500).end(),
    });
    const paused = (await admin('PUT', webhook.path, { body: { active: false } })).body;
    expect(paused.accounts).toBe('all');
    await newVault(developer, { name: 'waiting' });
    await newVault(admin, { name: 'own' });
    await admin('PUT', webhook.path, { body: { active: true } });
    await settled();
    expect(namesOf(await webhook.events()).toSorted()).toEqual(['own', 'waiting']);
    const { data } = (await admin('GET', `${webhook.path}/deliveries?status=retrying`)).body;
    expect(data).toHaveLength(2);

    expect((await change(body)).status).toBe(200);
    await change({ status: 'active' });
    const call = await signIn(adminAccount);
    expect((await call('GET', webhook.path)).body.accounts).toBe('own');
    const log = `${webhook.path}/deliveries`;
    const { body: seen } = await call('GET', log);
    expect(seen.data).toHaveLength(1);
    expect(seen.pagination.totalCount).toBe(1);
    const hidden = data.find(({ id }: { id: string }) => id !== seen.data[0].id);
    expect(await call('GET', `${log}/${hidden.id}`)).toMatchObject(missing());
    expect(await call('POST', `${log}/${hidden.id}/retry`)).toMatchObject(missing());
    await newVault(developer, { name: 'later' });
    clock.advance(minute);
    await settled();
    expect(namesOf(await webhook.events())).toEqual(['own']);

    // The sweeper removes the rest, and a later promotion does not bring it back.
    await change({ role: 'admin' });
    const again = await signIn(adminAccount);
    await settled();
    expect((await again('GET', webhook.path)).body.accounts).toBe('own');
    expect((await root('GET', log)).body.pagination.totalCount).toBe(1);
    await newVault(developer, { name: 'after the promotion' });
    expect(await webhook.events()).toEqual([]);
    await again('PUT', webhook.path, { body: { accounts: 'all' } });
    await newVault(developer, { name: 'wanted again' });
    expect(namesOf(await webhook.events())).toEqual(['wanted again']);
  });
}

test('a change to accounts: own removes the waiting deliveries of other accounts', async () => {
  const server = await start();
  const { developer, admin, settled } = server;
  const webhook = await listen({ server, call: admin, events, fields: { active: false } });
  await newVault(developer, { name: 'foreign' });
  await newVault(admin, { name: 'own' });
  await admin('PUT', webhook.path, { body: { accounts: 'own' } });
  await admin('PUT', webhook.path, { body: { active: true } });
  expect(namesOf(await webhook.events())).toEqual(['own']);
  server.clock.advance(minute);
  await settled();
  expect((await admin('GET', `${webhook.path}/deliveries`)).body.pagination.totalCount).toBe(1);
});
