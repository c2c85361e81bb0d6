import { defineConfig } from 'vitest/config';
import { common } from './vitest.config.ts';

/** The tests that cut the power: minutes instead of seconds. They need a C compiler, and Linux. */
export default defineConfig({
  ...common,
  test: {
    ...common.test,
    include: ['packages/*/power/**/*.test.ts'],
    fileParallelism: false,
  },
});
