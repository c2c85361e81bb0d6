import { fileURLToPath } from 'node:url';
import { build, type Options } from 'tsup';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Where the bundles are written: in the repository, so that Node and Bun find the packages. */
export const folder = here('dist/');

const common: Options = {
  config: false,
  silent: true,
  outDir: folder,
  target: 'es2022',
  dts: false,
  splitting: false,
  tsconfig: here('suite/tsconfig.json'),
};

/**
 * Bundles the suite. Node and Bun import and require the packages' built entries by their names; for the
 * others everything is in one file, made as for browsers: a built-in module of Node's fails the build.
 */
export async function bundleSuite(): Promise<void> {
  const named: Options = {
    ...common,
    entry: { named: here('entries/process.ts') },
    platform: 'node',
  };
  const external = [/^@document-vault\//];
  await build({ ...named, external, format: ['esm', 'cjs'] });
  const entry = {
    process: here('entries/process.ts'),
    worker: here('entries/worker.ts'),
    page: here('entries/page.ts'),
  };
  await build({
    ...common,
    entry,
    platform: 'browser',
    format: 'esm',
    noExternal: [/.*/],
    esbuildOptions: (options) => {
      // Without the repository's own condition, which leads to the sources.
      options.conditions = ['browser', 'import'];
    },
  });
}
