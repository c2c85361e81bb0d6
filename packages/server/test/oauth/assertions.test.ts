import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeEach, expect, test } from 'vitest';
import type { OAuthClientRecord } from '../../src/store/rows/oauth/clients.ts';
import { type OAuthServer, sendForm, startOAuthServer } from '../support/oauth.ts';

// Clients that authenticate with private_key_jwt (RFC 7523).

const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });

let server: OAuthServer;
let app: OAuthClientRecord;

beforeEach(async () => {
  server = await startOAuthServer();
  app = await server.register({
    tokenEndpointAuthMethod: 'private_key_jwt',
    secretHash: null,
    jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'a', alg: 'ES256' }] },
  });
});

interface Assertion {
  readonly id: string;
  /** Seconds from now. */
  readonly lifetime?: number;
  readonly claims?: object;
}

function assertion({ id, lifetime = 60, claims = {} }: Assertion): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const usual = { iss: app.id, sub: app.id, aud: server.url, jti: id, iat: now };
  return new SignJWT({ ...usual, exp: now + lifetime, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'a' })
    .sign(privateKey);
}

const send = (signed: string) =>
  sendForm(server, '/oauth/token', undefined, {
    grant_type: 'client_credentials',
    scope: 'users:read',
    client_assertion: signed,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  });

test('accepts one of 8 parallel requests with the same assertion', async () => {
  const signed = await assertion({ id: 'once' });
  const replies = await Promise.all(Array.from({ length: 8 }, () => send(signed)));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)]);
  expect(await send(signed)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  expect((await send(await assertion({ id: 'twice' }))).status).toBe(200);
});

test('keeps the assertions of two clients apart that use the same id', async () => {
  const first = await send(await assertion({ id: 'same' }));
  const other = await server.register({ ...app, id: 'another' });
  app = other;
  const second = await send(await assertion({ id: 'same' }));
  expect([first.status, second.status]).toEqual([200, 200]);
});

test('rejects an assertion that lasts longer than 5 minutes, and takes one of 5 minutes', async () => {
  for (const lifetime of [6 * 60, 10 * 365 * 24 * 3600]) {
    const reply = await send(await assertion({ id: `long ${lifetime}`, lifetime }));
    expect(reply).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  }
  expect((await send(await assertion({ id: 'usual', lifetime: 5 * 60 }))).status).toBe(200);
});

test.each([
  ['has expired', { exp: 1 }],
  ['has no end', { exp: undefined }],
  ['has no id', { jti: undefined }],
  ['is for another server', { aud: 'https://evil.test' }],
  ['names another issuer', { iss: 'another' }],
])('rejects an assertion that %s', async (_reason, claims) => {
  const reply = await send(await assertion({ id: 'wrong', claims }));
  expect(reply).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  expect(reply.body.access_token).toBeUndefined();
});

test.each(['HS256', 'none'])('rejects an assertion with the algorithm %s', async (alg) => {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: app.id, sub: app.id, aud: server.url, jti: alg, iat: now, exp: now + 60 };
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  // With the public key as the secret of HMAC.
  const jwk = JSON.stringify(app.jwks?.keys[0]);
  const signed =
    alg === 'none'
      ? `${encode({ alg })}.${encode(claims)}.`
      : await new SignJWT(claims).setProtectedHeader({ alg }).sign(Buffer.from(jwk));
  expect(await send(signed)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
});
