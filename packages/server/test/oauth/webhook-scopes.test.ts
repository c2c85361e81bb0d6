import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { OAuthClientRecord } from '../../src/store/rows/oauth/clients.ts';
import { startReceiver } from '../support/delivery/receiver.ts';
import { refusal } from '../support/front-door.ts';
import { ask } from '../support/graphql/asking.ts';
import { getCode, type OAuthServer, redeem, sendForm, startOAuthServer } from '../support/oauth.ts';
import { invalid } from '../support/replies.ts';
import { newDocument, newShare, newVault } from '../support/resources.ts';
import type { Account, Caller } from '../support/server.ts';
import { everyType, listen, secret } from '../support/webhook-events.ts';

// A webhook of an app receives only events whose resource the app may read at that moment.

const minute = 60_000;
const scope = 'vaults:read documents:read documents:share webhooks:read webhooks:write';

let server: OAuthServer;
let app: OAuthClientRecord;
let ada: Account;

beforeEach(async () => {
  server = await startOAuthServer({ webhookRetryDelays: [minute] });
  app = await server.register({ scopes: scope.split(' ') });
  ada = await server.signUp('ada@example.com');
});

async function appWith(scopes: string) {
  const code = await getCode(server, app, ada, { scope: scopes });
  return server.withToken((await redeem(server, app, code)).body.access_token);
}

const vaultsOnly = 'vaults:read webhooks:read webhooks:write';
const update = `mutation ($id: ID!, $input: UpdateWebhookInput!) {
  updateWebhook(id: $id, input: $input) { id headers }
}`;

const setScopes = (scopes: string) =>
  server.store.transaction((tx) => tx.oauthClients.save({ ...app, scopes: scopes.split(' ') }));

const typesOf = (events: readonly { type: string }[]) => events.map(({ type }) => type).toSorted();

test('an app without the read scope of a type cannot subscribe to it, nor to accounts: all', async () => {
  const call = await appWith('vaults:read webhooks:read webhooks:write');
  const denied = refusal('INSUFFICIENT_PERMISSIONS');
  for (const type of everyType) {
    const created = await call('POST', '/api/v1/webhooks', {
      body: { url: 'http://127.0.0.1:9/', events: [type], secret },
    });
    if (type.startsWith('vault.')) expect(created, type).toMatchObject({ status: 201 });
    else expect(created, type).toMatchObject(denied);
  }
  const own = await listen({ server, call: ada.call, events: ['document.uploaded'] });
  for (const body of [{ url: 'http://127.0.0.1:9/mine' }, { events: ['user.login'] }]) {
    expect(await call('PUT', own.path, { body })).toMatchObject(denied);
  }
  const all = { url: 'http://127.0.0.1:9/', events: ['vault.created'], secret, accounts: 'all' };
  expect(await call('POST', '/api/v1/webhooks', { body: all })).toMatchObject(denied);
});

test('events of a type that the app may not read any more are neither queued nor sent', async () => {
  const call = await appWith(scope);
  const types = ['vault.created', 'document.uploaded', 'document.shared'];
  const failing = { status: 500 };
  const webhook = await listen({
    server,
    call,
    events: types,
    reply: (response) => response.writeHead(failing.status).end(),
  });
  const own = await listen({ server, call: ada.call, events: types });
  const vault = await newVault(ada.call);
  const document = await newDocument(ada.call, vault.id);
  await newShare(ada.call, document.id);
  expect(typesOf(await webhook.events())).toEqual(types.toSorted());

  await setScopes('vaults:read documents:share webhooks:read webhooks:write');
  await newDocument(ada.call, vault.id);
  failing.status = 200;
  server.clock.advance(minute);
  expect(typesOf(await webhook.events())).toEqual(['document.shared', 'vault.created']);
  // Neither what was queued nor what was not comes back with the scope.
  await setScopes(scope);
  server.clock.advance(minute);
  await newVault(ada.call);
  expect(typesOf(await webhook.events())).toEqual(['vault.created']);
  await own.events();
});

