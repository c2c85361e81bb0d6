import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import Provider, {
  type Client,
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { grantableScopes } from '../domain/access.ts';
import type { SigningKeys } from '../domain/accounts/access-tokens.ts';
import { deriveToken, digest } from '../domain/accounts/secrets.ts';
import { pageSignInLifetime } from '../domain/accounts/sessions.ts';
import { grantLifetime } from '../domain/oauth/grants.ts';
import type { OAuth } from '../domain/oauth/oauth.ts';
import {
  appTokenLifetime,
  audienceOf,
  credentialsClaim,
  grantClaim,
} from '../domain/oauth/tokens.ts';
import type { Tier } from '../domain/shapes.ts';
import { type Clock, loadedOnce } from '../lib/clock.ts';
import { createAdapters, digestsOf, ownMetadata, type PresentedToken } from './adapter.ts';
import { cookieNames, deviceGrant, pagePaths, paths } from './paths.ts';

export interface EngineOptions {
  readonly oauth: OAuth;
  readonly clock: Clock;
  readonly keys: Pick<SigningKeys, 'signer'>;
  /** Returns the server's public address. */
  readonly issuer: () => string;
  /** Called with errors that are no fault of the client. */
  readonly onFailure: (error: unknown) => void;
  /** Render the pages of the engine. */
  readonly pages: EnginePages;
}

/** A context of the engine, which is a Koa application of its own. */
export type EngineContext = KoaContextWithOIDC;

export interface EnginePages {
  /** Asks for the code of a device. */
  deviceCode(ctx: EngineContext, userCode: string, problem: Error | undefined): void;
  /** Asks whether the code of a device is the one that it shows. */
  deviceConfirmation(ctx: EngineContext, userCode: string): void;
  deviceDone(ctx: EngineContext): void;
  error(ctx: EngineContext, problem: { readonly error: string }): void;
}

/** Seconds. */
const minute = 60;

const lifetimes = {
  AccessToken: appTokenLifetime,
  ClientCredentials: appTokenLifetime,
  AuthorizationCode: minute,
  DeviceCode: 10 * minute,
  Interaction: 15 * minute,
  RefreshToken: grantLifetime / 1000,
  // Before its sign-in, a browser has a session for the forms of a page.
  Session: (_ctx: unknown, { accountId }: { readonly accountId?: string | undefined }) =>
    accountId === undefined ? 15 * minute : pageSignInLifetime / 1000,
  Grant: grantLifetime / 1000,
};

/** One request to the engine. */
export interface EngineExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** A verified access token that the request wants to revoke. */
  readonly presented?: PresentedToken | undefined;
  /**
   * Called before a request has an effect, with the client that has proven who it is; undefined for a public client,
   * which proves nothing. Resolves to whether the request is admitted.
   */
  readonly admit?: (client: AuthenticatedClient | undefined) => Promise<boolean>;
  /** Called when a device has asked for its token in time, and its user has not decided. */
  readonly onPoll?: () => void;
}

export interface AuthenticatedClient {
  readonly id: string;
  readonly ownerTier: Tier;
}

/** The OAuth engine with the keys of this moment. */
export interface Engine {
  readonly provider: Provider;
  /** Signs cookies and forms. */
  readonly secret: Uint8Array;
  /** Returns the context after the engine has served a request. Nothing is written to its response. */
  serve(exchange: EngineExchange): Promise<EngineContext>;
}

/** Creates the engine, anew after its signing key has changed: the engine cannot replace keys. */
export function createEngines(options: EngineOptions): () => Promise<Engine> {
  let current: { readonly kid: string; readonly issuer: string; readonly engine: Engine };
  const loadSecret = loadedOnce(() => options.oauth.secret());
  return async () => {
    const { kid } = options.keys.signer();
    const issuer = options.issuer();
    if (current?.kid !== kid || current.issuer !== issuer) {
      current = { kid, issuer, engine: createEngine(options, await loadSecret()) };
    }
    return current.engine;
  };
}

