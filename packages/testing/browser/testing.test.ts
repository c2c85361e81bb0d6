import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../../test/chromium.ts';
import { type PageServer, servePage } from '../../sdk/browser/page-server.ts';

/** Nothing of the kit may need `eval`. */
const policy = "default-src 'self'; connect-src 'self' https://vault.example.com";
const worker = fileURLToPath(import.meta.resolve('msw/mockServiceWorker.js'));

let site: PageServer;
beforeAll(async () => {
  site = await servePage(new URL('test-kit', import.meta.url), {
    policy,
    files: { '/mockServiceWorker.js': worker },
  });
});
afterAll(() => site.close());

test('a test vault in a service worker responds to an app in a browser', async () => {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(site.url);
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
