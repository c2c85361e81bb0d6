import type { Logger } from 'pino';
import { type Awaitable, whenKnown } from '../../awaitable.ts';
import { type Clock, loadedOnce } from '../../clock.ts';
import { hasScope } from '../../domain/access.ts';
import type { AccessTokens } from '../../domain/accounts/access-tokens.ts';
import type { Auth } from '../../domain/accounts/auth.ts';
import type { CurrentUser } from '../../domain/accounts/current-user.ts';
import type { OAuth } from '../../domain/oauth/oauth.ts';
import { ServiceError } from '../../errors.ts';
import type { Networks } from '../addresses.ts';
import type { Bodies } from '../bodies/bodies.ts';
import {
  authenticate,
  limitRate,
  type RequestLimiter,
  rejectBlockedAddress,
  rejectSuspendedAccount,
} from '../guards.ts';
import { toServiceError } from '../replies.ts';
import { type Context, type Endpoint, type Guard, pathOf, type Reply } from '../request.ts';
import type { PresentedToken } from './adapter.ts';
import type { EngineOptions } from './engine.ts';
import { detachedExchange, toReply } from './exchange.ts';
import { fieldsOf } from './forms.ts';
import { createInteractions } from './interactions.ts';
import { challenge, resourceMetadata, serverMetadata } from './metadata.ts';
import { metadataPaths, pagePaths, paths } from './paths.ts';
import { createViews, enginePages } from './views.ts';

export interface OAuthEndpointOptions {
  readonly mode: 'auto' | 'on' | 'off';
  readonly oauth: OAuth;
  readonly auth: Auth;
  readonly accessTokens: AccessTokens;
  readonly currentUser: CurrentUser;
  readonly blocked: Networks;
  readonly bodies: Bodies;
  readonly limiter: RequestLimiter;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether clients reach the server by https. */
  readonly https: boolean;
  /** Returns the server's public address. */
  readonly baseUrl: () => string;
}

/** The endpoints of OAuth 2.0 beside the operations of the contract. */
export interface OAuthEndpoint extends Endpoint {
  /** Whether a request belongs here. False while OAuth is off or has no client: the path is unknown then. */
  takes(path: string): Awaitable<boolean>;
  /** Returns the WWW-Authenticate of a 401 of an operation; undefined while OAuth is off. */
  challenge(error: ServiceError): Awaitable<string | undefined>;
}

type Handler = (ctx: Context) => Promise<Reply>;

/** The handlers of a path by method. */
type Route = Readonly<Partial<Record<'GET' | 'POST', readonly Guard[]>>>;

export function createOAuthEndpoint(options: OAuthEndpointOptions): OAuthEndpoint {
  const { mode, oauth, blocked, limiter, log, baseUrl } = options;
  const findRoute = createRoutes(options);
  let isUsed = false;

  /** A client that was registered once is reason enough: the answer changes at most once in a process. */
  function isOn(): Awaitable<boolean> {
    if (mode !== 'auto' || isUsed) return mode !== 'off';
    return oauth.hasClients().then((exists) => {
      isUsed = exists;
      return exists;
    });
  }

  return {
    takes: (path) => findRoute(path) !== undefined && isOn(),
    challenge: ({ code }) =>
      whenKnown(isOn(), (on) =>
        on
          ? challenge(baseUrl(), code === 'MISSING_AUTH' ? undefined : 'invalid_token')
          : undefined,
      ),
    guards: [
      rejectBlockedAddress(blocked),
      (ctx) => serveRoute(ctx, findRoute(pathOf(ctx.req)), limiter),
    ],
    async toReply(ctx, error) {
      const known = toServiceError(error, ctx, log);
      const headers = known.retryAfter === undefined ? [] : ['Retry-After', `${known.retryAfter}`];
      if (known.status === 401)
        headers.push('WWW-Authenticate', challenge(baseUrl(), 'invalid_token'));
      const body = {
        error: errorCodes[known.code] ?? 'invalid_request',
        error_description: known.message,
      };
      return { status: known.status, headers, body };
    },
  };
}

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

async function serveRoute(
  ctx: Context,
  route: Route | undefined,
  limiter: RequestLimiter,
): Promise<Reply> {
  const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
  const guards = route?.[method as 'GET' | 'POST'];
  if (!guards) {
    await limiter.admit(ctx.state);
    const allowed = Object.keys(route ?? {}).join(', ');
    return { status: 405, headers: ['Allow', allowed], body: { error: 'invalid_request' } };
  }
  for (const guard of guards) {
    const reply = await guard(ctx);
    if (reply) return reply;
  }
  throw new Error('no guard returned a reply');
}