function createEngine(options: EngineOptions, secret: Uint8Array): Engine {
  const issuer = options.issuer();
  const exchanges = new WeakMap<IncomingMessage, EngineExchange>();
  const served = new WeakMap<IncomingMessage, EngineContext>();
  const failures = new WeakMap<EngineContext, string>();
  const running = () => {
    const ctx = Provider.ctx;
    return ctx && exchanges.get(ctx.req);
  };
  const provider = new QueryProvider(issuer, configurationOf(options, { secret, running }));
  provider.on('server_error', (_ctx, error) => options.onFailure(error));
  provider.on('authorization.error', (ctx, { error }) => failures.set(ctx, error));
  // Without a listener, Koa prints what escapes the engine's own handlers.
  (provider as EventEmitter).on('error', options.onFailure);
  deriveSuccessors(provider, secret);
  compareDigests(provider, running);
  nameMissingGrants(provider);
  keepStoredSessions(provider);
  useAssertionsOnce(provider, { ...options, running });
  admitPublicClients(provider, running);
  const { protocol, host, pathname } = new URL(issuer);

  provider.use(async (ctx, next) => {
    // Responses have addresses of the issuer. The Host of a request is not trusted.
    Object.defineProperties(ctx.request, {
      protocol: { value: protocol.slice(0, -1) },
      host: { value: host },
    });
    ctx.mountPath = pathname.replace(/\/$/, '');
    ctx.respond = false;
    prefill(ctx);
    served.set(ctx.req, ctx as EngineContext);
    await next();
    refuseOtherAccount(ctx as EngineContext, options.pages);
    refuseUnseenRedirect(ctx as EngineContext, failures.get(ctx as EngineContext), options.pages);
  });
  const handle = provider.callback();

  return {
    provider,
    secret,
    async serve(exchange) {
      const { req, res } = exchange;
      exchanges.set(req, exchange);
      await handle(req, res);
      const ctx = served.get(req);
      if (!ctx) throw new Error('the engine did not serve the request');
      return ctx;
    },
  };
}

/** Responses are queries of redirects alone. The form that the engine can send needs a script. */
class QueryProvider extends Provider {
  override registerResponseMode(...mode: Parameters<Provider['registerResponseMode']>): void {
    if (mode[0] !== 'form_post') super.registerResponseMode(...mode);
  }
}

/**
 * Replaces the page with which the engine would end the sign-in of another account by a script. It asks for that when
 * another tab has signed in meanwhile.
 */
function refuseOtherAccount(ctx: EngineContext, pages: EnginePages): void {
  const { postLogoutRedirectUri } = (ctx.oidc?.session?.state ?? {}) as Record<string, unknown>;
  if (postLogoutRedirectUri === undefined) return;
  ctx.status = 400;
  pages.error(ctx, { error: 'expired' });
}

/**
 * Shows an error in the place of its redirect to an unverified app, while the user has seen no page. Anyone can
 * register an app, and would have a link to their own site that begins with the address of this server (RFC 9700,
 * section 4.11.2).
 */
function refuseUnseenRedirect(
  ctx: EngineContext,
  error: string | undefined,
  pages: EnginePages,
): void {
  const isRedirect = ctx.status >= 300 && ctx.status < 400;
  if (error === undefined || !isRedirect || ctx.oidc.route !== 'authorization') return;
  if (ctx.oidc.client?.[ownMetadata.verified] === true) return;
  ctx.remove('Location');
  ctx.status = 400;
  pages.error(ctx, { error });
}

/** The code in the complete address of a device, by its request. */
const prefilled = new WeakMap<IncomingMessage, string>();

/** Keeps the code of a device for its page. The engine would submit it by a script. */
function prefill(ctx: Pick<EngineContext, 'method' | 'path' | 'query' | 'req'>): void {
  const { user_code: code } = ctx.query;
  if (ctx.method !== 'GET' || ctx.path !== paths.code_verification || !code) return;
  prefilled.set(ctx.req, [code].flat()[0] ?? '');
  ctx.query = {};
}

