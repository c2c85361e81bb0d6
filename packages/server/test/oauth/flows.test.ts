import { exportJWK, generateKeyPair } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import {
  approve,
  authorizationUrl,
  Browser,
  clientSecret,
  type OAuthServer,
  parameterOf,
  pkce,
  redirectUri,
  sendForm,
  startOAuthServer,
} from '../support/oauth.ts';
import { type Account, startTestServer } from '../support/server.ts';

const insecure = { [oauth.allowInsecureRequests]: true };

let server: OAuthServer;
let ada: Account;

beforeEach(async () => {
  server = await startOAuthServer();
  ada = await server.signUp('ada@example.com');
});

async function discover() {
  const issuer = new URL(server.url);
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  return oauth.processDiscoveryResponse(issuer, response);
}

function configure(id: string, authentication = openid.ClientSecretBasic(clientSecret)) {
  return openid.discovery(new URL(server.url), id, undefined, authentication, {
    algorithm: 'oauth2',
    execute: [openid.allowInsecureRequests],
  });
}

test('oauth4webapi gets a token for a native app without a secret, on any loopback port', async () => {
  const app = await server.register({
    type: 'public',
    tokenEndpointAuthMethod: 'none',
    secretHash: null,
    redirectUris: ['http://127.0.0.1/callback'],
  });
  const as = await discover();
  const client = { client_id: app.id };
  const uri = 'http://127.0.0.1:49152/callback';
  const verifier = oauth.generateRandomCodeVerifier();
  const challenge = await oauth.calculatePKCECodeChallenge(verifier);
  const url = authorizationUrl(server, app, { redirect_uri: uri, code_challenge: challenge });
  const browser = new Browser(server);
  const visit = await approve(browser, url, ada);
  const parameters = oauth.validateAuthResponse(as, client, visit.leaves as URL);
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    oauth.None(),
    parameters,
    uri,
    verifier,
    insecure,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, response);
  const reply = await server.withToken(tokens.access_token)('GET', '/api/v1/vaults');
  expect(reply.status).toBe(200);
  // Native apps are asked every time.
  expect((await browser.open(url)).html).toContain('name="scope"');
});

test('an app that was approved before gets a second grant without a page', async () => {
  const app = await server.register();
  const browser = new Browser(server);
  const url = authorizationUrl(server, app, { code_challenge: pkce().challenge });
  await approve(browser, url, ada);
  expect(parameterOf(await browser.open(url), 'code')).not.toBe('');
  const { body } = await ada.call('GET', '/api/v1/consents');
  expect(body.pagination.totalCount).toBe(1);
  expect((await browser.open(`${url}&prompt=consent`)).html).toContain('name="scope"');
});

test('a client acts for its owner by client credentials, until its token is revoked', async () => {
  const app = await server.register();
  const config = await configure(app.id);
  const tokens = await openid.clientCredentialsGrant(config, { scope: 'users:read' });
  const call = server.withToken(tokens.access_token);
  const me = await call('GET', '/api/v1/users/me');
  expect(me).toMatchObject({ status: 200, body: { id: server.ownerId } });
  await openid.tokenRevocation(config, tokens.access_token);
  expect((await call('GET', '/api/v1/users/me')).status).toBe(401);
});

test('a client authenticates with private_key_jwt', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const app = await server.register({
    tokenEndpointAuthMethod: 'private_key_jwt',
    secretHash: null,
    jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'a', alg: 'ES256' }] },
  });
  const config = await configure(app.id, openid.PrivateKeyJwt({ key: privateKey, kid: 'a' }));
  const tokens = await openid.clientCredentialsGrant(config, { scope: 'users:read' });
  expect(tokens.expires_in).toBe(3600);
});

test('a client that must push its requests gets a code for a pushed one alone', async () => {
  const app = await server.register({ requirePar: true, verified: true });
  const config = await configure(app.id);
  const verifier = openid.randomPKCECodeVerifier();
  const parameters = {
    redirect_uri: redirectUri,
    scope: 'vaults:read',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  const direct = await new Browser(server).open(openid.buildAuthorizationUrl(config, parameters));
  expect(direct.leaves?.searchParams.get('error')).toBe('invalid_request');
  const url = await openid.buildAuthorizationUrlWithPAR(config, parameters);
  const visit = await approve(new Browser(server), url, ada);
  const tokens = await openid.authorizationCodeGrant(config, visit.leaves as URL, {
    pkceCodeVerifier: verifier,
  });
  expect(tokens.scope).toBe('vaults:read');
});

test('openid-client gets a token for a device after its user has entered the code', async () => {
  const app = await server.register({ name: 'Television' });
  const config = await configure(app.id);
  const device = await openid.initiateDeviceAuthorization(config, { scope: 'vaults:read' });
  const poll = () =>
    sendForm(server, '/oauth/token', app, {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: device.device_code,
    });
  expect((await poll()).body.error).toBe('authorization_pending');

  const browser = new Browser(server);
  const entry = await browser.open(device.verification_uri);
  const wrong = await browser.submit(entry, { user_code: 'AAAA-AAAA' });
  expect(wrong.html).toContain('role="alert"');
  const confirmation = await browser.submit(wrong, { user_code: device.user_code });
  expect(confirmation.html).toContain(device.user_code);
  const signIn = await browser.submit(confirmation, { confirm: 'yes' });
  const consent = await browser.submit(signIn, { email: ada.email, password: ada.password });
  const done = await browser.submit(consent, {});
  expect(done).toMatchObject({ status: 200, leaves: undefined });

  // The user has decided: no wait is needed.
  const tokens = await openid.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 });
  const reply = await server.withToken(tokens.access_token)('GET', '/api/v1/vaults');
  expect(reply.status).toBe(200);
  expect((await poll()).status).toBe(400);
});

