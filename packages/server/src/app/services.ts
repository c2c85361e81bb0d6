import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { type AddressOptions, createAddressRules } from '../delivery/targets.ts';
import { createAccessTokens } from '../domain/accounts/access-tokens.ts';
import { createAccounts } from '../domain/accounts/accounts.ts';
import { createApiKeys } from '../domain/accounts/api-keys.ts';
import { createAuth } from '../domain/accounts/auth.ts';
import { createConsents } from '../domain/accounts/consents.ts';
import { createCurrentUser } from '../domain/accounts/current-user.ts';
import { createKeyring } from '../domain/accounts/keyring.ts';
import { createPasswordCheck } from '../domain/accounts/password-check.ts';
import { createProof } from '../domain/accounts/proof.ts';
import { createPasswords } from '../domain/accounts/secrets.ts';
import { createRefreshTokens, createSessions } from '../domain/accounts/sessions.ts';
import { createUsers } from '../domain/accounts/users.ts';
import { createDocumentContents } from '../domain/documents/content.ts';
import { createDocuments } from '../domain/documents/documents.ts';
import { createShares } from '../domain/documents/shares.ts';
import { createContentTickets } from '../domain/documents/tickets.ts';
import { createUploads } from '../domain/documents/uploads.ts';
import { createVaultKeys } from '../domain/documents/vault-keys.ts';
import { createVaults } from '../domain/documents/vaults.ts';
import {
  backlogCheck,
  createHealth,
  diskCheck,
  type Health,
  objectsCheck,
  storeCheck,
} from '../domain/instances/health.ts';
import { createHistory } from '../domain/instances/history.ts';
import { createInstances, createStatistics } from '../domain/instances/instances.ts';
import { createAccountLimits, type DiskSpace } from '../domain/limits/account-limits.ts';
import { createQuotas } from '../domain/limits/quotas.ts';
import type { Windows } from '../domain/limits/windows.ts';
import { createOAuth } from '../domain/oauth/oauth.ts';
import { createOAuthClients } from '../domain/oauth/oauth-clients.ts';
import type { Services } from '../domain/services.ts';
import type { UnitOfWork } from '../domain/unit-of-work.ts';
import type { Backlog, DeliveriesInFlight } from '../domain/webhooks/backlog.ts';
import { createDeliveries } from '../domain/webhooks/deliveries.ts';
import { createEventLog } from '../domain/webhooks/event-log.ts';
import { createWebhooks } from '../domain/webhooks/webhooks.ts';
import type { Ids } from '../lib/ids.ts';
import { version } from '../lib/version.ts';
import { createContents } from '../store/contents/open-contents.ts';
import type { AppOptions } from './options.ts';

export interface ServicesParts {
  readonly ids: Ids;
  readonly work: UnitOfWork;
  readonly windows: Windows;
  readonly inFlight: DeliveriesInFlight;
  readonly backlog: Backlog;
  /** The addresses that webhooks may connect to. */
  readonly addresses: AddressOptions;
  /** Undefined for a database in memory. */
  readonly disk: DiskSpace | undefined;
  /** Called when deliveries have become due. */
  readonly onDeliveries: () => void;
}

/** Creates the domain's services over the store. */
export async function createServices(
  options: AppOptions,
  { ids, work, windows, inFlight, backlog, addresses, disk, onDeliveries }: ServicesParts,
): Promise<Services> {
  const { config, store, objects, clock, log, baseUrl, newSigningKey } = options;
  const accountLimits = createAccountLimits({ ...config, ...(disk && { disk }) });
  const contents = createContents({ store, clock, objects });
  const base = { store, contents, work, clock, ids, accountLimits };
  const quotas = createQuotas(config);
  const passwords = createPasswords(options.passwordCost);
  const checkPassword = createPasswordCheck({ clock, store, windows, passwords });
  const prove = createProof(store, checkPassword);
  const accessTokens = await createAccessTokens({ store, clock, issuer: baseUrl, newSigningKey });
  const refreshTokens = createRefreshTokens(base);
  const auth = createAuth({
    ...base,
    checkPassword,
    accessTokens,
    refreshTokens,
    issuer: baseUrl,
    log,
  });
  const rules = createAddressRules(addresses);
  const health = createHealthService(options, backlog);
  const tickets = createContentTickets(store, clock);
  const maxJsonBytes = Math.min(config.maxJsonDocumentBytes, config.maxDocumentBytes);
  return {
    accessTokens,
    auth: options.faults?.applyTo(auth) ?? auth,
    users: createUsers({
      ...base,
      passwords,
      registration: config.registration,
      defaultTier: config.defaultTier,
      ...(disk && { disk }),
    }),
    accounts: createAccounts(base),
    currentUser: createCurrentUser({ ...base, passwords, prove }),
    keyring: createKeyring({ ...base, prove }),
    sessions: createSessions(base),
    apiKeys: createApiKeys(base),
    oauthClients: createOAuthClients(base),
    vaults: createVaults(base),
    vaultKeys: createVaultKeys(base),
    documents: createDocuments({
      ...base,
      quotas,
      maxDocumentBytes: maxJsonBytes,
    }),
    documentContents: createDocumentContents({ ...base, tickets, auth }),
    uploads: createUploads({ ...base, quotas, maxDocumentBytes: config.maxDocumentBytes }),
    shares: createShares({ ...base, tickets, maxDocumentBytes: maxJsonBytes }),
    consents: createConsents(base),
    oauth: createOAuth(base),
    deliveries: createDeliveries({
      ...base,
      inFlight,
      webhookDeliveries: config.webhookDeliveries,
      onDeliveries,
    }),
    eventLog: createEventLog(base),
    webhooks: createWebhooks({
      ...base,
      refusedUrl: rules.refusedUrl,
      onDeliveries,
    }),
    instances: createInstances({ ...base, health, quotaBytes: config.instanceQuota, version }),
    statistics: createStatistics(base),
    history: createHistory(base),
    health,
  };
}

function createHealthService(
  { config, store, objects, clock, log }: AppOptions,
  backlog: Backlog,
): Health {
  const { data, databaseUrl } = config;
  const folder = data === ':memory:' || databaseUrl !== null ? tmpdir() : data;
  const freeBytes = async () => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize + (store.freePages?.bytes ?? 0);
  };
  return createHealth({
    checks: [
      storeCheck(store, clock),
      ...(objects ? [objectsCheck(objects)] : []),
      diskCheck({ freeBytes, minimumBytes: config.minFreeDisk }),
      backlogCheck({ backlog, clock, maxWaitMs: config.maxDeliveryWait }),
    ],
    clock,
    log,
  });
}
