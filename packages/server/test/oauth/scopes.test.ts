import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { contractOperations } from '../../src/contract/contract.ts';
import { grantableScopes, userScopes } from '../../src/domain/access.ts';
import type { OAuthClientRecord } from '../../src/store/rows/oauth/clients.ts';
import { everyRequest } from '../support/every-request.ts';
import { refusal } from '../support/front-door.ts';
import {
  approve,
  authorizationUrl,
  Browser,
  getCode,
  type OAuthServer,
  parameterOf,
  pkce,
  redeem,
  sendForm,
  startOAuthServer,
} from '../support/oauth.ts';
import { createResources } from '../support/owned-resources.ts';
import type { Account, Caller } from '../support/server.ts';

// What an app may do: its scopes in force, and the operations that no app can call.

const everyScope: readonly string[] = [...grantableScopes.admin];

/** Operations for credentials, sessions, clients, the keyring, and the account itself. */
const forUsersAlone = [
  'validateApiKey',
  ...['listApiKeys', 'createApiKey', 'revokeApiKey'],
  ...['listSessions', 'endSession', 'endOtherSessions'],
  ...['listOAuthClients', 'createOAuthClient', 'getOAuthClient', 'updateOAuthClient'],
  ...['deleteOAuthClient', 'rotateOAuthClientSecret'],
  ...['deleteCurrentUser', 'administerUser', 'updateKeyring'],
];

let server: OAuthServer;
let app: OAuthClientRecord;
let ada: Account;

beforeEach(async () => {
  server = await startOAuthServer();
  ada = await server.signUp('ada@example.com');
});

const setRole = (role: 'user' | 'admin') =>
  server.store.transaction(async (tx) => {
    const user = await tx.users.find(ada.userId);
    if (user) await tx.users.save({ ...user, role });
  });

/** Registers an app with these scopes, and gives it as many. */
async function getTokens(scopes: readonly string[]) {
  app = await server.register({ scopes });
  const { verifier, challenge } = pkce();
  const url = authorizationUrl(server, app, { scope: scopes.join(' '), code_challenge: challenge });
  const browser = new Browser(server);
  const page = await browser.submit(await browser.open(url), {
    email: ada.email,
    password: ada.password,
  });
  const visit = await browser.submit(page, { scope: scopes });
  const { body } = await redeem(server, app, { code: parameterOf(visit, 'code'), verifier });
  expect(body.scope.split(' ').toSorted()).toEqual(scopes.toSorted());
  return body;
}

const getAccess = async (scopes: readonly string[]): Promise<Caller> =>
  server.withToken((await getTokens(scopes)).access_token);

describe('an app with every scope of an administrator', () => {
  let call: Caller;
  let requests: ReturnType<typeof everyRequest>;
  let fresh: Caller;

  beforeEach(async () => {
    await setRole('admin');
    fresh = await server.signIn(ada);
    const me = await fresh('GET', '/api/v1/users/me');
    requests = everyRequest(await createResources(server, fresh), me.body.instanceId);
    call = await getAccess(everyScope);
  });

  test('is refused at every operation on credentials, clients and accounts', async () => {
    const closed = contractOperations.filter(
      ({ schemes }) => schemes.size > 0 && !schemes.has('oauth2'),
    );
    expect(closed.map(({ id }) => id).toSorted()).toEqual(forUsersAlone.toSorted());
    const credentials = async () =>
      Promise.all(
        ['/api/v1/api-keys', '/api/v1/oauth/clients', '/api/v1/users'].map(
          async (path) => (await fresh('GET', path)).body.data,
        ),
      );
    const before = await credentials();
    for (const { operation, name, send } of requests) {
      if (!forUsersAlone.includes(operation.id)) continue;
      const code = operation.id === 'validateApiKey' ? 'MISSING_AUTH' : 'INSUFFICIENT_PERMISSIONS';
      expect(await send(call), name).toMatchObject(refusal(code));
    }
    expect(await credentials()).toEqual(before);
  });

  test('may call every other operation', async () => {
    for (const { operation, name, send } of requests) {
      if (!operation.schemes.has('oauth2') || operation.id === 'updateCurrentUser') continue;
      const { status } = await send(call);
      expect([401, 403], name).not.toContain(status);
    }
  });
});

