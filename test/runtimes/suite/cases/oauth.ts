import { DocumentVault, type Scope, type SessionOptions } from '@document-vault/sdk';
import {
  authorizeOwner,
  beginAuthorization,
  beginDeviceAuthorization,
  finishAuthorization,
  finishDeviceAuthorization,
  oauthSession,
} from '@document-vault/sdk/oauth';
import { createOAuthClients } from '@document-vault/sdk/oauth-clients';
import { rejects, same } from '../check.ts';
import { JumpingClock, requestCounter, signedIn } from '../clients.ts';
import { control } from '../control.ts';
import type { Case, Environment } from '../suite.ts';

const hour = 3_600_000;
const redirectUri = 'https://app.example.com/callback';
const scopes: readonly Scope[] = ['users:read'];

/** Registers an app at the real server. */
async function register(environment: Environment, type: 'public' | 'confidential') {
  const clients = createOAuthClients(await signedIn(environment));
  return clients.create({
    name: 'Example',
    type,
    redirectUris: [redirectUri],
    scopes: [...scopes],
    grantTypes: [
      'authorization_code',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
      ...(type === 'confidential' ? (['client_credentials'] as const) : []),
    ],
  });
}

/** Creates a client for an app without a secret, and counts its requests. */
async function publicApp(environment: Environment, session: Partial<SessionOptions> = {}) {
  const { clientId } = await register(environment, 'public');
  const { of, onRequest } = requestCounter();
  const client = new DocumentVault({
    baseUrl: environment.service,
    clock: new JumpingClock(),
    onRequest,
    session: oauthSession({ clientId, redirectUri, ...session }),
  });
  return { client, of };
}

async function signInTo(environment: Environment, client: DocumentVault): Promise<void> {
  const { url, pending } = await beginAuthorization(client, { scopes });
  const returned = await control(environment, 'approve', { url });
  same((await finishAuthorization(client, { ...returned, pending })).scopes, scopes, 'scopes');
}

export const oauthCases: readonly Case[] = [
  {
    name: 'an app signs in by authorization code, and refreshes its expired token once',
    async run(environment) {
      const { client, of } = await publicApp(environment);
      await signInTo(environment, client);
      same((await client.users.me()).email, environment.account.email, 'email');
      await control(environment, 'advance', { ms: hour + 1_000 });
      await Promise.all(Array.from({ length: 5 }, () => client.users.me()));
      same([of('/oauth/token'), of('/auth/refresh')], [2, 0], 'requests for tokens');
    },
  },
  {
    name: 'logout revokes the tokens of an app, and its next call rejects',
    async run(environment) {
      const { client, of } = await publicApp(environment);
      await signInTo(environment, client);
      await client.auth.logout();
      same(of('/oauth/revoke'), 1, 'revocations');
      await rejects(client.users.me(), { name: 'SessionExpiredError' });
    },
  },
  {
    name: 'a revoked consent ends the session of an app and calls onExpired once',
    async run(environment) {
      let expirations = 0;
      const { client } = await publicApp(environment, { onExpired: () => expirations++ });
      await signInTo(environment, client);
      const user = await signedIn(environment);
      const [consent] = (await user.consents.list()).data;
      await user.consents.update(consent?.id ?? '', { status: 'revoked' });
      await rejects(client.users.me(), { name: 'SessionExpiredError' });
      same(expirations, 1, 'calls of onExpired');
    },
  },
  {
    name: 'a code that was used rejects with an OAuthError',
    async run(environment) {
      const { client } = await publicApp(environment);
      const { url, pending } = await beginAuthorization(client, { scopes });
      const returned = await control(environment, 'approve', { url });
      await finishAuthorization(client, { ...returned, pending });
      await rejects(finishAuthorization(client, { ...returned, pending }), {
        name: 'OAuthError',
        code: 'invalid_grant',
      });
    },
  },
  {
    name: 'an app signs in by the code of a device',
    async run(environment) {
      const { client, of } = await publicApp(environment);
      const device = await beginDeviceAuthorization(client, { scopes });
      const { userCode, verificationUri } = device;
      await control(environment, 'approveDevice', { userCode, verificationUri });
      await finishDeviceAuthorization(client, device);
      same((await client.users.me()).email, environment.account.email, 'email');
      same([of('/oauth/device'), of('/oauth/token')], [1, 1], 'requests');
    },
  },
  {
    name: 'a program acts for the owner of its client by client credentials',
    skip: ({ runtime }) =>
      runtime === 'chromium' ? 'a secret in a browser is refused' : undefined,
    async run(environment) {
      const { clientId, clientSecret } = await register(environment, 'confidential');
      const client = new DocumentVault({
        baseUrl: environment.service,
        clock: new JumpingClock(),
        session: oauthSession({ clientId, clientSecret: clientSecret ?? '' }),
      });
      await authorizeOwner(client, { scopes });
      same((await client.users.me()).email, environment.account.email, 'email');
    },
  },
];
