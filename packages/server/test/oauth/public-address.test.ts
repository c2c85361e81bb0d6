import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oauth from 'oauth4webapi';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { OAuthClientRecord } from '../../src/store/rows/oauth/clients.ts';
import { dataFolder } from '../support/data-folder.ts';
import {
  authorizationUrl,
  Browser,
  type OAuthServer,
  parameterOf,
  pkce,
  redeem,
  sendForm,
  startOAuthServer,
  type Visit,
} from '../support/oauth.ts';
import { type Account, startTestServer } from '../support/server.ts';

// Servers behind a proxy: a path of the public address, which the proxy removes, and https.

const prefix = '/vault';
const wellKnown = '/.well-known/';

let origin: string;
let server: OAuthServer;
let app: OAuthClientRecord;
let ada: Account;

/** Passes requests to the server: below the prefix without it, and the well-known paths as they are. */
async function startProxy(target: () => string): Promise<Server> {
  const proxy = createServer((incoming, outgoing) => {
    const { url = '', method, headers } = incoming;
    const isOfServer = url.startsWith(`${prefix}/`) || url.startsWith(wellKnown);
    if (!isOfServer) return outgoing.writeHead(418).end();
    const path = url.startsWith(wellKnown) ? url : url.slice(prefix.length);
    const passed = request(new URL(target()), { method, path, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.rawHeaders);
      response.pipe(outgoing);
    });
    return incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  return proxy;
}

const portOf = (listening: Server) => (listening.address() as AddressInfo).port;

/** Returns a port that is free at this moment. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const port = portOf(probe);
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

describe('with a path', () => {
  beforeEach(async () => {
    const port = await freePort();
    origin = `http://127.0.0.1:${portOf(await startProxy(() => `http://127.0.0.1:${port}`))}`;
    server = await startOAuthServer({ port, baseUrl: origin + prefix });
    app = await server.register();
    ada = await server.signUp('ada@example.com');
  });

  const signIn = (browser: Browser, page: Visit) =>
    browser.submit(page, { email: ada.email, password: ada.password });

  /** Returns the addresses that a page names. */
  const addressesIn = ({ html }: Visit) =>
    [...html.matchAll(/(?:action|href)="([^"]+)"/g)].map(([, address]) => address ?? '');

  test('oauth4webapi finds the metadata of issuer and resource behind the well-known paths', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(server.url);
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    const found = await oauth.processDiscoveryResponse(issuer, response);
    expect(found).toMatchObject({
      issuer: origin + prefix,
      token_endpoint: `${origin}/vault/oauth/token`,
      jwks_uri: `${origin}/vault/.well-known/jwks.json`,
    });
    const resource = new URL(`${server.url}/api/v1`);
    const described = await oauth.resourceDiscoveryRequest(resource, insecure);
    expect(await oauth.processResourceDiscoveryResponse(resource, described)).toMatchObject({
      authorization_servers: [origin + prefix],
    });
    const { headers } = await server.anonymous('GET', '/api/v1/vaults');
    const named = /resource_metadata="([^"]+)"/.exec(headers.get('www-authenticate') ?? '')?.[1];
    expect(named).toBe(`${origin}/vault/.well-known/oauth-protected-resource/api/v1`);
    expect(await (await fetch(named ?? '')).json()).toMatchObject({ resource: resource.href });
  });

  test('pages, forms, styles, redirects and cookies stay below the path', async () => {
    const browser = new Browser({ url: origin });
    const { verifier, challenge } = pkce();
    const url = authorizationUrl(server, app, { code_challenge: challenge });
    const signInPage = await browser.open(url);
    const consentPage = await signIn(browser, signInPage);
    expect(consentPage.html).toContain('name="scope"');
    for (const page of [signInPage, consentPage]) {
      expect(page.url).toContain(`${origin}/vault/oauth/interaction/`);
      const addresses = addressesIn(page);
      expect(addresses).toContain(`${origin}/vault/oauth/pages.css`);
      for (const address of addresses) expect(address).toMatch(/^http:[^"]+\/vault\/oauth\//);
    }
    const styles = await fetch(`${server.url}/oauth/pages.css`);
    expect(styles.headers.get('content-type')).toContain('text/css');
    expect(browser.cookies.length).toBeGreaterThan(0);
    for (const { path } of browser.cookies) expect(path).toMatch(/^\/vault\/oauth(\/|$)/);

    const visit = await browser.submit(consentPage, {});
    expect(parameterOf(visit, 'iss')).toBe(server.url);
    const { body } = await redeem(server, app, { code: parameterOf(visit, 'code'), verifier });
    expect((await server.withToken(body.access_token)('GET', '/api/v1/vaults')).status).toBe(200);
    expect(parameterOf(await browser.open(url), 'code')).not.toBe('');
  });

  test('a device gets a token, and its pages stay below the path', async () => {
    const { body: device } = await sendForm(server, '/oauth/device', app, { scope: 'vaults:read' });
    expect(device.verification_uri).toBe(`${origin}/vault/oauth/activate`);
    const browser = new Browser({ url: origin });
    const entry = await browser.open(device.verification_uri_complete);
    expect(addressesIn(entry)).toContain(`${origin}/vault/oauth/activate`);
    const confirmation = await browser.submit(entry, { user_code: device.user_code });
    const consent = await signIn(browser, await browser.submit(confirmation, { confirm: 'yes' }));
    const done = await browser.submit(consent, {});
    expect(done).toMatchObject({ status: 200, leaves: undefined });
    expect(done.url).toContain(`${origin}/vault/oauth/activate/`);
    const { body } = await sendForm(server, '/oauth/token', app, {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: device.device_code,
    });
    expect((await server.withToken(body.access_token)('GET', '/api/v1/vaults')).status).toBe(200);
  });
});

test('with https, cookies are Secure and redirects lead to the public address', async () => {
  const data = await dataFolder();
  const first = await startOAuthServer({ data });
  const { id } = await first.register();
  const { port } = new URL(first.url);
  await first.close();
  const baseUrl = 'https://vault.example';
  await startTestServer({ data, port: Number(port), baseUrl });
  const url = authorizationUrl(first, { id }, { code_challenge: pkce().challenge });
  const { headers } = await fetch(url, { redirect: 'manual' });
  expect(headers.get('location')).toMatch(/^https:\/\/vault\.example\/oauth\/interaction\//);
  expect(headers.getSetCookie().length).toBeGreaterThan(0);
  for (const cookie of headers.getSetCookie()) {
    expect(cookie).toMatch(/; secure(;|$)/i);
    expect(cookie).toMatch(/; httponly(;|$)/i);
    expect(cookie).toMatch(/; path=\/oauth(\/|;)/i);
  }
});
