import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** The tests that drive a real browser: Chromium, from `CHROMIUM` or where Debian puts it. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['examples/*/test/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
