import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { refreshAs, useApp } from '../test/support/oauth/used-app.ts';
import {
  authorizationUrl,
  parameterOf,
  pkce,
  redirectUri,
  sendForm,
} from '../test/support/oauth.ts';
import { startTwo } from '../test/support/postgres/two-servers.ts';

// Apps whose requests reach two servers in turns, as behind a load balancer.

async function start() {
  const targets: string[] = [];
  let count = 0;
  const balancer = createServer((incoming, outgoing) => {
    const { url: path, method, headers } = incoming;
    const target = targets[count++ % targets.length] ?? '';
    const passed = request(target, { path, method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.rawHeaders);
      response.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void balancer.close());
  const url = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
  const { servers } = await startTwo({ baseUrl: url });
  targets.push(...servers.map(({ localUrl }) => localUrl));
  const ada = await servers[0].signUp('ada@example.com');
  return { url, servers, ada };
}

const statusesOf = (replies: readonly { readonly status: number }[]) =>
  replies.map(({ status }) => status);
const eight = <T>(send: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: 8 }, (_, index) => send(index)));

test('a sign-in, its code and its tokens pass from one server to the other', async () => {
  const { url, servers, ada } = await start();
  const app = await useApp({ url }, ada);
  for (const server of servers) {
    const call = server.withToken(app.accessToken);
    expect((await call('GET', '/api/v1/vaults')).status).toBe(200);
  }
  const refreshed = await eight(() => refreshAs({ url }, app, app.refreshToken));
  expect(new Set(statusesOf(refreshed))).toEqual(new Set([200]));
  expect(new Set(refreshed.map(({ body }) => body.refresh_token)).size).toBe(1);
});

test('of 8 redemptions of a code at two servers, one succeeds', async () => {
  const { url, servers, ada } = await start();
  const { clientId, clientSecret, browser } = await useApp({ url }, ada);
  for (let round = 0; round < 5; round += 1) {
    const { verifier, challenge } = pkce();
    const to = authorizationUrl({ url }, { id: clientId }, { code_challenge: challenge });
    const code = parameterOf(await browser.open(to), 'code');
    const replies = await eight((index) =>
      sendForm({ url: servers[index % 2 ? 0 : 1].localUrl }, '/oauth/token', undefined, {
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
        redirect_uri: redirectUri,
        client_id: clientId,
        client_secret: clientSecret,
      }),
    );
    expect(statusesOf(replies).toSorted()).toEqual([200, ...Array(7).fill(400)]);
  }
});

test('a consent that one server has revoked ends the access at both with the next request', async () => {
  const { url, servers, ada } = await start();
  const app = await useApp({ url }, ada);
  const statuses = async () =>
    statusesOf(
      await Promise.all(
        servers.map((server) => server.withToken(app.accessToken)('GET', '/api/v1/vaults')),
      ),
    );
  expect(await statuses()).toEqual([200, 200]);
  const { body } = await ada.call('GET', '/api/v1/consents');
  const path = `/api/v1/consents/${body.data[0].id}`;
  expect((await ada.call('PUT', path, { body: { status: 'revoked' } })).status).toBe(200);
  expect(await statuses()).toEqual([401, 401]);
  expect((await refreshAs({ url }, app, app.refreshToken)).status).toBe(400);
  // The browser is still signed in at both, and the user is asked again.
  const again = authorizationUrl(
    { url },
    { id: app.clientId },
    { code_challenge: pkce().challenge },
  );
  expect((await app.browser.open(again)).html).toContain('name="scope"');
});

test('the first client that one server registers opens the endpoints of the other', async () => {
  const { servers, ada } = await start();
  const statuses = async () =>
    statusesOf(
      await Promise.all(
        servers.map(({ anonymous }) => anonymous('GET', '/.well-known/oauth-authorization-server')),
      ),
    );
  expect(await statuses()).toEqual([404, 404]);
  const created = await ada.call('POST', '/api/v1/oauth/clients', {
    body: { name: 'Scanner', type: 'public', redirectUris: [redirectUri], scopes: ['vaults:read'] },
  });
  expect(created.status).toBe(201);
  expect(await statuses()).toEqual([200, 200]);
});
