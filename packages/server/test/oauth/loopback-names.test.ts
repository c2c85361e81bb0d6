import { expect, test } from 'vitest';
import { authorizationUrl, Browser, pkce, startOAuthServer } from '../support/oauth.ts';

test.each(['authorize', 'activate'])(
  'GET /oauth/%s under another name of this device redirects to the public address without a cookie',
  async (page) => {
    const server = await startOAuthServer();
    const app = await server.register();
    const own = new URL(authorizationUrl(server, app, { code_challenge: pkce().challenge }));
    own.pathname = `/oauth/${page}`;
    const other = new URL(own);
    other.hostname = own.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
    const reply = await fetch(other, { redirect: 'manual' });
    expect(reply.status).toBe(307);
    expect(reply.headers.get('location')).toBe(own.href);
    expect(reply.headers.getSetCookie()).toEqual([]);
    expect((await fetch(own, { redirect: 'manual' })).status).not.toBe(307);
  },
);

test.each([
  ['en', 'Your browser sent no cookie for this page.'],
  ['de', 'Ihr Browser hat für diese Seite kein Cookie gesendet.'],
])(
  'the sign-in page without its cookie returns 400 and says that no cookie arrived: %s',
  async (language, text) => {
    const server = await startOAuthServer();
    const app = await server.register();
    const browser = new Browser(server);
    const url = authorizationUrl(server, app, { code_challenge: pkce().challenge });
    const page = await browser.open(url);
    expect(page.status).toBe(200);
    const open = async (cookie: string) => {
      const reply = await fetch(page.url, { headers: { cookie, 'accept-language': language } });
      expect(reply.status).toBe(400);
      return reply.text();
    };
    for (const cookie of ['', 'other=1; not_vault_request=2']) {
      expect(await open(cookie)).toContain(text);
    }
    expect(await open('vault_request=unknown')).not.toContain(text);
  },
);
