import { generateKeyPairSync } from 'node:crypto';
import {
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  importJWK,
  type JWTHeaderParameters,
  type JWTPayload,
  jwtVerify,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { userScopes } from '../src/domain/access.ts';
import { dataFolder, inDatabase } from './support/data-folder.ts';
import { expectEveryHeader, refusal } from './support/front-door.ts';
import { startTestServer, type TestServer } from './support/server.ts';

const email = 'ada@example.com';

/** Signs up an account, logs in, and returns its id and access token. */
async function signUp(server: TestServer) {
  const { userId, password } = await server.signUp(email);
  const { body } = await server.anonymous('POST', '/auth/login', { body: { email, password } });
  return { userId, accessToken: body.accessToken as string };
}

describe('access tokens', () => {
  test('POST /auth/login returns an RS256 token with the claims of the contract, verifiable by the JWKS', async () => {
    const server = await startTestServer();
    const { accessToken, userId } = await signUp(server);
    expect(decodeProtectedHeader(accessToken)).toEqual({
      alg: 'RS256',
      typ: 'JWT',
      kid: expect.any(String),
    });

    const keys = createRemoteJWKSet(new URL(`${server.url}/.well-known/jwks.json`));
    const now = server.clock.now() / 1000;
    const { payload } = await jwtVerify(accessToken, keys, {
      algorithms: ['RS256'],
      currentDate: new Date(server.clock.now()),
    });
    expect(payload).toEqual({
      sub: userId,
      email,
      sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      iss: server.url,
      aud: 'document-vault',
      iat: now,
      exp: now + 3600,
      scopes: [...userScopes],
    });
    expect(payload.scopes).not.toContain('admin:*');
  });

  test('a token returns 401 EXPIRED_TOKEN one hour after its issue', async () => {
    const server = await startTestServer();
    const call = server.withToken((await signUp(server)).accessToken);
    server.clock.advance(3600 * 1000 - 1);
    expect((await call('GET', '/api/v1/users/me')).status).toBe(200);
    server.clock.advance(1);
    const expired = await call('GET', '/api/v1/users/me');
    expect(expired).toMatchObject(refusal('EXPIRED_TOKEN'));
    expectEveryHeader(expired);
  });
});

describe('GET /.well-known/jwks.json', () => {
  test('returns one RSA key without private parameters', async () => {
    const { anonymous } = await startTestServer();
    const { body } = await anonymous('GET', '/.well-known/jwks.json');
    expect(body.keys).toHaveLength(1);
    expect(Object.keys(body.keys[0]).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    expect(body.keys[0]).toMatchObject({ alg: 'RS256', kty: 'RSA', use: 'sig' });
  });

  test('returns the same keys after a restart', async () => {
    const data = await dataFolder();
    const first = await startTestServer({ data });
    const before = await first.anonymous('GET', '/.well-known/jwks.json');
    await first.close();
    const { anonymous } = await startTestServer({ data });
    expect((await anonymous('GET', '/.well-known/jwks.json')).body).toEqual(before.body);
  });
});

describe('token verification', () => {
  // Includes the server's own private key, so that a test can vary one claim of a signed token.
  let server: TestServer;
  let genuine: string;
  let header: JWTHeaderParameters;
  let claims: JWTPayload;
  let publicJwk: string;
  let privateJwk: string;

  beforeEach(async () => {
    const data = await dataFolder();
    const first = await startTestServer({ data });
    const { accessToken, userId } = await signUp(first);
    await first.close();
    const stored = inDatabase(data, (database) =>
      database.prepare('SELECT public_jwk, private_jwk FROM signing_keys').raw().get(),
    ) as [string, Uint8Array];
    publicJwk = stored[0];
    privateJwk = Buffer.from(stored[1].subarray(1)).toString('utf8');
    // The token's issuer is the server's address, so the port must not change.
    server = await startTestServer({ data, port: Number(new URL(first.url).port) });
    genuine = accessToken;
    header = { alg: 'RS256', typ: 'JWT', kid: JSON.parse(publicJwk).kid };
    const iat = server.clock.now() / 1000;
    claims = {
      sub: userId,
      sid: decodeJwt(accessToken).sid,
      email,
      iss: server.url,
      aud: 'document-vault',
      iat,
      exp: iat + 3600,
      scopes: ['users:read'],
    };
  });

  const sign = async (changes: Readonly<Record<string, unknown>> = {}, headerChanges = {}) =>
    new SignJWT({ ...claims, ...changes })
      .setProtectedHeader({ ...header, ...headerChanges })
      .sign(await importJWK(JSON.parse(privateJwk), 'RS256'));

  const getMe = (token: string) => server.withToken(token)('GET', '/api/v1/users/me');

  const encode = (part: object | string) =>
    Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

  test('a token signed by the server is accepted with exactly the scopes of its claims', async () => {
    expect((await getMe(genuine)).status).toBe(200);
    const call = server.withToken(await sign());
    expect((await call('GET', '/api/v1/users/me')).status).toBe(200);
    expect(await call('GET', '/api/v1/vaults')).toMatchObject(
      refusal('INSUFFICIENT_PERMISSIONS', { requiredScopes: ['vaults:read'] }),
    );
  });

  test('a signed token with admin:* for an ordinary account returns 403 INSUFFICIENT_PERMISSIONS', async () => {
    const call = server.withToken(await sign({ scopes: ['admin:*'] }));
    expect(await call('GET', '/api/v1/users/me')).toMatchObject(
      refusal('INSUFFICIENT_PERMISSIONS'),
    );
  });

  test('forged and malformed tokens return 401 INVALID_TOKEN with empty details', async () => {
    const [head = '', payload = '', signature = ''] = genuine.split('.');
    const { privateKey: foreignKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const byHmac = (secret: string) =>
      new SignJWT(claims)
        .setProtectedHeader({ ...header, alg: 'HS256' })
        .sign(new TextEncoder().encode(secret));
    const forged: Record<string, string> = {
      'no JWT': 'rubbish',
      'three invalid parts': 'a.b.c',
      'empty parts': '..',
      'a JSON header without the rest': `${head}..`,
      'no signature': `${head}.${payload}.`,
      'half a signature': `${head}.${payload}.${signature.slice(0, 100)}`,
      'another payload under the signature': `${head}.${encode({ ...claims, scopes: userScopes })}.${signature}`,
      'another header under the signature': `${encode({ ...header, alg: 'RS512' })}.${payload}.${signature}`,
      'alg none': new UnsecuredJWT(claims).encode(),
      'alg none with the rest of the header': `${encode({ ...header, alg: 'none' })}.${payload}.`,
      'alg none under the signature': `${encode({ ...header, alg: 'none' })}.${payload}.${signature}`,
      'HS256 by the public key': await byHmac(publicJwk),
      'HS256 by the modulus': await byHmac(JSON.parse(publicJwk).n),
      'RS256 by a foreign key': await new SignJWT(claims)
        .setProtectedHeader(header)
        .sign(foreignKey),
      'a key in the header': await new SignJWT(claims)
        .setProtectedHeader({ ...header, jwk: JSON.parse(publicJwk) })
        .sign(foreignKey),
      'an unknown kid': await sign({}, { kid: 'unknown' }),
      'no kid': await sign({}, { kid: undefined }),
      'another typ': await sign({}, { typ: 'logout+jwt' }),
      'another issuer': await sign({ iss: 'https://elsewhere.example.com' }),
      'another audience': await sign({ aud: 'another-service' }),
      'no audience': await sign({ aud: undefined }),
      'no subject': await sign({ sub: undefined }),
      'no session': await sign({ sid: undefined }),
      'a session id that is not a string': await sign({ sid: 1 }),
      'a session that does not exist': await sign({ sid: '019cadd4-5698-781e-b05b-ef3e60cf1f3b' }),
      'no expiry': await sign({ exp: undefined }),
      'no scopes': await sign({ scopes: undefined }),
      'scopes that are not an array': await sign({ scopes: 'users:read' }),
      'an account that does not exist': await sign({ sub: '019cadd4-5698-781e-b05b-ef3e60cf1f3b' }),
      'an expiry that is not a number': await sign({ exp: 'tomorrow' }),
      'not valid yet': await sign({ nbf: Number(claims.exp) }),
    };
    for (const [name, token] of Object.entries(forged)) {
      const reply = await getMe(token);
      expect(reply, name).toMatchObject(refusal('INVALID_TOKEN'));
      expect(reply.body.error.details).toEqual({});
    }
  });

  test('an expired token with an invalid signature returns INVALID_TOKEN, not EXPIRED_TOKEN', async () => {
    const exp = Number(claims.iat) - 1;
    expect(await getMe(await sign({ exp }))).toMatchObject(refusal('EXPIRED_TOKEN'));
    const [head, payload] = (await sign({ exp })).split('.');
    const unsigned = await getMe(`${head}.${payload}.${genuine.split('.')[2]}`);
    expect(unsigned).toMatchObject(refusal('INVALID_TOKEN'));
  });

  test('an Authorization header that is not "Bearer TOKEN" returns 401 INVALID_TOKEN', async () => {
    for (const authorization of ['Basic YTpi', 'Bearer', 'Token x', 'Bearer a b', genuine]) {
      const headers = { authorization };
      const reply = await server.anonymous('GET', '/api/v1/users/me', { headers });
      expect(reply, authorization).toMatchObject(refusal('INVALID_TOKEN'));
    }
  });

  test('the scheme Bearer is accepted in any letter case', async () => {
    const headers = { authorization: `bEARER ${genuine}` };
    expect((await server.anonymous('GET', '/api/v1/users/me', { headers })).status).toBe(200);
  });
});
