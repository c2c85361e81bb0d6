import { expect } from 'vitest';
import {
  approve,
  authorizationUrl,
  Browser,
  parameterOf,
  pkce,
  redirectUri,
  sendForm,
  type TokenReply,
} from '../oauth.ts';
import { documentOf } from '../resources.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const scopes = ['vaults:read', 'documents:read', 'documents:share', 'webhooks:write'];

/** An app with the access of its owner. */
export interface UsedApp {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The browser in which the user has approved the app. */
  readonly browser: Browser;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly shareToken: string;
  readonly webhookId: string;
}

/** Registers an app and leaves rows in every table that its use fills, over HTTP alone. */
export async function useApp(
  server: { readonly url: string },
  user: { readonly email: string; readonly password: string },
): Promise<UsedApp> {
  const { email, password } = user;
  const session = await post(server, '/auth/login', { email, password });
  const postApi = (path: string, body: object, token = session.accessToken) =>
    post(server, `/api/v1${path}`, body, token);
  const client = await postApi('/oauth/clients', {
    name: 'Scanner',
    type: 'confidential',
    redirectUris: [redirectUri],
    scopes,
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', deviceGrant],
  });
  const { clientId, clientSecret } = client;
  const credentials = { client_id: clientId, client_secret: clientSecret };
  const ask = (path: string, parameters: Readonly<Record<string, string>>) =>
    sendForm(server, `/oauth/${path}`, undefined, { ...credentials, ...parameters });

  const { verifier, challenge } = pkce();
  const browser = new Browser(server);
  const parameters = { scope: scopes.join(' '), code_challenge: challenge };
  const visit = await approve(
    browser,
    authorizationUrl(server, { id: clientId }, parameters),
    user,
  );
  const first = await ask('token', {
    grant_type: 'authorization_code',
    code: parameterOf(visit, 'code'),
    code_verifier: verifier,
    redirect_uri: redirectUri,
  });
  const { body: tokens } = await refreshAs(server, client, first.body.refresh_token);
  await ask('device', { scope: 'vaults:read' });
  const own = await ask('token', { grant_type: 'client_credentials', scope: 'vaults:read' });
  await ask('revoke', { token: own.body.access_token });

  const vault = await postApi('/vaults', { name: 'Scans' });
  const document = await postApi('/documents', documentOf(vault.id, 'a scan'));
  const share = await postApi(
    `/documents/${document.id}/share`,
    { access: 'anyone' },
    tokens.access_token,
  );
  const webhook = await postApi(
    '/webhooks',
    {
      url: 'http://127.0.0.1:1/',
      events: ['vault.updated'],
      secret: 'a secret of 32 characters or more',
    },
    tokens.access_token,
  );
  return {
    clientId,
    clientSecret,
    browser,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token,
    shareToken: share.shareToken,
    webhookId: webhook.id,
  };
}

/** Refreshes the token of an app. */
export function refreshAs(
  server: { readonly url: string },
  { clientId, clientSecret }: Pick<UsedApp, 'clientId' | 'clientSecret'>,
  refreshToken: string,
): Promise<TokenReply> {
  return sendForm(server, '/oauth/token', undefined, {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: clientId,
    client_secret: clientSecret,
  });
}

async function post(
  server: { readonly url: string },
  path: string,
  body: object,
  accessToken?: string,
) {
  const authorization = accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` };
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  expect(response.ok, text).toBe(true);
  return JSON.parse(text);
}
