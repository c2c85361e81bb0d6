import type { SharedCounters } from './counters.ts';
import type { Driver, FreePages, Leases, Queries, WakeUps } from './driver.ts';
import { InstanceLedger, InstanceTotals } from './instance-totals.ts';
import { ListCache } from './lists/search.ts';
import { type ApiKeyRepository, apiKeyRepository } from './repositories/api-keys.ts';
import { type ConsentRepository, consentRepository } from './repositories/consents.ts';
import {
  type ContentObjectRepository,
  contentObjectRepository,
} from './repositories/content-objects.ts';
import { type ContentRepository, contentRepository } from './repositories/contents.ts';
import { type DeliveryRepository, deliveryRepository } from './repositories/deliveries.ts';
import {
  type WebhookStatisticsRepository,
  webhookStatisticsRepository,
} from './repositories/delivery-counters.ts';
import { type DeliveryLogRepository, deliveryLogRepository } from './repositories/delivery-log.ts';
import { type DocumentRepository, documentRepository } from './repositories/documents.ts';
import { type ErasureRepository, erasureRepository } from './repositories/erasures.ts';
import { type EventRepository, eventRepository } from './repositories/events.ts';
import { type IdempotencyRepository, idempotencyRepository } from './repositories/idempotency.ts';
import {
  type InstanceHistoryRepository,
  instanceHistoryRepository,
} from './repositories/instance-history.ts';
import { type InstanceRepository, instanceRepository } from './repositories/instances.ts';
import {
  type OAuthArtifactRepository,
  oauthArtifactRepository,
} from './repositories/oauth-artifacts.ts';
import { type OAuthClientRepository, oauthClientRepository } from './repositories/oauth-clients.ts';
import { type OAuthGrantRepository, oauthGrantRepository } from './repositories/oauth-grants.ts';
import { type ServerModeRepository, serverModeRepository } from './repositories/server-mode.ts';
import {
  type LoginPlaceRepository,
  loginPlaceRepository,
  type RefreshTokenRepository,
  refreshTokenRepository,
  type SessionRepository,
  sessionRepository,
} from './repositories/sessions.ts';
import {
  type ShareAccessRepository,
  shareAccessRepository,
} from './repositories/share-accesses.ts';
import { type ShareRepository, shareRepository } from './repositories/shares.ts';
import { type SigningKeyRepository, signingKeyRepository } from './repositories/signing-keys.ts';
import { type UploadRepository, uploadRepository } from './repositories/uploads.ts';
import { type UsageRepository, usageRepository } from './repositories/usage.ts';
import {
  type DevelopmentAccountRepository,
  developmentAccountRepository,
  type UserRepository,
  userRepository,
} from './repositories/users.ts';
import { type VaultRepository, vaultRepository } from './repositories/vaults.ts';
import { type WebhookRepository, webhookRepository } from './repositories/webhooks.ts';
import type { Sealer } from './sealing.ts';

/** Every repository over one view of the database. */
export interface Repositories {
  readonly apiKeys: ApiKeyRepository;
  readonly consents: ConsentRepository;
  readonly contentObjects: ContentObjectRepository;
  readonly contents: ContentRepository;
  readonly deliveries: DeliveryRepository;
  readonly deliveryLog: DeliveryLogRepository;
  readonly developmentAccounts: DevelopmentAccountRepository;
  readonly documents: DocumentRepository;
  readonly erasures: ErasureRepository;
  readonly events: EventRepository;
  readonly idempotencyOutcomes: IdempotencyRepository;
  readonly instanceHistory: InstanceHistoryRepository;
  readonly instances: InstanceRepository;
  readonly loginPlaces: LoginPlaceRepository;
  readonly oauthArtifacts: OAuthArtifactRepository;
  readonly oauthClients: OAuthClientRepository;
  readonly oauthGrants: OAuthGrantRepository;
  readonly refreshTokens: RefreshTokenRepository;
  readonly serverMode: ServerModeRepository;
  readonly sessions: SessionRepository;
  readonly shareAccesses: ShareAccessRepository;
  readonly shares: ShareRepository;
  readonly signingKeys: SigningKeyRepository;
  readonly uploads: UploadRepository;
  readonly usage: UsageRepository;
  readonly users: UserRepository;
  readonly vaults: VaultRepository;
  readonly webhookStatistics: WebhookStatisticsRepository;
  readonly webhooks: WebhookRepository;
}

