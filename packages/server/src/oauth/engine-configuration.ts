import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Provider, {
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { grantableScopes } from '../domain/access.ts';
import type { SigningKeys } from '../domain/accounts/access-tokens.ts';
import { pageSignInLifetime } from '../domain/accounts/sessions.ts';
import { grantLifetime } from '../domain/oauth/grants.ts';
import type { OAuth } from '../domain/oauth/oauth.ts';
import {
  appTokenLifetime,
  audienceOf,
  credentialsClaim,
  grantClaim,
} from '../domain/oauth/tokens.ts';
import type { Clock } from '../lib/clock.ts';
import { createAdapters, ownMetadata } from './adapter.ts';
import type { EngineParts } from './engine-changes.ts';
import { cookieNames, pagePaths, paths } from './paths.ts';

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

/** The code in the complete address of a device, by its request. */
const prefilled = new WeakMap<IncomingMessage, string>();

/** Keeps the code of a device for its page. The engine would submit it by a script. */
export function prefill(ctx: Pick<EngineContext, 'method' | 'path' | 'query' | 'req'>): void {
  const { user_code: code } = ctx.query;
  if (ctx.method !== 'GET' || ctx.path !== paths.code_verification || !code) return;
  prefilled.set(ctx.req, [code].flat()[0] ?? '');
  ctx.query = {};
}

/** Returns the options of oidc-provider. */
export function configurationOf(
  options: EngineOptions,
  { secret, running }: Omit<EngineParts, 'oauth'>,
): Configuration {
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
