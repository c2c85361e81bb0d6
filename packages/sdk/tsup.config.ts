import { readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

export default defineConfig({
  silent: true,
  entry: {
    index: 'src/index.ts',
    crypto: 'src/crypto/index.ts',
    share: 'src/share/index.ts',
    http: 'src/http-client/index.ts',
    graphql: 'src/graphql/index.ts',
    oauth: 'src/oauth/index.ts',
    'oauth-clients': 'src/oauth-clients/index.ts',
    stores: 'src/stores/index.ts',
    'stores-node': 'src/stores/node.ts',
    values: 'src/values/index.ts',
  },
  format: ['esm', 'cjs'],
  platform: 'neutral',
  target: 'es2022',
  define: { SDK_VERSION: JSON.stringify(version) },
  // Of the entry for Node. The type check finds such an import in any other: `tsconfig.json` has no types of Node.
  external: [/^node:/],
  tsconfig: 'tsconfig.build.json',
  dts: true,
  // No piece is imported for what it does by being loaded: each import would cost a file that is read.
  treeshake: { moduleSideEffects: 'no-external' },
  clean: true,
});