/** Reads committed rows. Changes run inside `transaction`. */
export interface Store extends Repositories {
  /**
   * Runs `work` atomically and resolves once its changes are durable. A rejection rolls everything back.
   * `work` may await only the repositories that it receives. It can run several times, of which one takes effect:
   * it changes nothing else.
   *
   * @param row names a row that many transactions write at the same time
   */
  transaction<T>(work: (tx: Repositories) => Promise<T>, row?: string): Promise<T>;
  /**
   * Changes with every commit, of other processes within milliseconds: a cached read is valid while it
   * stays the same. Undefined when commits of others cannot be noticed.
   */
  readonly revision: number | undefined;
  /**
   * Changes within milliseconds after another process has committed. Where the database does not report
   * commits, it changes every second.
   */
  readonly foreignCommits: number;
  /** Undefined: this process has the database alone. */
  readonly leases: Leases | undefined;
  /** Undefined: this process counts alone, in memory. */
  readonly counters: SharedCounters | undefined;
  /** Undefined: no other process changes the database, but commands. */
  readonly wakeUps: WakeUps | undefined;
  /** Undefined: the database is not a file of this process. */
  readonly freePages: FreePages | undefined;
  /** Runs `work` while no other process runs such work on this database. For the first start. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Commits one small write, so that a caller learns whether the store is writable.
   *
   * @param now epoch milliseconds
   */
  probe(now: number): Promise<void>;
  /** For tests: deletes all rows that requests wrote and runs `refill`, in one transaction. */
  empty(refill: (tx: Repositories) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** What the repositories over one view share. */
interface View {
  readonly queries: Queries;
  readonly sealer: Sealer;
  readonly ledger: InstanceLedger;
  /** Only for committed rows. */
  readonly cache?: ListCache;
}

const factories: { readonly [Name in keyof Repositories]: (view: View) => Repositories[Name] } = {
  apiKeys: ({ queries }) => apiKeyRepository(queries),
  consents: ({ queries }) => consentRepository(queries),
  contentObjects: ({ queries }) => contentObjectRepository(queries),
  contents: ({ queries }) => contentRepository(queries),
  deliveries: ({ queries, sealer }) => deliveryRepository(queries, sealer),
  deliveryLog: ({ queries }) => deliveryLogRepository(queries),
  developmentAccounts: ({ queries }) => developmentAccountRepository(queries),
  documents: ({ queries, cache }) => documentRepository(queries, cache),
  erasures: ({ queries }) => erasureRepository(queries),
  events: ({ queries, cache }) => eventRepository(queries, cache),
  idempotencyOutcomes: ({ queries, sealer }) => idempotencyRepository(queries, sealer),
  instanceHistory: ({ queries }) => instanceHistoryRepository(queries),
  instances: ({ queries, ledger }) => instanceRepository(queries, ledger),
  loginPlaces: ({ queries }) => loginPlaceRepository(queries),
  oauthArtifacts: ({ queries, sealer }) => oauthArtifactRepository(queries, sealer),
  oauthClients: ({ queries }) => oauthClientRepository(queries),
  oauthGrants: ({ queries }) => oauthGrantRepository(queries),
  refreshTokens: ({ queries }) => refreshTokenRepository(queries),
  serverMode: ({ queries }) => serverModeRepository(queries),
  sessions: ({ queries }) => sessionRepository(queries),
  shareAccesses: ({ queries }) => shareAccessRepository(queries),
  shares: ({ queries }) => shareRepository(queries),
  signingKeys: ({ queries, sealer }) => signingKeyRepository(queries, sealer),
  uploads: ({ queries }) => uploadRepository(queries),
  usage: ({ queries, ledger }) => usageRepository(queries, ledger),
  users: ({ queries }) => userRepository(queries),
  vaults: ({ queries, cache }) => vaultRepository(queries, cache),
  webhookStatistics: ({ queries }) => webhookStatisticsRepository(queries),
  webhooks: ({ queries, sealer }) => webhookRepository(queries, sealer),
};

/** Creates each repository at its first use: a transaction uses few of them. */
class LazyRepositories {
  readonly view: View;
  readonly created: Record<string, unknown> = {};

  constructor(view: View) {
    this.view = view;
  }
}

for (const [name, create] of Object.entries(factories)) {
  Object.defineProperty(LazyRepositories.prototype, name, {
    get(this: LazyRepositories) {
      this.created[name] ??= create(this.view);
      return this.created[name];
    },
  });
}

function lazyRepositories(view: View): Repositories {
  return new LazyRepositories(view) as unknown as Repositories;
}

function allRepositories(view: View): Repositories {
  const created = Object.entries(factories).map(([name, create]) => [name, create(view)]);
  return Object.fromEntries(created) as Repositories;
}

/** @param sealer encrypts the secrets of this database */
export function createStore(driver: Driver, sealer: Sealer): Store {
  const cache = new ListCache(() => driver.revision);
  const totals = new InstanceTotals(() => driver.foreignCommits, driver.reader);

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
          return await work(lazyRepositories({ queries, sealer, ledger }), queries);
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
    ...allRepositories({
      queries: driver.reader,
      sealer,
      ledger: new InstanceLedger(totals),
      cache,
    }),
    transaction,
    get revision() {
      return driver.revision;
    },
    get foreignCommits() {
      return driver.foreignCommits;
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
