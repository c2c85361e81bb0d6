import type { Driver, Queries } from './driver.ts';
import { emptyTables } from './emptying.ts';
import { type Health, health } from './health.ts';
import { ListMemory } from './lists/list-memory.ts';
import { type AccountUsages, accountUsages } from './repositories/account-usage.ts';
import { type ApiKeys, apiKeys } from './repositories/api-keys.ts';
import { type Consents, consents } from './repositories/consents.ts';
import { type Deliveries, deliveries } from './repositories/deliveries.ts';
import { type DeliveryLog, deliveryLog } from './repositories/delivery-log.ts';
import { type DeliveryRetries, deliveryRetries } from './repositories/delivery-retries.ts';
import {
  type DevelopmentAccounts,
  developmentAccounts,
} from './repositories/development-accounts.ts';
import { type Documents, documents } from './repositories/documents.ts';
import { type Events, events } from './repositories/events.ts';
import { type IdempotencyOutcomes, idempotencyOutcomes } from './repositories/idempotency.ts';
import { type Figures, figures } from './repositories/instance-figures.ts';
import { type Instances, instances } from './repositories/instances.ts';
import { type LoginPlaces, loginPlaces } from './repositories/login-places.ts';
import { type Quotas, quotas } from './repositories/quotas.ts';
import { type RefreshTokens, refreshTokens } from './repositories/refresh-tokens.ts';
import { type Sessions, sessions } from './repositories/sessions.ts';
import { type Shares, shares } from './repositories/shares.ts';
import { type SigningKeys, signingKeys } from './repositories/signing-keys.ts';
import { type Users, users } from './repositories/users.ts';
import { type Vaults, vaults } from './repositories/vaults.ts';
import { type WebhookCounters, webhookCounters } from './repositories/webhook-statistics.ts';
import { type Webhooks, webhooks } from './repositories/webhooks.ts';
import type { Sealer } from './sealing.ts';

/** Every repository over one view of the database. */
export interface Repositories {
  readonly accountUsages: AccountUsages;
  readonly apiKeys: ApiKeys;
  readonly consents: Consents;
  readonly deliveries: Deliveries;
  readonly deliveryLog: DeliveryLog;
  readonly deliveryRetries: DeliveryRetries;
  readonly developmentAccounts: DevelopmentAccounts;
  readonly documents: Documents;
  readonly events: Events;
  readonly figures: Figures;
  readonly health: Health;
  readonly idempotencyOutcomes: IdempotencyOutcomes;
  readonly instances: Instances;
  readonly loginPlaces: LoginPlaces;
  readonly quotas: Quotas;
  readonly refreshTokens: RefreshTokens;
  readonly sessions: Sessions;
  readonly shares: Shares;
  readonly signingKeys: SigningKeys;
  readonly users: Users;
  readonly vaults: Vaults;
  readonly webhookCounters: WebhookCounters;
  readonly webhooks: Webhooks;
}

/** Reads what is committed; changes happen inside `transaction`. */
export interface Store extends Repositories {
  /**
   * Runs `work` atomically and answers once it is durable; a rejection leaves nothing behind. `work`
   * awaits nothing but the repositories it is given.
   */
  transaction<T>(work: (tx: Repositories) => Promise<T>): Promise<T>;
  /**
   * Differs after every commit: what was read holds as long as it is the same. Undefined where others
   * may commit unnoticed.
   */
  readonly revision: number | undefined;
  /** Leaves nothing of what is stored but what `refill` stores, in one transaction; for tests. */
  empty(refill: (tx: Repositories) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** @param memory only for committed rows */
function repositories(queries: Queries, sealer: Sealer, memory?: ListMemory): Repositories {
  return {
    accountUsages: accountUsages(queries),
    apiKeys: apiKeys(queries),
    consents: consents(queries),
    deliveries: deliveries(queries, sealer),
    deliveryLog: deliveryLog(queries),
    deliveryRetries: deliveryRetries(queries),
    developmentAccounts: developmentAccounts(queries),
    documents: documents(queries, memory),
    events: events(queries),
    figures: figures(queries),
    health: health(queries),
    idempotencyOutcomes: idempotencyOutcomes(queries, sealer),
    instances: instances(queries),
    loginPlaces: loginPlaces(queries),
    quotas: quotas(queries),
    refreshTokens: refreshTokens(queries),
    sessions: sessions(queries),
    shares: shares(queries),
    signingKeys: signingKeys(queries, sealer),
    users: users(queries),
    vaults: vaults(queries, memory),
    webhookCounters: webhookCounters(queries),
    webhooks: webhooks(queries, sealer),
  };
}

/** @param sealer encrypts the secrets of this database */
export function createStore(driver: Driver, sealer: Sealer): Store {
  const memory = new ListMemory();
  return {
    ...repositories(driver.reader, sealer, memory),
    transaction: (work) => driver.transaction((queries) => work(repositories(queries, sealer))),
    get revision() {
      return driver.revision;
    },
    async empty(refill) {
      await driver.transaction(async (queries) => {
        await emptyTables(queries);
        await refill(repositories(queries, sealer));
      });
      memory.clear();
    },
    close: () => driver.close(),
  };
}
