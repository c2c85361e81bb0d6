import { decodeProtectedHeader } from 'jose';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Connection } from '../../src/store/sqlite/connection.ts';
import { commandJson } from '../support/command-line.ts';
import { dataFolder } from '../support/data-folder.ts';
import {
  approve,
  authorizationUrl,
  Browser,
  getCode,
  parameterOf,
  pkce,
  redeem,
  refresh,
  sendForm,
  startOAuthServer,
} from '../support/oauth.ts';
import { newVault } from '../support/resources.ts';

// What a new signing key means for apps, and what a request with one of their tokens reads.

test('after a rotation of the signing key, new tokens have the new key, and nothing else ends', async () => {
  const data = await dataFolder();
  const server = await startOAuthServer({ data });
  const app = await server.register();
  const ada = await server.signUp('ada@example.com');
  const browser = new Browser(server);
  const { verifier, challenge } = pkce();
  const url = authorizationUrl(server, app, { code_challenge: challenge });
  const visit = await approve(browser, url, ada);
  const first = await redeem(server, app, { code: parameterOf(visit, 'code'), verifier });
  const waitingCode = await getCode(server, app, ada);
  const waitingPage = await new Browser(server).open(url);
  const device = await sendForm(server, '/oauth/device', app, { scope: 'vaults:read' });

  const rotation = ['keys', 'rotate', '--now', '--data', data];
  const { kid } = await commandJson(rotation, { clock: server.clock });
  server.clock.advance(1_000);
  await server.settled();

  const kidOf = (token: string) => decodeProtectedHeader(token).kid;
  const next = await refresh(server, app, first.body.refresh_token);
  expect(kidOf(first.body.access_token)).not.toBe(kid);
  expect(kidOf(next.body.access_token)).toBe(kid);
  for (const { body } of [first, next]) {
    const call = server.withToken(body.access_token);
    expect((await call('GET', '/api/v1/vaults')).status).toBe(200);
  }
  // The browser is still signed in. Waiting codes, pages and devices go on.
  expect(parameterOf(await browser.open(url), 'code')).not.toBe('');
  expect((await redeem(server, app, waitingCode)).status).toBe(200);
  expect(waitingPage.html).toContain('type="password"');
  const poll = await sendForm(server, '/oauth/token', app, {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: device.body.device_code,
  });
  expect(poll.body.error).toBe('authorization_pending');
  const token = first.body.access_token;
  expect((await sendForm(server, '/oauth/revoke', app, { token })).status).toBe(200);
  expect((await server.withToken(token)('GET', '/api/v1/vaults')).status).toBe(401);
});

test('a request by the token of an app reads user, grant and consent in one statement', async () => {
  const server = await startOAuthServer();
  const app = await server.register();
  const ada = await server.signUp('ada@example.com');
  const vault = await newVault(ada.call);
  const { body } = await redeem(server, app, await getCode(server, app, ada));
  const byApp = server.withToken(body.access_token);
  const read = (call = byApp) => call('GET', `/api/v1/vaults/${vault.id}`);
  await server.settled();
  await Promise.all([read(), read(ada.call)]);

  const statements: string[] = [];
  for (const method of ['get', 'all', 'run'] as const) {
    const { [method]: original } = Connection.prototype;
    const spy = vi.spyOn(Connection.prototype, method).mockImplementation(function (
      this: Connection,
      ...args: Parameters<typeof original>
    ) {
      // The look for commits of other processes depends on the time.
      if (args[0] !== 'PRAGMA data_version') statements.push(args[0]);
      return original.apply(this, args) as never;
    });
    onTestFinished(() => spy.mockRestore());
  }
  const statementsOf = async (call = byApp) => {
    // A commit ends what is remembered of credentials.
    await server.store.transaction((tx) => tx.oauthClients.save(app));
    statements.length = 0;
    expect((await read(call)).status).toBe(200);
    return statements.splice(0);
  };
  const ofApp = await statementsOf();
  expect(ofApp).toHaveLength((await statementsOf(ada.call)).length);
  const [holder, ...others] = ofApp.filter((sql) => /oauth_grants|consents|\busers\b/.test(sql));
  expect(others).toEqual([]);
  for (const table of ['users', 'oauth_grants', 'consents', 'oauth_clients']) {
    expect(holder).toContain(table);
  }
  // Until the next commit, it is remembered.
  await read();
  statements.length = 0;
  await read();
  expect(statements.filter((sql) => sql.includes('oauth_grants'))).toEqual([]);
});
