import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Download } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../test/chromium.ts';
import { type Pages, startPages, watch } from '../../../test/pages.ts';
import { register, send, unlock } from './steps.ts';

const passphrase = 'CANARY-PASSPHRASE';
const file = {
  name: 'CANARY Kündigung.bin',
  mimeType: 'application/octet-stream',
  buffer: Buffer.concat([Buffer.from('CANARY-PLAINTEXT'), randomBytes(300_000)]),
};

let pages: Pages;
let browser: Browser;
beforeAll(async () => {
  const configFile = join(import.meta.dirname, '../vite.config.ts');
  [pages, browser] = await Promise.all([startPages(configFile), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await pages?.close();
});

/** A person with a browser of their own: nothing is shared with others. */
async function person() {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  const watched = watch(context);
  return { ...watched, context, page: await context.newPage() };
}

async function contentOf(download: Download): Promise<Buffer> {
  return readFile(await download.path());
}

describe('a share link, from browser to browser', () => {
  test('a recipient without an account opens the file, and the server never sees its key', async () => {
    const ada = await person();
    const recoveryKey = await register(ada.page, pages.url, passphrase);
    expect(recoveryKey).toMatch(/^([0-9A-Z]{4}-){8}[0-9A-Z]{4}$/);
    const link = await send(ada.page, { file, opens: 'once' });
    expect(link).toMatch(/\/open\.html#v2\.[\w-]{43}\.[\w-]{36}\.[\w-]{43}$/);
    expect(new URL(link).origin).toBe(pages.url);
    await ada.page.getByRole('button', { name: 'Copy the link' }).click();
    await ada.page.getByText('Copied.').waitFor();
    expect(await ada.page.evaluate(() => navigator.clipboard.readText())).toBe(link);
    const summary = await ada.page.locator('#summary').textContent();
    expect(summary).toMatch(/^CANARY Kündigung\.bin \(293 KiB\) can be opened once until /);

    const bob = await person();
    await bob.page.goto(link);
    await bob.page.getByRole('button', { name: 'Open the file' }).click();
    await bob.page.getByRole('heading', { name: file.name }).waitFor();
    expect(await bob.page.locator('#facts').textContent()).toBe(
      '293 KiB, application/octet-stream',
    );
    expect(bob.page.url()).toBe(`${pages.url}/open.html`);
    const downloading = bob.page.waitForEvent('download');
    await bob.page.getByRole('link', { name: 'Download' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(file.name);
    expect(Buffer.compare(await contentOf(download), file.buffer)).toBe(0);

    const [, token = '', , key = ''] = new URL(link).hash.slice(1).split('.');
    const requests = [...ada.requests, ...bob.requests];
    expect(requests.filter((request) => request.includes(token))).toHaveLength(1);
    expect(requests.some((request) => request.includes('"encryptedData"'))).toBe(true);
    expect(pages.arrivals.some((arrival) => arrival.startsWith('/open.html\n'))).toBe(true);
    expect(pages.arrivals.filter((arrival) => arrival.includes(token))).toEqual([]);
    for (const request of [...requests, ...pages.arrivals]) {
      for (const secret of ['#v2', '.html#', key, passphrase, recoveryKey, 'CANARY', 'Kündigung']) {
        expect(request).not.toContain(secret);
      }
    }
    // The browser reports that the new account has no keyring yet.
    expect(ada.complaints).toEqual([expect.stringContaining('status of 404')]);
    expect(bob.complaints).toEqual([]);
    await Promise.all([ada.context.close(), bob.context.close()]);
  });

  test('a sender who returns is asked for the passphrase, and a wrong one is refused', async () => {
    const ada = await person();
    await ada.page.goto(pages.url);
    await ada.page.getByLabel('Email').fill('ada@example.com');
    await ada.page.getByLabel('Password').fill('correct horse battery');
    await ada.page.getByRole('button', { name: 'Sign in' }).click();
    await unlock(ada.page, 'CANARY-OTHER');
    await ada.page.getByText('The passphrase is wrong.').waitFor();
    await ada.page.reload();
    await unlock(ada.page, passphrase);
    await ada.page.getByRole('heading', { name: 'Choose a file' }).waitFor();
    await ada.context.close();
  });

  test('a link that is used up, cut off or without a network shows the reason', async () => {
    const bob = await person();
    const problem = bob.page.getByRole('alert');
    const open = async (url: string) => {
      // A change of the fragment alone would not load the page again.
      await bob.page.goto('about:blank');
      await bob.page.goto(url);
      await bob.page.getByRole('button', { name: 'Open the file' }).click();
      await problem.waitFor();
      return problem.textContent();
    };
    const absent = `${pages.url}/open.html#v2.${'a'.repeat(43)}.${randomUUID()}.${'A'.repeat(43)}`;
    expect(await open(absent)).toContain('has ended, was used up, or was taken back');
    expect(await open(absent.slice(0, -3))).toContain('not complete');
    expect(await open(`${pages.url}/open.html`)).toContain('not complete');
    await bob.context.route('**/api/**', (route) => route.abort());
    expect(await open(absent)).toContain('cannot be reached');
    await bob.context.close();
  });
});
