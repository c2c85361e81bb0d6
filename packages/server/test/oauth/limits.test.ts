import { beforeEach, describe, expect, test } from 'vitest';
import { approveDevice } from '../../../../test/form-browser.ts';
import type { OAuthClientRecord } from '../../src/store/rows/oauth/clients.ts';
import {
  approve,
  authorizationUrl,
  Browser,
  getCode,
  type OAuthServer,
  pkce,
  redirectUri,
  sendForm,
  startOAuthServer,
} from '../support/oauth.ts';

const second = 1000;
const minute = 60 * second;
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

let server: OAuthServer;
let app: OAuthClientRecord;

beforeEach(async () => {
  server = await startOAuthServer({ requestsPerMinute: { enterprise: 5 } });
  app = await server.register();
  server.clock.advance(minute);
});

const credentials = { grant_type: 'client_credentials', scope: 'users:read' };
const getToken = (client = app) => sendForm(server, '/oauth/token', client, credentials);
/** Sends a wrong secret. */
const guess = () =>
  sendForm(server, '/oauth/token', undefined, {
    ...credentials,
    client_id: app.id,
    client_secret: 'a wrong secret',
  });
const statuses = async (count: number, send: () => Promise<{ status: number }>) => {
  const found: number[] = [];
  for (let sent = 0; sent < count; sent += 1) found.push((await send()).status);
  return found;
};

describe('requests of an app with valid credentials', () => {
  test('count on the app, not on the address', async () => {
    expect(await statuses(6, () => getToken())).toEqual([200, 200, 200, 200, 200, 429]);
    const refused = await getToken();
    expect(refused.body.error).toBe('temporarily_unavailable');
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.body.access_token).toBeUndefined();
    const other = await server.register();
    expect((await getToken(other)).status).toBe(200);
    expect((await guess()).status).toBe(401);
    server.clock.advance(minute);
    expect((await getToken()).status).toBe(200);
  });

  test('are admitted from an address whose limit is used up', async () => {
    const failures = await statuses(6, guess);
    expect(failures).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await getToken()).status).toBe(200);
  });

  test('count at every endpoint for apps', async () => {
    const requests = [
      () => sendForm(server, '/oauth/revoke', app, { token: 'unknown' }),
      () => sendForm(server, '/oauth/device', app, { scope: 'vaults:read' }),
      () => getToken(),
      () => getToken(),
      () => getToken(),
    ];
    for (const send of requests) expect((await send()).status).toBe(200);
    const refused = await sendForm(server, '/oauth/par', app, { client_id: app.id });
    expect(refused).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
  });
});

test('requests of a public client count on the address, before they have an effect', async () => {
  const native = await server.register({
    type: 'public',
    tokenEndpointAuthMethod: 'none',
    secretHash: null,
    redirectUris: [],
    grantTypes: [deviceGrant],
  });
  const start = () =>
    sendForm(server, '/oauth/device', undefined, { client_id: native.id, scope: 'vaults:read' });
  expect(await statuses(6, start)).toEqual([200, 200, 200, 200, 200, 429]);
});

describe.each(['client_secret', 'client_assertion'])('an empty %s of a public client', (name) => {
  test.each([
    ['/oauth/par', 201],
    ['/oauth/device', 200],
    ['/oauth/revoke', 200],
  ])('is no credential: %s counts on the address', async (path, status) => {
    const native = await server.register({
      type: 'public',
      tokenEndpointAuthMethod: 'none',
      secretHash: null,
      grantTypes: ['authorization_code', 'refresh_token', deviceGrant],
    });
    const send = () =>
      sendForm(server, path, undefined, {
        client_id: native.id,
        [name]: '',
        ...(path === '/oauth/par' && {
          response_type: 'code',
          redirect_uri: redirectUri,
          code_challenge: pkce().challenge,
          code_challenge_method: 'S256',
        }),
        ...(path === '/oauth/revoke' ? { token: 'unknown' } : { scope: 'vaults:read' }),
      });
    expect(await statuses(6, send)).toEqual([...Array(5).fill(status), 429]);
  });
});

test('a code of a public client is not exchanged above the limit of the address', async () => {
  const ada = await server.signUp('ada@example.com');
  const web = await server.register({
    type: 'public',
    tokenEndpointAuthMethod: 'none',
    secretHash: null,
    grantTypes: ['authorization_code'],
  });
  server.clock.advance(minute);
  const { code, verifier } = await getCode(server, web, ada);
  await statuses(5, guess);
  const refused = await sendForm(server, '/oauth/token', undefined, {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
    client_id: web.id,
    client_secret: '',
  });
  expect(refused).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
  expect(refused.body.access_token).toBeUndefined();
});

