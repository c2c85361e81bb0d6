import { statfs } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import cors from '@koa/cors';
import Koa, { type DefaultContext } from 'koa';
import type { Logger } from 'pino';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { createAttempt } from './delivery/attempt.ts';
import { createResolve } from './delivery/resolve.ts';
import { createSchedule } from './delivery/schedule.ts';
import { startWorker } from './delivery/worker.ts';
import { createAccessTokens } from './domain/access-tokens.ts';
import { createApiKeys } from './domain/api-keys.ts';
import { createAuth } from './domain/auth.ts';
import { createConsents } from './domain/consents.ts';
import { createCurrentUser } from './domain/current-user.ts';
import { createDeliveries } from './domain/deliveries.ts';
import { createDeliveryRetries } from './domain/delivery-retries.ts';
import { createDocuments } from './domain/documents.ts';
import { createHealth, type Health } from './domain/health.ts';
import { backlogCheck, diskCheck, storeCheck } from './domain/health-checks.ts';
import { createHealthMonitor } from './domain/health-monitor.ts';
import { createIdempotency } from './domain/idempotency.ts';
import { createInstances, ensureInstance } from './domain/instances.ts';
import { createLoginThrottle } from './domain/login-throttle.ts';
import { createPasswords } from './domain/passwords.ts';
import { createQuotas } from './domain/quotas.ts';
import { createRateLimits, type RateLimits } from './domain/rate-limits.ts';
import { createReadiness } from './domain/readiness.ts';
import { createRefreshTokens } from './domain/refresh-tokens.ts';
import { retentionSteps } from './domain/retention.ts';
import { createShares } from './domain/shares.ts';
import { createStatistics } from './domain/statistics.ts';
import { createSweeper, type SweepStep } from './domain/sweeper.ts';
import { createUnitOfWork } from './domain/unit-of-work.ts';
import { createUsers } from './domain/users.ts';
import { createVaults } from './domain/vaults.ts';
import {
  type AddressOptions,
  createAddressRules,
  refusedTarget,
} from './domain/webhook-address.ts';
import { createWebhooks } from './domain/webhooks.ts';
import type { FaultBook } from './faults.ts';
import { createNetworks } from './http/client-address.ts';
import { refuseBlockedAddresses } from './http/middleware/blocked-addresses.ts';
import { endConnections } from './http/middleware/closing.ts';
import { refuseMalformedTarget, renderErrors } from './http/middleware/errors.ts';
import { logRequests } from './http/middleware/log.ts';
import { recordRequests } from './http/middleware/metrics.ts';
import { setRateLimitHeaders } from './http/middleware/rate-limit.ts';
import { validateResponses } from './http/middleware/response-validation.ts';
import { setSecurityHeaders } from './http/middleware/security-headers.ts';
import { identifyVisitor } from './http/middleware/visitor.ts';
import { createHandlers, type Services } from './http/operations/index.ts';
import { serveOperators } from './http/operator/operator.ts';
import { answerNotFound, createRouter } from './http/router.ts';
import type { RequestState, Step } from './http/state.ts';
import { createIds, type Ids } from './ids.ts';
import { recordDeliveries } from './metrics/deliveries.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import type { MetricsSources } from './metrics/state.ts';
import { startPeriodic } from './periodic.ts';
import type { Condition } from './store/driver.ts';
import type { Store } from './store/store.ts';
import { version } from './version.ts';

/** Milliseconds from the end of one sweep to the next. */
const sweepInterval = 60_000;

export interface AppOptions {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** Where this server is reached; known once it listens. */
  readonly baseUrl: () => string;
  /** How the database is, for those who operate the server. */
  readonly condition: Condition;
  /** What tests order; undefined in production. */
  readonly faults: FaultBook | undefined;
}

export interface App {
  /** Answers one request. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly services: Services;
  /** Resolves when what is due has been swept and delivered, and no delivery runs. */
  settled(): Promise<void>;
  /** Forgets what is kept in memory about requests, for tests. */
  forget(): void;
  /** From here on the server is not ready, and answers end their connections. */
  beginClosing(): void;
  /**
   * Ends the sweep and the deliveries that run.
   *
   * @param graceMs milliseconds that they have
   */
  close(graceMs: number): Promise<void>;
}

