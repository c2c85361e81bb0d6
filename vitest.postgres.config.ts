import { defineConfig } from 'vitest/config';
import { common } from './vitest.config.ts';

const tests = 'packages/server/test';

/** Tests of SQLite itself: its files, its settings, its query plans. */
const sqliteOnly = [
  `${tests}/store/driver-*.test.ts`,
  `${tests}/store/migrations.test.ts`,
  `${tests}/store/search-indexes.test.ts`,
  `${tests}/store/statements.test.ts`,
];

/**
 * Tests over HTTP that also run on PostgreSQL. A file belongs here when its requests run statements, wait for each
 * other or restart in a way that no file of this list shows. The others examine what no database sees: the structure of
 * requests and responses, headers, the contract, GraphQL's limits and its equality with REST, receivers of webhooks, S3
 * and signals. A few read the file of SQLite or count its statements. packages/server/postgres has `reset`;
 * `events-of-every-type` compares all rows some hundred times, which takes ten minutes there.
 */
const overHttp = [
  'account-deletion',
  'account-limits',
  'accounts',
  'api-keys',
  'auth',
  'changed-accounts',
  'concurrent-counters',
  'consent-changes',
  'consents',
  'contents/in-database',
  'contents/parts',
  'contents/tickets',
  'current-user',
  'delivery/delivering',
  'delivery/interruptions',
  'delivery/queues',
  'delivery/wake-ups',
  'document-changes',
  'document-counters',
  'document-lists',
  'documents',
  'erasing',
  'error-codes',
  'event-log',
  'event-recipients',
  'events',
  'failing-store',
  'free-form-values',
  'graphql/documents',
  'graphql/idempotency',
  'graphql/operations',
  'idempotency',
  'idempotency-model',
  'instance-history',
  'instance-statistics',
  'instances',
  'oauth-clients',
  'oauth/approvals',
  'oauth/assertions',
  'oauth/attacks',
  'oauth/canaries',
  'oauth/clients',
  'oauth/code-flow',
  'oauth/creations',
  'oauth/device-pages',
  'oauth/endings',
  'oauth/flows',
  'oauth/interleavings',
  'oauth/limits',
  'oauth/scopes',
  'oauth/tabs',
  'page-walks',
  'quota-warnings',
  'quotas',
  'rate-limit-counters',
  'rate-limits',
  'refresh-tokens',
  'retention',
  'second-account',
  'session-endings',
  'sessions',
  'share-access',
  'share-accesses',
  'share-cap',
  'share-expiry',
  'shares',
  'suspended-accounts',
  'suspended-operations',
  'suspended-owners',
  'uploads/finishing',
  'uploads/parts',
  'uploads/uploads',
  'vault-lists',
  'vaults',
  'webhook-bulk-retries',
  'webhook-deliveries',
  'webhook-full-queues',
  'webhook-queue-changes',
  'webhook-removal',
  'webhook-retries',
  'webhook-statistics',
  'webhook-test-events',
  'webhooks',
].map((name) => `${tests}/${name}.test.ts`);

/** The tests of the driver, of several servers and of the store, on a PostgreSQL server of their own. */
export default defineConfig({
  ...common,
  test: {
    ...common.test,
    isolate: false,
    // Each statement is a message to another process, and these tests have thousands.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    globalSetup: ['packages/server/test/support/postgres/setup.ts'],
    include: ['packages/server/postgres/**/*.test.ts', `${tests}/store/**/*.test.ts`, ...overHttp],
    exclude: sqliteOnly,
  },
});