interface Running {
  /** Returns the exchange of the running request. */
  readonly running: () => EngineExchange | undefined;
}

interface Secrets extends Running {
  readonly secret: Uint8Array;
}

function configurationOf(options: EngineOptions, { secret, running }: Secrets): Configuration {
  const { oauth, clock, keys, pages } = options;
  const issuer = options.issuer();
  const audience = audienceOf(issuer);
  return {
    adapter: createAdapters({
      oauth,
      clock,
      audience: () => audience,
      presentedToken: () => running()?.presented,
      pollingClient: () => {
        const oidc = Provider.ctx?.oidc;
        return oidc?.route === 'token' ? oidc.client?.clientId : undefined;
      },
      onPoll: () => running()?.onPoll?.(),
    }),
    jwks: { keys: [keys.signer().privateJwk] },
    routes: paths,
    scopes: [...grantableScopes.admin],
    claims: {},
    responseTypes: ['code'],
    extraClientMetadata: { properties: Object.values(ownMetadata) },
    assertJwtClientAuthClaimsAndHeader: async (_ctx, { exp }) => refuseLongAssertion(Number(exp)),
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    ttl: lifetimes,
    pkce: { required: () => true },
    // The pipeline sends the headers for cross-origin requests.
    clientBasedCORS: () => true,
    cookies: cookiesOf(issuer, secret),
    interactions: {
      policy: createPolicy(),
      url: (_ctx, { uid }) => `${issuer}${pagePaths.interaction}/${uid}`,
    },
    findAccount: async (_ctx, id) => {
      const user = await oauth.findUser(id);
      return user && { accountId: id, claims: async () => ({ sub: id }) };
    },
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    revokeGrantPolicy: () => true,
    formats: { customizers: { jwt: (...token) => completeToken(clock, ...token) } },
    renderError: (ctx, out, error) =>
      pages.error(ctx, error instanceof errors.SessionNotFound ? { error: 'expired' } : out),
    features: {
      ...unusedFeatures,
      clientCredentials: { enabled: true },
      revocation: {
        enabled: true,
        allowedPolicy: async (_ctx, { clientId }, token) => token.clientId === clientId,
      },
      pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: false },
      deviceFlow: deviceFlowWith(pages),
      resourceIndicators: tokensFor(audience),
    },
  } as Configuration;
}

type Features = NonNullable<Configuration['features']>;

function cookiesOf(issuer: string, secret: Uint8Array): Configuration['cookies'] {
  const { pathname, protocol } = new URL(issuer);
  const cookie = {
    httpOnly: true,
    sameSite: 'lax',
    signed: true,
    overwrite: true,
    secure: protocol === 'https:',
  } as const;
  return {
    keys: [createHmac('sha256', secret).update('cookies').digest('base64url')],
    names: cookieNames,
    long: { ...cookie, path: `${pathname.replace(/\/$/, '')}/oauth` },
    short: cookie,
  };
}

type CompleteToken = NonNullable<NonNullable<Configuration['formats']>['customizers']>['jwt'];

/** Adds the times of the server's clock, and the claim by which the token ends with its grant or its client's secret. */
function completeToken(
  clock: Clock,
  ...[ctx, token, { payload }]: Parameters<NonNullable<CompleteToken>>
): void {
  const now = Math.floor(clock.now() / 1000);
  Object.assign(payload, { iat: now, exp: now + appTokenLifetime });
  if (token.kind === 'AccessToken') payload[grantClaim] = token.grantId;
  else payload[credentialsClaim] = ctx.oidc.client?.[ownMetadata.credentialsVersion];
}

