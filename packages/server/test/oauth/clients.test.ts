import { beforeEach, describe, expect, test } from 'vitest';
import { digest } from '../../src/domain/accounts/secrets.ts';
import type { OAuthClientRecord } from '../../src/store/rows/oauth/clients.ts';
import {
  authorizationUrl,
  Browser,
  clientSecret,
  getCode,
  type OAuthServer,
  parameterOf,
  pkce,
  redeem,
  refresh,
  sendForm,
  startOAuthServer,
} from '../support/oauth.ts';
import type { Account, Caller } from '../support/server.ts';
import { listen } from '../support/webhook-events.ts';

// What a change of a client, or of its owner, means for its tokens.

const minute = 60_000;
const hour = 60 * minute;
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

let server: OAuthServer;
let app: OAuthClientRecord;
let ada: Account;
let owner: Caller;

const password = 'correct horse battery staple';
const signInOwner = (given = password) =>
  server.signIn({ email: 'owner@example.com', password: given });

beforeEach(async () => {
  server = await startOAuthServer();
  app = await server.register();
  ada = await server.signUp('ada@example.com');
  owner = await signInOwner();
});

const path = () => `/api/v1/oauth/clients/${app.id}`;
const ofOwner = (client: OAuthClientRecord | undefined = app) =>
  sendForm(server, '/oauth/token', client, {
    grant_type: 'client_credentials',
    scope: 'vaults:read',
  });
const getTokens = async () => (await redeem(server, app, await getCode(server, app, ada))).body;
const status = async (token: string) =>
  (await server.withToken(token)('GET', '/api/v1/vaults')).status;

describe('a new password of the owner with revokeApiKeys', () => {
  test('ends the tokens of client credentials at once, and not those of a later secret', async () => {
    const { body } = await ofOwner();
    expect(await status(body.access_token)).toBe(200);
    const changed = await owner('PUT', '/api/v1/users/me', {
      body: {
        currentPassword: password,
        password: 'another long password',
        revokeApiKeys: true,
      },
    });
    expect(changed.status).toBe(200);
    expect(await server.withToken(body.access_token)('GET', '/api/v1/vaults')).toMatchObject({
      status: 401,
      body: { error: { code: 'INVALID_TOKEN' } },
    });
    expect((await ofOwner()).status).toBe(401);
    const again = await signInOwner('another long password');
    const rotated = await again('POST', `${path()}/secret`);
    // In the same second as the end.
    const later = await sendForm(server, '/oauth/token', undefined, {
      grant_type: 'client_credentials',
      scope: 'vaults:read',
      client_id: app.id,
      client_secret: rotated.body.clientSecret,
    });
    expect(await status(later.body.access_token)).toBe(200);
    expect(await status(body.access_token)).toBe(401);
  });

  test('ends a token that is being used in a change', async () => {
    const writer = await server.register({ scopes: ['vaults:write'] });
    const { body } = await sendForm(server, '/oauth/token', writer, {
      grant_type: 'client_credentials',
      scope: 'vaults:write',
    });
    const call = server.withToken(body.access_token);
    expect((await call('POST', '/api/v1/vaults', { body: { name: 'a' } })).status).toBe(201);
    await server.store.transaction((tx) =>
      tx.oauthClients.endCredentials(server.ownerId, server.clock.now()),
    );
    expect((await call('POST', '/api/v1/vaults', { body: { name: 'b' } })).status).toBe(401);
  });
});

describe('deleting a client', () => {
  test('ends its access at once, and its consents with an event each', async () => {
    const listener = await listen({ server, call: ada.call, events: ['consent.revoked'] });
    const tokens = await getTokens();
    expect((await owner('DELETE', path())).status).toBe(204);
    expect(await status(tokens.access_token)).toBe(401);
    expect((await refresh(server, app, tokens.refresh_token)).status).toBe(401);
    const { body } = await ada.call('GET', '/api/v1/consents');
    expect(body.data).toMatchObject([
      { status: 'revoked', clientId: app.id, revocationReason: 'The app was deleted.' },
    ]);
    expect(await listener.events()).toMatchObject([
      { type: 'consent.revoked', data: { object: { id: body.data[0].id } } },
    ]);
  });

  test('ends 250 consents and grants in steps, with an event each', async () => {
    const now = server.clock.now();
    const { instanceId } = (await server.store.users.find(ada.userId)) ?? { instanceId: '' };
    expect(instanceId).not.toBe('');
    await server.store.transaction(async (tx) => {
      for (let index = 0; index < 250; index += 1) {
        const id = `consent-${index}`;
        await tx.consents.insert({
          id,
          userId: ada.userId,
          purpose: 'Access by an app',
          description: null,
          grantedTo: app.name,
          scopes: ['vaults:read'],
          status: 'granted',
          grantedAt: now,
          expiresAt: null,
          revokedAt: null,
          revocationReason: null,
          metadata: null,
          clientId: app.id,
          createdAt: now,
          updatedAt: now,
        });
        await tx.oauthGrants.insert({
          id: `grant-${index}`,
          clientId: app.id,
          userId: ada.userId,
          consentId: id,
          scopes: ['vaults:read'],
          createdAt: now,
          expiresAt: now + hour,
          revokedAt: null,
        });
      }
    });
    expect((await owner('DELETE', path())).status).toBe(204);
    const revoked = async () => {
      const events = await server.events();
      return events.filter(({ type }) => type === 'consent.revoked').length;
    };
    expect(await revoked()).toBe(100);
    server.clock.advance(minute);
    await server.settled();
    expect(await revoked()).toBe(250);
    expect(await server.store.oauthGrants.findHolder('grant-249')).toBeUndefined();
    expect(await server.store.oauthClients.firstErasure()).toBeUndefined();
    expect((await server.store.consents.ofClient(app.id, 1)).length).toBe(0);
  });

  test('with its owner ends the consents that others gave', async () => {
    const tokens = await getTokens();
    const gone = await owner('DELETE', '/api/v1/users/me', { body: { password } });
    expect(gone.status).toBe(204);
    expect(await status(tokens.access_token)).toBe(401);
    server.clock.advance(minute);
    await server.settled();
    const { body } = await ada.call('GET', '/api/v1/consents');
    expect(body.data).toMatchObject([{ status: 'revoked' }]);
  });
});

