import * as oauth from 'oauth4webapi';
import { beforeEach, expect, test } from 'vitest';
import { approveDevice } from '../../../../test/form-browser.ts';
import {
  approve,
  Browser,
  clientSecret,
  type OAuthServer,
  redirectUri,
  startOAuthServer,
} from '../support/oauth.ts';
import type { Account } from '../support/server.ts';

// oauth4webapi as it is published, with a confidential client, through every grant.

const insecure = { [oauth.allowInsecureRequests]: true };
const authentication = oauth.ClientSecretBasic(clientSecret);

let server: OAuthServer;
let ada: Account;
let as: oauth.AuthorizationServer;

beforeEach(async () => {
  server = await startOAuthServer();
  ada = await server.signUp('ada@example.com');
});

/** Registers a client, and discovers the server. */
async function connect(registered: Parameters<OAuthServer['register']>[0] = {}) {
  const { id } = await server.register(registered);
  const issuer = new URL(server.url);
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  as = await oauth.processDiscoveryResponse(issuer, response);
  return { client_id: id };
}

const statusWith = async (accessToken: string) =>
  (await server.withToken(accessToken)('GET', '/api/v1/vaults')).status;

test('oauth4webapi pushes a request, exchanges the code, refreshes and revokes', async () => {
  const client = await connect({ requirePar: true });
  const codeVerifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const pushed = await oauth.processPushedAuthorizationResponse(
    as,
    client,
    await oauth.pushedAuthorizationRequest(
      as,
      client,
      authentication,
      {
        response_type: 'code',
        redirect_uri: redirectUri,
        scope: 'vaults:read',
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      },
      insecure,
    ),
  );
  const query = new URLSearchParams({ ...client, request_uri: pushed.request_uri });
  const visit = await approve(new Browser(server), `${as.authorization_endpoint}?${query}`, ada);
  const parameters = oauth.validateAuthResponse(as, client, visit.leaves as URL, state);
  const first = await oauth.processAuthorizationCodeResponse(
    as,
    client,
    await oauth.authorizationCodeGrantRequest(
      as,
      client,
      authentication,
      parameters,
      redirectUri,
      codeVerifier,
      insecure,
    ),
  );
  expect(first).toMatchObject({ scope: 'vaults:read', token_type: 'bearer', expires_in: 3600 });
  expect(await statusWith(first.access_token)).toBe(200);

  const next = await oauth.processRefreshTokenResponse(
    as,
    client,
    await oauth.refreshTokenGrantRequest(
      as,
      client,
      authentication,
      first.refresh_token ?? '',
      insecure,
    ),
  );
  expect(next.refresh_token).not.toBe(first.refresh_token);
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(as, client, authentication, next.access_token, insecure),
  );
  expect(await statusWith(next.access_token)).toBe(401);
  expect(await statusWith(first.access_token)).toBe(401);
});

test('oauth4webapi gets a token for the owner by client credentials', async () => {
  const client = await connect();
  const reply = await oauth.processClientCredentialsResponse(
    as,
    client,
    await oauth.clientCredentialsGrantRequest(
      as,
      client,
      authentication,
      { scope: 'vaults:read' },
      insecure,
    ),
  );
  expect(await statusWith(reply.access_token)).toBe(200);
  expect(reply.refresh_token).toBeUndefined();
});

test('oauth4webapi gets a token by the code of a device, and none when the user refuses', async () => {
  const client = await connect();
  const begin = async () =>
    oauth.processDeviceAuthorizationResponse(
      as,
      client,
      await oauth.deviceAuthorizationRequest(
        as,
        client,
        authentication,
        { scope: 'vaults:read' },
        insecure,
      ),
    );
  const poll = async ({ device_code }: oauth.DeviceAuthorizationResponse) =>
    oauth.processDeviceCodeResponse(
      as,
      client,
      await oauth.deviceCodeGrantRequest(as, client, authentication, device_code, insecure),
    );
  const decide = (device: oauth.DeviceAuthorizationResponse, decision: 'agree' | 'refuse') => {
    const { user_code: userCode, verification_uri: verificationUri } = device;
    return approveDevice(new Browser(server), { userCode, verificationUri }, ada, decision);
  };

  const device = await begin();
  await expect(poll(device)).rejects.toMatchObject({ error: 'authorization_pending' });
  await decide(device, 'agree');
  server.clock.advance(10_000);
  expect(await statusWith((await poll(device)).access_token)).toBe(200);

  const refused = await begin();
  await decide(refused, 'refuse');
  await expect(poll(refused)).rejects.toMatchObject({ error: 'access_denied' });
});
