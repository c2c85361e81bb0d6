import { defineConfig } from 'vitest/config';

const source = '@document-vault/source';

export default defineConfig({
  // The packages find each other by name, at their sources: no build stands between an edit and a test.
  ssr: { resolve: { conditions: [source, 'node', 'import', 'default'] } },
  resolve: { conditions: [source, 'node', 'import', 'default'] },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
