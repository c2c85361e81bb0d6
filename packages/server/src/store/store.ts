import { clockProblem } from './clock-check.ts';
import type { Driver, Queries } from './driver.ts';
import { InstanceLedger, InstanceTotals } from './instance-totals.ts';
import { ListCache } from './lists/search.ts';
import { apiKeyRepository } from './rows/accounts/api-keys.ts';
import { consentRepository } from './rows/accounts/consents.ts';
import { erasureRepository } from './rows/accounts/erasures.ts';
import { idempotencyRepository } from './rows/accounts/idempotency.ts';
import { keyringRepository } from './rows/accounts/keyrings.ts';
import {
  loginPlaceRepository,
  refreshTokenRepository,
  sessionRepository,
} from './rows/accounts/sessions.ts';
import { usageRepository } from './rows/accounts/usage.ts';
import { developmentAccountRepository, userRepository } from './rows/accounts/users.ts';
import { contentObjectRepository } from './rows/documents/content-objects.ts';
import { contentRepository } from './rows/documents/content-rows.ts';
import { documentRepository } from './rows/documents/documents.ts';
import { shareAccessRepository } from './rows/documents/share-accesses.ts';
import { shareRepository } from './rows/documents/shares.ts';
import { uploadRepository } from './rows/documents/uploads.ts';
import { vaultKeysRepository } from './rows/documents/vault-keys.ts';
import { vaultRepository } from './rows/documents/vaults.ts';
import { instanceHistoryRepository } from './rows/instance/instance-history.ts';
import { instanceRepository } from './rows/instance/instances.ts';
import { retentionRepository } from './rows/instance/retention.ts';
import { serverModeRepository } from './rows/instance/server-mode.ts';
import { signingKeyRepository } from './rows/instance/signing-keys.ts';
import { oauthArtifactRepository } from './rows/oauth/artifacts.ts';
import { oauthClientRepository } from './rows/oauth/clients.ts';
import { oauthGrantRepository } from './rows/oauth/grants.ts';
import { deliveryRepository } from './rows/webhooks/deliveries.ts';
import { webhookStatisticsRepository } from './rows/webhooks/delivery-counters.ts';
import { deliveryLogRepository } from './rows/webhooks/delivery-log.ts';
import { eventRepository } from './rows/webhooks/events.ts';
import { webhookRepository } from './rows/webhooks/webhooks.ts';
import type { Sealer } from './sealing.ts';

/** The parts of all repositories of one view. */
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
    keyrings: keyringRepository(queries),
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
    vaultKeys: vaultKeysRepository(queries),
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
  /** Returns a sentence when the clocks of this machine and of the database server differ by more than 5 minutes. */
  clockProblem(): Promise<string | undefined>;
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
    clockProblem: () => clockProblem(driver.reader),
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
