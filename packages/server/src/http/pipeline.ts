import type { Logger } from 'pino';
import type { Auth } from '../domain/accounts/auth.ts';
import type { Visitor } from '../domain/actor.ts';
import type { Idempotency } from '../domain/idempotency.ts';
import type { InstanceActivity } from '../domain/instances/history.ts';
import type { ServiceError } from '../generated/rules/errors.ts';
import { rateLimitHeaders } from '../generated/rules/limits.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { clientAddress, type Networks } from './addresses.ts';
import type { Bodies } from './bodies/bodies.ts';
import {
  authenticate,
  findRoute,
  limitRate,
  type RequestLimiter,
  rejectBlockedAddress,
  rejectMissingScopes,
  rejectSuspendedAccount,
  requireRole,
  validateRequest,
} from './guards.ts';
import { callHandler } from './handlers.ts';
import type { Cors } from './headers.ts';
import { malformedRequest } from './malformed.ts';
import type { OneAtATime } from './one-at-a-time.ts';
import type { OperatorPages } from './operator/operator.ts';
import { errorReply, toServiceError, writeReply } from './replies.ts';
import {
  type Context,
  type Endpoint,
  type FlatHeaders,
  type Guard,
  ignoreLongAccept,
  pathOf,
  type Reply,
  RequestState,
  useOriginForm,
} from './request.ts';
import type { ResponseValidation } from './response-validation.ts';
import type { Router } from './router.ts';
import { readTraceContext, traceIdOf } from './trace-context.ts';

/** The endpoints of OAuth 2.0 beside the operations of the contract. */
export interface OAuthEndpoint extends Endpoint {
  /** Whether a path is one of OAuth. */
  hasPath(path: string): boolean;
  /** Returns the methods of a path of OAuth. */
  methodsOf(path: string): readonly string[];
  /** False while OAuth is off or has no client: its paths are unknown then. */
  isOn(): Promise<boolean>;
  /** Returns the WWW-Authenticate of a 401 of an operation; undefined while OAuth is off. */
  challenge(error: ServiceError): Promise<string | undefined>;
}

export interface PipelineOptions {
  readonly auth: Auth;
  readonly blocked: Networks;
  readonly bodies: Bodies;
  readonly clock: Clock;
  readonly cors: Cors;
  /** Guards of development, which follow the rate limit. */
  readonly faultGuards: readonly Guard[];
  readonly graphql: Endpoint;
  readonly idempotency: Idempotency;
  readonly ids: Ids;
  readonly log: Logger;
  readonly pages: OperatorPages;
  readonly limiter: RequestLimiter;
  readonly oauth: OAuthEndpoint;
  readonly oneAtATime: OneAtATime;
  readonly metrics: Metrics;
  readonly activity: InstanceActivity;
  readonly router: Router;
  readonly securityHeaders: FlatHeaders;
  readonly trustedProxies: Networks;
  /** Undefined: responses are not validated. */
  readonly validation: ResponseValidation | undefined;
}

/** The guards of an operation, in the contract's order. The last one calls its handler. */
function operationGuards(options: PipelineOptions): readonly Guard[] {
  const { auth, bodies, idempotency, limiter } = options;
  return [
    rejectBlockedAddress(options.blocked), // 403
    findRoute(options.router, limiter, options.pages), // 404
    authenticate({ auth, limiter }), // 401
    rejectSuspendedAccount, // 403
    limitRate(limiter), // 429
    ...options.faultGuards,
    rejectMissingScopes, // 403
    requireRole, // 403
    bodies.readOperationBody, // 400
    validateRequest, // 400
    callHandler(idempotency), // existence and ownership: 404
  ];
}

/** The operations of the contract, with errors in its form. */
function operationsEndpoint(options: PipelineOptions): Endpoint {
  const { auth, clock, log, oauth } = options;
  return {
    guards: operationGuards(options),
    async toReply(ctx, error) {
      const { actor } = ctx.state;
      const explained = actor ? await auth.explain(actor, error) : error;
      const known = toServiceError(explained, ctx, log);
      const challenge = known.status === 401 ? await oauth.challenge(known) : undefined;
      if (challenge !== undefined) ctx.state.headers.push('WWW-Authenticate', challenge);
      return errorReply(ctx, known, clock);
    },
  };
}

