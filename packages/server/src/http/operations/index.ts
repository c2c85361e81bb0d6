import type { Consents } from '../../domain/accounts/consents.ts';
import type { CurrentUser } from '../../domain/accounts/current-user.ts';
import type { Documents } from '../../domain/documents/documents.ts';
import type { Shares } from '../../domain/documents/shares.ts';
import type { Vaults } from '../../domain/documents/vaults.ts';
import type { Health } from '../../domain/instances/health.ts';
import type { Instances, Statistics } from '../../domain/instances/instances.ts';
import type { Deliveries, DeliveryRetries } from '../../domain/webhooks/deliveries.ts';
import type { Webhooks } from '../../domain/webhooks/webhooks.ts';
import type { Handlers, ReplayChecks } from '../handlers.ts';
import { apiKeyOperations } from './api-keys.ts';
import { type AuthServices, authOperations } from './auth.ts';
import { consentOperations } from './consents.ts';
import { deliveryOperations } from './deliveries.ts';
import { documentOperations } from './documents.ts';
import { instanceOperations } from './instances.ts';
import { metaOperations } from './meta.ts';
import { shareOperations } from './shares.ts';
import { userOperations } from './users.ts';
import { vaultOperations } from './vaults.ts';
import { webhookOperations } from './webhooks.ts';

/** The domain as the front doors use it. */
export interface Services extends AuthServices {
  readonly currentUser: CurrentUser;
  readonly vaults: Vaults;
  readonly documents: Documents;
  readonly shares: Shares;
  readonly consents: Consents;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly instances: Instances;
  readonly statistics: Statistics;
  readonly health: Health;
  readonly deliveryRetries: DeliveryRetries;
}

export function createHandlers(services: Services, baseUrl: () => string): Handlers {
  return {
    ...authOperations(services),
    ...apiKeyOperations(services.apiKeys),
    ...userOperations(services.currentUser),
    ...vaultOperations(services.vaults),
    ...documentOperations(services.documents),
    ...shareOperations(services.shares),
    ...consentOperations(services.consents),
    ...webhookOperations(services.webhooks),
    ...deliveryOperations(services.deliveries, services.deliveryRetries),
    ...instanceOperations(services.instances, services.statistics),
    ...metaOperations(baseUrl),
  };
}

export function createReplayChecks({ apiKeys }: Pick<Services, 'apiKeys'>): ReplayChecks {
  return { createApiKey: (created) => apiKeys.requireUsable(created) };
}
