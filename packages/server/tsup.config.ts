import { cp } from 'node:fs/promises';
import { defineConfig } from 'tsup';

export default defineConfig({
  silent: true,
  entry: ['src/main.ts', 'src/index.ts'],
  format: 'esm',
  platform: 'node',
  target: 'node22',
  splitting: true,
  clean: true,
  removeNodeProtocol: false,
  dts: { entry: 'src/index.ts' },
  external: [/^@document-vault\/webhook-verify/],
  // Read at run time, beside the file that names them: `./migrations/` here and in the sources.
  onSuccess: () => cp('src/store/migrations', 'dist/migrations', { recursive: true }),
});
