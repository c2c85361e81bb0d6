import { defineConfig } from 'vitest/config';
import { common } from './vitest.config.ts';

/** The figures of the console's speed. They depend on the processor, so that no test may fail by them. */
export default defineConfig({
  ...common,
  test: {
    ...common.test,
    include: ['packages/console/browser/speed.bench.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
