import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { approve, Browser, type Visit } from '../../../../test/form-browser.ts';
import { digest } from '../../src/domain/accounts/secrets.ts';
import type { OAuthClientRecord } from '../../src/store/rows/oauth/clients.ts';
import { startTestServer, type TestServer, type TestServerOptions } from './server.ts';

export { approve, Browser, type Visit };

export const redirectUri = 'https://app.example/callback';
export const clientSecret = 'a secret of forty characters, or nearly so';

/** A server with one confidential web client, `web`, of the account `owner@example.com`. */
export interface OAuthServer extends TestServer {
  /** Registers a client. Default: a confidential web client with every grant. */
  register(client?: Partial<OAuthClientRecord>): Promise<OAuthClientRecord>;
  readonly ownerId: string;
}

export async function startOAuthServer(options: TestServerOptions = {}): Promise<OAuthServer> {
  const server = await startTestServer({
    requestsPerMinute: { enterprise: 100_000 },
    ...options,
  });
  const owner = await server.signUp('owner@example.com');
  return {
    ...server,
    ownerId: owner.userId,
    async register(client = {}) {
      const record: OAuthClientRecord = {
        id: randomUUID(),
        userId: owner.userId,
        name: 'Example App',
        verified: false,
        type: 'confidential',
        redirectUris: [redirectUri],
        scopes: ['vaults:read', 'vaults:write', 'users:read'],
        grantTypes: [
          'authorization_code',
          'refresh_token',
          'client_credentials',
          'urn:ietf:params:oauth:grant-type:device_code',
        ],
        tokenEndpointAuthMethod: 'client_secret_basic',
        jwks: null,
        requirePar: false,
        disabled: false,
        secretHash: digest(clientSecret),
        previousSecretHash: null,
        previousSecretUntil: null,
        locked: false,
        credentialsVersion: 0,
        identityChangedAt: server.clock.now(),
        createdAt: server.clock.now(),
        updatedAt: server.clock.now(),
        ...client,
      };
      await server.store.transaction((tx) => tx.oauthClients.insert(record));
      return record;
    },
  };
}

/** A PKCE verifier with its challenge. */
export function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Returns the parameter of a redirect to the app. */
export function parameterOf({ leaves, html }: Visit, name: string): string {
  const value = leaves?.searchParams.get(name);
  if (value === null || value === undefined) return expect.fail(`no ${name} in ${leaves ?? html}`);
  return value;
}

/** Parameters of a request, in the place of the usual ones. Undefined leaves one out. */
export type Parameters = Readonly<Record<string, string | undefined>>;

function toQuery(parameters: Parameters): URLSearchParams {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given as [string, string][]);
}

/** Returns the address that an app sends its user to. */
export function authorizationUrl(
  server: { readonly url: string },
  app: Pick<OAuthClientRecord, 'id'>,
  parameters: Parameters = {},
): string {
  const usual = {
    client_id: app.id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'vaults:read',
    code_challenge_method: 'S256',
  };
  return `${server.url}/oauth/authorize?${toQuery({ ...usual, ...parameters })}`;
}

/** A response of an endpoint for apps. */
export interface TokenReply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly body: any;
}

/** Sends a form with the client's secret by HTTP Basic. */
export async function sendForm(
  server: { readonly url: string },
  path: string,
  app: Pick<OAuthClientRecord, 'id'> | undefined,
  parameters: Parameters,
  headers: Readonly<Record<string, string>> = {},
): Promise<TokenReply> {
  const basic =
    app &&
    `Basic ${Buffer.from(`${app.id}:${encodeURIComponent(clientSecret)}`).toString('base64')}`;
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    body: toQuery(parameters),
    headers: { ...(basic !== undefined && { authorization: basic }), ...headers },
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text.startsWith('{') ? JSON.parse(text) : text,
  };
}

export interface Code {
  readonly code: string;
  readonly verifier: string;
}

/** Lets a user approve an app in a new browser, and returns the code. */
export async function getCode(
  server: { readonly url: string },
  app: Pick<OAuthClientRecord, 'id'>,
  user: { readonly email: string; readonly password: string },
  parameters: Parameters = {},
): Promise<Code> {
  const { verifier, challenge } = pkce();
  const url = authorizationUrl(server, app, { code_challenge: challenge, ...parameters });
  const visit = await approve(new Browser(server), url, user);
  return { code: parameterOf(visit, 'code'), verifier };
}

/** Exchanges a code for tokens. */
export function redeem(
  server: { readonly url: string },
  app: Pick<OAuthClientRecord, 'id'>,
  { code, verifier }: Code,
  parameters: Parameters = {},
): Promise<TokenReply> {
  return sendForm(server, '/oauth/token', app, {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
    ...parameters,
  });
}

export function refresh(
  server: { readonly url: string },
  app: Pick<OAuthClientRecord, 'id'>,
  refreshToken: string,
): Promise<TokenReply> {
  return sendForm(server, '/oauth/token', app, {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
  });
}
