import { defineConfig } from 'vitest/config';
import { common, programsAndAttacks } from './vitest.config.ts';

/** The programs and commands of the READMEs, the examples, and what attacks cost: tests that take minutes. */
export default defineConfig({
  ...common,
  test: { ...common.test, include: ['test/programs/**/*.test.ts', ...programsAndAttacks] },
});
