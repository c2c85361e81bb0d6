import { readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

export default defineConfig({
  silent: true,
  entry: {
    index: 'src/index.ts',
    'index.node': 'src/index.node.ts',
    sign: 'src/sign.ts',
    receiver: 'src/receiver/index.ts',
    express: 'src/adapters/express.ts',
    fastify: 'src/adapters/fastify.ts',
    fetch: 'src/adapters/fetch.ts',
    hono: 'src/adapters/hono.ts',
    fixtures: 'src/fixtures.ts',
    koa: 'src/adapters/koa.ts',
    node: 'src/adapters/node.ts',
  },
  format: ['esm', 'cjs'],
  platform: 'neutral',
  target: ['node20', 'es2022'],
  external: [/^node:/],
  // Deno and the edge runtimes know the built-in modules by their full names alone.
  removeNodeProtocol: false,
  define: { WEBHOOK_VERIFY_VERSION: JSON.stringify(version) },
  dts: true,
  treeshake: true,
  // CommonJS too: an error of one entry is an instance of the class of another.
  splitting: true,
  minify: false,
  clean: true,
});
