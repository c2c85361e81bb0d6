import { decodeJwt, exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { unusedFeatures } from '../../src/oauth/engine-configuration.ts';
import type { OAuthClientRecord } from '../../src/store/rows/oauth/clients.ts';
import { getCode, type OAuthServer, redeem, sendForm, startOAuthServer } from '../support/oauth.ts';
import type { Account } from '../support/server.ts';

// Tokens of this server are bearer tokens. One that is bound to a key must not pass without a proof of that key.

let server: OAuthServer;
let app: OAuthClientRecord;
let ada: Account;

beforeEach(async () => {
  server = await startOAuthServer();
  app = await server.register();
  ada = await server.signUp('ada@example.com');
});

/** Returns a proof of possession for one request (RFC 9449, section 4.2). */
async function proofOf(method: string, path: string): Promise<string> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  return new SignJWT({ htm: method, htu: `${server.url}${path}`, jti: crypto.randomUUID() })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(publicKey) })
    .setIssuedAt()
    .sign(privateKey);
}

test('a token request with a DPoP proof returns a bearer token without cnf', async () => {
  const parameters = { grant_type: 'client_credentials', scope: 'vaults:read' };
  const proof = { dpop: await proofOf('POST', '/oauth/token') };
  const { status, body } = await sendForm(server, '/oauth/token', app, parameters, proof);
  expect(status).toBe(200);
  expect(body.token_type).toBe('Bearer');
  expect(decodeJwt(body.access_token).cnf).toBeUndefined();
});

describe('an access token with the claim cnf is rejected with 401', () => {
  test.each([
    ['of a DPoP key', { jkt: 'qdcZQ7q5Zy0PDNLrbX4ptMPoHtGdoxSnTjc0QKZmvYY' }],
    ['of a client certificate', { 'x5t#S256': 'bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2' }],
    ['without a key', {}],
    ['of null', null],
  ])('%s', async (_name, cnf) => {
    const [key] = await server.store.signingKeys.list();
    const privateKey = await importJWK(JSON.parse(key?.privateJwk ?? ''), 'RS256');
    const code = await getCode(server, app, ada, { scope: 'vaults:read users:read' });
    const { body } = await redeem(server, app, code);
    const sign = (payload: object) =>
      new SignJWT({ ...decodeJwt(body.access_token), ...payload })
        .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: key?.kid ?? '' })
        .sign(privateKey);
    const call = server.withToken(await sign({ cnf }));
    expect((await server.withToken(await sign({}))('GET', '/api/v1/vaults')).status).toBe(200);
    expect(await call('GET', '/api/v1/vaults')).toMatchObject({
      status: 401,
      body: { error: { code: 'INVALID_TOKEN' } },
    });
    expect((await call('GET', '/oauth/userinfo')).status).toBe(401);
    const query = { body: { query: '{ vaults { data { id } } }' } };
    expect((await call('POST', '/graphql', query)).status).toBe(401);
  });
});

test('every feature of the engine is on or off by name', async () => {
  const path = 'oidc-provider/lib/helpers/defaults.js';
  const { defaults } = await import(path);
  const used = [
    'clientCredentials',
    'deviceFlow',
    'pushedAuthorizationRequests',
    'resourceIndicators',
    'revocation',
  ];
  const named = [...Object.keys(unusedFeatures), ...used];
  expect(named.sort()).toEqual(Object.keys(defaults.features).sort());
});

test('an access token is rejected with the scheme DPoP', async () => {
  const { body } = await redeem(server, app, await getCode(server, app, ada));
  const headers = {
    authorization: `DPoP ${body.access_token}`,
    dpop: await proofOf('GET', '/api/v1/vaults'),
  };
  expect((await server.anonymous('GET', '/api/v1/vaults', { headers })).status).toBe(401);
});
