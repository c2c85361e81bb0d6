import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, test } from 'vitest';
import type { OAuthClientRecord } from '../../src/store/rows/oauth/clients.ts';
import { stalled } from '../support/connection.ts';
import { beginSending } from '../support/held-requests.ts';
import { getCode, type OAuthServer, redeem, sendForm, startOAuthServer } from '../support/oauth.ts';
import { newDocument, newVault } from '../support/resources.ts';
import type { Account } from '../support/server.ts';

// Apps that lose a scope while their request is running.
let server: OAuthServer;
let app: OAuthClientRecord;
let ada: Account;

const scopes = ['documents:read', 'vaults:read', 'vaults:write'];

beforeEach(async () => {
  server = await startOAuthServer({ validateResponses: false });
  app = await server.register({ scopes });
  ada = await server.signUp('ada@example.com');
});

const bearer = (accessToken: string) => ({ authorization: `Bearer ${accessToken}` });

async function byGrant() {
  const code = await getCode(server, app, ada, { scope: scopes.join(' ') });
  return bearer((await redeem(server, app, code)).body.access_token);
}

async function byClientCredentials() {
  const form = { grant_type: 'client_credentials', scope: scopes.join(' ') };
  return bearer((await sendForm(server, '/oauth/token', app, form)).body.access_token);
}

/** Leaves a client with these scopes. */
const narrow = (...left: string[]) =>
  server.store.transaction((tx) => tx.oauthClients.save({ ...app, scopes: left }));

const lost = (scope: string) => ({
  error: { code: 'INSUFFICIENT_PERMISSIONS', details: { requiredScopes: [scope] } },
});

const newLetters = { path: '/api/v1/vaults', body: { name: 'Letters' } };

describe.each([
  ['a grant', byGrant],
  ['client credentials', byClientCredentials],
])('a held request with %s whose client loses the scope', (_name, credentials) => {
  test('POST /vaults returns INSUFFICIENT_PERMISSIONS and stores nothing', async () => {
    const headers = { ...(await credentials()), 'idempotency-key': 'held' };
    const send = await beginSending(server, headers, newLetters);
    await narrow('documents:read', 'vaults:read');
    expect(await send()).toMatchObject(lost('vaults:write'));
    await narrow(...scopes);
    const list = await fetch(`${server.url}/api/v1/vaults`, { headers });
    expect(await list.json()).toMatchObject({ data: [] });
    // The rejection is not the outcome of the Idempotency-Key.
    const again = await beginSending(server, headers, newLetters);
    expect(await again()).toMatchObject({ name: 'Letters' });
  });

  test('a repetition returns INSUFFICIENT_PERMISSIONS, not the stored outcome', async () => {
    const headers = { ...(await credentials()), 'idempotency-key': 'held' };
    await (await beginSending(server, headers, newLetters))();
    const repeat = await beginSending(server, headers, newLetters);
    await narrow('documents:read', 'vaults:read');
    expect(await repeat()).toMatchObject(lost('vaults:write'));
  });

  test('GraphQL returns INSUFFICIENT_PERMISSIONS without data', async () => {
    const send = await beginSending(server, await credentials(), {
      path: '/graphql',
      body: { query: '{ vaults { data { name } } }' },
    });
    await narrow('documents:read', 'vaults:write');
    const { error, data, errors } = (await send()) as {
      error?: object;
      data?: object;
      errors: { extensions: object }[];
    };
    expect(data).toBeUndefined();
    expect(error ?? errors[0]?.extensions).toMatchObject(lost('vaults:read').error);
  });
});

test('a held request of an app passes when its client loses a scope that the token lacks', async () => {
  const code = await getCode(server, app, ada, { scope: 'vaults:read vaults:write' });
  const headers = bearer((await redeem(server, app, code)).body.access_token);
  const send = await beginSending(server, headers, newLetters);
  await narrow('vaults:read', 'vaults:write');
  expect(await send()).toMatchObject({ name: 'Letters' });
});

test('a download of an app ends within 5 seconds after its client loses documents:read', async () => {
  const vault = await newVault(ada.call);
  const large = Buffer.alloc(16 * 1024 * 1024, 'ciphertext');
  const { contentUrl } = await newDocument(ada.call, vault.id, large);
  const sending = get(server.url + contentUrl, { headers: await byGrant(), agent: false });
  sending.on('error', () => undefined);
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  await stalled([response]);
  await narrow('vaults:read', 'vaults:write');
  server.clock.advance(5_000);
  const received = buffer(response).then(({ length }) => length);
  await expect(received).rejects.toThrow('aborted');
});
