import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { OAuthClientRecord } from '../../src/store/rows/oauth/clients.ts';
import {
  authorizationUrl,
  Browser,
  type OAuthServer,
  pkce,
  redirectUri,
  sendForm,
  startOAuthServer,
} from '../support/oauth.ts';
import type { Account } from '../support/server.ts';

// Normalising a text, and parsing the host of an address, can take time in the square of its length.

/** Combining marks that normalisation has to sort. */
const marks = (length: number) => `a${'\u0344'.repeat(length / 2)}${'\u0334'.repeat(length / 2)}`;

/** Maximum length of a password, in characters. */
const longest = 1024;

let server: OAuthServer;
let app: OAuthClientRecord;
let ada: Account;
let browser: Browser;

beforeEach(async () => {
  server = await startOAuthServer();
  app = await server.register();
  ada = await server.signUp('ada@example.com');
  browser = new Browser(server);
});

afterEach(() => {
  vi.restoreAllMocks();
});

const open = () =>
  browser.open(authorizationUrl(server, app, { code_challenge: pkce().challenge }));

/** Returns the lengths of the texts that are normalised while `act` runs. */
async function lengthsNormalised(act: () => Promise<unknown>): Promise<number[]> {
  const normalize = vi.spyOn(String.prototype, 'normalize');
  await act();
  return normalize.mock.contexts.map((text) => String(text).length);
}

describe('the page of the sign-in', () => {
  test.each([
    ['an e-mail address of 2,400 characters', `${marks(2_400)}@example.com`, 'a wrong password'],
    ['an e-mail address of 255 characters', `${marks(242)}@example.com`, 'a wrong password'],
    ['a password of 2,400 characters', 'ada@example.com', marks(2_400)],
    ['a password of 1,025 characters', 'ada@example.com', marks(longest)],
  ])('rejects %s as a wrong login, and normalises nothing', async (_name, email, password) => {
    const page = await open();
    const lengths = await lengthsNormalised(async () => {
      const refused = await browser.submit(page, { email, password });
      expect(refused.html).toContain('The email address or the password is wrong.');
      expect(refused.html).toContain('type="password"');
    });
    expect(lengths).toEqual([]);
  });

  test('still signs in with a password of 1,024 characters', async () => {
    const password = 'ä'.repeat(longest);
    const body = { email: 'bob@example.com', password, name: 'Bob' };
    expect((await server.anonymous('POST', '/auth/register', { body })).status).toBe(201);
    const page = await open();
    const lengths = await lengthsNormalised(async () => {
      const consent = await browser.submit(page, { email: 'BOB@example.com', password });
      expect(consent.html).toContain('name="scope"');
    });
    expect(Math.max(...lengths)).toBe(longest);
  });
});

test('the page of consent rejects a password of 2,400 characters, and normalises nothing', async () => {
  const { email, password } = ada;
  await browser.submit(await browser.submit(await open(), { email, password }), {});
  const other = await server.register();
  const url = authorizationUrl(server, other, { code_challenge: pkce().challenge });
  const page = await browser.open(url);
  expect(page.html).toContain('name="password"');
  const lengths = await lengthsNormalised(async () => {
    const refused = await browser.submit(page, { password: marks(2_400) });
    expect(refused.html).toContain('The password is wrong.');
  });
  expect(lengths).toEqual([]);
});

test('the page of a device normalises no code', async () => {
  const page = await browser.open('/oauth/activate');
  const lengths = await lengthsNormalised(async () => {
    expect((await browser.submit(page, { user_code: marks(2_400) })).html).toContain('user_code');
  });
  expect(lengths).toEqual([]);
});

describe('POST of an app with an address of 2,049 characters returns 400 and names the field', () => {
  const long = (start: string) => start + 'a'.repeat(2_049 - start.length);
  const credentials = { grant_type: 'client_credentials', scope: 'users:read' };
  const request = {
    response_type: 'code',
    redirect_uri: redirectUri,
    code_challenge_method: 'S256',
  };
  const cases: readonly [string, string, object][] = [
    ['/oauth/token', 'resource', credentials],
    ['/oauth/par', 'resource', request],
    ['/oauth/par', 'redirect_uri', request],
    ['/oauth/device', 'resource', { scope: 'vaults:read' }],
  ];

  test.each(cases)('%s: %s', async (path, name, parameters) => {
    const address = long('https://');
    const reply = await sendForm(server, path, app, { ...parameters, [name]: address });
    const error_description = `${name} must have at most 2048 characters.`;
    expect(reply).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', error_description },
    });
    expect(JSON.stringify(reply.body)).not.toContain(address);
  });
});
