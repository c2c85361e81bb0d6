import { defineConfig } from 'vitest/config';
import { common } from './vitest.config.ts';

/** The tests that kill servers and fill disks: minutes instead of seconds, and one file after the other. */
export default defineConfig({
  ...common,
  test: {
    ...common.test,
    include: ['packages/*/crash/**/*.test.ts'],
    fileParallelism: false,
  },
});
