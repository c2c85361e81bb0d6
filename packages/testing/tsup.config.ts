import { defineConfig } from 'tsup';

export default defineConfig({
  silent: true,
  entry: { index: 'src/index.ts' },
  format: ['esm', 'cjs'],
  platform: 'neutral',
  target: 'es2022',
  dts: true,
  treeshake: { moduleSideEffects: 'no-external' },
  clean: true,
});
