import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { expect, test } from 'vitest';
import {
  approve,
  Browser,
  clientSecret,
  parameterOf,
  redirectUri,
  startOAuthServer,
} from '../support/oauth.ts';

test('openid-client gets, uses, refreshes and revokes a token by authorization code', async () => {
  const server = await startOAuthServer();
  const app = await server.register();
  const ada = await server.signUp('ada@example.com');
  const config = await client.discovery(
    new URL(server.url),
    app.id,
    undefined,
    client.ClientSecretBasic(clientSecret),
    { algorithm: 'oauth2', execute: [client.allowInsecureRequests] },
  );
  const verifier = client.randomPKCECodeVerifier();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'vaults:read users:read',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state: 'the state',
  });
  const visit = await approve(new Browser(server), url, ada);
  expect(parameterOf(visit, 'state')).toBe('the state');
  const tokens = await client.authorizationCodeGrant(config, visit.leaves as URL, {
    pkceCodeVerifier: verifier,
    expectedState: 'the state',
  });
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600 });
  // RFC 9068, section 2.
  expect(decodeProtectedHeader(tokens.access_token)).toMatchObject({ alg: 'RS256', typ: 'at+jwt' });
  const claims = decodeJwt(tokens.access_token);
  const now = Math.floor(server.clock.now() / 1000);
  expect(claims).toEqual({
    iss: server.url,
    aud: `${server.url}/api/v1`,
    sub: ada.userId,
    client_id: app.id,
    scope: 'vaults:read users:read',
    grant_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    jti: expect.any(String),
    iat: now,
    exp: now + 3600,
  });
  const keys = createLocalJWKSet((await server.anonymous('GET', '/.well-known/jwks.json')).body);
  await jwtVerify(tokens.access_token, keys, { currentDate: new Date(server.clock.now()) });
  const call = server.withToken(tokens.access_token);
  expect((await call('GET', '/api/v1/vaults')).status).toBe(200);
  expect((await call('POST', '/api/v1/vaults', { body: { name: 'x' } })).status).toBe(403);
  const userinfo = await client.fetchProtectedResource(
    config,
    tokens.access_token,
    new URL(`${server.url}/oauth/userinfo`),
    'GET',
  );
  expect(await userinfo.json()).toMatchObject({ id: ada.userId, email: 'ada@example.com' });

  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
  expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
  const consents = await ada.call('GET', '/api/v1/consents');
  expect(consents.body.data).toMatchObject([
    {
      clientId: app.id,
      grantedTo: 'Example App',
      scopes: ['vaults:read', 'users:read'],
      status: 'granted',
    },
  ]);

  await client.tokenRevocation(config, refreshed.access_token);
  expect((await call('GET', '/api/v1/vaults')).status).toBe(401);
  await expect(client.refreshTokenGrant(config, refreshed.refresh_token ?? '')).rejects.toThrow();
});