/** Wires the whole server; nobody else does. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, store, clock, log, faults } = options;
  const ids = createIds(clock);
  await ensureInstance({ store, clock, ids, quotaBytes: config.instanceQuota, version });
  // Nothing is delivered, and so nobody wakes the worker, before everything else stands.
  const onDeliveries = () => worker.wake();
  const services = await createServices(options, ids, onDeliveries);
  const rateLimits = createRateLimits(clock, config.tierLimits);
  const metrics = createMetrics(metricsSources(options));
  let closing = false;
  const koa = createKoa(options, { ids, services, rateLimits, metrics, isClosing: () => closing });
  const { attempt, schedule } = recordDeliveries(metrics.recorder, {
    attempt: createAttempt({
      clock,
      timeoutMs: config.webhookTimeout,
      ...webhookAddresses(config),
      userAgent: `document-vault-webhooks/${version}`,
    }),
    schedule: createSchedule(config.webhookRetryDelays),
  });
  const worker = startWorker({
    store,
    clock,
    attempt,
    schedule,
    concurrency: config.webhookConcurrency,
    concurrencyPerWebhook: config.webhookConcurrencyPerWebhook,
    log,
  });
  const monitor = startPeriodic({
    clock,
    intervalMs: healthInterval,
    run: createHealthMonitor({
      health: services.health,
      store,
      work: createUnitOfWork({ store, clock, ids, onDeliveries }),
    }),
    onError: (error) => log.error({ err: error }, 'health was not recorded'),
  });
  const sweeper = startPeriodic({
    clock,
    intervalMs: sweepInterval,
    run: createSweeper({ steps: sweepSteps(options, services), log }),
    onError: (err) => log.error({ err }, 'sweeping failed'),
  });
  return {
    handle: koa.callback(),
    services,
    settled: async () => {
      await Promise.all([monitor.settled(), sweeper.settled()]);
      await worker.settled();
    },
    forget: () => rateLimits.clear(),
    beginClosing() {
      closing = true;
      faults?.clear();
    },
    async close(graceMs) {
      await Promise.all([monitor.close(), sweeper.close()]);
      await worker.close(graceMs);
      metrics.close();
    },
  };
}

async function probe(store: Store, clock: Clock): Promise<void> {
  await store.instances.isEmpty();
  await store.transaction((tx) => tx.health.probe(clock.now()));
}

/** Between two looks at the health of the instances, in milliseconds. */
const healthInterval = 30_000;

function createHealthService({ config, store, clock, log }: AppOptions): Health {
  const folder = config.data === ':memory:' ? tmpdir() : config.data;
  const freeBytes = async () => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  };
  return createHealth({
    checks: [
      storeCheck(store, clock),
      diskCheck({ freeBytes, minimumBytes: config.minFreeDisk }),
      backlogCheck({ store, clock, longestWaitMs: config.maxDeliveryWait }),
    ],
    clock,
    log,
  });
}

/** What happens by itself when its time has come. */
function sweepSteps({ store, clock }: AppOptions, services: Services): SweepStep[] {
  const { shares, consents, accessTokens } = services;
  return [
    { name: 'expire shares', sweep: (limit) => shares.expire(limit) },
    { name: 'expire consents', sweep: (limit) => consents.expire(limit) },
    { name: 'remove retired signing keys', sweep: () => accessTokens.removeRetired() },
    ...retentionSteps(store, clock),
  ];
}