describe('a device that waits for its user', () => {
  const poll = (client: OAuthClientRecord | undefined, fields: Record<string, string>) =>
    sendForm(server, '/oauth/token', client, { grant_type: deviceGrant, ...fields });

  test.each(['confidential', 'public'] as const)(
    'asks as often as it may, and uses up no limit: %s client',
    async (type) => {
      const isPublic = type === 'public';
      const native = await server.register({
        type,
        grantTypes: [deviceGrant],
        redirectUris: [],
        ...(isPublic && { tokenEndpointAuthMethod: 'none', secretHash: null }),
      });
      const client = isPublic ? undefined : native;
      const named = isPublic ? { client_id: native.id } : {};
      const { body } = await sendForm(server, '/oauth/device', client, {
        ...named,
        scope: 'vaults:read',
      });
      for (let asked = 0; asked < 10; asked += 1) {
        const reply = await poll(client, { ...named, device_code: body.device_code });
        expect(reply).toMatchObject({ status: 400, body: { error: 'authorization_pending' } });
        server.clock.advance(5 * second);
      }
      server.clock.advance(10 * second);
      expect((await guess()).status).toBe(401);
    },
  );

  test('receives slow_down when it asks too early, and must wait 5 s longer each time', async () => {
    const { body } = await sendForm(server, '/oauth/device', app, { scope: 'vaults:read' });
    const ask = async () => (await poll(app, { device_code: body.device_code })).body.error;
    expect(await ask()).toBe('authorization_pending');
    server.clock.advance(3 * second);
    expect(await ask()).toBe('slow_down');
    server.clock.advance(8 * second);
    expect(await ask()).toBe('slow_down');
    server.clock.advance(15 * second);
    expect(await ask()).toBe('authorization_pending');
    server.clock.advance(15 * second);
    expect(await ask()).toBe('authorization_pending');
  });

  test('is limited when it does not slow down', async () => {
    const { body } = await sendForm(server, '/oauth/device', app, { scope: 'vaults:read' });
    const ask = () => poll(app, { device_code: body.device_code });
    expect(await statuses(6, ask)).toEqual([400, 400, 400, 400, 400, 429]);
  });

  test('asks for an unknown code at the cost of its address', async () => {
    const ask = () => poll(undefined, { client_id: app.id, device_code: 'unknown' });
    expect(await statuses(6, ask)).toEqual([401, 401, 401, 401, 401, 429]);
  });
});

test.each([
  ['/oauth/authorize', 200],
  ['/oauth/activate', 200],
  ['/oauth/interaction/unknown', 400],
  ['/oauth/authorize/unknown', 400],
  ['/.well-known/oauth-authorization-server', 200],
])('GET %s without a cookie counts in the minute of the address', async (path, status) => {
  const { search } = new URL(authorizationUrl(server, app, { code_challenge: pkce().challenge }));
  const open = () => new Browser(server).open(path === '/oauth/authorize' ? path + search : path);
  expect(await statuses(6, open)).toEqual([...Array(5).fill(status), 429]);
  const { headers } = await open();
  expect(headers.get('retry-after')).toBe('60');
  expect((await fetch(`${server.url}/oauth/pages.css`)).status).toBe(200);
  server.clock.advance(minute);
  expect((await open()).status).toBe(status);
});

describe('an address of the free tier', () => {
  beforeEach(async () => {
    server = await startOAuthServer({ defaultTier: 'free' });
    app = await server.register();
  });

  test('can sign in and approve three apps in a minute', async () => {
    const ada = await server.signUp('ada@example.com');
    server.clock.advance(minute);
    for (let approved = 0; approved < 3; approved += 1) {
      const url = authorizationUrl(server, app, { code_challenge: pkce().challenge });
      const { leaves } = await approve(new Browser(server), url, ada);
      expect(leaves?.searchParams.get('code')).toBeTruthy();
    }
  });

  test('can sign in and connect a device in a minute', async () => {
    const ada = await server.signUp('ada@example.com');
    const { body } = await sendForm(server, '/oauth/device', app, { scope: 'vaults:read' });
    server.clock.advance(minute);
    const device = { verificationUri: body.verification_uri, userCode: body.user_code };
    const { html } = await approveDevice(new Browser(server), device, ada);
    expect(html).toContain('Device connected');
  });
});

test('pages with their cookie do not count in the minute, forms do, and a page says when it is used up', async () => {
  const browser = new Browser(server);
  const url = authorizationUrl(server, app, { code_challenge: pkce().challenge });
  const page = await browser.open(url);
  expect(await statuses(8, () => browser.open(page.url))).toEqual(Array(8).fill(200));
  const submit = () => browser.submit(page, { email: 'ada@example.com', password: 'x' });
  const replies = [];
  for (let sent = 0; sent < 5; sent += 1) replies.push(await submit());
  expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 401, 429]);
  const last = replies.at(-1);
  expect(last).toMatchObject({ status: 429, leaves: undefined });
  expect(last?.headers.get('content-type')).toContain('text/html');
  expect(last?.headers.get('retry-after')).toBe('60');
  expect(last?.html).toContain('too many requests');
});
