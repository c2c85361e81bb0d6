import type { Socket } from 'node:net';
import Koa, { type DefaultContext } from 'koa';
import type { Config } from '../config/config.ts';
import type { QueryBudgets } from '../domain/limits/query-budgets.ts';
import type { RateLimits } from '../domain/limits/rate-limits.ts';
import type { Services } from '../domain/services.ts';
import type { Graphql } from '../graphql/engine.ts';
import { createNetworks } from './addresses.ts';
import { createBodies } from './bodies/bodies.ts';
import { NetworkPause } from './bodies/network-pause.ts';
import { createGraphqlEndpoint } from './graphql/endpoint.ts';
import { createRequestLimiter } from './guards.ts';
import type { ReplayChecks } from './handlers.ts';
import { createCors, programHeaders } from './headers.ts';
import { createOneAtATime } from './one-at-a-time.ts';
import { createHandlers } from './operations.ts';
import { createOperatorPages, type OperatorOptions } from './operator/operator.ts';
import { type OAuthEndpoint, Pipeline, type PipelineOptions } from './pipeline.ts';
import { logUnsentReply } from './replies.ts';
import type { RequestState } from './request.ts';
import { createResponseValidation } from './response-validation.ts';
import { createRouter } from './router.ts';

/** What the endpoints of OAuth share with the operations. */
export interface SharedParts extends Pick<PipelineOptions, 'blocked' | 'bodies' | 'limiter'> {
  /** Whether clients reach the server by https. */
  readonly https: boolean;
}

export interface HttpServerOptions
  extends Pick<
      PipelineOptions,
      'clock' | 'ids' | 'log' | 'idempotency' | 'metrics' | 'activity' | 'faultGuards'
    >,
    Pick<OperatorOptions, 'readiness' | 'isDamaged' | 'isClosing'> {
  readonly config: Config;
  readonly services: Services;
  readonly replayChecks: ReplayChecks;
  readonly rateLimits: RateLimits;
  readonly queryBudgets: QueryBudgets;
  /** Loads GraphQL at its first request. */
  readonly loadGraphql: () => Promise<Graphql>;
  /** Creates the endpoints of OAuth. */
  readonly createOAuth: (parts: SharedParts) => OAuthEndpoint;
  /** Returns the server's public address, which is known once it listens. */
  readonly baseUrl: () => string;
}

export interface HttpServer {
  /** A listener of `connection` events. */
  readonly accept: (socket: Socket) => void;
  /** A listener of `request` and `checkContinue` events. */
  readonly handle: ReturnType<Koa['callback']>;
}

/** Assembles the HTTP interface: one Koa middleware, from its parts. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { config, clock, ids, log, metrics, services } = options;
  const { auth } = services;
  const { faultGuards } = options;
  const https = config.baseUrl?.startsWith('https:') ?? false;
  const blocked = createNetworks(config.blockedAddresses);
  const limiter = createRequestLimiter(options.rateLimits, config.defaultTier, log);
  const trustedProxies = createNetworks(config.trustedProxies);
  const networkPause = new NetworkPause(trustedProxies);
  const bodies = createBodies({ ...config, networkPause, clock, isClosing: options.isClosing });
  const pipeline = new Pipeline({
    auth,
    blocked,
    bodies,
    clock,
    oneAtATime: createOneAtATime(networkPause),
    cors: createCors(config.corsOrigins),
    faultGuards,
    graphql: createGraphqlEndpoint({
      load: options.loadGraphql,
      auth,
      blocked,
      bodies,
      limiter,
      budgets: options.queryBudgets,
      clock,
      log,
      faultGuards,
    }),
    idempotency: options.idempotency,
    ids,
    log,
    pages: createOperatorPages({
      ...options,
      metricsNetworks: createNetworks(config.metricsNetworks),
      blocked,
      https,
      graphiql: config.graphqlIntrospection,
      console: config.console,
    }),
    limiter,
    oauth: options.createOAuth({ blocked, bodies, limiter, https }),
    metrics,
    activity: options.activity,
    router: createRouter(createHandlers(services, options.baseUrl), options.replayChecks),
    securityHeaders: programHeaders(https),
    trustedProxies,
    validation: config.validateResponses ? createResponseValidation(clock, log) : undefined,
  });
  const koa = new Koa<RequestState, DefaultContext>();
  koa.use((ctx) => pipeline.serve(ctx));
  koa.on('error', (error) => logUnsentReply(log, error));
  const serve = koa.callback();
  return {
    accept(socket) {
      // A client that has reset its connection already has no address, by which it would be blocked and counted.
      if (socket.remoteAddress === undefined) socket.destroy();
      else networkPause.add(socket);
    },
    async handle(req, res) {
      // Node emits every request of a packet, also after one of them has ended the connection.
      if (!req.socket.destroyed) await serve(req, res);
    },
  };
}
