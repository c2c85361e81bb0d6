import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import type { OAuthClientRecord } from '../../src/store/rows/oauth/clients.ts';
import { dataFolder, everyRow } from '../support/data-folder.ts';
import {
  approve,
  authorizationUrl,
  Browser,
  clientSecret,
  type OAuthServer,
  parameterOf,
  pkce,
  redeem,
  redirectUri,
  refresh,
  sendForm,
  startOAuthServer,
  type Visit,
} from '../support/oauth.ts';
import { testsPostgres } from '../support/postgres/databases.ts';
import type { Account } from '../support/server.ts';

// Values that must not leave the server, or must not be stored, looked for everywhere.

let data: string;
let lines: string[];
let server: OAuthServer;
let app: OAuthClientRecord;
let ada: Account;
let browser: Browser;

beforeEach(async () => {
  data = await dataFolder();
  lines = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  server = await startOAuthServer({ log, data, metricsNetworks: ['127.0.0.0/8', '::1/128'] });
  app = await server.register();
  ada = await server.signUp('ada@example.com');
  browser = new Browser(server);
});

const state = 'canary-state';
const open = (parameters = {}) =>
  browser.open(authorizationUrl(server, app, { code_challenge: pkce().challenge, ...parameters }));
const csrfOf = ({ html }: Visit) => /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? expect.fail();