async function createServices(
  options: AppOptions,
  ids: Ids,
  onDeliveries: () => void,
): Promise<Services> {
  const { config, store, clock, log, baseUrl } = options;
  const work = createUnitOfWork({ store, clock, ids, onDeliveries });
  const base = { store, work, clock, ids };
  const passwords = createPasswords();
  const loginThrottle = createLoginThrottle(clock);
  const accessTokens = await createAccessTokens({ store, clock, issuer: baseUrl });
  const refreshTokens = createRefreshTokens(base);
  const address = webhookAddresses(config);
  const rules = createAddressRules(address);
  const resolve = createResolve(address);
  const health = createHealthService(options);
  return {
    accessTokens,
    auth: createAuth({ ...base, passwords, loginThrottle, accessTokens, refreshTokens, log }),
    users: createUsers({
      ...base,
      passwords,
      registration: config.registration,
      defaultTier: config.defaultTier,
    }),
    currentUser: createCurrentUser({ ...base, passwords, loginThrottle }),
    apiKeys: createApiKeys(base),
    vaults: createVaults(base),
    documents: createDocuments({
      ...base,
      quotas: createQuotas(config),
      maxDocumentBytes: config.maxDocumentBytes,
    }),
    shares: createShares(base),
    consents: createConsents(base),
    deliveries: createDeliveries({ ...base, onDeliveries }),
    deliveryRetries: createDeliveryRetries({ ...base, onDeliveries }),
    webhooks: createWebhooks({
      ...base,
      refusedTarget: (url) => refusedTarget(url, rules, resolve),
      onDeliveries,
    }),
    instances: createInstances({ ...base, health, quotaBytes: config.instanceQuota, version }),
    statistics: createStatistics(base),
    health,
  };
}

function webhookAddresses(config: Config): AddressOptions {
  return {
    allowPrivate: config.webhookAllowPrivate,
    allowedNetworks: config.webhookAllowedNetworks,
  };
}

interface KoaParts {
  readonly ids: Ids;
  readonly services: Services;
  readonly rateLimits: RateLimits;
  readonly metrics: Metrics;
  readonly isClosing: () => boolean;
}

function createKoa(
  options: AppOptions,
  { ids, services, rateLimits, metrics, isClosing }: KoaParts,
) {
  const { config, store, clock, log, baseUrl, condition, faults } = options;
  const rateLimit = { rateLimits, addressTier: config.defaultTier };
  const router = createRouter({
    handlers: createHandlers(services, baseUrl),
    auth: services.auth,
    idempotency: createIdempotency(store, clock),
    rateLimit,
    maxDocumentBytes: config.maxDocumentBytes,
    faults,
  });
  const https = config.baseUrl?.startsWith('https:') ?? false;
  const blocked = createNetworks(config.blockedAddresses);

  const koa = new Koa<RequestState, DefaultContext>();
  const steps: Step[] = [
    setSecurityHeaders(https),
    endConnections(isClosing),
    identifyVisitor(ids, createNetworks(config.trustedProxies)),
    serveOperators({
      isClosing,
      readiness: createReadiness({
        clock,
        checks: [
          { name: 'the store cannot be read and written', check: () => probe(store, clock) },
        ],
        onFailure: (name, err) => log.warn({ err }, name),
      }),
      isDamaged: () => condition.damage !== undefined,
      metrics,
      metricsNetworks: createNetworks(config.metricsNetworks),
      blocked,
      https,
      log,
    }),
    recordRequests(metrics.recorder),
    logRequests(log),
    ...(config.validateResponses ? [validateResponses(clock, log)] : []),
    setRateLimitHeaders(rateLimit),
    allowOrigins(config.corsOrigins),
    renderErrors(clock, log),
    refuseMalformedTarget,
    refuseBlockedAddresses(blocked),
    router,
    answerNotFound,
  ];
  for (const step of steps) koa.use(step);
  koa.on('error', (err) => {
    const level = lostConnection.has(err.code) ? 'info' : 'error';
    log[level]({ err }, 'answer was not sent');
  });
  return koa;
}

/** Ways in which a connection ends that are the client's, or the fate of networks. */
const lostConnection = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_HTTP_REQUEST_TIMEOUT',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

function metricsSources({ store, clock, log, condition }: AppOptions): MetricsSources {
  return {
    version,
    condition,
    deliveries: store.deliveries,
    clock,
    log,
  };
}

/** Cross-origin access for browsers, with the headers that clients read. */
function allowOrigins(origins: readonly string[]): Step {
  return cors({
    origin: (ctx) => {
      const origin = ctx.get('Origin');
      return origins.includes('*') ? '*' : origins.includes(origin) ? origin : '';
    },
    exposeHeaders: [
      'Date',
      'X-Request-Id',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'X-RateLimit-Tier',
      'X-Rate-Limit-Limit',
      'X-Rate-Limit-Remaining',
      'X-Rate-Limit-Reset',
      'Retry-After',
      'Idempotency-Replayed',
    ],
    maxAge: 600,
  }) as Step;
}
