import { defineConfig } from 'vitest/config';

/** The tests of the packages as their users install them: packed from what `npm run build` has built. */
export default defineConfig({
  test: {
    include: ['test/packages/**/*.test.ts'],
    globalSetup: 'test/packages/install.ts',
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
});