test('the apps of a suspended owner are refused, until the owner is active again', async () => {
  const tokens = await getTokens();
  const setStatus = (to: 'active' | 'suspended') =>
    server.store.transaction(async (tx) => {
      const user = await tx.users.find(server.ownerId);
      if (user) await tx.users.save({ ...user, status: to });
    });
  await setStatus('suspended');
  expect(await status(tokens.access_token)).toBe(401);
  expect((await refresh(server, app, tokens.refresh_token)).status).toBe(401);
  expect((await ofOwner()).status).toBe(401);
  await expect(getCode(server, app, ada)).rejects.toThrow('no code');
  await setStatus('active');
  expect(await status(tokens.access_token)).toBe(200);
  expect((await refresh(server, app, tokens.refresh_token)).status).toBe(200);
});

describe('a secret before the last rotation', () => {
  test('works for 24 hours beside the new one', async () => {
    const rotated = await owner('POST', `${path()}/secret`);
    expect(rotated.status).toBe(200);
    const withSecret = (secret: string) =>
      sendForm(server, '/oauth/token', undefined, {
        grant_type: 'client_credentials',
        scope: 'vaults:read',
        client_id: app.id,
        client_secret: secret,
      });
    server.clock.advance(24 * hour - 1);
    expect((await withSecret(clientSecret)).status).toBe(200);
    expect((await withSecret(rotated.body.clientSecret)).status).toBe(200);
    server.clock.advance(1);
    expect(await withSecret(clientSecret)).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
    expect((await withSecret(rotated.body.clientSecret)).status).toBe(200);
    const digests = [digest(clientSecret), digest(rotated.body.clientSecret)]
      .map((each) => Buffer.from(each).toString('hex'))
      .join('.');
    expect((await withSecret(digests)).status).toBe(401);
  });
});

describe('a client that loses a grant type', () => {
  const remove = (...grantTypes: string[]) =>
    owner('PUT', path(), {
      body: { grantTypes: app.grantTypes.filter((each) => !grantTypes.includes(each)) },
    });

  test('client_credentials: its tokens end at once, and it gets no more', async () => {
    const { body } = await ofOwner();
    expect((await remove('client_credentials')).status).toBe(200);
    expect(await status(body.access_token)).toBe(401);
    expect(await ofOwner()).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } });
  });

  test('refresh_token: it cannot refresh', async () => {
    const tokens = await getTokens();
    expect((await remove('refresh_token')).status).toBe(200);
    const reply = await refresh(server, app, tokens.refresh_token);
    expect(reply).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } });
  });

  test('authorization_code: a waiting code is refused', async () => {
    const code = await getCode(server, app, ada);
    expect((await remove('authorization_code', 'refresh_token')).status).toBe(200);
    expect(await redeem(server, app, code)).toMatchObject({
      status: 400,
      body: { error: 'unauthorized_client' },
    });
  });

  test('authorization_code: its users are sent back with unauthorized_client', async () => {
    const verified = { ...app, verified: true };
    await server.store.transaction((tx) => tx.oauthClients.save(verified));
    expect((await remove('authorization_code', 'refresh_token')).status).toBe(200);
    const url = authorizationUrl(server, app, { code_challenge: pkce().challenge });
    const page = await new Browser(server).open(url);
    expect(parameterOf(page, 'error')).toBe('unauthorized_client');
    expect(page.leaves?.searchParams.get('code')).toBeNull();
  });

  test('device code: it cannot begin, and a waiting device gets nothing', async () => {
    const begin = () => sendForm(server, '/oauth/device', app, { scope: 'vaults:read' });
    const { body } = await begin();
    expect((await remove(deviceGrant)).status).toBe(200);
    const refused = { status: 400, body: { error: 'unauthorized_client' } };
    expect(await begin()).toMatchObject(refused);
    const poll = { grant_type: deviceGrant, device_code: body.device_code };
    expect(await sendForm(server, '/oauth/token', app, poll)).toMatchObject(refused);
  });
});
