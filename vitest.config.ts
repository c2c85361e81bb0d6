import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const source = '@document-vault/source';

// Tests start hundreds of processes, each of which would compile the same sources.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('node_modules/.cache/compiled', import.meta.url),
);

/**
 * Test files that replace modules or `fetch`, measure the memory of their process, or need the platform's `Response`,
 * which `@hono/node-server` replaces in the tests of receivers.
 */
const ownProcess = [
  'examples/app-tests/**/*.test.ts',
  'packages/sdk/test/misuse.test.ts',
  'packages/sdk/test/upload-bodies.test.ts',
  'packages/sdk/test/upload-progress.test.ts',
  'packages/server/test/bodies/costs.test.ts',
  'packages/server/test/large-responses.test.ts',
  'packages/server/test/login-throttle.test.ts',
  'packages/testing/test/**/*.test.ts',
  'packages/webhook-verify/test/platform.test.ts',
  'packages/webhook-verify/test/receivers/body-memory.test.ts',
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
            ...ownProcess,
          ],
        },
      },
      { extends: true, test: { name: 'own process', include: ownProcess } },
    ],
  },
});