test('a delivery that the app may not receive any more is removed, and delays nothing', async () => {
  const call = await appWith(scope);
  const webhook = await listen({
    server,
    call,
    events: ['vault.created', 'document.uploaded'],
    reply: (response) => response.writeHead(500).end(),
  });
  const vault = await newVault(ada.call);
  await newDocument(ada.call, vault.id);
  await webhook.events();
  await setScopes(vaultsOnly);
  server.clock.advance(minute);
  await server.settled();
  const log = await ada.call('GET', `${webhook.path}/deliveries`);
  expect(log.body.data).toMatchObject([{ eventType: 'vault.created', status: 'failed' }]);
  expect(log.body.data).toHaveLength(1);
  server.clock.advance(10 * minute);
  await server.settled();
  const { instanceId } = (await ada.call('GET', '/api/v1/users/me')).body;
  const health = await ada.call('GET', `/api/v1/instances/${instanceId}/health`);
  expect(health.body).toMatchObject({ status: 'healthy' });
  const { body } = await ada.call('GET', webhook.path);
  expect(body.stats).toMatchObject({ oldestPendingAt: null });
});

test('a delivery that the app may not read is not retried, alone or with all failed ones', async () => {
  const call = await appWith(scope);
  const webhook = await listen({
    server,
    call,
    events: ['vault.created', 'document.uploaded'],
    reply: (response) => response.writeHead(500).end(),
  });
  const vault = await newVault(ada.call);
  await newDocument(ada.call, vault.id);
  await webhook.events();
  server.clock.advance(minute);
  await webhook.events();
  await setScopes(vaultsOnly);
  const { body } = await ada.call('GET', `${webhook.path}/deliveries?eventType=document.uploaded`);
  const [{ id }] = body.data;
  for (const by of [call, ada.call]) {
    expect(await by('POST', `${webhook.path}/deliveries/${id}/retry`)).toMatchObject(
      refusal('VALIDATION_ERROR', { field: 'deliveryId', constraint: 'retryable' }),
    );
  }
  const retried = await ada.call('POST', `${webhook.path}/deliveries/retry-failed`);
  expect(retried).toMatchObject({ body: { retried: 1 } });
  expect(typesOf(await webhook.events())).toEqual(['vault.created']);
  expect((await ada.call('GET', `${webhook.path}/deliveries/${id}`)).body.status).toBe('failed');
});

test('a waiting delivery of a type that the webhook has left does not wait for ever for an app', async () => {
  const own = await listen({
    server,
    call: ada.call,
    events: ['document.uploaded', 'vault.created'],
    reply: (response) => response.writeHead(500).end(),
  });
  await newDocument(ada.call, (await newVault(ada.call)).id);
  await own.events();
  await ada.call('PUT', own.path, { body: { events: ['vault.created'] } });
  const call = await appWith(vaultsOnly);
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const body = { url: receiver.url, secret: `another ${secret}` };
  expect(await call('PUT', own.path, { body })).toMatchObject({ status: 200 });
  server.clock.advance(minute);
  await server.settled();
  expect(receiver.requests).toHaveLength(1);
  const log = await ada.call('GET', `${own.path}/deliveries`);
  expect(log.body.data).toMatchObject([{ eventType: 'vault.created', status: 'succeeded' }]);
  expect((await ada.call('GET', own.path)).body.stats).toMatchObject({ oldestPendingAt: null });
});

/** An app that its own user lets act without a grant. */
async function clientWith(scopes: string) {
  const grant = { grant_type: 'client_credentials', scope: scopes };
  const { body } = await sendForm(server, '/oauth/token', app, grant);
  return server.withToken(body.access_token);
}

const signInOwner = () => server.signIn({ email: 'owner@example.com', password: ada.password });

