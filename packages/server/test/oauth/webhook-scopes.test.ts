import { beforeEach, expect, test } from 'vitest';
import type { OAuthClientRecord } from '../../src/store/repositories/oauth-clients.ts';
import { refusal } from '../support/front-door.ts';
import { getCode, type OAuthServer, redeem, startOAuthServer } from '../support/oauth.ts';
import { newDocument, newShare, newVault } from '../support/resources.ts';
import type { Account } from '../support/server.ts';
import { everyType, listen, secret } from '../support/webhook-events.ts';

// A webhook of an app receives only events whose resource the app may read at that moment.

const minute = 60_000;
const scope = 'vaults:read documents:read documents:share webhooks:read webhooks:write';

let server: OAuthServer;
let app: OAuthClientRecord;
let ada: Account;

beforeEach(async () => {
  server = await startOAuthServer({ webhookRetryDelays: [minute] });
  app = await server.register({ scopes: scope.split(' ') });
  ada = await server.signUp('ada@example.com');
});

async function appWith(scopes: string) {
  const code = await getCode(server, app, ada, { scope: scopes });
  return server.withToken((await redeem(server, app, code)).body.access_token);
}

const setScopes = (scopes: string) =>
  server.store.transaction((tx) => tx.oauthClients.save({ ...app, scopes: scopes.split(' ') }));

const typesOf = (events: readonly { type: string }[]) => events.map(({ type }) => type).toSorted();

test('an app without the read scope of a type cannot subscribe to it, nor to accounts: all', async () => {
  const call = await appWith('vaults:read webhooks:read webhooks:write');
  const denied = refusal('INSUFFICIENT_PERMISSIONS');
  for (const type of everyType) {
    const created = await call('POST', '/api/v1/webhooks', {
      body: { url: 'http://127.0.0.1:9/', events: [type], secret },
    });
    if (type.startsWith('vault.')) expect(created, type).toMatchObject({ status: 201 });
    else expect(created, type).toMatchObject(denied);
  }
  const own = await listen({ server, call: ada.call, events: ['document.uploaded'] });
  for (const body of [{ url: 'http://127.0.0.1:9/mine' }, { events: ['user.login'] }]) {
    expect(await call('PUT', own.path, { body })).toMatchObject(denied);
  }
  const all = { url: 'http://127.0.0.1:9/', events: ['vault.created'], secret, accounts: 'all' };
  expect(await call('POST', '/api/v1/webhooks', { body: all })).toMatchObject(denied);
});

test('events of a type that the app may not read any more are neither queued nor sent', async () => {
  const call = await appWith(scope);
  const types = ['vault.created', 'document.uploaded', 'document.shared'];
  const failing = { status: 500 };
  const webhook = await listen({
    server,
    call,
    events: types,
    reply: (response) => response.writeHead(failing.status).end(),
  });
  const own = await listen({ server, call: ada.call, events: types });
  const vault = await newVault(ada.call);
  const document = await newDocument(ada.call, vault.id);
  await newShare(ada.call, document.id);
  expect(typesOf(await webhook.events())).toEqual(types.toSorted());

  await setScopes('vaults:read documents:share webhooks:read webhooks:write');
  await newDocument(ada.call, vault.id);
  failing.status = 200;
  server.clock.advance(minute);
  expect(typesOf(await webhook.events())).toEqual(['document.shared', 'vault.created']);
  // What was queued waits, and what was not is lost.
  await setScopes(scope);
  server.clock.advance(minute);
  await newVault(ada.call);
  expect(typesOf(await webhook.events())).toEqual(['document.uploaded', 'vault.created']);
  await own.events();
});
