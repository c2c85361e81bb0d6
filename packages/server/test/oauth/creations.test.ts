import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { OAuthClientRecord } from '../../src/store/rows/oauth/clients.ts';
import { startReceiver } from '../support/delivery/receiver.ts';
import { refusal } from '../support/front-door.ts';
import { getCode, type OAuthServer, redeem, sendForm, startOAuthServer } from '../support/oauth.ts';
import { invalid } from '../support/replies.ts';
import { newDocument, newShare, newVault } from '../support/resources.ts';
import type { Account, Caller } from '../support/server.ts';
import { listen } from '../support/webhook-events.ts';

// Webhooks and shares that an app made end with its access.

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const scope =
  'vaults:read vaults:write documents:read documents:share webhooks:read webhooks:write';

let server: OAuthServer;
let app: OAuthClientRecord;
let ada: Account;
let vault: { readonly id: string };
let document: { readonly id: string };

beforeEach(async () => {
  server = await startOAuthServer();
  app = await server.register({ scopes: scope.split(' ') });
  ada = await server.signUp('ada@example.com');
  vault = await newVault(ada.call);
  document = await newDocument(ada.call, vault.id);
});

async function getAccess() {
  const { body } = await redeem(server, app, await getCode(server, app, ada, { scope }));
  return { call: server.withToken(body.access_token), refreshToken: body.refresh_token as string };
}

const events = ['vault.created'];
const openStatus = async ({ shareToken }: { readonly shareToken: string }) =>
  (await server.anonymous('GET', `/shares/${shareToken}`)).status;
const makeEvent = (call: Caller = ada.call) => newVault(call, { name: 'Letters' });
const consentOf = async () => (await ada.call('GET', '/api/v1/consents')).body.data[0];
const sweep = async () => {
  server.clock.advance(minute);
  await server.settled();
};

/** What ends the access of the app. */
const endings: Readonly<Record<string, (refreshToken: string) => Promise<unknown>>> = {
  'the user revokes the consent': async () =>
    ada.call('PUT', `/api/v1/consents/${(await consentOf()).id}`, { body: { status: 'revoked' } }),
  'the app revokes its token': (token) => sendForm(server, '/oauth/revoke', app, { token }),
  'the client is disabled': () =>
    server.store.transaction((tx) => tx.oauthClients.save({ ...app, disabled: true })),
  'the client loses the scopes of shares and webhooks': () =>
    server.store.transaction((tx) =>
      tx.oauthClients.save({ ...app, scopes: ['vaults:read', 'documents:read', 'webhooks:read'] }),
    ),
  'the client is deleted': () => server.store.transaction((tx) => tx.oauthClients.delete(app.id)),
  'the owner of the client is suspended': () =>
    server.store.transaction(async (tx) => {
      const owner = await tx.users.find(server.ownerId);
      if (owner) await tx.users.save({ ...owner, status: 'suspended' });
    }),
  'a new password comes with revokeApiKeys': () =>
    ada.call('PUT', '/api/v1/users/me', {
      body: {
        currentPassword: ada.password,
        password: 'another long password',
        revokeApiKeys: true,
      },
    }),
  'the grant is not used for 30 days': async () => server.clock.advance(30 * day + 1),
};

describe.each(Object.entries(endings))('when %s', (_name, end) => {
  test('shares that the app made are not found regardless of their access, and others stay', async () => {
    const { call, refreshToken } = await getAccess();
    const lasting = new Date(server.clock.now() + 90 * day).toISOString();
    const make = (by: Caller, access: string) =>
      newShare(by, document.id, { access, expiresAt: lasting });
    const shares = {
      ofApp: await make(call, 'anyone'),
      signedIn: await make(call, 'authenticated'),
      own: await make(ada.call, 'anyone'),
    };
    expect(await openStatus(shares.ofApp)).toBe(200);
    const opened = await server.anonymous('GET', `/shares/${shares.ofApp.shareToken}`);
    const bob = await server.signUp('bob@example.com');
    const openSignedIn = (call: Caller) => call('GET', `/shares/${shares.signedIn.shareToken}`);
    const openedByBob = await openSignedIn(bob.call);
    expect(openedByBob.status).toBe(200);
    await end(refreshToken);
    expect(await openStatus(shares.ofApp)).toBe(404);
    expect((await server.anonymous('GET', opened.body.contentUrl)).status).toBe(404);
    expect(await openStatus(shares.own)).toBe(200);
    const asBob = await server.signIn(bob);
    expect((await openSignedIn(asBob)).status).toBe(404);
    expect((await asBob('GET', openedByBob.body.contentUrl)).status).toBe(404);
    const fresh = await server.signIn({
      email: ada.email,
      password: _name.includes('password') ? 'another long password' : ada.password,
    });
    const path = `/api/v1/documents/${document.id}/shares`;
    const activeIds = async () =>
      (await fresh('GET', path)).body.data
        .filter((share: { isActive: boolean }) => share.isActive)
        .map((share: { id: string }) => share.id)
        .sort();
    const expected = [shares.own.id];
    expect(await activeIds()).toEqual(expected);
    await sweep();
    expect(await activeIds()).toEqual(expected);
    expect(await openStatus(shares.ofApp)).toBe(404);
  });

  test('webhooks that the app made receive nothing more, and others do', async () => {
    const { call, refreshToken } = await getAccess();
    const ofApp = await listen({ server, call, events });
    const own = await listen({ server, call: ada.call, events });
    await makeEvent();
    expect(await ofApp.events()).toHaveLength(1);
    await own.events();
    const maker = await server.signIn(ada);
    await end(refreshToken);
    const still = _name.includes('password') || _name.includes('30 days');
    const by = still
      ? await server.signIn({
          email: ada.email,
          password: _name.includes('password') ? 'another long password' : ada.password,
        })
      : maker;
    // Expiry is noticed by the sweeper.
    if (_name.includes('30 days')) await sweep();
    await makeEvent(by);
    expect(await own.events()).toHaveLength(1);
    expect(await ofApp.events()).toEqual([]);
    expect((await by('GET', ofApp.path)).body.active).toBe(false);
    expect((await by('GET', own.path)).body.active).toBe(true);
    await sweep();
    await makeEvent(by);
    expect(await ofApp.events()).toEqual([]);
    expect((await by('GET', '/api/v1/webhooks')).body.data).toHaveLength(2);
  });
});

