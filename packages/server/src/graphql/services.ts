import type { Actor, Visitor } from '../domain/actor.ts';
import type { Consents } from '../domain/consents.ts';
import type { CurrentUser } from '../domain/current-user.ts';
import type { Deliveries } from '../domain/deliveries.ts';
import type { DeliveryRetries } from '../domain/delivery-retries.ts';
import type { Documents } from '../domain/documents.ts';
import type { Instances } from '../domain/instances.ts';
import type { Shares } from '../domain/shares.ts';
import type { Vaults } from '../domain/vaults.ts';
import type { Webhooks } from '../domain/webhooks.ts';

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
