/** Guarantee 17: in a service worker, where `import()` is refused, a program in one file can do everything. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../../test/chromium.ts';
import { startTestServer } from '../../server/test/support/server.ts';
import { type PageServer, servePage } from './page-server.ts';
import type { ServiceWorkerPage } from './service-worker/page.ts';

let folder: string;
let site: PageServer;
let browser: Browser;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sdk-worker-'));
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@document-vault/source', 'module', 'browser'] },
    build: {
      outDir: folder,
      target: 'es2022',
      // One classic script, with what a bundler puts into files of their own otherwise.
      lib: {
        entry: fileURLToPath(new URL('service-worker/worker.ts', import.meta.url)),
        formats: ['iife'],
        name: 'worker',
        fileName: () => 'worker.js',
      },
    },
  });
  site = await servePage(new URL('service-worker', import.meta.url), {
    policy: "default-src 'self'; connect-src *",
    files: { '/worker.js': join(folder, 'worker.js') },
  });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  await rm(folder, { recursive: true });
});

test('a service worker in one file unlocks, uploads and downloads', async () => {
  const server = await startTestServer({ corsOrigins: [new URL(site.url).origin] });
  const { email, password } = await server.signUp('ada@example.com');
  const login = await server.anonymous('POST', '/auth/login', { body: { email, password } });
  const token: string = login.body.accessToken;
  const vaults = server.withToken(token);
  const { body: vault } = await vaults('POST', '/api/v1/vaults', { body: { name: 'Letters' } });
  const job = { baseUrl: server.url, token, vaultId: vault.id as string };
  const page = await browser.newPage();
  await page.goto(site.url);
  const texts = await page.evaluate(
    (given) => (window as unknown as { page: ServiceWorkerPage }).page.run(given),
    job,
  );
  expect(texts).toEqual(['Dear Ada 0', 'Dear Ada 1']);
  await page.close();
});