test('the page of a device shows the code of its complete address without scripts', async () => {
  const app = await server.register();
  const config = await configure(app.id);
  const device = await openid.initiateDeviceAuthorization(config, { scope: 'vaults:read' });
  const page = await new Browser(server).open(device.verification_uri_complete ?? '');
  expect(page.html).toContain(`value="${device.user_code}"`);
  expect(page.html).not.toContain('<script');
});

test('the user can refuse, or leave out scopes', async () => {
  const app = await server.register();
  const url = authorizationUrl(server, app, {
    code_challenge: pkce().challenge,
    scope: 'vaults:read vaults:write',
  });
  const browser = new Browser(server);
  const page = await browser.submit(await browser.open(url), {
    email: ada.email,
    password: ada.password,
  });
  const refused = await browser.submit(page, { cancel: 'yes' });
  expect(parameterOf(refused, 'error')).toBe('access_denied');
  await browser.submit(await browser.open(url), { scope: 'vaults:read', password: ada.password });
  const { body } = await ada.call('GET', '/api/v1/consents');
  expect(body.data).toMatchObject([{ scopes: ['vaults:read'] }]);
});

test('the metadata names the endpoints, and OpenID Connect is not offered', async () => {
  await server.register();
  const get = async (path: string) => {
    const response = await fetch(server.url + path);
    return { status: response.status, body: (await response.json()) as object };
  };
  const { body } = await get('/.well-known/oauth-authorization-server');
  expect(body).toMatchObject({
    issuer: server.url,
    token_endpoint: `${server.url}/oauth/token`,
    code_challenge_methods_supported: ['S256'],
  });
  const resource = await get('/.well-known/oauth-protected-resource/api/v1');
  expect(resource.body).toMatchObject({
    resource: `${server.url}/api/v1`,
    authorization_servers: [server.url],
  });
  expect((await get('/.well-known/openid-configuration')).status).toBe(404);
  const reply = await server.anonymous('GET', '/api/v1/vaults');
  expect(reply.headers.get('www-authenticate')).toBe(
    `Bearer resource_metadata="${server.url}/.well-known/oauth-protected-resource/api/v1"`,
  );
});

test('a 401 stays one without WWW-Authenticate when the clients cannot be read', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(line) });
  const { anonymous, store } = await startTestServer({ log });
  const { exist } = store.oauthClients;
  Object.assign(store.oauthClients, { exist: () => Promise.reject(new Error('a damaged page')) });
  const reply = await anonymous('GET', '/api/v1/vaults');
  Object.assign(store.oauthClients, { exist });
  expect(reply).toMatchObject({ status: 401, body: { error: { code: 'MISSING_AUTH' } } });
  expect(reply.headers.get('www-authenticate')).toBeNull();
  expect(lines.join()).toContain('a damaged page');
});

test('with --oauth on, endpoints exist without a client', async () => {
  const { anonymous } = await startTestServer({ oauth: 'on' });
  expect((await anonymous('GET', '/.well-known/oauth-authorization-server')).status).toBe(200);
  expect((await anonymous('GET', '/api/v1/vaults')).headers.get('www-authenticate')).not.toBeNull();
});

test('every endpoint is unknown until a client exists, and with --oauth off', async () => {
  const off = await startOAuthServer({ oauth: 'off' });
  await off.register();
  for (const { anonymous } of [server, off]) {
    for (const path of ['/oauth/authorize', '/.well-known/oauth-authorization-server']) {
      expect(await anonymous('GET', path)).toMatchObject({
        status: 404,
        body: { error: { code: 'NOT_FOUND' } },
      });
    }
    expect((await anonymous('GET', '/api/v1/vaults')).headers.get('www-authenticate')).toBeNull();
  }
  await server.register();
  expect((await server.anonymous('GET', '/.well-known/oauth-authorization-server')).status).toBe(
    200,
  );
});
