import { configDefaults, defineConfig } from 'vitest/config';

const source = '@document-vault/source';

export default defineConfig({
  // The packages find each other by name, at their sources: no build stands between an edit and a test.
  // The workers get these conditions too, so `import` is not among them: it would hold for `require`.
  ssr: { resolve: { conditions: [source, 'node'] } },
  resolve: { conditions: [source, 'node'] },
  test: {
    include: [
      'packages/*/test/**/*.test.ts',
      'test/**/*.test.ts',
      'examples/app-tests/**/*.test.ts',
    ],
    // They need a build, and have a configuration of their own.
    exclude: [...configDefaults.exclude, 'test/packages/**'],
    // Vitest would leave a processor to itself, which of two is half.
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
