import Koa, { type DefaultContext } from 'koa';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import type { Idempotency } from '../domain/idempotency.ts';
import type { Readiness } from '../domain/instances/health.ts';
import type { QueryBudgets } from '../domain/limits/query-budgets.ts';
import type { RateLimits } from '../domain/limits/rate-limits.ts';
import type { FaultBook } from '../fault-injection.ts';
import type { Graphql } from '../graphql/engine.ts';
import type { Ids } from '../ids.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createBodies } from './bodies/bodies.ts';
import { createNetworks } from './client-address.ts';
import { serveGraphql } from './graphql/endpoint.ts';
import { renderGraphqlErrors } from './graphql/errors.ts';
import { refuseBlockedAddresses } from './middleware/blocked-addresses.ts';
import { allowOrigins } from './middleware/cors.ts';
import { refuseMalformedTarget, renderErrors } from './middleware/errors.ts';
import { logRequests } from './middleware/log.ts';
import { recordRequests } from './middleware/metrics.ts';
import { serveInTurn } from './middleware/pipelining.ts';
import { setRateLimitHeaders } from './middleware/rate-limit.ts';
import { validateResponses } from './middleware/response-validation.ts';
import { setSecurityHeaders } from './middleware/security-headers.ts';
import { identifyVisitor } from './middleware/visitor.ts';
import { createHandlers, createReplayChecks, type Services } from './operations/index.ts';
import { serveOperators } from './operator/operator.ts';
import { answerNotFound, createRouter } from './router.ts';
import type { RequestState, Step } from './state.ts';
import { logUnsentAnswer } from './unsent-answers.ts';

export interface FrontDoorOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly services: Services;
  readonly idempotency: Idempotency;
  readonly rateLimits: RateLimits;
  readonly queryBudgets: QueryBudgets;
  /** Answers GraphQL, from the first request for it on. */
  readonly loadGraphql: () => Promise<Graphql>;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  /** Whether the database was found damaged. */
  readonly isDamaged: () => boolean;
  /** Whether the server has begun to shut down. */
  readonly isClosing: () => boolean;
  /** Where this server is reached; known once it listens. */
  readonly baseUrl: () => string;
  /** What tests order; undefined in production. */
  readonly faults: FaultBook | undefined;
}

/** Answers one request. */
export type FrontDoor = ReturnType<Koa['callback']>;

/** Everything that a request passes, in this order. */
export function createFrontDoor(options: FrontDoorOptions): FrontDoor {
  const { config, clock, ids, log, metrics, rateLimits } = options;
  const rateLimit = { rateLimits, addressTier: config.defaultTier };
  const https = config.baseUrl?.startsWith('https:') ?? false;
  const blocked = createNetworks(config.blockedAddresses);
  const metricsNetworks = createNetworks(config.metricsNetworks);
  const refuseUnknownPath = answerNotFound(rateLimit);
  const bodies = createBodies({ ...config, clock, isClosing: options.isClosing });
  const steps: Step[] = [
    setSecurityHeaders(https),
    bodies.receive,
    serveInTurn(),
    identifyVisitor(ids, createNetworks(config.trustedProxies)),
    serveOperators({
      ...options,
      metricsNetworks,
      blocked,
      https,
      graphiql: config.graphqlIntrospection,
    }),
    recordRequests(metrics.recorder),
    logRequests(log),
    ...(config.validateResponses ? [validateResponses(clock, log)] : []),
    setRateLimitHeaders(rateLimit),
    allowOrigins(config.corsOrigins),
    renderErrors(clock, log),
    renderGraphqlErrors(clock, log),
    refuseMalformedTarget(refuseUnknownPath),
    refuseBlockedAddresses(blocked),
    serveGraphql({
      ...options,
      load: options.loadGraphql,
      bodies,
      auth: options.services.auth,
      rateLimit,
      budgets: options.queryBudgets,
    }),
    createRouter({
      handlers: createHandlers(options.services, options.baseUrl),
      replayChecks: createReplayChecks(options.services),
      auth: options.services.auth,
      idempotency: options.idempotency,
      rateLimit,
      bodies,
      faults: options.faults,
    }),
    refuseUnknownPath,
  ];
  const koa = new Koa<RequestState, DefaultContext>();
  for (const step of steps) koa.use(step);
  koa.on('error', (error) => logUnsentAnswer(log, error));
  return koa.callback();
}
