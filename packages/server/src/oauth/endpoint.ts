import type { Logger } from 'pino';
import { hasScope } from '../domain/access.ts';
import type { AccessTokens } from '../domain/accounts/access-tokens.ts';
import type { Auth } from '../domain/accounts/auth.ts';
import type { CurrentUser } from '../domain/accounts/current-user.ts';
import type { OAuth } from '../domain/oauth/oauth.ts';
import { ServiceError, violation } from '../generated/rules/errors.ts';
import { isOnDevice } from '../generated/rules/oauth-clients.ts';
import { readParameters } from '../generated/rules/parameters.ts';
import { missingScopes } from '../generated/rules/scopes.ts';
import {
  authenticate,
  limitRate,
  type RequestLimiter,
  rejectBlockedAddress,
  rejectSuspendedAccount,
} from '../http/guards.ts';
import type { OAuthEndpoint } from '../http/pipeline.ts';
import { toServiceError } from '../http/replies.ts';
import { type Context, type Guard, pathOf, queryOf, type Reply } from '../http/request.ts';
import type { SharedParts } from '../http/server.ts';
import { type Clock, loadedOnce } from '../lib/clock.ts';
import { bodyOf, readRevocation, serveApp } from './client-requests.ts';
import type { EngineExchange } from './engine-changes.ts';
import type { EngineOptions } from './engine-configuration.ts';
import { detachedExchange, engineReply } from './exchange.ts';
import { fieldsOf, isFromOwnPage } from './forms.ts';
import { createInteractions } from './interactions.ts';
import { challenge, resourceMetadata, serverMetadata } from './metadata.ts';
import { metadataPaths, pagePaths, paths } from './paths.ts';
import { createViews, enginePages, hasCookie, type Views } from './views.ts';

export interface OAuthEndpointOptions extends SharedParts {
  readonly mode: 'auto' | 'on' | 'off';
  readonly oauth: OAuth;
  readonly auth: Auth;
  readonly accessTokens: AccessTokens;
  readonly currentUser: CurrentUser;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the server's public address. */
  readonly baseUrl: () => string;
}

type Handler = (ctx: Context) => Promise<Reply>;

/** The handlers of a path by method. */
type Route = Readonly<Partial<Record<'GET' | 'POST', readonly Guard[]>>>;

export function createOAuthEndpoint(options: OAuthEndpointOptions): OAuthEndpoint {
  const { mode, oauth, blocked, limiter, log, baseUrl } = options;
  const views = createViews(options.https, options.baseUrl);
  const findRoute = createRoutes(options, views);
  const isOn = async () => (mode === 'auto' ? oauth.hasClients() : mode === 'on');

  return {
    hasPath: (path) => findRoute(path) !== undefined,
    methodsOf: (path) => methodsOf(path, findRoute(path)),
    isOn,
    async challenge({ code }) {
      try {
        if (!(await isOn())) return undefined;
      } catch (err) {
        // A store that cannot be read must not turn a 401 into another error.
        log.error({ err }, 'OAuth clients not read');
        return undefined;
      }
      return challenge(baseUrl(), code === 'MISSING_AUTH' ? undefined : 'invalid_token');
    },
    guards: [
      rejectBlockedAddress(blocked),
      limitParameters,
      (ctx) => serveRoute(ctx, findRoute(pathOf(ctx.req)), limiter),
    ],
    async toReply(ctx, error) {
      const known = toServiceError(error, ctx, log);
      const { status } = known;
      const headers = known.retryAfter === undefined ? [] : ['Retry-After', `${known.retryAfter}`];
      const problem = errorCodes[known.code] ?? 'invalid_request';
      if (isPage(pathOf(ctx.req))) return { ...views.error(ctx, problem), status, headers };
      if (status === 401) headers.push('WWW-Authenticate', challenge(baseUrl(), 'invalid_token'));
      return { status, headers, body: { error: problem, error_description: known.message } };
    },
  };
}

/** Rejects a query of many parameters, which the engine would parse by Koa's `ctx.query`, in quadratic time. */
const limitParameters: Guard = ({ req }) => {
  readParameters(queryOf(req), 'query');
};

/** Maximum length of an address in a form, in characters: that of a registered one. */
const maxAddressLength = 2048;

