import { fileURLToPath } from 'node:url';
import { build, type Options } from 'tsup';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Folder of the bundles. It is in the repository, so that Node and Bun resolve the packages. */
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
 * Bundles the suite. In the bundles for Node and Bun, the packages are imported or required by name.
 * The bundles for other runtimes contain the packages and are built for browsers: importing a module of
 * Node fails the build.
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
      // Excludes the condition `@document-vault/source`: the suite tests the built packages.
      options.conditions = ['browser', 'import'];
    },
  });
}
