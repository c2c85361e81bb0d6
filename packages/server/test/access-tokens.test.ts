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

/** Signs an account in and answers its id with its access token. */
async function signUp(server: TestServer) {
  const { userId, password } = await server.signUp(email);
  const { body } = await server.anonymous('POST', '/auth/login', { body: { email, password } });
  return { userId, accessToken: body.accessToken as string };
}

describe('an access token', () => {
  test('is RS256, has the claims of the contract, and verifies by the published keys', async () => {
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

  test('lasts an hour', async () => {
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

describe('the published keys', () => {
  test('hold nothing private', async () => {
    const { anonymous } = await startTestServer();
    const { body } = await anonymous('GET', '/.well-known/jwks.json');
    expect(body.keys).toHaveLength(1);
    expect(Object.keys(body.keys[0]).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    expect(body.keys[0]).toMatchObject({ alg: 'RS256', kty: 'RSA', use: 'sig' });
  });

  test('stay the same over a restart', async () => {
    const data = await dataFolder();
    const first = await startTestServer({ data });
    const before = await first.anonymous('GET', '/.well-known/jwks.json');
    await first.close();
    const { anonymous } = await startTestServer({ data });
    expect((await anonymous('GET', '/.well-known/jwks.json')).body).toEqual(before.body);
  });
});

describe('a token that this server', () => {
  /** Everything that a forger could want, the server's own private key included. */
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
    // The issuer is the address, so that it has to be the same one.
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

  const ask = (token: string) => server.withToken(token)('GET', '/api/v1/users/me');

  const encode = (part: object | string) =>
    Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

  test('has signed is taken, with the scopes that it carries', async () => {
    expect((await ask(genuine)).status).toBe(200);
    const call = server.withToken(await sign());
    expect((await call('GET', '/api/v1/users/me')).status).toBe(200);
    expect(await call('GET', '/api/v1/vaults')).toMatchObject(
      refusal('INSUFFICIENT_PERMISSIONS', { requiredScopes: ['vaults:read'] }),
    );
  });

  test('has signed with admin:* for an ordinary account does not make it an administrator', async () => {
    const call = server.withToken(await sign({ scopes: ['admin:*'] }));
    expect(await call('GET', '/api/v1/users/me')).toMatchObject(
      refusal('INSUFFICIENT_PERMISSIONS'),
    );
  });

  test('has not signed like this is not valid', async () => {
    const [head = '', payload = '', signature = ''] = genuine.split('.');
    const { privateKey: strange } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const byHmac = (secret: string) =>
      new SignJWT(claims)
        .setProtectedHeader({ ...header, alg: 'HS256' })
        .sign(new TextEncoder().encode(secret));
    const forged: Record<string, string> = {
      'no JWT': 'rubbish',
      'three parts of nothing': 'a.b.c',
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
      'RS256 by a strange key': await new SignJWT(claims).setProtectedHeader(header).sign(strange),
      'a key in the header': await new SignJWT(claims)
        .setProtectedHeader({ ...header, jwk: JSON.parse(publicJwk) })
        .sign(strange),
      'an unknown kid': await sign({}, { kid: 'unknown' }),
      'no kid': await sign({}, { kid: undefined }),
      'another typ': await sign({}, { typ: 'logout+jwt' }),
      'another issuer': await sign({ iss: 'https://elsewhere.example.com' }),
      'another audience': await sign({ aud: 'another-service' }),
      'no audience': await sign({ aud: undefined }),
      'no subject': await sign({ sub: undefined }),
      'no session': await sign({ sid: undefined }),
      'a session that is no text': await sign({ sid: 1 }),
      'a session that does not exist': await sign({ sid: '019cadd4-5698-781e-b05b-ef3e60cf1f3b' }),
      'no end': await sign({ exp: undefined }),
      'no scopes': await sign({ scopes: undefined }),
      'scopes that are no list': await sign({ scopes: 'users:read' }),
      'an account that does not exist': await sign({ sub: '019cadd4-5698-781e-b05b-ef3e60cf1f3b' }),
      'a claim that is text where a time belongs': await sign({ exp: 'tomorrow' }),
      'not valid yet': await sign({ nbf: Number(claims.exp) }),
    };
    for (const [name, token] of Object.entries(forged)) {
      const reply = await ask(token);
      expect(reply, name).toMatchObject(refusal('INVALID_TOKEN'));
      expect(reply.body.error.details).toEqual({});
    }
  });

  test('has not signed is not called expired, however old it is', async () => {
    const exp = Number(claims.iat) - 1;
    expect(await ask(await sign({ exp }))).toMatchObject(refusal('EXPIRED_TOKEN'));
    const [head, payload] = (await sign({ exp })).split('.');
    const unsigned = await ask(`${head}.${payload}.${genuine.split('.')[2]}`);
    expect(unsigned).toMatchObject(refusal('INVALID_TOKEN'));
  });

  test('cannot find in the header is not valid', async () => {
    for (const authorization of ['Basic YTpi', 'Bearer', 'Token x', 'Bearer a b', genuine]) {
      const headers = { authorization };
      const reply = await server.anonymous('GET', '/api/v1/users/me', { headers });
      expect(reply, authorization).toMatchObject(refusal('INVALID_TOKEN'));
    }
  });

  test('has signed is taken whatever the letter case of Bearer', async () => {
    const headers = { authorization: `bEARER ${genuine}` };
    expect((await server.anonymous('GET', '/api/v1/users/me', { headers })).status).toBe(200);
  });
});