/** Uses every endpoint, and returns what only the app, the browser and the server may know. */
async function useEverything() {
  const { verifier, challenge } = pkce();
  const url = authorizationUrl(server, app, { code_challenge: challenge, state });
  const signIn = await browser.open(url);
  const code = parameterOf(await approve(browser, url, ada), 'code');
  const { body: tokens } = await redeem(server, app, { code, verifier });
  const { body: refreshed } = await refresh(server, app, tokens.refresh_token);
  const call = server.withToken(refreshed.access_token);
  expect((await call('GET', '/api/v1/vaults')).status).toBe(200);
  const { body: device } = await sendForm(server, '/oauth/device', app, { scope: 'vaults:read' });
  await browser.submit(await browser.open(device.verification_uri_complete), {
    user_code: device.user_code,
  });
  const { body: pushed } = await sendForm(server, '/oauth/par', app, {
    client_id: app.id,
    response_type: 'code',
    redirect_uri: redirectUri,
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  await redeem(server, app, { code: `${code}x`, verifier });
  await refresh(server, app, `${tokens.refresh_token}x`);
  const ofOwner = { grant_type: 'client_credentials', scope: 'vaults:read' };
  const { body: own } = await sendForm(server, '/oauth/token', app, ofOwner);
  for (const token of [own.access_token, refreshed.access_token]) {
    const reply = await sendForm(server, '/oauth/revoke', app, { token });
    expect(reply.status).toBe(200);
  }
  const signatureOf = (token: string) => token.split('.')[2] ?? expect.fail();
  return {
    /** Stored as digests alone. */
    presented: {
      code,
      verifier,
      state,
      clientSecret,
      'refresh token': tokens.refresh_token,
      'second refresh token': refreshed.refresh_token,
      'device code': device.device_code,
      'user code': device.user_code,
      'pushed request': pushed.request_uri.split(':').at(-1),
      password: ada.password,
      'access token': signatureOf(tokens.access_token),
      'token of the owner': signatureOf(own.access_token),
      ...Object.fromEntries(
        browser.cookies
          .filter(({ name }) => !name.endsWith('.sig'))
          .map(({ name, value }) => [`cookie ${name}`, value]),
      ),
    } as Readonly<Record<string, string>>,
    csrf: csrfOf(signIn),
  };
}

/** A stored value as text: bytes as they are. */
function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
}

test('codes, tokens, secrets and passwords are in no log line and no metric', async () => {
  const { presented, csrf } = await useEverything();
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  for (const [name, secret] of Object.entries({ ...presented, csrf })) {
    expect(secret.length, name).toBeGreaterThan(7);
    expect(
      lines.filter((line) => line.includes(secret)),
      name,
    ).toEqual([]);
    expect(metrics, name).not.toContain(secret);
  }
  expect(lines.join('')).toContain('"operation":"oauth"');
  expect(metrics).toContain('operation="oauth"');
});

test('codes, tokens, secrets and passwords are in no row and no file', async () => {
  const { presented } = await useEverything();
  const rows = everyRow(data);
  const stored = Object.values(rows)
    .flat()
    .flatMap((row) => Object.values(row as object).map(textOf))
    .join('\n');
  expect(stored).toContain(app.id);
  expect(rows.oauth_artifacts?.length).toBeGreaterThan(5);
  for (const [name, secret] of Object.entries(presented)) {
    expect(stored.includes(secret), name).toBe(false);
  }
  if (testsPostgres) return;
  let hasRows = false;
  const files = await readdir(data, { recursive: true, withFileTypes: true });
  for (const file of files.filter((each) => each.isFile())) {
    const bytes = await readFile(join(file.parentPath, file.name));
    hasRows ||= bytes.includes(app.id);
    for (const [name, secret] of Object.entries(presented)) {
      expect(bytes.includes(secret), `${name} in ${file.name}`).toBe(false);
    }
  }
  expect(hasRows).toBe(true);
});

test('pages with an error show no parameter of their request, and send no Referer', async () => {
  const canary = 'canary-of-a-parameter';
  const secrets = { code: canary, client_secret: canary, state: canary, access_token: canary };
  const signIn = await open(secrets);
  const form = { email: ada.email, password: canary };
  const another = await new Browser(server).open(`${signIn.url}?code=${canary}`);
  const pages = {
    'unknown client': await open({ ...secrets, client_id: 'unknown' }),
    'unknown redirect': await open({ ...secrets, redirect_uri: `${redirectUri}/${canary}` }),
    'request of another browser': another,
    'wrong password': await browser.submit(signIn, form),
    'forged form': await browser.submit(signIn, { ...form, csrf: canary }),
    'form of another site': await browser.post(signIn.url, new URLSearchParams(form), {
      origin: 'https://evil.test',
    }),
    'unknown request of a device': await browser.open(`/oauth/activate/unknown?code=${canary}`),
    'forged form of a device': await browser.post(
      `${server.url}/oauth/activate`,
      new URLSearchParams({ user_code: canary, xsrf: canary }),
    ),
  };
  for (const [name, page] of Object.entries(pages)) {
    expect(page.status, name).toBeGreaterThanOrEqual(400);
    expect(page.leaves, name).toBeUndefined();
    expect(page.headers.get('content-type'), name).toContain('text/html');
    expect(page.html, name).not.toContain(canary);
    expect(page.headers.get('referrer-policy'), name).toBe('no-referrer');
    expect(page.headers.get('cache-control'), name).toBe('no-store');
  }
  const errors = [
    await redeem(server, app, { code: canary, verifier: canary }),
    await refresh(server, app, canary),
    await sendForm(server, '/oauth/token', undefined, {
      grant_type: 'client_credentials',
      client_id: app.id,
      client_secret: canary,
    }),
    await sendForm(server, '/oauth/par', app, { client_id: app.id, request: canary }),
  ];
  for (const { status, body } of errors) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(body)).not.toContain(canary);
  }
  expect(lines.filter((line) => line.includes(canary))).toEqual([]);
});

test('every page and every redirect of a sign-in sends no Referer and is not cached', async () => {
  const cookie = () => browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const { headers } = await fetch(
    authorizationUrl(server, app, { code_challenge: pkce().challenge, state }),
    { redirect: 'manual' },
  );
  const signIn = await open();
  const consent = await browser.submit(signIn, { email: ada.email, password: ada.password });
  const callback = await browser.submit(consent, {});
  expect(parameterOf(callback, 'code')).not.toBe('');
  const styles = await fetch(`${server.url}/oauth/pages.css`, { headers: { cookie: cookie() } });
  expect(styles.headers.getSetCookie()).toEqual([]);
  for (const each of [headers, signIn.headers, consent.headers, callback.headers]) {
    expect(each.get('referrer-policy')).toBe('no-referrer');
    expect(each.get('cache-control')).toBe('no-store');
  }
});
