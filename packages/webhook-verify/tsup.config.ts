import { readFileSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

const shared: Options = {
  silent: true,
  platform: 'neutral',
  target: ['node20', 'es2022'],
  external: [/^node:/],
  // Deno and edge runtimes resolve built-in modules only with the `node:` prefix.
  removeNodeProtocol: false,
  define: { WEBHOOK_VERIFY_VERSION: JSON.stringify(version) },
  treeshake: true,
  minify: false,
};

const library: Options = {
  ...shared,
  entry: {
    index: 'src/index.ts',
    fastify: 'src/adapters/fastify.ts',
    koa: 'src/adapters/koa.ts',
    testing: 'src/testing.ts',
  },
  format: ['esm', 'cjs'],
  dts: true,
  // Also for CommonJS, so that all entries share one class of errors.
  splitting: true,
  // Both builds run at once, and the other one writes this file.
  clean: ['!cli.js'],
};

/** The command line, bundled into one file. */
const commandLine: Options = {
  ...shared,
  entry: { cli: 'src/cli/main.ts' },
  format: 'esm',
  dts: false,
  clean: false,
};

export default defineConfig([library, commandLine]);
