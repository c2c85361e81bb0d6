import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const index = new URL('../src/index.ts', import.meta.url).href;

/** Starts a server in a process of its own, and prints the CommonJS packages that it has loaded. */
const program = `
  import { createRequire } from 'node:module';
  import { startServer } from '${index}';
  const server = await startServer({ port: 0, data: ':memory:', logLevel: 'silent' });
  const files = Object.keys(createRequire(import.meta.url).cache).join();
  console.log(['better-sqlite3', 'pg', 'pg-pool'].filter((name) => files.includes('/node_modules/' + name + '/')).join());
  await server.close();
`;

test('a server without a database URL does not load pg', async () => {
  const args = ['--conditions=@document-vault/source', '--input-type=module', '-e', program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout.trim()).toBe('better-sqlite3');
});
