import type { Driver, Queries } from './driver.ts';
import { InstanceLedger, InstanceTotals } from './instance-totals.ts';
import { ListCache } from './lists/search.ts';
import { apiKeyRepository } from './repositories/api-keys.ts';
import { consentRepository } from './repositories/consents.ts';
import { contentObjectRepository } from './repositories/content-objects.ts';
import { contentRepository } from './repositories/content-rows.ts';
import { deliveryRepository } from './repositories/deliveries.ts';
import { webhookStatisticsRepository } from './repositories/delivery-counters.ts';
import { deliveryLogRepository } from './repositories/delivery-log.ts';
import { documentRepository } from './repositories/documents.ts';
import { erasureRepository } from './repositories/erasures.ts';
import { eventRepository } from './repositories/events.ts';
import { idempotencyRepository } from './repositories/idempotency.ts';
import { instanceHistoryRepository } from './repositories/instance-history.ts';
import { instanceRepository } from './repositories/instances.ts';
import { oauthArtifactRepository } from './repositories/oauth-artifacts.ts';
import { oauthClientRepository } from './repositories/oauth-clients.ts';
import { oauthGrantRepository } from './repositories/oauth-grants.ts';
import { retentionRepository } from './repositories/retention.ts';
import { serverModeRepository } from './repositories/server-mode.ts';
import {
  loginPlaceRepository,
  refreshTokenRepository,
  sessionRepository,
} from './repositories/sessions.ts';
import { shareAccessRepository } from './repositories/share-accesses.ts';
import { shareRepository } from './repositories/shares.ts';
import { signingKeyRepository } from './repositories/signing-keys.ts';
import { uploadRepository } from './repositories/uploads.ts';
import { usageRepository } from './repositories/usage.ts';
import { developmentAccountRepository, userRepository } from './repositories/users.ts';
import { vaultRepository } from './repositories/vaults.ts';
import { webhookRepository } from './repositories/webhooks.ts';
import type { Sealer } from './sealing.ts';

/** What the repositories over one view share. */
interface View {
  readonly queries: Queries;
  readonly sealer: Sealer;
  readonly ledger: InstanceLedger;
  /** Only for committed rows. */
  readonly cache?: ListCache;
}

/** Returns every repository over one view of the database. */
function createRepositories({ queries, sealer, ledger, cache }: View) {
  return {
    apiKeys: apiKeyRepository(queries),
    consents: consentRepository(queries),
    contentObjects: contentObjectRepository(queries),
    contents: contentRepository(queries),
    deliveries: deliveryRepository(queries, sealer),
    deliveryLog: deliveryLogRepository(queries),
    developmentAccounts: developmentAccountRepository(queries),
    documents: documentRepository(queries, cache),
    erasures: erasureRepository(queries),
    events: eventRepository(queries, cache),
    idempotencyOutcomes: idempotencyRepository(queries, sealer),
    instanceHistory: instanceHistoryRepository(queries),
    instances: instanceRepository(queries, ledger),
    loginPlaces: loginPlaceRepository(queries),
    oauthArtifacts: oauthArtifactRepository(queries, sealer),
    oauthClients: oauthClientRepository(queries),
    oauthGrants: oauthGrantRepository(queries),
    refreshTokens: refreshTokenRepository(queries),
    retention: retentionRepository(queries),
    serverMode: serverModeRepository(queries),
    sessions: sessionRepository(queries),
    shareAccesses: shareAccessRepository(queries),
    shares: shareRepository(queries),
    signingKeys: signingKeyRepository(queries, sealer),
    uploads: uploadRepository(queries),
    usage: usageRepository(queries, ledger),
    users: userRepository(queries),
    vaults: vaultRepository(queries, cache),
    webhookStatistics: webhookStatisticsRepository(queries),
    webhooks: webhookRepository(queries, sealer),
  };
}

/** The repositories over one view of the database. */
export type Repositories = ReturnType<typeof createRepositories>;

/** Reads committed rows. Changes run inside `transaction`. */
export interface Store extends Repositories, Omit<Driver, 'reader' | 'transaction'> {
  /**
   * Runs `work` atomically and resolves once its changes are durable. A rejection rolls everything back.
   * `work` may await only the repositories that it receives. It can run several times, of which one takes effect:
   * it changes nothing else.
   *
   * @param row names a row that many transactions write at the same time
   */
  transaction<T>(work: (tx: Repositories) => Promise<T>, row?: string): Promise<T>;
  /**
   * Commits one small write, so that a caller learns whether the store is writable.
   *
   * @param now epoch milliseconds
   */
  probe(now: number): Promise<void>;
  /** For tests: deletes all rows that requests wrote and runs `refill`, in one transaction. */
  empty(refill: (tx: Repositories) => Promise<void>): Promise<void>;
}

/** @param sealer encrypts the secrets of this database */
export function createStore(driver: Driver, sealer: Sealer): Store {
  const cache = new ListCache(() => driver.revision);
  const totals = new InstanceTotals(() => driver.otherWriters, driver.reader);

  /** A failure takes the changes of the totals back before the next transaction runs. */
  async function transaction<T>(
    work: (tx: Repositories, queries: Queries) => Promise<T>,
    row?: string,
  ): Promise<T> {
    let ledger: InstanceLedger | undefined;
    try {
      const result = await driver.transaction(async (queries) => {
        // Only the last of several runs takes effect.
        ledger?.revert();
        ledger = new InstanceLedger(totals, queries);
        try {
          return await work(createRepositories({ queries, sealer, ledger }), queries);
        } catch (error) {
          ledger.revert();
          throw error;
        }
      }, row);
      ledger?.settle();
      return result;
    } catch (error) {
      ledger?.revert();
      throw error;
    }
  }

  return {
    ...createRepositories({
      queries: driver.reader,
      sealer,
      ledger: new InstanceLedger(totals),
      cache,
    }),
    transaction,
    get revision() {
      return driver.revision;
    },
    get otherWriters() {
      return driver.otherWriters;
    },
    leases: driver.leases,
    counters: driver.counters,
    wakeUps: driver.wakeUps,
    freePages: driver.freePages,
    exclusively: (work) => driver.exclusively(work),
    async probe(now) {
      await driver.transaction((queries) =>
        queries.run(
          `INSERT INTO health_probe (id, written_at) VALUES (1, @now)
           ON CONFLICT (id) DO UPDATE SET written_at = excluded.written_at`,
          { now },
        ),
      );
    },
    async empty(refill) {
      await transaction(async (tx, queries) => {
        for (const table of rootTables) await queries.run(`/* all rows */ DELETE FROM ${table}`);
        totals.clear();
        await refill(tx);
      });
      cache.clear();
      totals.clear();
    },
    close: () => driver.close(),
  };
}

/**
 * Tables whose rows belong to no other row, in an order that foreign keys allow. Cascades delete the
 * rest. The migration history and the server's own keys and secrets stay.
 */
const rootTables = [
  'events',
  'documents',
  'document_contents',
  'users',
  'oauth_client_erasures',
  'oauth_artifacts',
  'erasures',
  'content_parts',
  'content_objects',
  'content_erasures',
  'used_ids',
  'vault_categories',
  'document_types',
  'instances',
] as const;
