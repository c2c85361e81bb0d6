import type { UploadCheckpoint } from '@document-vault/sdk';
import type { indexedDbCheckpoints } from '@document-vault/sdk/stores';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../../test/chromium.ts';
import { type PageServer, servePage } from './page-server.ts';

let site: PageServer;
let browser: Browser;
beforeAll(async () => {
  site = await servePage(new URL('checkpoints', import.meta.url));
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

const checkpoint = { uploadId: 'u1', parts: ['a', null] } as unknown as UploadCheckpoint;

/** Calls a method of the store of a key. */
function call(page: Page, key: string | undefined, method: 'get' | 'set' | 'clear') {
  return page.evaluate(
    ([key, method, checkpoint]): Promise<unknown> => {
      const { checkpointsOf } = window as unknown as { checkpointsOf: typeof indexedDbCheckpoints };
      return checkpointsOf(key)[method](checkpoint);
    },
    [key, method, checkpoint] as const,
  );
}

test('indexedDbCheckpoints keeps a checkpoint for each key, over a reload and in another tab', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(site.url);
  expect(await call(page, undefined, 'get')).toBeUndefined();
  await call(page, 'film', 'set');
  await page.reload();
  expect(await call(page, 'film', 'get')).toEqual(checkpoint);
  expect(await call(page, undefined, 'get')).toBeUndefined();

  const tab = await context.newPage();
  await tab.goto(site.url);
  expect(await call(tab, 'film', 'get')).toEqual(checkpoint);
  await call(tab, 'film', 'clear');
  expect(await call(page, 'film', 'get')).toBeUndefined();
  await context.close();
});
