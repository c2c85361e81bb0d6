import {
  createLocalJWKSet,
  decodeProtectedHeader,
  type JSONWebKeySet,
  jwtVerify,
  SignJWT,
} from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AccessTokens, createAccessTokens } from '../src/domain/accounts/access-tokens.ts';
import { TestClock } from '../src/lib/clock.ts';
import type { UserRecord } from '../src/store/rows/accounts/users.ts';
import { plainSealer } from '../src/store/sealing.ts';
import { openSqlite } from '../src/store/sqlite/driver.ts';
import { createStore } from '../src/store/store.ts';
import { dataFolder, rowsIn } from './support/data-folder.ts';
import { openDatabase, type TestDatabase } from './support/delivery/database.ts';
import { refusal } from './support/front-door.ts';
import { startTestServer } from './support/server.ts';

const minute = 60_000;
const issuer = 'https://vault.example.com';

describe('rotation of the signing key', () => {
  let database: TestDatabase;
  let clock: TestClock;
  let tokens: AccessTokens;
  let user: UserRecord;
  beforeEach(async () => {
    database = await openDatabase();
    ({ clock } = database);
    tokens = await open();
    // Keys are sorted by age, and tokens have times in seconds.
    clock.advance(1000);
    user = (await database.store.users.findByEmail('test@example.com')) as UserRecord;
  });
  afterEach(() => database.close());

  /** Reads the keys from the store, like a process that starts on the same data. */
  const open = () => createAccessTokens({ store: database.store, clock, issuer: () => issuer });
  const kidOf = (token: string) => decodeProtectedHeader(token).kid;
  const published = () => tokens.publicKeys().keys.map(({ kid }) => kid);
  const stored = async () => (await database.store.signingKeys.list()).map(({ kid }) => kid);

  /** Verifies with the published keys only, like another service. */
  const verifyOutside = (token: string) =>
    jwtVerify(token, createLocalJWKSet(tokens.publicKeys() as JSONWebKeySet), {
      currentDate: new Date(clock.now()),
    });

  test('a token with a key that another process has just made is accepted', async () => {
    const other = await open();
    await other.rotate({ now: true });
    clock.advance(1000);
    const token = await other.issue(user, 'session');
    expect(published()).not.toContain(kidOf(token));
    expect(await tokens.verify(token)).toMatchObject({ userId: user.id });
  });

  test('a new key is published 300 s before it signs, and both verify', async () => {
    const old = await tokens.issue(user, 'session');
    const { kid, signsFrom } = await tokens.rotate();
    expect(signsFrom).toBe(clock.now() + 5 * minute);
    expect(published()).toEqual([kid, kidOf(old)]);
    clock.advance(5 * minute - 1);
    expect(kidOf(await tokens.issue(user, 'session'))).toBe(kidOf(old));
    clock.advance(1);
    const fresh = await tokens.issue(user, 'session');
    expect(kidOf(fresh)).toBe(kid);
    for (const token of [old, fresh]) {
      expect(await tokens.verify(token)).toMatchObject({ sessionId: 'session' });
      expect(await verifyOutside(token)).toMatchObject({ payload: { sub: user.id } });
    }
    const later = await open();
    expect(kidOf(await later.issue(user, 'session'))).toBe(kid);
    expect(await later.verify(old)).toMatchObject({ sessionId: 'session' });
    expect(later.publicKeys()).toEqual(tokens.publicKeys());
  });

  test('a verifier that caches the keys for 300 s always has the key of a token', async () => {
    let cached = { at: clock.now(), keys: tokens.publicKeys() };
    for (let seconds = 0; seconds < 900; seconds += 50) {
      if (seconds === 150 || seconds === 400) await tokens.rotate();
      if (clock.now() - cached.at >= 300_000)
        cached = { at: clock.now(), keys: tokens.publicKeys() };
      const token = await tokens.issue(user, 'session');
      await jwtVerify(token, createLocalJWKSet(cached.keys as JSONWebKeySet), {
        currentDate: new Date(clock.now()),
      });
      clock.advance(50_000);
    }
    expect(published()).toHaveLength(3);
  });

  test('rotation with now signs at once and deletes a published key that has not signed', async () => {
    const old = await tokens.issue(user, 'session');
    const pending = await tokens.rotate();
    const { kid, signsFrom } = await tokens.rotate({ now: true });
    expect(signsFrom).toBe(clock.now());
    expect(kidOf(await tokens.issue(user, 'session'))).toBe(kid);
    expect(published()).toEqual([kid, kidOf(old)]);
    expect(await stored()).not.toContain(pending.kid);
    clock.advance(5 * minute);
    expect(kidOf(await tokens.issue(user, 'session'))).toBe(kid);
  });

  test('a clock before the first key signs with the first key', async () => {
    const { kid } = await database.store.signingKeys
      .list()
      .then(([first]) => first as { kid: string });
    const early = new TestClock(clock.now() - 24 * 60 * minute);
    const { store } = database;
    const before = await createAccessTokens({ store, clock: early, issuer: () => issuer });
    expect(kidOf(await before.issue(user, 'session'))).toBe(kid);
  });

  test('every token verifies until it expires, and its key five minutes longer', async () => {
    await tokens.rotate();
    // Tokens have times in whole seconds.
    clock.advance(5 * minute - 1000);
    const last = await tokens.issue(user, 'session');
    clock.advance(60 * minute - 1);
    expect(await tokens.verify(last)).toMatchObject({ sessionId: 'session' });
    clock.advance(1);
    await expect(tokens.verify(last)).rejects.toMatchObject({ code: 'EXPIRED_TOKEN' });
    clock.advance(5 * minute + 999);
    expect(published()).toHaveLength(2);
    clock.advance(1);
    expect(published()).toEqual([kidOf(await tokens.issue(user, 'session'))]);
    await expect(verifyOutside(last)).rejects.toThrow(/no applicable key/);
  });

  test('a retired key verifies nothing after 65 minutes, also a token with a later exp', async () => {
    const retired = kidOf(await tokens.issue(user, 'session'));
    const [record] = await database.store.signingKeys.list();
    const privateKey = JSON.parse(record?.privateJwk ?? '');
    await tokens.rotate({ now: true });
    const hours = (number: number) => clock.now() / 1000 + number * 3600;
    const forge = (exp: number, claims = {}) =>
      new SignJWT({
        scopes: ['vaults:read'],
        sub: user.id,
        sid: 'session',
        iss: issuer,
        aud: 'document-vault',
        ...claims,
      })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: retired ?? '' })
        .setIssuedAt(clock.now() / 1000)
        .setExpirationTime(exp)
        .sign(privateKey);
    const long = await forge(hours(24));
    expect(await tokens.verify(long)).toMatchObject({ sessionId: 'session' });
    const short = await forge(hours(1));
    const foreign = await forge(hours(1), { iss: 'https://elsewhere.example.com' });
    clock.advance(65 * minute);
    await expect(tokens.verify(long)).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
    // EXPIRED_TOKEN makes the client refresh instead of signing in again.
    await expect(tokens.verify(short)).rejects.toMatchObject({ code: 'EXPIRED_TOKEN' });
    await expect(tokens.verify(foreign)).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
    const [head] = short.split('.');
    for (const token of [`${head}.e30.x`, `${head}.rubbish.x`, `${head}..`]) {
      await expect(tokens.verify(token)).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
    }
  });

  test('the signature of a token is verified once, and its expiry at every request', async () => {
    const token = await tokens.issue(user, 'session');
    const claims = await tokens.verify(token);
    expect(await tokens.verify(token)).toBe(claims);
    const [head, payload] = token.split('.');
    for (const forged of [`${head}.${payload}.x`, `${token}A`, `${head}.${payload}.`]) {
      await expect(tokens.verify(forged)).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
      await expect(tokens.verify(forged)).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
    }
    await tokens.rotate({ now: true });
    expect(await tokens.verify(token)).toEqual(claims);
    clock.advance(60 * minute);
    await expect(tokens.verify(token)).rejects.toMatchObject({ code: 'EXPIRED_TOKEN' });
  });

  test('a verified token is invalid once the server has another issuer', async () => {
    let current = issuer;
    const own = await createAccessTokens({ ...database, issuer: () => current });
    const token = await own.issue(user, 'session');
    const claims = await own.verify(token);
    expect(await own.verify(token)).toBe(claims);
    current = 'https://elsewhere.example.com';
    await expect(own.verify(token)).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
  });

  test('removeRetired deletes a key 65 minutes after the next one started to sign', async () => {
    const first = kidOf(await tokens.issue(user, 'session'));
    const { kid: second } = await tokens.rotate();
    clock.advance(30 * minute);
    const { kid: third } = await tokens.rotate();
    expect(published()).toEqual([third, second, first]);
    clock.advance(40 * minute - 1);
    expect(await tokens.removeRetired()).toBe(0);
    clock.advance(1);
    expect(await tokens.removeRetired()).toBe(1);
    expect(await stored()).toEqual([third, second]);
    expect(published()).toEqual([third, second]);
    clock.advance(24 * 60 * minute);
    expect(await tokens.removeRetired()).toBe(1);
    expect(await tokens.removeRetired()).toBe(0);
    expect(await stored()).toEqual([third]);
    expect(kidOf(await tokens.issue(user, 'session'))).toBe(third);
  });

  test('concurrent rotations make keys that sign one after the other', async () => {
    const rotations = await Promise.all([tokens.rotate(), tokens.rotate(), tokens.rotate()]);
    expect(new Set(rotations.map(({ signsFrom }) => signsFrom)).size).toBe(3);
    expect(published()).toEqual(await stored());
    const last = rotations.toSorted((a, b) => b.signsFrom - a.signsFrom)[0];
    clock.advance(6 * minute);
    expect(kidOf(await tokens.issue(user, 'session'))).toBe(last?.kid);
    expect(kidOf(await (await open()).issue(user, 'session'))).toBe(last?.kid);
  });
});

