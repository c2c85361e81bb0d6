import type { Consents } from '../domain/accounts/consents.ts';
import type { CurrentUser } from '../domain/accounts/current-user.ts';
import type { Actor, Visitor } from '../domain/actor.ts';
import type { Documents } from '../domain/documents/documents.ts';
import type { Shares } from '../domain/documents/shares.ts';
import type { Vaults } from '../domain/documents/vaults.ts';
import type { Instances } from '../domain/instances/instances.ts';
import type { Deliveries, DeliveryRetries } from '../domain/webhooks/deliveries.ts';
import type { Webhooks } from '../domain/webhooks/webhooks.ts';

/** The domain as far as GraphQL reaches it. */
export interface GraphqlServices {
  readonly currentUser: CurrentUser;
  readonly vaults: Vaults;
  readonly documents: Documents;
  readonly shares: Shares;
  readonly consents: Consents;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly deliveryRetries: DeliveryRetries;
  readonly instances: Instances;
}

/** The account behind a request, as every domain function takes it. */
export type Caller = Actor & Visitor;
