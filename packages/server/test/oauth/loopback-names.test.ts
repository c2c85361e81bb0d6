import { expect, test } from 'vitest';
import { authorizationUrl, pkce, startOAuthServer } from '../support/oauth.ts';

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
