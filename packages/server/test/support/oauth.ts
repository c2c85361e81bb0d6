import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { digest } from '../../src/domain/accounts/secrets.ts';
import type { OAuthClientRecord } from '../../src/store/repositories/oauth-clients.ts';
import { startTestServer, type TestServer, type TestServerOptions } from './server.ts';

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
    oauth: 'auto',
    enterpriseRequestsPerMinute: 100_000,
    ...options,
  });
  const owner = await server.signUp('owner@example.com');
  let count = 0;
  return {
    ...server,
    ownerId: owner.userId,
    async register(client = {}) {
      count += 1;
      const record: OAuthClientRecord = {
        id: `client-${count}`,
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

/** A page or redirect that a browser received. */
export interface Visit {
  readonly status: number;
  readonly url: string;
  readonly headers: Headers;
  readonly html: string;
  /** The address of a redirect that leaves the server; undefined for a page. */
  readonly leaves: URL | undefined;
}

/** A browser without scripts: it keeps cookies, follows redirects inside the server and submits forms. */
export class Browser {
  readonly #origin: string;
  readonly #cookies = new Map<string, { readonly value: string; readonly path: string }>();

  constructor(server: { readonly url: string }) {
    this.#origin = server.url;
  }

  get cookies(): ReadonlyMap<string, { readonly value: string; readonly path: string }> {
    return this.#cookies;
  }

  open(url: string | URL): Promise<Visit> {
    return this.#send(new URL(url, this.#origin), {});
  }

  /** Submits the first form of a page that has this button or field, with its hidden fields. */
  submit(
    page: Visit,
    fields: Readonly<Record<string, string | readonly string[]>>,
  ): Promise<Visit> {
    const form = /<form method="post" action="([^"]+)">([\s\S]*?)<\/form>/.exec(page.html);
    if (!form) throw new Error(`no form in ${page.html}`);
    const [, action = '', content = ''] = form;
    const body = new URLSearchParams();
    for (const [input] of content.matchAll(/<input[^>]*>/g)) {
      const isSent = input.includes('type="hidden"') || / checked/.test(input);
      const name = /name="([^"]*)"/.exec(input)?.[1];
      const value = /value="([^"]*)"/.exec(input)?.[1] ?? '';
      if (isSent && name !== undefined && !(name in fields)) body.append(name, value);
    }
    for (const [name, values] of Object.entries(fields)) {
      for (const value of [values].flat()) body.append(name, value as string);
    }
    return this.post(action, body);
  }

  post(
    url: string,
    body: URLSearchParams,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Visit> {
    const origin = { origin: this.#origin, 'sec-fetch-site': 'same-origin' };
    return this.#send(new URL(url, this.#origin), {
      method: 'POST',
      body,
      headers: { ...origin, ...headers },
    });
  }

  async #send(url: URL, init: RequestInit): Promise<Visit> {
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...(init.headers as Record<string, string>), cookie: this.#cookiesFor(url) },
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const { status, headers } = response;
    const html = await response.text();
    const location = headers.get('location');
    if (location === null) return { status, headers, html, url: url.href, leaves: undefined };
    const target = new URL(location, url);
    if (target.origin === this.#origin) return this.#send(target, {});
    return { status, headers, html, url: url.href, leaves: target };
  }

  #cookiesFor({ pathname }: URL): string {
    return [...this.#cookies]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ');
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/';
    const isRemoved = attributes.some((each) => each.startsWith('expires=Thu, 01 Jan 1970'));
    if (isRemoved) this.#cookies.delete(name);
    else this.#cookies.set(name, { value, path });
  }
}

/** Signs in on the page that a browser was led to, and agrees to everything that is preselected. */
export async function approve(
  browser: Browser,
  url: string | URL,
  user: { readonly email: string; readonly password: string },
): Promise<Visit> {
  let page = await browser.open(url);
  if (page.html.includes('type="password"')) {
    page = await browser.submit(page, { email: user.email, password: user.password });
  }
  if (page.html.includes('name="scope"')) page = await browser.submit(page, {});
  return page;
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
