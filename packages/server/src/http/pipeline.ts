import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Auth } from '../domain/accounts/auth.ts';
import type { Idempotency } from '../domain/idempotency.ts';
import type { FaultInjector } from '../fault-injection.ts';
import type { Ids } from '../ids.ts';
import type { Recorder } from '../metrics/metrics.ts';
import type { Bodies } from './bodies/bodies.ts';
import type { ConnectionOrder } from './connections.ts';
import {
  authenticate,
  findRoute,
  injectFault,
  limitRate,
  type RateLimit,
  rejectBlockedAddress,
  rejectSuspendedAccount,
  requireRole,
  requireScopes,
  validateRequest,
} from './guards.ts';
import { callHandler } from './handlers.ts';
import { type Cors, rateLimitHeaders } from './headers.ts';
import type { OperatorPages } from './operator/operator.ts';
import { errorReply, toServiceError, writeReply } from './replies.ts';
import {
  type Context,
  clientAddress,
  type Endpoint,
  type FlatHeaders,
  type Guard,
  type Networks,
  pathOf,
  type Reply,
  RequestState,
} from './request.ts';
import type { ResponseValidation } from './response-validation.ts';
import type { Router } from './router.ts';

export interface PipelineOptions {
  readonly auth: Auth;
  readonly blocked: Networks;
  readonly bodies: Bodies;
  readonly clock: Clock;
  readonly connections: ConnectionOrder;
  readonly cors: Cors;
  /** Undefined in production. */
  readonly faults: FaultInjector | undefined;
  readonly graphql: Endpoint;
  readonly idempotency: Idempotency;
  readonly ids: Ids;
  readonly log: Logger;
  readonly pages: OperatorPages;
  readonly rateLimit: RateLimit;
  readonly recorder: Recorder;
  readonly router: Router;
  readonly securityHeaders: FlatHeaders;
  readonly trustedProxies: Networks;
  /** Undefined: responses are not validated. */
  readonly validation: ResponseValidation | undefined;
}

/** The guards of an operation, in the contract's order. The last one calls its handler. */
function operationGuards(options: PipelineOptions): readonly Guard[] {
  const { auth, bodies, faults, idempotency, rateLimit } = options;
  return [
    rejectBlockedAddress(options.blocked), // 403
    findRoute(options.router, rateLimit), // 404
    authenticate({ auth, rateLimit }), // 401
    rejectSuspendedAccount, // 403
    limitRate(rateLimit), // 429
    ...(faults ? [injectFault(faults)] : []),
    requireScopes, // 403
    requireRole, // 403
    bodies.readOperationBody, // 400
    validateRequest, // 400
    callHandler(idempotency), // existence and ownership: 404
  ];
}

/** The operations of the contract, with errors in its form. */
function operationsEndpoint(options: PipelineOptions): Endpoint {
  const { auth, clock, log } = options;
  return {
    guards: operationGuards(options),
    async toReply(ctx, error) {
      const { actor } = ctx.state;
      const explained = actor ? await auth.explain(actor, error) : error;
      return errorReply(ctx, toServiceError(explained, ctx, log), clock);
    },
  };
}

/** Where GraphQL is served. */
/** Characters of the `User-Agent` header that are kept: anyone who opens a share has it stored. */
const maxUserAgent = 512;

const graphqlPath = '/graphql';

/**
 * Creates the only middleware: it finds out who sends a request, runs its guards one after the other, and
 * writes the response, the log line and the metrics once, for errors too.
 *
 * Nested middlewares would cost a promise each and set headers one by one: 17 of them took a third of the
 * time of a small request.
 */
export function createPipeline(options: PipelineOptions): (ctx: Context) => Promise<void> {
  const { bodies, connections, cors, ids, log, pages } = options;
  const { rateLimit, recorder, trustedProxies, validation } = options;
  const rest = operationsEndpoint(options);

  function endpointOf({ req, state }: Context): Endpoint {
    if (pathOf(req) !== graphqlPath) return rest;
    state.graphql = {};
    return options.graphql;
  }

  async function replyOf(ctx: Context): Promise<Reply> {
    const preflight = cors.preflight(ctx);
    if (preflight) return preflight;
    const endpoint = endpointOf(ctx);
    try {
      return await run(endpoint.guards, ctx);
    } catch (error) {
      return endpoint.toReply(ctx, error);
    }
  }

  function headersOf({ state }: Context, reply: Reply): string[] {
    return [
      ...(reply.securityHeaders ?? options.securityHeaders),
      'Cache-Control',
      reply.cacheControl ?? 'no-store',
      'X-Request-Id',
      state.visitor.requestId,
      ...state.headers,
      ...(reply.headers ?? []),
    ];
  }

  /** Responds to a client: with CORS, within the limits, counted and logged. */
  async function serveClient(ctx: Context): Promise<Reply> {
    const reply = await replyOf(ctx);
    const limit = rateLimit.stateOf(ctx);
    const limitState = limit instanceof Promise ? await limit : limit;
    ctx.state.headers.push(...cors.headers(ctx), ...rateLimitHeaders(limitState));
    return validation ? validation(ctx, reply, headersOf(ctx, reply)) : reply;
  }

  function report({ req, state }: Context, status: number, durationMs: number): void {
    const { visitor, actor, route, graphql } = state;
    const operation = graphql ? 'graphql' : route?.operation.id;
    recorder.request(operation ?? 'none', status, durationMs);
    log.info(
      {
        requestId: visitor.requestId,
        method: req.method,
        operation: operation ?? null,
        ...(graphql?.operation && { graphql: graphql.operation }),
        status,
        durationMs: Math.round(durationMs * 1000) / 1000,
        userId: actor?.userId ?? null,
        ipAddress: visitor.ipAddress,
      },
      'request',
    );
  }

  return async (ctx) => {
    // Koa's own way of responding sets headers one by one.
    ctx.respond = false;
    const { req, res } = ctx;
    // The body is received from here on: Node emits its first bytes in this turn of the event loop.
    const incoming = bodies.receive(req, res);
    const visitor = {
      userId: null,
      requestId: ids.prefixed('req'),
      ipAddress: clientAddress(req, trustedProxies),
      userAgent: req.headers['user-agent']?.slice(0, maxUserAgent) || null,
    };
    ctx.state = new RequestState(visitor, incoming);
    const turn = connections.waitForTurn(ctx);
    if (turn) await turn;
    const start = performance.now();
    const page = pages.find(ctx);
    let reply = page && (await page(ctx));
    const isClient = reply === undefined;
    try {
      reply ??= await serveClient(ctx);
    } finally {
      await bodies.finish(ctx.state);
    }
    writeReply(ctx, reply, headersOf(ctx, reply));
    if (isClient) report(ctx, reply.status, performance.now() - start);
  };
}

/** Runs guards until one of them returns a reply. Only promises are awaited: an `await` costs a turn. */
async function run(guards: readonly Guard[], ctx: Context): Promise<Reply> {
  for (const guard of guards) {
    const outcome = guard(ctx);
    const reply = outcome instanceof Promise ? await outcome : outcome;
    if (reply) return reply;
  }
  throw new Error('no guard returned a reply');
}
