import { defineConfig } from 'vitest/config';
import { common } from './vitest.config.ts';

/** The tests that drive a real browser: Chromium, the first on the PATH or the one that `CHROMIUM_PATH` names. */
export default defineConfig({
  ...common,
  test: {
    ...common.test,
    include: [
      'examples/*/test/**/*.test.ts',
      'packages/{console,sdk,server,testing}/browser/*.test.ts',
    ],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
