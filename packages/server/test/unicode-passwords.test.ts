import { beforeEach, describe, expect, test } from 'vitest';
import { authorizationUrl, Browser, pkce, startOAuthServer } from './support/oauth.ts';
import { startTestServer, type TestServer } from './support/server.ts';

// Keyboards produce letters with accents in two forms: as one character (NFC), or with the accent apart (NFD).

const composed = 'Größe für Ärzte'.normalize('NFC');
const decomposed = composed.normalize('NFD');
const email = 'ada@example.com';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});

const register = (password: string) =>
  server.anonymous('POST', '/auth/register', { body: { email, password, name: 'Ada' } });
const logIn = async (password: string) =>
  (await server.anonymous('POST', '/auth/login', { body: { email, password } })).status;

describe.each([
  ['NFC', composed, decomposed],
  ['NFD', decomposed, composed],
])('a password that was set in %s', (_form, set, typed) => {
  beforeEach(async () => {
    expect(typed).not.toBe(set);
    expect((await register(set)).status).toBe(201);
  });

  test('signs in in both forms, and not with another accent', async () => {
    expect(await logIn(set)).toBe(200);
    expect(await logIn(typed)).toBe(200);
    expect(await logIn('Grosse für Ärzte')).toBe(401);
  });

  test('changes e-mail and password, and the other form is no new password', async () => {
    const call = await server.signIn({ email, password: typed });
    const other = await server.signIn({ email, password: set });
    const change = (body: object) =>
      call('PUT', '/api/v1/users/me', { body: { currentPassword: typed, ...body } });
    expect((await change({ password: set })).status).toBe(200);
    expect((await other('GET', '/api/v1/users/me')).status).toBe(200);
    expect((await change({ email: 'new@example.com' })).status).toBe(200);
    const password = 'Öl auf der Straße'.normalize('NFD');
    expect((await change({ password })).status).toBe(200);
    const body = { email: 'new@example.com', password: password.normalize('NFC') };
    expect((await server.anonymous('POST', '/auth/login', { body })).status).toBe(200);
  });

  test('deletes the account', async () => {
    const call = await server.signIn({ email, password: set });
    const removed = await call('DELETE', '/api/v1/users/me', { body: { password: typed } });
    expect(removed.status).toBe(204);
  });
});

test('the length of a password is counted in NFC', async () => {
  const short = 'ä'.repeat(11).normalize('NFD');
  expect(short).toHaveLength(22);
  expect(await register(short)).toMatchObject({
    status: 400,
    body: { error: { details: { field: 'password', constraint: 'minLength' } } },
  });
  const long = 'ä'.repeat(12).normalize('NFD');
  expect((await register(long)).status).toBe(201);
  const call = await server.signIn({ email, password: long });
  const body = { password: short, currentPassword: long };
  expect((await call('PUT', '/api/v1/users/me', { body })).body.error.details).toMatchObject({
    field: 'password',
    constraint: 'minLength',
  });
});

test('the sign-in page of OAuth takes a password in both forms', async () => {
  const oauth = await startOAuthServer();
  const app = await oauth.register();
  const body = { email, password: composed, name: 'Ada' };
  expect((await oauth.anonymous('POST', '/auth/register', { body })).status).toBe(201);
  const url = authorizationUrl(oauth, app, { code_challenge: pkce().challenge });
  const browser = new Browser(oauth);
  const page = await browser.submit(await browser.open(url), { email, password: decomposed });
  expect(page.html).toContain('name="scope"');
});
