import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** The tests that kill servers and fill disks: minutes instead of seconds, and one file after the other. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['packages/*/crash/**/*.test.ts'],
    fileParallelism: false,
  },
});
