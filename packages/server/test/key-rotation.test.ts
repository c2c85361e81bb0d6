import {
  createLocalJWKSet,
  decodeProtectedHeader,
  type JSONWebKeySet,
  jwtVerify,
  SignJWT,
} from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TestClock } from '../src/clock.ts';
import { type AccessTokens, createAccessTokens } from '../src/domain/accounts/access-tokens.ts';
import type { UserRecord } from '../src/store/repositories/users.ts';
import { plainSealer } from '../src/store/sealing.ts';
import { openSqlite } from '../src/store/sqlite/driver.ts';
import { createStore } from '../src/store/store.ts';
import { dataFolder, rowsIn } from './support/data-folder.ts';
import { openDatabase, type TestDatabase } from './support/delivery/database.ts';
import { refusal } from './support/front-door.ts';
import { startTestServer } from './support/server.ts';

const minute = 60_000;
const issuer = 'https://vault.example.com';

describe('the rotation of the signing key', () => {
  let database: TestDatabase;
  let clock: TestClock;
  let tokens: AccessTokens;
  let user: UserRecord;
  beforeEach(async () => {
    database = await openDatabase();
    ({ clock } = database);
    tokens = await open();
    // Keys are listed by their age, and tokens count in seconds.
    clock.advance(1000);
    user = (await database.store.users.findByEmail('test@example.com')) as UserRecord;
  });
  afterEach(() => database.close());

  /** As a process that starts on the same data. */
  const open = () => createAccessTokens({ store: database.store, clock, issuer: () => issuer });
  const kidOf = (token: string) => decodeProtectedHeader(token).kid;
  const published = () => tokens.publicKeys().keys.map(({ kid }) => kid);
  const stored = async () => (await database.store.signingKeys.list()).map(({ kid }) => kid);

  /** As anybody does who has fetched the published keys just now. */
  const verifyOutside = (token: string) =>
    jwtVerify(token, createLocalJWKSet(tokens.publicKeys() as JSONWebKeySet), {
      currentDate: new Date(clock.now()),
    });

  test('signs with the new key at once, and verifies by both', async () => {
    const old = await tokens.issue(user, 'session');
    const kid = await tokens.rotate();
    const fresh = await tokens.issue(user, 'session');
    expect(kidOf(fresh)).toBe(kid);
    expect(kidOf(old)).not.toBe(kid);
    expect(published()).toEqual([kid, kidOf(old)]);
    for (const token of [old, fresh]) {
      expect(await tokens.verify(token)).toMatchObject({ sessionId: 'session' });
      expect(await verifyOutside(token)).toMatchObject({ payload: { sub: user.id } });
    }
    const later = await open();
    expect(kidOf(await later.issue(user, 'session'))).toBe(kid);
    expect(await later.verify(old)).toMatchObject({ sessionId: 'session' });
    expect(later.publicKeys()).toEqual(tokens.publicKeys());
  });

  test('lets every token live to its end, and its key five minutes more', async () => {
    const last = await tokens.issue(user, 'session');
    await tokens.rotate();
    clock.advance(60 * minute - 1);
    expect(await tokens.verify(last)).toMatchObject({ sessionId: 'session' });
    clock.advance(1);
    await expect(tokens.verify(last)).rejects.toMatchObject({ code: 'EXPIRED_TOKEN' });
    clock.advance(5 * minute - 1);
    expect(published()).toHaveLength(2);
    clock.advance(1);
    expect(published()).toEqual([kidOf(await tokens.issue(user, 'session'))]);
    await expect(verifyOutside(last)).rejects.toThrow(/no applicable key/);
  });

  test('ends what a retired key says, whatever that is', async () => {
    const retired = kidOf(await tokens.issue(user, 'session'));
    const [record] = await database.store.signingKeys.list();
    const privateKey = JSON.parse(record?.privateJwk ?? '');
    await tokens.rotate();
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
    // Whose token has ended by itself is told so, and refreshes.
    await expect(tokens.verify(short)).rejects.toMatchObject({ code: 'EXPIRED_TOKEN' });
    await expect(tokens.verify(foreign)).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
    const [head] = short.split('.');
    for (const token of [`${head}.e30.x`, `${head}.rubbish.x`, `${head}..`]) {
      await expect(tokens.verify(token)).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
    }
  });

  test('leaves retired keys to be removed once their tokens have ended', async () => {
    const first = kidOf(await tokens.issue(user, 'session'));
    const second = await tokens.rotate();
    clock.advance(30 * minute);
    const third = await tokens.rotate();
    expect(published()).toEqual([third, second, first]);
    clock.advance(35 * minute - 1);
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

  test('asked for at once happens one after the other, and one key signs', async () => {
    const kids = await Promise.all([tokens.rotate(), tokens.rotate(), tokens.rotate()]);
    const signing = kidOf(await tokens.issue(user, 'session'));
    expect(kids).toContain(signing);
    const active = (await database.store.signingKeys.list()).filter(
      (key) => key.retiredAt === null,
    );
    expect(active.map(({ kid }) => kid)).toEqual([signing]);
    expect(published().toSorted()).toEqual((await stored()).toSorted());
    expect(kidOf(await (await open()).issue(user, 'session'))).toBe(signing);
  });
});

test('a server that starts after a rotation takes the tokens from before it', async () => {
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
  const kid = await tokens.rotate();
  await store.close();
  expect(rowsIn(data, 'signing_keys')).toBe(2);

  // Tokens name the address as their issuer, so that it has to be the same one.
  const port = Number(new URL(first.url).port);
  const server = await startTestServer({ data, port, clock });
  const me = '/api/v1/users/me';
  expect((await server.withToken(before.accessToken)('GET', me)).status).toBe(200);
  const { accessToken } = (await server.anonymous('POST', '/auth/login', { body })).body;
  expect(decodeProtectedHeader(accessToken).kid).toBe(kid);
  const keys = async () => (await server.anonymous('GET', '/.well-known/jwks.json')).body.keys;
  expect(await keys()).toHaveLength(2);

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