function deviceFlowWith(pages: EnginePages): Features['deviceFlow'] {
  return {
    enabled: true,
    charset: 'base-20',
    mask: '****-****',
    deviceInfo: () => ({}),
    userCodeInputSource: (ctx, _form, out, problem) => {
      const error = fatalProblem(problem, out?.error);
      if (error !== undefined) pages.error(ctx, { error });
      else pages.deviceCode(ctx, prefilled.get(ctx.req) ?? '', problem);
    },
    userCodeConfirmSource: (ctx, _form, _client, _info, userCode) =>
      pages.deviceConfirmation(ctx, userCode),
    successSource: (ctx) => pages.deviceDone(ctx),
  };
}

/** Access tokens are JWTs for this server alone. */
function tokensFor(audience: string): Features['resourceIndicators'] {
  return {
    enabled: true,
    defaultResource: () => audience,
    useGrantedResource: () => true,
    getResourceServerInfo: (_ctx, resource) => {
      if (resource !== audience) throw new errors.InvalidTarget();
      return {
        scope: [...grantableScopes.admin].join(' '),
        audience,
        accessTokenTTL: appTokenLifetime,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'RS256' } },
      };
    },
  };
}

/** Off by name, each of them: some are on by default. A test compares all names with those of the engine. */
export const unusedFeatures = Object.fromEntries(
  [
    'attestClientAuth',
    'backchannelLogout',
    'ciba',
    'claimsParameter',
    'clientIdMetadataDocument',
    'devInteractions',
    'dPoP',
    'encryption',
    'externalSigningSupport',
    'fapi',
    'introspection',
    'jwtIntrospection',
    'jwtResponseModes',
    'jwtUserinfo',
    'mTLS',
    'openid4vci',
    'registration',
    'registrationManagement',
    'requestObjects',
    'richAuthorizationRequests',
    'rpInitiatedLogout',
    'rpMetadataChoices',
    'userinfo',
    'webMessageResponseMode',
  ].map((name) => [name, { enabled: false }]),
);

/** The message of the engine's error when a user has refused a device. */
const aborted = 'the interaction was aborted';

/** Returns the error to show for a problem of a device's page; undefined when another code would help. */
function fatalProblem(problem: Error | undefined, failure: string | undefined): string | undefined {
  if (problem?.message === aborted) return 'access_denied';
  // The browser does not have the request, or another page has replaced the form.
  if (problem instanceof errors.InvalidRequest) return 'expired';
  return failure === 'server_error' ? failure : undefined;
}

/** Asks for a sign-in first, then for a grant: each request of an app gets one of its own. */
function createPolicy(): interactionPolicy.DefaultPolicy {
  const { base, Check, Prompt } = interactionPolicy;
  const policy = base();
  policy.clear();
  policy.add(
    new Prompt(
      { name: 'login', requestable: true },
      new Check('no_session', 'the user is not signed in', (ctx) => !ctx.oidc.session?.accountId),
    ),
  );
  policy.add(
    new Prompt(
      { name: 'consent', requestable: true },
      new Check('no_grant', 'the user has not agreed', (ctx) => !ctx.oidc.result?.consent),
    ),
  );
  return policy;
}

/**
 * Derives the successor of a refresh token from it: when the answer is lost, the same token is sent again. The
 * store has digests alone.
 */
function deriveSuccessors(provider: Provider, secret: Uint8Array): void {
  // The types of the library do not name the method.
  const prototype = provider.RefreshToken.prototype as unknown as {
    generateTokenId(): string;
  };
  const random = prototype.generateTokenId;
  prototype.generateTokenId = function generateTokenId() {
    const predecessor = Provider.ctx?.oidc.entities.RotatedRefreshToken;
    return predecessor ? deriveToken(predecessor.jti, secret) : random.call(this);
  };
}

/**
 * Rejects a client that asks for a grant without having it as `unauthorized_client` (RFC 6749, sections 4.1.2.1 and
 * 5.2). The engine would call the request invalid.
 */
