/**
 * Generates clients from `openapi/v1.json` as other people do, with hey-api and orval, and compiles
 * what they write: types, a client, and schemas for zod. Valid OpenAPI alone does not ensure that;
 * generators decode patterns into source and differ in the forms of JSON Schema that they read.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import { generate } from 'orval';

const run = promisify(execFile);
const input = fileURLToPath(new URL('../openapi/v1.json', import.meta.url));

/** Below `node_modules`, where the generated files find `zod`, and nothing else looks at them. */
const cache = fileURLToPath(new URL('../node_modules/.cache/', import.meta.url));
await mkdir(cache, { recursive: true });
const folder = await mkdtemp(`${cache}generators-`);

const compilerOptions = {
  strict: true,
  noEmit: true,
  module: 'esnext',
  moduleResolution: 'bundler',
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
  skipLibCheck: true,
};

try {
  await createClient({
    input,
    output: `${folder}/hey-api`,
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch', 'zod'],
    logs: { level: 'silent', file: false },
  });
  for (const client of ['fetch', 'zod'] as const) {
    await generate({
      input,
      output: { mode: 'split', target: `${folder}/orval/${client}.ts`, client },
    });
  }
  await writeFile(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions }));
  await run('tsc', ['-p', folder]);
} catch (error) {
  console.error((error as { stdout?: string }).stdout || error);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
