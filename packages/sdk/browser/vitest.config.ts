import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Needs Chromium: part of the slower suites. `vitest run --config packages/sdk/browser/vitest.config.ts` */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    include: ['*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
