import { generateKeyPair, SignJWT } from 'jose';
import { afterEach, expect, test, vi } from 'vitest';
import type { UserRecord } from '../src/store/rows/accounts/users.ts';
import { refusal } from './support/front-door.ts';
import { startTestServer, type TestServer } from './support/server.ts';

const path = '/api/v1/vaults';
const credentials = { email: 'ada@example.com', password: 'correct horse battery staple' };

afterEach(() => vi.restoreAllMocks());

/** Each call makes the server read its signing keys again, as it does for another process. */
async function keyReloads({ withToken, clock }: TestServer) {
  const { privateKey } = await generateKeyPair('RS256');
  const unknown = await new SignJWT({})
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: 'unknown' })
    .sign(privateKey);
  return async () => {
    clock.advance(1_000);
    expect(await withToken(unknown)('GET', path)).toMatchObject(refusal('INVALID_TOKEN'));
  };
}

async function change(server: TestServer, id: string, changed: Partial<UserRecord>) {
  await server.store.transaction(async (tx) => {
    const user = await tx.users.find(id);
    if (user) await tx.users.save({ ...user, ...changed });
  });
}

test('an access token is verified once, although the signing keys are read again each second', async () => {
  const server = await startTestServer();
  await server.signUp(credentials.email);
  const call = await server.signIn(credentials);
  const reload = await keyReloads(server);
  const reads = vi.spyOn(server.store.signingKeys, 'list');
  const verifications = vi.spyOn(crypto.subtle, 'verify');
  const imports = vi.spyOn(crypto.subtle, 'importKey');
  for (let second = 1; second <= 5; second += 1) {
    await reload();
    for (let request = 0; request < 10; request += 1) {
      expect((await call('GET', path)).status).toBe(200);
    }
    expect(reads.mock.calls.length, 'reads of the keys').toBeGreaterThanOrEqual(second);
  }
  expect(verifications).toHaveBeenCalledOnce();
  expect(imports).not.toHaveBeenCalled();
});

test('suspension, demotion and logout take effect at the next request of a verified token', async () => {
  const server = await startTestServer();
  const { userId } = await server.signUp(credentials.email);
  await change(server, userId, { role: 'admin' });
  const { body: session } = await server.anonymous('POST', '/auth/login', { body: credentials });
  const call = server.withToken(session.accessToken);
  expect((await call('GET', '/api/v1/users')).status).toBe(200);

  await change(server, userId, { role: 'user' });
  expect(await call('GET', '/api/v1/users')).toMatchObject(refusal('INSUFFICIENT_PERMISSIONS'));
  expect((await call('GET', path)).status).toBe(200);
  await change(server, userId, { status: 'suspended' });
  expect(await call('GET', path)).toMatchObject(refusal('ACCOUNT_SUSPENDED'));
  await change(server, userId, { status: 'active' });
  expect((await call('GET', path)).status).toBe(200);
  const { refreshToken } = session;
  await server.anonymous('POST', '/auth/logout', { body: { refreshToken } });
  expect(await call('GET', path)).toMatchObject(refusal('INVALID_TOKEN'));
});
