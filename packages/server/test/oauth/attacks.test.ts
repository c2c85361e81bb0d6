import { SignJWT } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { digest } from '../../src/domain/accounts/secrets.ts';
import type { OAuthClientRecord } from '../../src/store/rows/oauth/clients.ts';
import {
  approve,
  authorizationUrl,
  Browser,
  clientSecret,
  getCode,
  type OAuthServer,
  pkce,
  redeem,
  redirectUri,
  refresh,
  sendForm,
  startOAuthServer,
  type Visit,
} from '../support/oauth.ts';
import type { Account } from '../support/server.ts';

let server: OAuthServer;
let app: OAuthClientRecord;
let ada: Account;

beforeEach(async () => {
  server = await startOAuthServer();
  app = await server.register();
  ada = await server.signUp('ada@example.com');
});

describe('POST /oauth/token', () => {
  test('rejects a code of another client', async () => {
    const other = await server.register();
    const code = await getCode(server, app, ada);
    expect(await redeem(server, other, code)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });

  test('rejects a missing or wrong code_verifier', async () => {
    for (const verifier of [undefined, pkce().verifier]) {
      const code = await getCode(server, app, ada);
      const reply = await redeem(server, app, code, { code_verifier: verifier });
      expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    }
  });

  test('rejects another redirect_uri than that of the code', async () => {
    const code = await getCode(server, app, ada);
    const reply = await redeem(server, app, code, { redirect_uri: `${redirectUri}/` });
    expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  test('accepts one of 8 parallel redemptions of a code', async () => {
    const code = await getCode(server, app, ada);
    const replies = await Promise.all(Array.from({ length: 8 }, () => redeem(server, app, code)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('revokes the grant when a code is used again', async () => {
    const code = await getCode(server, app, ada);
    const { body } = await redeem(server, app, code);
    expect(await redeem(server, app, code)).toMatchObject({ status: 400 });
    const reply = await server.withToken(body.access_token)('GET', '/api/v1/vaults');
    expect(reply).toMatchObject({ status: 401, body: { error: { code: 'INVALID_TOKEN' } } });
  });

  test('returns the same successor 9 s after a refresh, and ends the grant after 11 s', async () => {
    const { body } = await redeem(server, app, await getCode(server, app, ada));
    const first = await refresh(server, app, body.refresh_token);
    expect(first.status).toBe(200);
    server.clock.advance(9_000);
    const again = await refresh(server, app, body.refresh_token);
    expect(again.body.refresh_token).toBe(first.body.refresh_token);
    server.clock.advance(2_000);
    expect((await refresh(server, app, body.refresh_token)).status).toBe(400);
    expect((await refresh(server, app, first.body.refresh_token)).status).toBe(400);
    const call = server.withToken(again.body.access_token);
    expect((await call('GET', '/api/v1/vaults')).status).toBe(401);
  });

  test('rejects a wrong secret with 401 invalid_client', async () => {
    const reply = await sendForm(server, '/oauth/token', undefined, {
      grant_type: 'client_credentials',
      client_id: app.id,
      client_secret: Buffer.from(digest('x')).toString('hex'),
    });
    expect(reply).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });

  test('rejects the stored digest in the place of the secret', async () => {
    const stored = Buffer.from(app.secretHash ?? []).toString('hex');
    const basic = Buffer.from(`${app.id}:${stored}`).toString('base64');
    const reply = await sendForm(
      server,
      '/oauth/token',
      undefined,
      { grant_type: 'client_credentials' },
      { authorization: `Basic ${basic}` },
    );
    expect(reply).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });

  test.each(['grant_type', 'code', 'code_verifier', 'redirect_uri', 'client_id'])(
    'rejects a request with two values of %s, and keeps the code',
    async (name) => {
      const { code, verifier } = await getCode(server, app, ada);
      const form = new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
        redirect_uri: redirectUri,
        client_id: app.id,
        client_secret: clientSecret,
      });
      form.append(name, form.get(name) ?? '');
      const post = () => fetch(`${server.url}/oauth/token`, { method: 'POST', body: form });
      const refused = await post();
      expect(refused.status).toBeGreaterThanOrEqual(400);
      expect(await refused.json()).not.toHaveProperty('access_token');
      form.set(name, form.get(name) ?? '');
      expect((await post()).status).toBe(200);
    },
  );

  test('does not offer the password grant', async () => {
    const reply = await sendForm(server, '/oauth/token', app, {
      grant_type: 'password',
      username: ada.email,
      password: ada.password,
    });
    expect(reply).toMatchObject({ status: 400, body: { error: 'unsupported_grant_type' } });
  });
});

describe('GET /oauth/authorize', () => {
  const visit = (parameters: Record<string, string | undefined>) =>
    new Browser(server).open(
      authorizationUrl(server, app, { code_challenge: pkce().challenge, ...parameters }),
    );

  test.each([
    ['a suffix', `${redirectUri}/more`],
    ['a suffix of the host', 'https://app.example.evil.test/callback'],
    ['userinfo', 'https://app.example@evil.test/callback'],
    ['a fragment', `${redirectUri}#x`],
    ['an encoded slash', 'https://app.example/%2Fcallback'],
    ['another case', 'https://app.example/Callback'],
    ['a port', 'https://app.example:8443/callback'],
  ])('shows an error and no redirect for a redirect_uri with %s', async (_name, uri) => {
    const page = await visit({ redirect_uri: uri });
    expect(page).toMatchObject({ status: 400, leaves: undefined });
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  test('shows an error and no redirect for an unknown or a disabled client', async () => {
    const disabled = await server.register({ disabled: true });
    for (const client_id of ['unknown', disabled.id, undefined]) {
      for (const wrong of [{}, { response_type: 'token' }, { prompt: 'none' }]) {
        const page = await visit({ client_id, ...wrong });
        expect(page).toMatchObject({ status: 400, leaves: undefined });
      }
    }
  });

  test('shows an error and no redirect for two values of client_id', async () => {
    const url = authorizationUrl(server, app, { code_challenge: pkce().challenge });
    const page = await new Browser(server).open(`${url}&client_id=other`);
    expect(page).toMatchObject({ status: 400, leaves: undefined });
  });

  test('leads to a registered address alone, without a code, for two values of redirect_uri', async () => {
    const url = authorizationUrl(server, app, { code_challenge: pkce().challenge });
    for (const query of [`${url}&redirect_uri=https://evil.test/`, `${url}&redirect_uri=`]) {
      const { leaves, html } = await new Browser(server).open(query);
      expect(leaves?.origin ?? 'https://app.example').toBe('https://app.example');
      expect(leaves?.searchParams.get('code') ?? null).toBeNull();
      expect(html).not.toContain('type="password"');
    }
  });

  test.each([
    ['no code_challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['the method plain', { code_challenge_method: 'plain' }],
    ['response_type token', { response_type: 'token' }],
    ['a foreign request_uri', { request_uri: 'https://evil.test/request' }],
  ])('gives no code for %s', async (_name, parameters) => {
    const page = await visit(parameters);
    expect(page.leaves?.searchParams.get('code') ?? null).toBeNull();
    expect(page.leaves?.hash ?? '').not.toContain('access_token');
    expect(page.html).not.toContain('type="password"');
  });

  test.each(['scope', 'state', 'code_challenge', 'code_challenge_method', 'response_type'])(
    'gives no code for two values of %s',
    async (name) => {
      const url = new URL(
        authorizationUrl(server, app, { code_challenge: pkce().challenge, state: 'the state' }),
      );
      url.searchParams.append(name, url.searchParams.get(name) ?? '');
      const page = await new Browser(server).open(url);
      expect(page.html).not.toContain('type="password"');
      expect(page.leaves?.searchParams.get('code') ?? null).toBeNull();
    },
  );

  test('names the issuer in the redirect (RFC 9207)', async () => {
    const url = authorizationUrl(server, app, { code_challenge: pkce().challenge });
    const end = await approve(new Browser(server), url, ada);
    expect(end.leaves?.searchParams.get('iss')).toBe(server.url);
  });

  test('uses the issuer in redirects, not the Host of the request', async () => {
    const { hostname, port } = new URL(server.url);
    const url = authorizationUrl(server, app, { code_challenge: pkce().challenge });
    const { request } = await import('node:http');
    const location = await new Promise((resolve, reject) =>
      request(
        {
          hostname,
          port,
          path: url.slice(server.url.length),
          headers: { host: 'evil.test', 'x-forwarded-host': 'evil.test' },
        },
        (response) => {
          response.resume();
          resolve(response.headers.location);
        },
      )
        .on('error', reject)
        .end(),
    );
    expect(location).toContain(`${server.url}/oauth/interaction/`);
  });
});

describe('the pages', () => {
  const start = async (browser: Browser) =>
    browser.open(authorizationUrl(server, app, { code_challenge: pkce().challenge }));

  test('reject a form without its token, and one of another site', async () => {
    const browser = new Browser(server);
    const page = await start(browser);
    const fields = { email: ada.email, password: ada.password };
    expect((await browser.submit(page, { ...fields, csrf: 'x' })).status).toBe(403);
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? '';
    const body = new URLSearchParams({ ...fields, csrf });
    for (const headers of [
      { origin: 'https://evil.test' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
    ]) {
      expect((await browser.post(page.url, body, headers)).status).toBe(403);
    }
    expect(
      (
        await server.store.consents.list({
          userId: ada.userId,
          sortBy: 'createdAt',
          sortOrder: 'asc',
          page: 1,
          pageSize: 10,
        })
      ).totalCount,
    ).toBe(0);
  });

  test('do not continue a request in another browser', async () => {
    const browser = new Browser(server);
    const page = await start(browser);
    const other = await new Browser(server).open(page.url);
    expect(other).toMatchObject({ status: 400, leaves: undefined });
    expect(other.html).not.toContain('type="password"');
  });

  test('agree for the user who saw the page, not for one who signed in meanwhile', async () => {
    const bob = await server.signUp('bob@example.com');
    const browser = new Browser(server);
    const page = await browser.submit(await start(browser), {
      email: ada.email,
      password: ada.password,
    });
    expect(page.html).toContain('name="scope"');
    const second = await browser.open(
      authorizationUrl(server, app, { code_challenge: pkce().challenge, prompt: 'login' }),
    );
    await browser.submit(second, { email: bob.email, password: bob.password });
    const end = await browser.submit(page, {});
    expect(end.leaves?.searchParams.get('code') ?? null).toBeNull();
    const { body } = await ada.call('GET', '/api/v1/consents');
    expect(body.data).toEqual([]);
  });

  test('have a policy without scripts and frames, whose forms lead to this app alone', async () => {
    const policy = (...targets: string[]) =>
      [
        "default-src 'none'",
        "style-src 'self'",
        "base-uri 'none'",
        `form-action ${["'self'", ...targets].join(' ')}`,
        "frame-ancestors 'none'",
      ].join(';');
    const browser = new Browser(server);
    const signIn = await start(browser);
    const consent = await browser.submit(signIn, { email: ada.email, password: ada.password });
    expect(consent.html).toContain('name="scope"');
    const native = await server.register({ redirectUris: ['com.example.app:/callback'] });
    const ofNative = await browser.open(
      authorizationUrl(server, native, {
        redirect_uri: 'com.example.app:/callback',
        code_challenge: pkce().challenge,
      }),
    );
    const { body } = await sendForm(server, '/oauth/device', app, { scope: 'vaults:read' });
    const entry = await browser.open(body.verification_uri);
    const confirmation = await browser.submit(entry, { user_code: body.user_code });
    const consentOfDevice = await browser.submit(confirmation, { confirm: 'yes' });
    const done = await browser.submit(consentOfDevice, {});
    const pages: readonly (readonly [Visit, ...string[]])[] = [
      [signIn, 'https://app.example'],
      [consent, 'https://app.example'],
      [ofNative, 'com.example.app:'],
      [entry],
      [confirmation],
      [consentOfDevice],
      [done],
      [await browser.open('/oauth/authorize')],
    ];
    for (const [{ headers, html, url }, ...targets] of pages) {
      expect(headers.get('content-type'), url).toContain('text/html');
      expect(headers.get('content-security-policy'), url).toBe(policy(...targets));
      expect(headers.get('x-frame-options'), url).toBe('DENY');
      expect(headers.get('referrer-policy'), url).toBe('no-referrer');
      expect(headers.get('cache-control'), url).toBe('no-store');
      expect(html, url).not.toMatch(/<script|<style|\sstyle=|\son\w+=/i);
    }
  });

  test('count failed sign-ins in the login throttle', async () => {
    const browser = new Browser(server);
    const page = await start(browser);
    const statuses = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const reply = await browser.submit(page, { email: ada.email, password: 'wrong password' });
      statuses.push(reply.status);
    }
    expect(statuses[0]).toBe(401);
    expect(statuses.at(-1)).toBe(429);
  });

  test('set cookies that only /oauth receives', async () => {
    const browser = new Browser(server);
    await approve(
      browser,
      authorizationUrl(server, app, { code_challenge: pkce().challenge }),
      ada,
    );
    expect(browser.cookies.length).toBeGreaterThan(0);
    for (const { path, attributes } of browser.cookies) {
      expect(path).toMatch(/^\/oauth(\/|$)/);
      expect(attributes).toEqual(expect.arrayContaining(['httponly', 'samesite=lax']));
    }
    const cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const reply = await server.anonymous('GET', '/api/v1/vaults', { headers: { cookie } });
    expect(reply.status).toBe(401);
  });
});

describe('access tokens', () => {
  test('of apps and of sessions do not pass for each other', async () => {
    const { body } = await redeem(
      server,
      app,
      await getCode(server, app, ada, { scope: 'users:read' }),
    );
    const session = await server.anonymous('POST', '/auth/login', {
      body: { email: ada.email, password: ada.password },
    });
    const userinfo = await fetch(`${server.url}/oauth/userinfo`, {
      headers: { authorization: `Bearer ${session.body.accessToken}` },
    });
    expect(userinfo.status).toBe(401);
    const asApp = server.withToken(body.access_token);
    expect((await asApp('GET', '/api/v1/auth/sessions')).status).toBe(403);
  });

  test('with another type, algorithm or audience are rejected', async () => {
    const [key] = await server.store.signingKeys.list();
    const { importJWK, decodeJwt } = await import('jose');
    const privateKey = await importJWK(JSON.parse(key?.privateJwk ?? ''), 'RS256');
    const { body } = await redeem(server, app, await getCode(server, app, ada));
    const claims = decodeJwt(body.access_token);
    const sign = (header: object, payload: object) =>
      new SignJWT({ ...claims, ...payload })
        .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: key?.kid, ...header } as never)
        .sign(privateKey);
    const status = async (token: string) =>
      (await server.withToken(token)('GET', '/api/v1/vaults')).status;
    expect(await status(await sign({}, {}))).toBe(200);
    expect(await status(await sign({ typ: 'JWT' }, {}))).toBe(401);
    expect(await status(await sign({}, { aud: 'document-vault' }))).toBe(401);
    expect(await status(await sign({}, { iss: 'https://evil.test' }))).toBe(401);
    expect(await status(await sign({}, { client_id: 'another' }))).toBe(401);
    // The public key as the secret of HMAC, as a client could find it.
    const { keys } = (await server.anonymous('GET', '/.well-known/jwks.json')).body;
    for (const secret of [JSON.stringify(keys[0]), keys[0].n, key?.publicJwk]) {
      const symmetric = new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: key?.kid ?? '' })
        .sign(Buffer.from(String(secret)));
      expect(await status(await symmetric)).toBe(401);
    }
    const unsigned = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString(
      'base64url',
    );
    expect(await status(`${unsigned}.${body.access_token.split('.')[1]}.`)).toBe(401);
  });

  test('do not become those of a session, or the reverse, by another type alone', async () => {
    const [key] = await server.store.signingKeys.list();
    const { importJWK, decodeJwt, decodeProtectedHeader } = await import('jose');
    const privateKey = await importJWK(JSON.parse(key?.privateJwk ?? ''), 'RS256');
    const session = await server.anonymous('POST', '/auth/login', {
      body: { email: ada.email, password: ada.password },
    });
    const { body } = await redeem(server, app, await getCode(server, app, ada));
    const [ofSession, ofApp] = [session.body.accessToken, body.access_token] as [string, string];
    const types = [ofSession, ofApp].map((token) => decodeProtectedHeader(token).typ);
    expect(types).toEqual([expect.not.stringContaining('at+jwt'), 'at+jwt']);
    const status = async (token: string, typ: string | undefined) => {
      const signed = await new SignJWT(decodeJwt(token))
        .setProtectedHeader({
          alg: 'RS256',
          kid: key?.kid ?? '',
          ...(typ !== undefined && { typ }),
        })
        .sign(privateKey);
      return (await server.withToken(signed)('GET', '/api/v1/vaults')).status;
    };
    expect(await status(ofSession, types[0])).toBe(200);
    expect(await status(ofApp, types[1])).toBe(200);
    expect(await status(ofSession, 'at+jwt')).toBe(401);
    expect(await status(ofSession, 'application/at+jwt')).toBe(401);
    for (const typ of [types[0], undefined, 'JWT', 'AT+JWT']) {
      expect(await status(ofApp, typ), typ).toBe(401);
    }
  });
});

test.each([
  ['/oauth/authorize', 'GET'],
  ['/oauth/authorize/any', 'GET'],
  ['/oauth/activate', 'GET, POST'],
  ['/oauth/interaction/any', 'GET, POST'],
])(
  'HEAD %s returns 405 with Allow: %s, sets no cookie and redirects nowhere',
  async (path, allow) => {
    const query = new URL(authorizationUrl(server, app, { code_challenge: pkce().challenge }))
      .search;
    const reply = await fetch(server.url + path + query, { method: 'HEAD', redirect: 'manual' });
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toBe(allow);
    expect(reply.headers.getSetCookie()).toEqual([]);
    expect(reply.headers.get('location')).toBeNull();
    const metadata = `${server.url}/.well-known/oauth-authorization-server`;
    expect((await fetch(metadata, { method: 'HEAD' })).status).toBe(200);
  },
);
