import type { Driver, Queries } from './driver.ts';
import { ListMemory } from './lists/search.ts';
import { type ApiKeys, apiKeys } from './repositories/api-keys.ts';
import { type Consents, consents } from './repositories/consents.ts';
import {
  type Deliveries,
  type DeliveryRetries,
  deliveries,
  deliveryRetries,
} from './repositories/deliveries.ts';
import { type WebhookCounters, webhookCounters } from './repositories/delivery-counters.ts';
import { type DeliveryLog, deliveryLog } from './repositories/delivery-log.ts';
import { type Documents, documents } from './repositories/documents.ts';
import { type Erasures, erasures } from './repositories/erasures.ts';
import { type Events, events } from './repositories/events.ts';
import { type IdempotencyOutcomes, idempotencyOutcomes } from './repositories/idempotency.ts';
import { type Figures, figures, type Instances, instances } from './repositories/instances.ts';
import {
  type LoginPlaces,
  loginPlaces,
  type RefreshTokens,
  refreshTokens,
  type Sessions,
  sessions,
} from './repositories/sessions.ts';
import { type Shares, shares } from './repositories/shares.ts';
import { type SigningKeys, signingKeys } from './repositories/signing-keys.ts';
import { type AccountUsages, accountUsages, type Quotas, quotas } from './repositories/usage.ts';
import {
  type DevelopmentAccounts,
  developmentAccounts,
  type Users,
  users,
} from './repositories/users.ts';
import { type Vaults, vaults } from './repositories/vaults.ts';
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
  readonly erasures: Erasures;
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
    erasures: erasures(queries),
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

/**
 * Those whose rows belong to nothing else, what refers to others first. With them goes whatever
 * belongs to them. The history of the schema stays, and so do the server's own keys and secrets.
 */
const tables = [
  'events',
  'documents',
  'document_contents',
  'users',
  'erasures',
  'content_erasures',
  'vault_counts',
  'document_counts',
  'instances',
] as const;

/** Empties every table that requests fill. */
export async function emptyTables(queries: Queries): Promise<void> {
  for (const table of tables) await queries.run(`/* all rows */ DELETE FROM ${table}`);
}

export interface Health {
  /** Writes a row, the same one each time: whether it can be written is the point. */
  probe(now: number): Promise<void>;
}

export function health(queries: Queries): Health {
  return {
    async probe(now) {
      await queries.run(
        `INSERT INTO health_probe (id, written_at) VALUES (1, @now)
         ON CONFLICT (id) DO UPDATE SET written_at = excluded.written_at`,
        { now },
      );
    },
  };
}
