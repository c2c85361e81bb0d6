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

/** Tests over HTTP that also run on PostgreSQL. Most others read the file of SQLite. */
const overHttp = [
  'auth',
  'consents',
  'graphql/documents',
  'login-throttle',
  'rate-limit-counters',
  'rate-limits',
  'vaults',
  'webhook-full-queues',
  'webhook-retries',
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