test('an app with every scope but one is refused where it needs that one', async () => {
  await setRole('admin');
  const fresh = await server.signIn(ada);
  const me = await fresh('GET', '/api/v1/users/me');
  const requests = everyRequest(await createResources(server, fresh), me.body.instanceId);
  for (const scope of userScopes) {
    const call = await getAccess(userScopes.filter((each) => each !== scope));
    for (const { operation, name, send } of requests) {
      if (!operation.schemes.get('oauth2')?.includes(scope)) continue;
      expect(await send(call), name).toMatchObject(
        refusal('INSUFFICIENT_PERMISSIONS', { requiredScopes: [scope] }),
      );
    }
  }
});

describe('the scopes in force', () => {
  const write = (call: Caller) => call('POST', '/api/v1/vaults', { body: { name: 'Letters' } });
  const both = ['vaults:read', 'vaults:write'];

  test('are those of the token: a refresh for fewer scopes returns one that has no more', async () => {
    const tokens = await getTokens(both);
    const { body } = await sendForm(server, '/oauth/token', app, {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      scope: 'vaults:read',
    });
    expect((await write(server.withToken(body.access_token))).status).toBe(403);
    expect((await write(server.withToken(tokens.access_token))).status).toBe(201);
    const more = await sendForm(server, '/oauth/token', app, {
      grant_type: 'refresh_token',
      refresh_token: body.refresh_token,
      scope: 'vaults:read users:read',
    });
    expect(more).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  });

  test('are those of the consent: another consent for more scopes does not widen a token', async () => {
    app = await server.register({ scopes: both });
    const code = await getCode(server, app, ada, { scope: 'vaults:read' });
    const narrow = await redeem(server, app, code);
    const wide = await redeem(
      server,
      app,
      await getCode(server, app, ada, { scope: both.join(' ') }),
    );
    expect((await write(server.withToken(narrow.body.access_token))).status).toBe(403);
    expect((await write(server.withToken(wide.body.access_token))).status).toBe(201);
  });

  test('are those of the client at the moment of the request', async () => {
    const call = await getAccess(both);
    const save = (scopes: readonly string[]) =>
      server.store.transaction((tx) => tx.oauthClients.save({ ...app, scopes }));
    await save(['vaults:read']);
    expect((await write(call)).status).toBe(403);
    await save(both);
    expect((await write(call)).status).toBe(201);
  });

  test('are those of the role of the user at the moment of the request', async () => {
    const bob = await server.signUp('bob@example.com');
    const { body: vault } = await write(bob.call);
    await setRole('admin');
    const call = await getAccess(['admin:*', 'vaults:read']);
    const status = async () => (await call('GET', `/api/v1/vaults/${vault.id}`)).status;
    expect(await status()).toBe(200);
    await setRole('user');
    expect(await status()).toBe(404);
    expect((await call('GET', '/api/v1/users')).status).toBe(403);
    expect((await call('GET', '/api/v1/vaults')).status).toBe(200);
    await setRole('admin');
    expect(await status()).toBe(200);
  });

  test('of an administrator without admin:* reach no other account', async () => {
    const bob = await server.signUp('bob@example.com');
    const { body: vault } = await write(bob.call);
    await setRole('admin');
    const call = await getAccess(both);
    expect((await call('GET', `/api/v1/vaults/${vault.id}`)).status).toBe(404);
    expect((await call('GET', '/api/v1/vaults')).body.data).toEqual([]);
  });

  test('have admin:* only when an administrator has chosen it', async () => {
    await setRole('admin');
    app = await server.register({ scopes: ['admin:*', 'vaults:read'] });
    const { verifier, challenge } = pkce();
    const url = authorizationUrl(server, app, {
      scope: 'admin:* vaults:read',
      code_challenge: challenge,
    });
    const visit = await approve(new Browser(server), url, ada);
    const { body } = await redeem(server, app, { code: parameterOf(visit, 'code'), verifier });
    expect(decodeJwt(body.access_token).scope).toBe('vaults:read');
  });
});