test('a webhook of a disabled client receives the waiting events after the client is enabled', async () => {
  const { call } = await getAccess();
  const ofApp = await listen({ server, call, events });
  const disable = (disabled: boolean) =>
    server.store.transaction((tx) => tx.oauthClients.save({ ...app, disabled }));
  await disable(true);
  await makeEvent();
  expect(await ofApp.events()).toEqual([]);
  await disable(false);
  await makeEvent();
  expect(await ofApp.events()).toHaveLength(2);
});

test('a webhook that a user activates during the access of the app still ends with it', async () => {
  const { call } = await getAccess();
  const ofApp = await listen({ server, call, events, fields: { active: false } });
  const put = await ada.call('PUT', ofApp.path, { body: { active: true } });
  expect(put).toMatchObject({ status: 200, body: { active: true } });
  await makeEvent();
  expect(await ofApp.events()).toHaveLength(1);
  await endings['the user revokes the consent']?.('');
  await makeEvent();
  expect(await ofApp.events()).toEqual([]);
  expect((await ada.call('GET', ofApp.path)).body.active).toBe(false);
});

test('a user keeps the webhook of an app by an own URL with a new secret alone, before and after the end of its access', async () => {
  const { call } = await getAccess();
  const [redirected, ended] = [
    await listen({ server, call, events }),
    await listen({ server, call, events }),
  ];
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const toOwn = { url: receiver.url, secret: 'a secret that no app knows, 32 bytes' };
  expect(await ada.call('PUT', redirected.path, { body: { url: receiver.url } })).toMatchObject(
    invalid('secret', 'required'),
  );
  expect((await ada.call('PUT', redirected.path, { body: toOwn })).status).toBe(200);
  await endings['the user revokes the consent']?.('');
  const refused = {
    status: 400,
    body: { error: { details: { field: 'url', constraint: 'required' } } },
  };
  const activate = async (by: Caller, body: object) =>
    by('PUT', ended.path, { body: { active: true, ...body } });
  expect(await activate(ada.call, {})).toMatchObject(refused);
  // The sweeper removes the grant an hour later.
  server.clock.advance(2 * hour);
  await server.settled();
  const fresh = await server.signIn(ada);
  expect(await activate(fresh, {})).toMatchObject(refused);
  expect(await activate(fresh, { url: ended.url })).toMatchObject(refused);
  await makeEvent(fresh);
  await server.settled();
  expect(receiver.requests.splice(0)).toHaveLength(1);
  expect(await activate(fresh, toOwn)).toMatchObject({ status: 200, body: { active: true } });
  await server.settled();
  receiver.requests.splice(0);
  await makeEvent(fresh);
  await server.settled();
  expect(receiver.requests).toHaveLength(2);
  expect(await ended.events()).toEqual([]);
});

test('an app sets no secret of a webhook whose URL it has not chosen, and ends none', async () => {
  const { call } = await getAccess();
  const own = await listen({ server, call: ada.call, events });
  const body = { secret: 'a secret that the app chose, 32 bytes' };
  const denied = refusal('INSUFFICIENT_PERMISSIONS');
  expect(await call('PUT', own.path, { body })).toMatchObject(denied);
  expect(await call('POST', `${own.path}/secret`)).toMatchObject(denied);
  const previousSecretExpiresAt = new Date(server.clock.now() + 60_000).toISOString();
  const other = await listen({ server, call: ada.call, events: ['user.login'] });
  const rotation = { ...body, previousSecretExpiresAt };
  await ada.call('PUT', other.path, { body: rotation });
  for (const end of [null, new Date(server.clock.now() + 30_000).toISOString()]) {
    const change = { previousSecretExpiresAt: end };
    expect(await call('PUT', other.path, { body: change })).toMatchObject(denied);
  }
  expect((await ada.call('GET', other.path)).body).toMatchObject({ previousSecretExpiresAt });
  await makeEvent();
  // Verifies the signatures with the secret of the user.
  expect(await own.events()).toHaveLength(1);
  const ofApp = await listen({ server, call, events });
  expect((await call('PUT', ofApp.path, { body })).status).toBe(200);
  const taken = {
    url: own.url,
    secret: 'a secret that no app knows, 32 bytes',
    previousSecretExpiresAt,
  };
  expect(await ada.call('PUT', ofApp.path, { body: taken })).toMatchObject({
    status: 200,
    body: { previousSecretExpiresAt: null },
  });
});

