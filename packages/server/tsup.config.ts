import { cp, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { defineConfig } from 'tsup';
import { buildConsole } from '../console/build.ts';
import { buildFileWorker } from './file-worker/build.ts';
import { buildSharePage } from './share-page/build.ts';

/** What is read at run time, beside the file that names it: the same here and in the sources. */
async function copyAssets(): Promise<void> {
  for (const database of ['sqlite', 'postgres']) {
    const migrations = `${database}/migrations`;
    await cp(`src/store/${migrations}`, `dist/${migrations}`, { recursive: true });
  }
  await cp('src/http/operator/docs', 'dist/docs', { recursive: true });
  const { resolve } = createRequire(import.meta.url);
  const scalar = dirname(resolve('@scalar/api-reference'));
  await cp(join(scalar, 'browser/standalone.js'), 'dist/docs/scalar.js');
  await writeFile('dist/share-page.html', await buildSharePage());
  await writeFile('dist/file-worker.js', await buildFileWorker());
  for (const [path, { body, br, gzip }] of await buildConsole()) {
    const file = join('dist/console', path);
    await mkdir(dirname(file), { recursive: true });
    await Promise.all([
      writeFile(file, body),
      writeFile(`${file}.br`, br),
      writeFile(`${file}.gz`, gzip),
    ]);
  }
  // GraphiQL itself is bundled: its package would bring a server of its own along.
  const graphiql = dirname(resolve('@graphql-yoga/render-graphiql/package.json'));
  await cp(join(graphiql, 'LICENSE'), 'dist/GRAPHIQL-LICENSE');
}

export default defineConfig({
  silent: true,
  entry: {
    main: 'src/main.ts',
    index: 'src/index.ts',
    testing: 'src/test-server/index.ts',
    'checkpoint-thread': 'src/store/sqlite/checkpoint-thread.ts',
  },
  format: 'esm',
  platform: 'node',
  target: 'node22',
  splitting: true,
  clean: true,
  removeNodeProtocol: false,
  dts: { entry: { index: 'src/index.ts', testing: 'src/test-server/index.ts' } },
  onSuccess: copyAssets,
});