/** Where GraphQL is served. */
const graphqlPath = '/graphql';

const none: FlatHeaders = [];

/** Characters of the `User-Agent` header that are kept: anyone who opens a share has it stored. */
const maxUserAgent = 512;

/**
 * The only middleware. It finds out who sends a request, runs its guards one after the other, and writes the
 * response, the log line and the metrics once, for errors too. Every step that can fail stands inside one `try`, so
 * that no failure reaches Koa, whose error responses have no request id.
 */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #operations: Endpoint;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#operations = operationsEndpoint(options);
  }

  async serve(ctx: Context): Promise<void> {
    const { bodies } = this.#options;
    // Koa's own way of responding sets headers one by one.
    ctx.respond = false;
    useOriginForm(ctx.req);
    ignoreLongAccept(ctx.req);
    // The body is received from here on: Node emits its first bytes in this turn of the event loop.
    const incoming = bodies.receive(ctx.req, ctx.res);
    ctx.state = new RequestState(this.#visitorOf(ctx), incoming);
    limitIdleClients(ctx);
    let sent: SentReply;
    try {
      const reply = await this.#replyTo(ctx).finally(() => bodies.finish(ctx.state));
      sent = this.#write(ctx, reply);
    } catch (error) {
      sent = this.#write(ctx, this.#failure(ctx, error));
    }
    if (!ctx.state.isOfPage) await this.#record(ctx, sent);
  }

  #visitorOf({ req }: Context): Visitor {
    const { ids, trustedProxies } = this.#options;
    return {
      userId: null,
      requestId: ids.prefixed('req'),
      ipAddress: clientAddress(req, trustedProxies),
      userAgent: req.headers['user-agent']?.slice(0, maxUserAgent) || null,
      trace: readTraceContext(req.headers),
    };
  }

  async #replyTo(ctx: Context): Promise<Reply> {
    const { cors, limiter, oneAtATime, pages } = this.#options;
    await oneAtATime.waitForTurn(ctx);
    ctx.state.startedAt = performance.now();
    const malformed = malformedRequest(ctx.req);
    if (malformed) {
      // What follows it on the connection may be read in another way too.
      ctx.res.shouldKeepAlive = false;
      ctx.state.rateLimit = await limiter.stateOf(ctx);
      throw malformed;
    }
    const page = await pages.find(ctx)?.(ctx);
    if (page) {
      ctx.state.isOfPage = true;
      return page;
    }
    const reply =
      cors.preflight(ctx, () => this.#methodsOf(ctx)) ?? (await this.#serveEndpoint(ctx));
    return this.#completeClientReply(ctx, reply);
  }

  /** Runs the guards until one of them returns a reply. Only promises are awaited, since most guards return none. */
  async #serveEndpoint(ctx: Context): Promise<Reply> {
    const { oauth } = this.#options;
    let endpoint = this.#endpointOf(ctx);
    try {
      // While OAuth is off, its paths are unknown.
      if (endpoint === oauth && !(await oauth.isOn())) {
        ctx.state.isOfOAuth = false;
        endpoint = this.#operations;
      }
      for (const guard of endpoint.guards) {
        const outcome = guard(ctx);
        const reply = outcome instanceof Promise ? await outcome : outcome;
        if (reply) return reply;
      }
      throw new Error('no guard returned a reply');
    } catch (error) {
      return await endpoint.toReply(ctx, error);
    }
  }

  #endpointOf({ req, state }: Context): Endpoint {
    const { graphql, oauth } = this.#options;
    const path = pathOf(req);
    if (path === graphqlPath) {
      state.graphql = {};
      return graphql;
    }
    state.isOfOAuth = oauth.hasPath(path);
    return state.isOfOAuth ? oauth : this.#operations;
  }

  /** Returns the methods that scripts of other origins can use on the path of a request. */
  #methodsOf({ req }: Context): readonly string[] {
    const { oauth, router } = this.#options;
    const path = pathOf(req);
    if (path === graphqlPath) return ['POST'];
    return oauth.hasPath(path) ? oauth.methodsOf(path) : router.methodsOf(path);
  }

  /** Adds the state of the rate limit, which counts requests that were rejected before it, and validates. */
  async #completeClientReply(ctx: Context, reply: Reply): Promise<Reply> {
    const { limiter, validation } = this.#options;
    // The database can be the cause of a 500: counting would fail too, or wait as long again.
    ctx.state.rateLimit ??=
      reply.status === 500 ? limiter.knownOf(ctx.state) : await limiter.stateOf(ctx);
    if (!validation || ctx.state.isOfOAuth) return reply;
    return validation(ctx, reply, this.#headersOf(ctx, reply));
  }

  /** Returns the reply of a request that failed outside of its endpoint. */
  #failure(ctx: Context, error: unknown): Reply {
    const { clock, limiter, log } = this.#options;
    const { state } = ctx;
    state.isOfPage = false;
    state.rateLimit ??= limiter.knownOf(state);
    return errorReply(ctx, toServiceError(error, ctx, log), clock);
  }

  #write(ctx: Context, reply: Reply): SentReply {
    const streamed = writeReply(ctx, reply, this.#headersOf(ctx, reply));
    const durationMs = performance.now() - ctx.state.startedAt;
    return { status: reply.status, durationMs, streamed };
  }

  /** Counts and logs a request of a client. A streamed response is logged when it has ended. */
  async #record(ctx: Context, { status, durationMs, streamed }: SentReply): Promise<void> {
    const { activity, metrics } = this.#options;
    const { actor, startedAt } = ctx.state;
    metrics.countRequest(operationOf(ctx) ?? 'none', status, durationMs);
    if (actor) activity.request(actor.instanceId);
    if (!streamed) return this.#log(ctx, { status, durationMs });
    const bytes = await streamed;
    this.#log(ctx, { status, durationMs: performance.now() - startedAt, bytes });
  }

  /** Returns every header except those of the body. Clients have a rate limit; pages have none. */
  #headersOf(ctx: Context, reply: Reply): string[] {
    const { clock, cors, securityHeaders } = this.#options;
    const { visitor, rateLimit, headers } = ctx.state;
    const { cacheControl = 'no-store' } = reply;
    return (reply.securityHeaders ?? securityHeaders).concat(
      ['Cache-Control', cacheControl, 'X-Request-Id', visitor.requestId],
      rateLimit ? cors.headers(ctx) : none,
      rateLimit ? rateLimitHeaders(rateLimit, clock.now()) : none,
      headers,
      reply.headers ?? none,
    );
  }

  #log(ctx: Context, { status, durationMs, bytes }: RequestOutcome): void {
    const { req, state } = ctx;
    const { visitor, actor, graphql } = state;
    this.#options.log.info(
      {
        requestId: visitor.requestId,
        traceId: visitor.trace && traceIdOf(visitor.trace),
        method: req.method,
        operation: operationOf(ctx) ?? null,
        graphql: graphql?.operation,
        status,
        bytes,
        durationMs: Math.round(durationMs * 1000) / 1000,
        userId: actor?.userId ?? null,
        ipAddress: visitor.ipAddress,
      },
      'request',
    );
  }
}

/** A response whose head was passed to the connection. */
interface SentReply {
  readonly status: number;
  readonly durationMs: number;
  /** Of a streamed body: resolves with its sent bytes when it has ended. */
  readonly streamed: Promise<number> | undefined;
}

/** How a request has ended. */
interface RequestOutcome {
  readonly status: number;
  readonly durationMs: number;
  /** Of a streamed body. */
  readonly bytes?: number;
}

/**
 * The idle limit is for clients that neither send nor read. It does not end a connection whose client waits for the
 * server, for example while an object store joins the parts of an upload.
 */
function limitIdleClients({ req, res, state: { incoming } }: Context): void {
  const { socket } = req;
  res.on('timeout', () => {
    const awaitsClient = res.headersSent || (incoming?.isAwaited && !incoming.isOver);
    if (awaitsClient) socket.destroy();
    // Begins the limit anew.
    else socket.setTimeout(socket.timeout ?? 0);
  });
}

function operationOf({ state: { graphql, isOfOAuth, route } }: Context): string | undefined {
  if (isOfOAuth) return 'oauth';
  return graphql ? 'graphql' : route?.operation.id;
}