test('the webhook of a user whose URL an app has changed ends with the app', async () => {
  const { call } = await getAccess();
  const own = await listen({ server, call: ada.call, events });
  const receiver = await startReceiver();
  const changed = await call('PUT', own.path, { body: { url: receiver.url } });
  expect(changed.status).toBe(200);
  await makeEvent();
  await server.settled();
  expect(receiver.requests).toHaveLength(1);
  await endings['the user revokes the consent']?.('');
  await makeEvent();
  await server.settled();
  expect(receiver.requests).toHaveLength(1);
  await receiver.close();
});

describe('what a client made as its owner', () => {
  async function actAsOwner() {
    const grant = { grant_type: 'client_credentials', scope };
    const { body } = await sendForm(server, '/oauth/token', app, grant);
    const call = server.withToken(body.access_token);
    const signIn = () => server.signIn({ email: 'owner@example.com', password: ada.password });
    const owner = await signIn();
    const file = await newDocument(owner, (await newVault(owner)).id);
    const share = await newShare(call, file.id, { access: 'anyone' });
    const webhook = await listen({ server, call, events });
    return { token: body.access_token, call, owner, share, webhook };
  }

  test('outlasts its token', async () => {
    const { token, call, owner, share, webhook } = await actAsOwner();
    await sendForm(server, '/oauth/revoke', app, { token });
    expect((await call('GET', '/api/v1/vaults')).status).toBe(401);
    expect(await openStatus(share)).toBe(200);
    await makeEvent(owner);
    expect(await webhook.events()).toHaveLength(1);
    await owner('PUT', webhook.path, { body: { active: false } });
    const again = await owner('PUT', webhook.path, { body: { active: true } });
    expect(again).toMatchObject({ status: 200, body: { active: true } });
  });

  test.each(['client is disabled', 'client loses the scopes', 'client is deleted'])(
    'ends when the %s',
    async (name) => {
      const { owner, share, webhook } = await actAsOwner();
      const ending = Object.entries(endings).find(([title]) => title.includes(name));
      await ending?.[1]('');
      expect(await openStatus(share)).toBe(404);
      const shares = await owner('GET', `/api/v1/documents/${share.documentId}/shares`);
      expect(shares.body.data).toMatchObject([{ id: share.id, isActive: false }]);
      await makeEvent(owner);
      expect(await webhook.events()).toEqual([]);
      expect((await owner('GET', webhook.path)).body.active).toBe(false);
    },
  );

  test('is no active share any more after the client is deleted', async () => {
    const { owner } = await actAsOwner();
    const activeShares = async () =>
      (await owner('GET', '/api/v1/instances/statistics')).body.activeShares;
    expect(await activeShares()).toBe(1);
    await server.store.transaction((tx) => tx.oauthClients.delete(app.id));
    server.clock.advance(minute);
    await server.settled();
    expect(await activeShares()).toBe(0);
  });

  test('ends when the client may not act as its owner any more', async () => {
    const { owner, share, webhook } = await actAsOwner();
    await server.store.transaction((tx) =>
      tx.oauthClients.save({ ...app, grantTypes: ['authorization_code'] }),
    );
    expect(await openStatus(share)).toBe(404);
    await makeEvent(owner);
    expect(await webhook.events()).toEqual([]);
  });
});

test('shares and webhooks of an app with admin:* alone work until its owner is no administrator', async () => {
  const setRole = (role: 'admin' | 'user') =>
    server.store.transaction(async (tx) => {
      const user = await tx.users.find(server.ownerId);
      if (user) await tx.users.save({ ...user, role });
    });
  const signIn = () => server.signIn({ email: 'owner@example.com', password: ada.password });
  await setRole('admin');
  app = await server.register({ scopes: ['admin:*'] });
  const grant = { grant_type: 'client_credentials', scope: 'admin:*' };
  const { body } = await sendForm(server, '/oauth/token', app, grant);
  const call = server.withToken(body.access_token);
  const file = await newDocument(call, (await newVault(call)).id);
  const share = await newShare(call, file.id, { access: 'anyone' });
  const webhook = await listen({ server, call, events });
  await makeEvent(call);
  expect(await openStatus(share)).toBe(200);
  expect(await webhook.events()).toHaveLength(1);
  await setRole('user');
  await makeEvent(await signIn());
  expect(await openStatus(share)).toBe(404);
  expect(await webhook.events()).toEqual([]);
});