describe.each<[string, () => Promise<{ user: Caller; call: Caller }>]>([
  ['of a user', async () => ({ user: ada.call, call: await appWith(vaultsOnly) })],
  [
    'with client credentials',
    async () => ({ user: await signInOwner(), call: await clientWith(vaultsOnly) }),
  ],
])('an app %s without documents:read', (_name, start) => {
  test('redirects no webhook with waiting documents by leaving their types out', async () => {
    const { user, call } = await start();
    const own = await listen({
      server,
      call: user,
      events: ['document.uploaded', 'vault.created'],
      fields: { active: false },
    });
    await newDocument(user, (await newVault(user)).id);
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const changes = [
      { url: receiver.url, events: ['vault.created'] },
      { events: ['vault.created'] },
      { headers: { 'X-Route': 'mine' } },
      { secret: `another ${secret}` },
    ];
    const denied = refusal('INSUFFICIENT_PERMISSIONS');
    for (const body of changes) {
      expect(await call('PUT', own.path, { body }), JSON.stringify(body)).toMatchObject(denied);
      const { body: asked } = await ask(call, update, { variables: { id: own.id, input: body } });
      expect(asked.errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PERMISSIONS' } }]);
    }
    expect((await call('PUT', own.path, { body: { active: true } })).status).toBe(200);
    expect(typesOf(await own.events())).toEqual(['document.uploaded', 'vault.created']);
    expect(receiver.requests).toEqual([]);
  });
});

test('an app neither reads, sets nor receives the headers of a webhook of its user', async () => {
  const call = await appWith(scope);
  const headers = { Authorization: 'Bearer of the receiver' };
  const events = ['vault.created'];
  const own = await listen({ server, call: ada.call, events, fields: { headers } });
  const masked = { Authorization: '***' };
  expect((await call('GET', own.path)).body.headers).toEqual(masked);
  const listed = await call('GET', '/api/v1/webhooks');
  expect(listed.body.data).toMatchObject([{ headers: masked }]);
  const change = (body: object) => call('PUT', own.path, { body });
  expect((await change({ description: 'Mine' })).body.headers).toEqual(masked);
  expect(await change({ headers: { 'X-Route': 'mine' } })).toMatchObject(
    refusal('INSUFFICIENT_PERMISSIONS'),
  );
  const url = 'http://127.0.0.1:9/mine';
  expect(await change({ url })).toMatchObject(invalid('headers', 'required'));
  expect((await ada.call('GET', own.path)).body).toMatchObject({ url: own.url, headers });
  const others = { 'X-Route': 'mine' };
  expect(await change({ url, headers: others })).toMatchObject({
    status: 200,
    body: { url, headers: others },
  });
  expect((await call('GET', own.path)).body.headers).toEqual(others);
});

describe('events of other accounts', () => {
  const events = ['vault.created'];
  const denied = refusal('INSUFFICIENT_PERMISSIONS');
  const makeAdministrator = (userId: string) =>
    server.store.transaction(async (tx) => {
      const user = await tx.users.find(userId);
      if (user) await tx.users.save({ ...user, role: 'admin' });
    });

  test('are refused for the webhook of an app until an administrator chooses its URL', async () => {
    const call = await appWith(scope);
    const ofApp = await listen({ server, call, events });
    await makeAdministrator(ada.userId);
    const admin = await server.signIn(ada);
    const change = (body: object) => admin('PUT', ofApp.path, { body });
    expect(await change({ accounts: 'all' })).toMatchObject(denied);
    await newVault(await signInOwner());
    expect(await ofApp.events()).toEqual([]);
    const newSecret = 'a secret that no app knows, 32 bytes';
    const own = { accounts: 'all', url: 'http://127.0.0.1:9/own', secret: newSecret };
    expect(await change(own)).toMatchObject({ status: 200, body: { accounts: 'all' } });
  });

  test('reach no webhook that has a grant, neither those that wait nor later ones', async () => {
    const ofApp = await listen({ server, call: await appWith(scope), events });
    await makeAdministrator(ada.userId);
    const admin = await server.signIn(ada);
    const all = await listen({ server, call: admin, events, fields: { active: false } });
    const owner = await signInOwner();
    await newVault(owner);
    await server.store.transaction(async (tx) => {
      const accessId = (await tx.webhooks.find(ofApp.id))?.accessId ?? null;
      expect(accessId).not.toBeNull();
      const webhook = await tx.webhooks.find(all.id);
      if (webhook) await tx.webhooks.save({ ...webhook, accessId, active: true });
    });
    await newVault(owner);
    await newVault(admin, { name: 'own' });
    expect(await all.events()).toMatchObject([{ data: { object: { name: 'own' } } }]);
  });

  test('are not redirected by an app with admin:*, which sees no header of their receivers', async () => {
    const headers = { Authorization: 'Bearer of the receiver' };
    const other = await listen({ server, call: ada.call, events, fields: { headers } });
    await makeAdministrator(server.ownerId);
    const scopes = ['admin:*', 'webhooks:write', 'webhooks:read'];
    app = await server.register({ scopes });
    const call = await clientWith(scopes.join(' '));
    for (const body of [{ url: 'http://127.0.0.1:9/mine' }, { description: 'Mine' }]) {
      expect(await call('PUT', other.path, { body })).toMatchObject(denied);
      const { body: asked } = await ask(call, update, { variables: { id: other.id, input: body } });
      expect(asked.errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PERMISSIONS' } }]);
    }
    const masked = { Authorization: '***' };
    expect((await call('GET', other.path)).body).toMatchObject({ url: other.url, headers: masked });
    const listed = await call('GET', `/api/v1/webhooks?account=${ada.userId}`);
    expect(listed.body.data).toMatchObject([{ headers: masked }]);
    expect((await ada.call('GET', other.path)).body.headers).toEqual(headers);
    await newVault(ada.call);
    expect(await other.events()).toHaveLength(1);
  });
});
