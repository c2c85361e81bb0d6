import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createResolve } from '../delivery/resolve.ts';
import { createAccessTokens } from '../domain/access-tokens.ts';
import { createAccountLimits } from '../domain/account-limits.ts';
import { createApiKeys } from '../domain/api-keys.ts';
import { createAuth } from '../domain/auth.ts';
import type { Backlog } from '../domain/backlog.ts';
import { createConsents } from '../domain/consents.ts';
import { createCurrentUser } from '../domain/current-user.ts';
import { createDeliveries } from '../domain/deliveries.ts';
import type { DeliveriesUnderWay } from '../domain/deliveries-under-way.ts';
import { createDeliveryRetries } from '../domain/delivery-retries.ts';
import type { DiskSpace } from '../domain/disk-space.ts';
import { createDocuments } from '../domain/documents.ts';
import { createHealth, type Health } from '../domain/health.ts';
import { backlogCheck, diskCheck, storeCheck } from '../domain/health-checks.ts';
import { createInstances } from '../domain/instances.ts';
import type { LoginThrottle } from '../domain/login-throttle.ts';
import { createPasswords } from '../domain/passwords.ts';
import { createQuotas } from '../domain/quotas.ts';
import { createRefreshTokens } from '../domain/refresh-tokens.ts';
import { createSessions } from '../domain/sessions.ts';
import { createShares } from '../domain/shares.ts';
import { createStatistics } from '../domain/statistics.ts';
import type { UnitOfWork } from '../domain/unit-of-work.ts';
import { createUsers } from '../domain/users.ts';
import { createVaults } from '../domain/vaults.ts';
import { createAddressRules, refusedTarget } from '../domain/webhook-address.ts';
import { createWebhooks } from '../domain/webhooks.ts';
import type { Services } from '../http/operations/index.ts';
import type { Ids } from '../ids.ts';
import { version } from '../version.ts';
import type { AppOptions } from './options.ts';
import { webhookAddresses } from './webhook-addresses.ts';

export interface ServicesParts {
  readonly ids: Ids;
  readonly work: UnitOfWork;
  readonly loginThrottle: LoginThrottle;
  readonly underWay: DeliveriesUnderWay;
  readonly backlog: Backlog;
  /** Undefined: nothing is stored on a disk. */
  readonly disk: DiskSpace | undefined;
  /** Called when something has become due for delivery. */
  readonly onDeliveries: () => void;
}

/** The domain over its store, as the front doors use it. */
export async function createServices(
  options: AppOptions,
  { ids, work, loginThrottle, underWay, backlog, disk, onDeliveries }: ServicesParts,
): Promise<Services> {
  const { config, store, clock, log, baseUrl } = options;
  const accountLimits = createAccountLimits({ ...config, ...(disk && { disk }) });
  const base = { store, work, clock, ids, accountLimits };
  const passwords = createPasswords();
  const accessTokens = await createAccessTokens({ store, clock, issuer: baseUrl });
  const refreshTokens = createRefreshTokens(base);
  const address = webhookAddresses(config);
  const rules = createAddressRules(address);
  const resolve = createResolve(address);
  const health = createHealthService(options, backlog);
  return {
    accessTokens,
    auth: createAuth({ ...base, passwords, loginThrottle, accessTokens, refreshTokens, log }),
    users: createUsers({
      ...base,
      passwords,
      registration: config.registration,
      defaultTier: config.defaultTier,
      ...(disk && { disk }),
    }),
    currentUser: createCurrentUser({ ...base, passwords, loginThrottle }),
    sessions: createSessions(base),
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
    deliveryRetries: createDeliveryRetries({ ...base, underWay, onDeliveries }),
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

function createHealthService({ config, store, clock, log }: AppOptions, backlog: Backlog): Health {
  const folder = config.data === ':memory:' ? tmpdir() : config.data;
  const freeBytes = async () => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  };
  return createHealth({
    checks: [
      storeCheck(store, clock),
      diskCheck({ freeBytes, minimumBytes: config.minFreeDisk }),
      backlogCheck({ backlog, clock, longestWaitMs: config.maxDeliveryWait }),
    ],
    clock,
    log,
  });
}