/** Rejects long addresses, which the engine would parse: an international host takes time in the square of its length. */
const limitAddresses: Guard = (ctx) => {
  const fields = fieldsOf(ctx);
  for (const name of ['redirect_uri', 'resource']) {
    if (fields.getAll(name).every((address) => address.length <= maxAddressLength)) continue;
    const message = `${name} must have at most ${maxAddressLength} characters.`;
    throw violation(name, 'maxLength', message);
  }
};

/** The errors of RFC 6749 and RFC 6750 that stand for those of the catalogue. */
const errorCodes: Readonly<Partial<Record<ServiceError['code'], string>>> = {
  INTERNAL_ERROR: 'server_error',
  RATE_LIMIT_EXCEEDED: 'temporarily_unavailable',
  IP_BLOCKED: 'access_denied',
  ACCOUNT_SUSPENDED: 'access_denied',
  INSUFFICIENT_PERMISSIONS: 'insufficient_scope',
  MISSING_AUTH: 'invalid_token',
  INVALID_TOKEN: 'invalid_token',
  EXPIRED_TOKEN: 'invalid_token',
};

/** Whether a browser shows the responses of a path. */
function isPage(path: string): boolean {
  const pages = [paths.authorization, paths.code_verification, pagePaths.interaction];
  return pages.some((page) => path === page || path.startsWith(`${page}/`));
}

/** HEAD is served wherever GET is, except for the pages: their GET begins and ends sign-ins and approvals. */
function methodsOf(path: string, route: Route | undefined): string[] {
  return Object.keys(route ?? {}).flatMap((method) =>
    method === 'GET' && !isPage(path) ? ['GET', 'HEAD'] : method,
  );
}

async function serveRoute(
  ctx: Context,
  route: Route | undefined,
  limiter: RequestLimiter,
): Promise<Reply> {
  const path = pathOf(ctx.req);
  const method = ctx.method === 'HEAD' && !isPage(path) ? 'GET' : ctx.method;
  const guards = route?.[method as 'GET' | 'POST'];
  if (!guards) {
    await limiter.admit(ctx.state);
    const headers = ['Allow', methodsOf(path, route).join(', ')];
    return { status: 405, headers, body: { error: 'invalid_request' } };
  }
  for (const guard of guards) {
    const reply = await guard(ctx);
    if (reply) return reply;
  }
  throw new Error('no guard returned a reply');
}

/** Returns a function that finds the route of a path. */
function createRoutes(
  options: OAuthEndpointOptions,
  views: Views,
): (path: string) => Route | undefined {
  const { bodies, limiter, baseUrl, auth, currentUser } = options;
  const loadEngines = loadedOnce(async () => {
    const { createEngines } = await import('./engine.ts');
    return createEngines(engineOptions(options, views));
  });
  const engine = async () => (await loadEngines())();
  const interactions = createInteractions({ ...options, issuer: baseUrl, views });
  const limited = limitRate(limiter);
  const limitedByHour: Guard = ({ state }) => limiter.admit(state, 'hour');
  // Signing in takes seven requests. The pages after the first have a cookie and count in the hour alone.
  const limitedPage: Guard = (ctx) => (hasCookie(ctx) ? limitedByHour : limited)(ctx);

  const withEngine: Handler = async (ctx) => {
    const exchange = detachedExchange(ctx, bodyOf(ctx));
    return engineReply(await (await engine()).serve(exchange));
  };
  const forApps = async (ctx: Context, exchange: EngineExchange) =>
    serveApp(ctx, limiter, async (hooks) =>
      engineReply(await (await engine()).serve({ ...exchange, ...hooks })),
    );
  const endpoint: Route = {
    POST: [
      bodies.readForm,
      limitAddresses,
      (ctx) => forApps(ctx, detachedExchange(ctx, bodyOf(ctx))),
    ],
  };
  const revoke: Handler = async (ctx) => {
    const { body, presented } = await readRevocation(ctx, auth);
    return forApps(ctx, { ...detachedExchange(ctx, body), presented });
  };
  const get = (...handlers: readonly Guard[]): Route => ({ GET: [limited, ...handlers] });
  const getPage = (handler: Guard): Route => ({ GET: [limitedPage, handler] });
  const form = (handler: Handler): readonly Guard[] => [limited, bodies.readForm, handler];
  const ownForm: Handler = async (ctx) =>
    isFromOwnPage(ctx, new URL(baseUrl()).origin) ? withEngine(ctx) : views.error(ctx, 'forged');
  const interaction: Handler = async (ctx) =>
    interactions.serve(ctx, await engine(), lastOf(pathOf(ctx.req)));
  const userinfo = [
    authenticate({ auth, limiter, credentials }),
    rejectSuspendedAccount,
    limited,
    userinfoOf(currentUser),
  ];

  const findMetadata = createMetadataRoutes(get, baseUrl);
  const routes = new Map<string, Route>([
    [paths.authorization, get(toOwnName(baseUrl), withEngine)],
    [paths.token, endpoint],
    [paths.pushed_authorization_request, endpoint],
    [paths.device_authorization, endpoint],
    [paths.revocation, { POST: [bodies.readForm, revoke] }],
    [paths.code_verification, { ...get(toOwnName(baseUrl), withEngine), POST: form(ownForm) }],
    [pagePaths.userinfo, { GET: userinfo, POST: userinfo }],
    // Every page needs it, the one about the rate limit too.
    [pagePaths.styles, { GET: [limitedByHour, views.styles] }],
  ]);
  /** Paths that end with the id of a request. */
  const ofRequests = new Map<string, Route>([
    [pagePaths.interaction, { ...getPage(interaction), POST: form(interaction) }],
    [paths.authorization, getPage(withEngine)],
    [paths.code_verification, getPage(withEngine)],
  ]);
  return (path) =>
    routes.get(path) ?? ofRequests.get(path.slice(0, path.lastIndexOf('/'))) ?? findMetadata(path);
}

