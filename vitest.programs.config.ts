import { defineConfig } from 'vitest/config';
import { common } from './vitest.config.ts';

/** The programs and commands of the READMEs, and the examples, run outside the process of the tests. */
export default defineConfig({
  ...common,
  test: { ...common.test, include: ['test/programs/**/*.test.ts'] },
});
