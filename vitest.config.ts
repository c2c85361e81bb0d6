import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const source = '@document-vault/source';

// Tests start hundreds of processes, each of which would compile the same sources.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('node_modules/.cache/compiled', import.meta.url),
);

const memory = '/dev/shm';
const roomForTests = 4 * 1024 ** 3;

/**
 * The folder for temporary folders: in memory where it has room. Each test has folders of its own, above all the 300
 * files of a PostgreSQL database, and a disk takes many times as long to create, flush and delete them.
 */
export const temporaryFolder =
  process.env.TMPDIR ?? (freeBytes(memory) >= roomForTests ? memory : tmpdir());

/** Returns the free bytes of a file system, 0 where it does not exist. */
function freeBytes(folder: string): number {
  if (!existsSync(folder)) return 0;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/**
 * Test files that replace modules or `fetch`, measure the memory of their process, or need the platform's `Response`,
 * which `@hono/node-server` replaces in the tests of receivers.
 */
const ownProcess = [
  'examples/app-tests/**/*.test.ts',
  'packages/sdk/test/misuse.test.ts',
  'packages/sdk/test/upload-bodies.test.ts',
  'packages/sdk/test/upload-progress.test.ts',
  'packages/server/test/login-throttle.test.ts',
  'packages/testing/test/**/*.test.ts',
  'packages/webhook-verify/test/platform.test.ts',
];

/** The slowest files, which start programs or measure what attacks cost. `npm run test:programs` runs them. */
export const programsAndAttacks = [
  'packages/sdk/test/consumer-types.test.ts',
  'packages/server/test/bodies/connections.test.ts',
  'packages/server/test/bodies/costs.test.ts',
  'packages/server/test/cli/beside.test.ts',
  'packages/server/test/cli/processes.test.ts',
  'packages/server/test/contents/streams.test.ts',
  'packages/server/test/large-responses.test.ts',
  'packages/server/test/power-loss.test.ts',
  'packages/webhook-verify/test/receivers/body-memory.test.ts',
  'packages/webhook-verify/test/receivers/refused-bodies.test.ts',
  'test/encryption-format.test.ts',
  'test/end-to-end.test.ts',
  'test/keyring-format.test.ts',
];

/** What every configuration of the tests begins with. */
export const common = {
  // The packages find each other by name, at their sources: no build stands between an edit and a test.
  // The workers get these conditions too, so `import` is not among them: it would hold for `require`.
  ssr: { resolve: { conditions: [source, 'node'] } },
  resolve: { conditions: [source, 'node'] },
  test: {
    // Vitest would leave a processor to itself, which of two is half.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The default of one second fails on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    setupFiles: [fileURLToPath(new URL('test/repeatable.ts', import.meta.url))],
  },
};

export default defineConfig({
  ...common,
  test: {
    ...common.test,
    env: { TMPDIR: temporaryFolder },
    projects: [
      {
        extends: true,
        // The files of a worker share its modules: loading and compiling them takes longer than most files.
        test: {
          name: 'shared',
          isolate: false,
          include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          // Those of test/packages need a build, and those of test/programs take minutes.
          exclude: [
            ...configDefaults.exclude,
            'test/packages/**',
            'test/programs/**',
            ...programsAndAttacks,
            ...ownProcess,
          ],
        },
      },
      { extends: true, test: { name: 'own process', include: ownProcess } },
    ],
  },
});