describe('an app with consents:write', () => {
  const scopes = ['consents:read', 'consents:write'];

  test('cannot prolong a consent that has a client, neither its own nor that of another app', async () => {
    const other = await server.register();
    await redeem(server, other, await getCode(server, other, ada));
    const call = await getAccess(scopes);
    const { body } = await call('GET', '/api/v1/consents');
    expect(body.data).toHaveLength(2);
    const expiresAt = new Date(server.clock.now() + 3650 * 24 * 3_600_000).toISOString();
    for (const { id, expiresAt: end } of body.data) {
      const reply = await call('PUT', `/api/v1/consents/${id}`, { body: { expiresAt } });
      expect(reply).toMatchObject(refusal('INSUFFICIENT_PERMISSIONS'));
      const input = `{ expiresAt: "${expiresAt}" }`;
      const query = `mutation { updateConsent(id: "${id}", input: ${input}) { id } }`;
      const asked = await call('POST', '/graphql', { body: { query } });
      expect(asked.body.errors?.[0].extensions.code).toBe('INSUFFICIENT_PERMISSIONS');
      const seen = await call('GET', '/api/v1/consents');
      expect(seen.body.data).toContainEqual(expect.objectContaining({ id, expiresAt: end }));
    }
  });

  test('cannot describe a consent that has a client, and can describe others', async () => {
    const call = await getAccess(scopes);
    const { body } = await call('GET', '/api/v1/consents');
    const { id } = body.data[0];
    for (const change of [{ description: 'Your bank' }, { metadata: { bank: true } }]) {
      const reply = await call('PUT', `/api/v1/consents/${id}`, { body: change });
      expect(reply).toMatchObject(refusal('INSUFFICIENT_PERMISSIONS'));
    }
    const query = `mutation { updateConsent(id: "${id}", input: { description: "Bank" }) { id } }`;
    const asked = await call('POST', '/graphql', { body: { query } });
    expect(asked.body.errors?.[0].extensions.code).toBe('INSUFFICIENT_PERMISSIONS');
    const described = { body: { description: 'Mine' } };
    const own = await ada.call('PUT', `/api/v1/consents/${id}`, described);
    expect(own).toMatchObject({ status: 200, body: { description: 'Mine', metadata: null } });
    const plain = await call('POST', '/api/v1/consents', {
      body: { purpose: 'Tax return', grantedTo: 'Linden Tax Advisers' },
    });
    const changed = await call('PUT', `/api/v1/consents/${plain.body.id}`, described);
    expect(changed).toMatchObject({ status: 200, body: { description: 'Mine' } });
  });

  test('can revoke its own consent, and has no access afterwards', async () => {
    const call = await getAccess(scopes);
    const { body } = await call('GET', '/api/v1/consents');
    const path = `/api/v1/consents/${body.data[0].id}`;
    expect((await call('PUT', path, { body: { status: 'revoked' } })).status).toBe(200);
    expect((await call('GET', '/api/v1/consents')).status).toBe(401);
  });
});

test('the tokens of an app are none at /auth/refresh and /auth/logout, and the reverse', async () => {
  const { refresh_token: refreshToken, access_token: accessToken } = await getTokens([
    'vaults:read',
  ]);
  const login = await server.anonymous('POST', '/auth/login', {
    body: { email: ada.email, password: ada.password },
  });
  for (const token of [refreshToken, accessToken]) {
    const body = { refreshToken: token };
    expect((await server.anonymous('POST', '/auth/refresh', { body })).status).toBe(401);
    await server.anonymous('POST', '/auth/logout', { body });
  }
  expect((await server.withToken(accessToken)('GET', '/api/v1/vaults')).status).toBe(200);
  const session: string = login.body.refreshToken;
  const exchanged = await sendForm(server, '/oauth/token', app, {
    grant_type: 'refresh_token',
    refresh_token: session,
  });
  expect(exchanged).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  for (const token of [session, login.body.accessToken as string]) {
    expect((await sendForm(server, '/oauth/revoke', app, { token })).status).toBe(200);
  }
  const signedIn = server.withToken(login.body.accessToken);
  expect((await signedIn('GET', '/api/v1/vaults')).status).toBe(200);
  const body = { refreshToken: session };
  expect((await server.anonymous('POST', '/auth/refresh', { body })).status).toBe(200);
});
