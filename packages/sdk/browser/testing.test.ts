import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../../test/chromium.ts';

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
};

let folder: string;
let server: Server;

/** The page as a bundler makes it of the sources. */
async function buildPage(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'sdk-browser-'));
  await build({
    root: fileURLToPath(new URL('page', import.meta.url)),
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@document-vault/source', 'module', 'browser'] },
    build: { outDir: folder, target: 'es2022', emptyOutDir: true },
  });
}

/** Nothing of the kit may need `eval`. */
const policy = "default-src 'self'; connect-src 'self' https://vault.example.com";

async function servePage(): Promise<void> {
  const worker = fileURLToPath(import.meta.resolve('msw/mockServiceWorker.js'));
  server = createServer(async ({ url = '/' }, response) => {
    const file =
      url === '/mockServiceWorker.js' ? worker : join(folder, url === '/' ? 'index.html' : url);
    const text = await readFile(file).catch(() => undefined);
    response.writeHead(text ? 200 : 404, {
      'content-type': contentTypes[extname(file)] ?? 'text/plain',
      'content-security-policy': policy,
    });
    response.end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

beforeAll(async () => {
  await buildPage();
  await servePage();
});

afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

test('a test vault in a service worker responds to an app in a browser', async () => {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.waitForFunction(() => 'result' in window);
    expect(await page.evaluate(() => (window as { result?: unknown }).result)).toEqual({
      fileName: 'letter.txt',
      text: 'Dear Ada',
      content: {
        bytes: [250, 251, 252, 253, 254, 255],
        // Chromium may drop the bytes that arrived before the connection broke.
        ranges: ['bytes=250-255', expect.stringMatching(/^bytes=25[0-3]-255$/)],
        unchanged: 304,
      },
      remaining: expect.any(Number),
      refreshes: 1,
      failures: [
        'ServerError',
        'ConnectionError',
        'ConnectionError',
        'TimeoutError',
        'RateLimitError',
      ],
    });
  } finally {
    await browser.close();
  }
});
