import { beforeEach, expect, test } from 'vitest';
import { dataFolder, inDatabase } from './support/data-folder.ts';
import { comparable, expectEveryHeader, refusal } from './support/front-door.ts';
import { startTestServer, type TestServer } from './support/server.ts';

const credentials = { email: 'ada@example.com', password: 'correct horse battery staple' };

// Credentials of an account that has been suspended.
let server: TestServer;
let data: string;
let accessToken: string;
let refreshToken: string;
let key: string;

beforeEach(async () => {
  data = await dataFolder();
  const first = await startTestServer({ data });
  const { call } = await first.signUp(credentials.email);
  const session = await first.anonymous('POST', '/auth/login', { body: credentials });
  const created = await call('POST', '/api/v1/api-keys', {
    body: { name: 'Key', scopes: ['vaults:read'] },
  });
  ({ accessToken, refreshToken } = session.body);
  ({ key } = created.body);
  await first.close();
  const { changes } = inDatabase(data, (database) =>
    database
      .prepare(`UPDATE users SET status = 'suspended' WHERE email = ?`)
      .run(credentials.email),
  );
  expect(changes).toBe(1);
  // Access tokens contain the issuer's address, so the port stays the same.
  server = await startTestServer({ data, port: Number(new URL(first.url).port) });
});

test('an access token of a suspended account returns 403 ACCOUNT_SUSPENDED', async () => {
  const reply = await server.withToken(accessToken)('GET', '/api/v1/vaults');
  expect(reply).toMatchObject(refusal('ACCOUNT_SUSPENDED', {}));
  expectEveryHeader(reply);
});

test('an API key of a suspended account returns 403 ACCOUNT_SUSPENDED, with and without the scope', async () => {
  const call = server.withKey(key);
  expect(await call('GET', '/api/v1/vaults')).toMatchObject(refusal('ACCOUNT_SUSPENDED'));
  expect(await call('GET', '/api/v1/documents')).toMatchObject(refusal('ACCOUNT_SUSPENDED'));
  expect(await call('GET', '/api/v1/auth/validate')).toMatchObject(refusal('ACCOUNT_SUSPENDED'));
  expect(await call('GET', '/shares/unknown')).toMatchObject(refusal('ACCOUNT_SUSPENDED'));
});

test('a refresh token of a suspended account returns 403 ACCOUNT_SUSPENDED', async () => {
  const reply = await server.anonymous('POST', '/auth/refresh', { body: { refreshToken } });
  expect(reply).toMatchObject(refusal('ACCOUNT_SUSPENDED'));
});

test('a refresh token works again once the account is resumed', async () => {
  const refresh = () => server.anonymous('POST', '/auth/refresh', { body: { refreshToken } });
  expect(await refresh()).toMatchObject(refusal('ACCOUNT_SUSPENDED'));
  server.clock.advance(60_000);
  const { port } = new URL(server.url);
  await server.close();
  inDatabase(data, (database) => database.exec("UPDATE users SET status = 'active'"));
  server = await startTestServer({ data, port: Number(port), clock: server.clock });
  expect(await refresh()).toMatchObject({ status: 200 });
});

test('the login of a suspended account returns ACCOUNT_SUSPENDED only with the right password', async () => {
  const login = (body: object) => server.anonymous('POST', '/auth/login', { body });
  expect(await login(credentials)).toMatchObject(refusal('ACCOUNT_SUSPENDED'));

  const wrong = await login({ ...credentials, password: 'another password' });
  expect(wrong).toMatchObject(refusal('INVALID_TOKEN'));
  const unknown = await login({ ...credentials, email: 'unknown@example.com' });
  expect(comparable(unknown)).toEqual(comparable(wrong));
});

test('an unknown path returns 404 to a suspended account too', async () => {
  const reply = await server.withKey(key)('GET', '/api/v1/nothing');
  expect(reply).toMatchObject(refusal('NOT_FOUND'));
});

test('other accounts are not affected', async () => {
  expect((await server.developer('GET', '/api/v1/vaults')).status).toBe(200);
});
