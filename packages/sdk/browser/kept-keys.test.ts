import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../../test/chromium.ts';
import type { KeptKeysPage } from './kept-keys/page.ts';
import { type PageServer, servePage } from './page-server.ts';

const passphrase = 'correct horse battery staple';

let site: PageServer;
let browser: Browser;
beforeAll(async () => {
  site = await servePage(new URL('kept-keys', import.meta.url));
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

/** Calls a function of the page. Ciphertexts cross the protocol as text. */
function call<Name extends keyof KeptKeysPage>(page: Page, name: Name, argument: string) {
  return page.evaluate(
    ([key, text]) => {
      const { page } = window as unknown as { page: Record<string, (input: unknown) => unknown> };
      const revive = (_: string, value: unknown) =>
        Array.isArray(value) ? new Uint8Array(value) : value;
      const input = key === 'read' ? JSON.parse(text, revive) : text;
      return Promise.resolve(page[key]?.(input)).then((result) =>
        JSON.stringify(result, (_, value) => (value instanceof Uint8Array ? [...value] : value)),
      );
    },
    [name, argument] as const,
  );
}

test('keys in IndexedDB decrypt documents after a reload and in another tab, without the passphrase', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(site.url);
  const document = await call(page, 'unlock', passphrase);
  await page.reload();
  const read = { text: 'Dear Ada', readable: ['rejected'] };
  expect(JSON.parse(await call(page, 'read', document))).toEqual(read);
  expect(JSON.parse(await call(page, 'readOther', passphrase))).toEqual({
    name: 'DecryptionError',
    reason: 'passphrase',
  });

  const tab = await context.newPage();
  await page.close();
  await tab.goto(site.url);
  expect(JSON.parse(await call(tab, 'read', document))).toEqual(read);
  await context.close();
});