/** Returns a function that finds the metadata of a path. */
function createMetadataRoutes(
  get: (handler: Guard) => Route,
  baseUrl: () => string,
): (path: string) => Route | undefined {
  const server = get(async () => metadata(serverMetadata(baseUrl())));
  const resource = get(async () => metadata(resourceMetadata(baseUrl())));
  return (path) => {
    if (!path.startsWith(metadataPaths.prefix)) return undefined;
    // The path of the public address stands behind the well-known one (RFC 8414, section 3.1).
    const base = new URL(baseUrl()).pathname.replace(/\/$/, '');
    const { resource: resourcePath, resourceOfApi } = metadataPaths;
    if (path === metadataPaths.server || path === metadataPaths.server + base) return server;
    const resources = [resourcePath, resourceOfApi, `${resourcePath}${base}/api/v1`];
    return resources.includes(path) ? resource : undefined;
  };
}

function engineOptions(options: OAuthEndpointOptions, views: Views): EngineOptions {
  const { oauth, clock, accessTokens, baseUrl, log } = options;
  return {
    oauth,
    clock,
    keys: accessTokens.keys,
    issuer: baseUrl,
    onFailure: (err) => log.error({ err }, 'OAuth request failed'),
    pages: enginePages(views),
  };
}

/**
 * Redirects a browser that uses another name of this device than the public address, before it has a cookie: the next
 * page is at the public address and would not receive it.
 */
function toOwnName(baseUrl: () => string): Guard {
  return ({ req }) => {
    const own = new URL(baseUrl());
    const asked = `${own.protocol}//${req.headers.host}`;
    if (!URL.canParse(asked) || new URL(asked).host === own.host) return undefined;
    if (!isOnDevice(asked) || !isOnDevice(own.href)) return undefined;
    const location = own.href.replace(/\/$/, '') + (req.url ?? '');
    return { status: 307, headers: ['Location', location] };
  };
}

const lastOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

function metadata(body: object): Reply {
  return { status: 200, body, cacheControl: 'public, max-age=300' };
}

const credentials = { schemes: new Map([['oauth2', []]] as const), anonymous: false };

/** The profile of the account, as `GET /api/v1/users/me` returns it. */
function userinfoOf(currentUser: CurrentUser): Handler {
  return async ({ state: { actor } }) => {
    if (!actor?.oauth) throw new ServiceError('INVALID_TOKEN');
    if (!hasScope(actor, 'users:read')) throw missingScopes(['users:read']);
    return { status: 200, body: await currentUser.get(actor) };
  };
}