test('/.well-known/jwks.json may be cached for 300 s, and other responses may not', async () => {
  const server = await startTestServer();
  const jwks = await fetch(`${server.url}/.well-known/jwks.json`);
  expect(jwks.headers.get('cache-control')).toBe('public, max-age=300');
  expect(jwks.headers.get('vary')).toBe('Origin');
  const missing = await fetch(`${server.url}/.well-known/other.json`);
  expect(missing.headers.get('cache-control')).toBe('no-store');
});

test('a server that starts after a rotation accepts tokens from before the rotation', async () => {
  const data = await dataFolder();
  const first = await startTestServer({ data });
  const { email, password } = await first.signUp('ada@example.com');
  const body = { email, password };
  const before = (await first.anonymous('POST', '/auth/login', { body })).body;
  await first.close();

  const driver = await openSqlite({ folder: data });
  const store = createStore(driver, plainSealer);
  const { clock } = first;
  const tokens = await createAccessTokens({ store, clock, issuer: () => '' });
  const { kid } = await tokens.rotate();
  clock.advance(5 * minute);
  await store.close();
  expect(rowsIn(data, 'signing_keys')).toBe(2);

  // The token's issuer is the server's address, so the port must not change.
  const port = Number(new URL(first.url).port);
  const server = await startTestServer({ data, port, clock });
  const me = '/api/v1/users/me';
  expect((await server.withToken(before.accessToken)('GET', me)).status).toBe(200);
  const { accessToken } = (await server.anonymous('POST', '/auth/login', { body })).body;
  expect(decodeProtectedHeader(accessToken).kid).toBe(kid);
  const keys = async () => (await server.anonymous('GET', '/.well-known/jwks.json')).body.keys;
  expect(await keys()).toHaveLength(2);

  // A sweep that is still running would not start again after the advance.
  await server.settled();
  clock.advance(65 * minute);
  expect(await keys()).toMatchObject([{ kid }]);
  const late = await server.withToken(before.accessToken)('GET', me);
  expect(late).toMatchObject(refusal('EXPIRED_TOKEN'));
  const { refreshToken } = before;
  const refreshed = await server.anonymous('POST', '/auth/refresh', { body: { refreshToken } });
  expect((await server.withToken(refreshed.body.accessToken)('GET', me)).status).toBe(200);
  await server.settled();
  await server.close();
  expect(rowsIn(data, 'signing_keys')).toBe(1);
});