/** Returns a function that finds the route of a path. */
function createRoutes(options: OAuthEndpointOptions): (path: string) => Route | undefined {
  const { bodies, limiter, baseUrl, auth, currentUser } = options;
  const views = createViews(options);
  const loadEngines = loadedOnce(async () => {
    const { createEngines } = await import('./engine.ts');
    return createEngines(engineOptions(options, views));
  });
  const engine = async () => (await loadEngines())();
  const interactions = createInteractions({ ...options, issuer: baseUrl, views });
  const limited = limitRate(limiter);

  const withEngine: Handler = async (ctx) => {
    const exchange = detachedExchange(ctx, bodyOf(ctx));
    return toReply(await (await engine()).serve(exchange));
  };
  const revoke: Handler = async (ctx) => {
    const { body, presented } = await readRevocation(ctx, auth);
    const exchange = { ...detachedExchange(ctx, body), presented };
    return toReply(await (await engine()).serve(exchange));
  };
  const get = (...handlers: readonly Guard[]): Route => ({ GET: [limited, ...handlers] });
  const form = (handler: Handler): readonly Guard[] => [limited, bodies.readForm, handler];
  const endpoint: Route = { POST: form(withEngine) };
  const interaction: Handler = async (ctx) =>
    interactions.serve(ctx, await engine(), lastOf(pathOf(ctx.req)));
  const userinfo = [
    authenticate({ auth, limiter, credentials }),
    rejectSuspendedAccount,
    limited,
    userinfoOf(currentUser),
  ];

  const routes = new Map<string, Route>([
    [paths.authorization, get(withEngine)],
    [paths.token, endpoint],
    [paths.pushed_authorization_request, endpoint],
    [paths.device_authorization, endpoint],
    [paths.revocation, { POST: form(revoke) }],
    [paths.code_verification, { ...get(withEngine), ...endpoint }],
    [pagePaths.userinfo, { GET: userinfo, POST: userinfo }],
    [pagePaths.styles, get(views.styles)],
    [metadataPaths.server, get(async () => metadata(serverMetadata(baseUrl())))],
    [metadataPaths.resource, get(async () => metadata(resourceMetadata(baseUrl())))],
    [metadataPaths.resourceOfApi, get(async () => metadata(resourceMetadata(baseUrl())))],
  ]);
  /** Paths that end with the id of a request. */
  const ofRequests = new Map<string, Route>([
    [pagePaths.interaction, { GET: [limited, interaction], POST: form(interaction) }],
    [paths.authorization, get(withEngine)],
    [paths.code_verification, get(withEngine)],
  ]);
  return (path) => routes.get(path) ?? ofRequests.get(path.slice(0, path.lastIndexOf('/')));
}

function engineOptions(
  options: OAuthEndpointOptions,
  views: ReturnType<typeof createViews>,
): EngineOptions {
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

const lastOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

function metadata(body: object): Reply {
  return { status: 200, body, cacheControl: 'public, max-age=300' };
}

const bodyOf = ({ state: { body } }: Context) => (typeof body === 'string' ? body : '');

interface Revocation {
  readonly body: string;
  readonly presented: PresentedToken | undefined;
}

/**
 * Replaces a JWT that is to be revoked by its id, once its signature is verified: the engine knows only tokens that
 * it stores. Any other JWT becomes an unknown token, whose revocation succeeds too (RFC 7009, section 2.2).
 */
async function readRevocation(ctx: Context, auth: Auth): Promise<Revocation> {
  const fields = fieldsOf(ctx);
  const [token = '', ...others] = fields.getAll('token');
  if (others.length > 0 || !token.includes('.')) return { body: bodyOf(ctx), presented: undefined };
  const presented = await verified(token, auth);
  fields.set('token', presented?.tokenId ?? 'unknown');
  return { body: fields.toString(), presented };
}

async function verified(token: string, auth: Auth): Promise<PresentedToken | undefined> {
  try {
    return await auth.oauthTokens.verify(token);
  } catch (error) {
    if (error instanceof ServiceError && error.status === 401) return undefined;
    throw error;
  }
}

const credentials = { schemes: new Map([['oauth2', []]] as const), anonymous: false };

/** The profile of the account, as `GET /api/v1/users/me` returns it. */
function userinfoOf(currentUser: CurrentUser): Handler {
  return async ({ state: { actor } }) => {
    if (!actor?.oauth) throw new ServiceError('INVALID_TOKEN');
    if (!hasScope(actor, 'users:read')) {
      const details = { requiredScopes: ['users:read'] };
      throw new ServiceError('INSUFFICIENT_PERMISSIONS', { details });
    }
    return { status: 200, body: await currentUser.get(actor) };
  };
}