function nameMissingGrants(provider: Provider): void {
  const { prototype } = provider.Client;
  const { grantTypeAllowed, responseTypeAllowed } = prototype;
  const refuse = () => {
    throw new errors.UnauthorizedClient('the client is not registered for this grant');
  };
  prototype.grantTypeAllowed = function isGrantTypeAllowed(type) {
    return grantTypeAllowed.call(this, type) || (type === requestedGrant() && refuse());
  };
  prototype.responseTypeAllowed = function isResponseTypeAllowed(type) {
    return responseTypeAllowed.call(this, type) || refuse();
  };
}

/** Returns the grant that the running request asks for. The engine looks at others too, without rejecting it. */
function requestedGrant(): unknown {
  const { oidc } = Provider.ctx ?? {};
  return oidc?.route === 'device_authorization' ? deviceGrant : oidc?.params?.grant_type;
}

/**
 * Leaves a session unstored that was not stored before. For each error of a device's page, the engine prepares a form
 * and would fail where the browser has no session.
 */
function keepStoredSessions(provider: Provider): void {
  // The types of the library do not name the method.
  const prototype = provider.Session.prototype as unknown as { persist(): Promise<unknown> };
  const { persist } = prototype;
  prototype.persist = async function persistStored(this: { readonly exp?: number }) {
    if (this.exp !== undefined) await persist.call(this);
  };
}

/** Compares the digest of a secret: no client's secret is stored. */
function compareDigests(provider: Provider, running: Running['running']): void {
  provider.Client.prototype.compareClientSecret = async function compareClientSecret(actual) {
    const given = digest(String(actual));
    const matches = digestsOf(this.clientSecret).map((stored) => {
      const expected = Buffer.from(stored, 'hex');
      return expected.length === given.length && timingSafeEqual(expected, given);
    });
    if (!matches.includes(true)) return false;
    await admit(running(), toAuthenticated(this));
    return true;
  };
}

/** Seconds that an assertion may be valid, and that the clock of its client may be ahead. */
const [maxAssertionLifetime, maxSkew] = [5 * minute, 30];

/**
 * A used assertion is remembered until it expires: without a limit, a client could fill the store for years.
 *
 * @param expiresAt epoch seconds, by the system's clock
 */
function refuseLongAssertion(expiresAt: number): void {
  const remaining = expiresAt - Math.floor(Date.now() / 1000);
  if (remaining <= maxAssertionLifetime + maxSkew) return;
  throw new errors.InvalidClientAuth('the assertion must expire within 5 minutes');
}

/** Accepts each assertion of a client once. The engine looks for it first and stores it then: two could pass. */
function useAssertionsOnce(
  provider: Provider,
  { oauth, running }: Pick<EngineOptions, 'oauth'> & Running,
): void {
  provider.ReplayDetection.unique = async (issuer, id, expiresAt) => {
    const lifetime = expiresAt - Math.floor(Date.now() / 1000);
    const key = JSON.stringify([issuer, id]);
    if (!(await oauth.artifacts.useAssertion(key, lifetime))) return false;
    const client = Provider.ctx?.oidc.client;
    await admit(running(), client && toAuthenticated(client));
    return true;
  };
}

/** Admits the requests of public clients, regardless of what the engine takes for their credentials. */
function admitPublicClients(provider: Provider, running: Running['running']): void {
  const { find } = provider.Client;
  provider.Client.find = async function findAdmitted(id) {
    const client = await find.call(this, id);
    if (client?.clientAuthMethod === 'none') await admit(running(), undefined);
    return client;
  };
}

const toAuthenticated = (client: Client): AuthenticatedClient => ({
  id: client.clientId,
  ownerTier: client[ownMetadata.ownerTier] as Tier,
});

/** @throws errors.TemporarilyUnavailable when the client or the address has sent too many requests */
async function admit(
  exchange: EngineExchange | undefined,
  client: AuthenticatedClient | undefined,
): Promise<void> {
  if (!exchange?.admit || (await exchange.admit(client))) return;
  throw new errors.TemporarilyUnavailable();
}
