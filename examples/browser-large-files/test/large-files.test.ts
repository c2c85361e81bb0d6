import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../test/chromium.ts';
import { colourShown, encodeFrames, writeFilm } from '../../../test/film.ts';
import { type Pages, startPages, watch } from '../../../test/pages.ts';
import { changeCheckpoint, secrets } from './steps.ts';

const mebibyte = 2 ** 20;

let folder: string;
let pages: Pages;
let browser: Browser;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'document-vault-large-'));
  const configFile = join(import.meta.dirname, '../vite.config.ts');
  [pages, browser] = await Promise.all([startPages(configFile), launchChromium()]);
});
beforeEach(() => pages.server.reset());
afterAll(async () => {
  await browser?.close();
  await pages?.close();
  await rm(folder, { recursive: true });
});

/** Opens the page in a new context. */
async function visit() {
  const context = await browser.newContext();
  const watched = watch(context);
  const page = await context.newPage();
  await enter(page, 'Create an account');
  /** Numbers of the parts that were requested to be stored. */
  const parts = () =>
    watched.requests.flatMap((request) => /^PUT\n.*\/parts\/(\d+)\n/.exec(request)?.[1] ?? []);
  return { ...watched, context, page, parts };
}

async function enter(page: Page, button: 'Sign in' | 'Create an account'): Promise<void> {
  await page.goto(pages.url);
  await signIn(page, button);
}

async function signIn(page: Page, button: 'Sign in' | 'Create an account'): Promise<void> {
  await page.getByLabel('Email').fill(secrets.email);
  await page.getByLabel('Password').fill(secrets.password);
  await page.getByLabel('Passphrase').fill(secrets.passphrase);
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('heading', { name: 'Upload a file' }).waitFor();
}

/** Chooses a file and starts its upload. */
async function upload(page: Page, path: string, button = 'Encrypt and upload'): Promise<void> {
  await page.locator('[type=file]').setInputFiles(path);
  await page.getByRole('button', { name: button }).click();
}

/** Starts an upload of 17 MiB and opens the page anew before its second part is sent. */
async function leaveDuringPartTwo(page: Page, path: string): Promise<void> {
  await page.route('**/parts/2', () => new Promise(() => {}));
  await upload(page, path);
  await page.getByText('16 MiB of 17 MiB are sent').waitFor();
  await page.goto(pages.url);
  await page.unroute('**/parts/2');
}

/** Writes a file of two parts. */
async function someFile(name = 'CANARY-notes.bin'): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, randomBytes(17 * mebibyte));
  return path;
}

/** Writes a film of 34 seconds, of 1 MiB each: content above 32 MiB is read in ranges. */
async function film(page: Page): Promise<string> {
  const path = join(folder, 'CANARY-film.webm');
  await writeFilm(path, await encodeFrames(page), { seconds: 34, secondBytes: mebibyte });
  return path;
}

describe('a page for large files', () => {
  test('uploads a film, plays it from the middle and saves it, and keeps its secrets', async () => {
    const { context, page, requests, complaints } = await visit();
    const recoveryKey = (await page.locator('#recovery-key').textContent()) ?? '';
    expect(recoveryKey).toMatch(/^([0-9A-Z]{4}-){8}[0-9A-Z]{4}$/);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    const path = await film(page);
    // The document is made when the progress was seen, so that a fast upload does not hide it.
    const progress = page.getByText(/MiB of 34(\.\d)? MiB are sent/);
    await page.route('**/api/v1/documents', async (route) => {
      if (route.request().method() === 'POST') await progress.waitFor();
      await route.continue();
    });
    await upload(page, path);
    const item = page.getByRole('listitem').filter({ hasText: 'CANARY-film.webm' });
    await item.waitFor();
    expect(await page.getByLabel('Upload a file').getByRole('alert').isVisible()).toBe(false);

    await item.getByRole('button', { name: 'Play' }).click();
    await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) >= 1);
    const video = page.locator('video');
    expect(await video.evaluate((node) => (node as HTMLVideoElement).duration)).toBe(34);
    await video.evaluate(async (node) => {
      const player = node as HTMLVideoElement;
      player.currentTime = 28.5;
      await new Promise((resolve) => player.addEventListener('seeked', resolve, { once: true }));
    });
    expect(await colourShown(page, 'video')).toBe(28 % 8);
    const starts = requests.flatMap((request) => {
      const range = /\/content\n.*"range":"bytes=(\d+)-/.exec(request)?.[1];
      return range === undefined ? [] : Number(range);
    });
    expect(Math.max(...starts)).toBeGreaterThanOrEqual(20 * mebibyte);

    const downloading = page.waitForEvent('download');
    await item.getByRole('button', { name: 'Save' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('CANARY-film.webm');
    const saved = await readFile(await download.path());
    expect(Buffer.compare(saved, await readFile(path))).toBe(0);

    // The password goes to the service, at the registration and at the login.
    const others = requests.filter((request) => !/^POST\n.*\/auth\//.test(request));
    for (const request of [...others, ...pages.arrivals]) {
      for (const secret of ['CANARY', 'V_VP8', recoveryKey]) expect(request).not.toContain(secret);
    }
    // The browser reports that the new account has no keyring yet.
    expect(complaints).toEqual([expect.stringContaining('status of 404')]);
    await context.close();
  });

  test('an upload continues after a reload with the missing part alone', async () => {
    const { context, page, parts } = await visit();
    const path = await someFile();
    await leaveDuringPartTwo(page, path);
    const before = parts().length;

    await enter(page, 'Sign in');
    await page.getByText('CANARY-notes.bin (17 MiB)').waitFor();
    await upload(page, await someFile('CANARY-other.bin'), 'Continue the upload');
    await page.getByText('This is not the file that the upload began with').waitFor();
    await upload(page, path, 'Continue the upload');
    await page.getByRole('listitem').filter({ hasText: 'CANARY-notes.bin' }).waitFor();
    expect(parts().slice(before)).toEqual(['2']);
    expect(await page.locator('#unfinished').isVisible()).toBe(false);
    await context.close();
  });

  test('an upload whose checkpoint was changed is forgotten, and the next one starts anew', async () => {
    const { context, page } = await visit();
    const path = await someFile();
    await leaveDuringPartTwo(page, path);
    await page.evaluate(changeCheckpoint);

    await enter(page, 'Sign in');
    await upload(page, path, 'Continue the upload');
    await page.getByText('The upload cannot be continued').waitFor();
    await page.getByRole('button', { name: 'Encrypt and upload' }).click();
    await page.getByRole('listitem').filter({ hasText: 'CANARY-notes.bin' }).waitFor();
    await context.close();
  });

  test('a reload without the cache, which detaches the service worker, does not stop playing', async () => {
    const { context, page } = await visit();
    await upload(page, await film(page));
    const item = page.getByRole('listitem').filter({ hasText: 'CANARY-film.webm' });
    await item.waitFor();
    const session = await context.newCDPSession(page);
    const loaded = page.waitForEvent('load');
    await session.send('Page.reload', { ignoreCache: true });
    await loaded;
    expect(await page.evaluate(() => navigator.serviceWorker.controller)).toBeNull();

    await signIn(page, 'Sign in');
    const playing = page.waitForResponse('**/files/*');
    await item.getByRole('button', { name: 'Play' }).click();
    expect((await playing).headers()).toMatchObject({
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    });
    await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) >= 1);
    await context.close();
  });

  test('cancelling an upload removes it at the service', async () => {
    const { context, page, requests } = await visit();
    await page.route('**/parts/*', () => new Promise(() => {}));
    const firstPart = page.waitForRequest('**/parts/*');
    await upload(page, await someFile());
    await firstPart;
    await page.getByRole('button', { name: 'Cancel the upload' }).click();
    await page.getByRole('button', { name: 'Encrypt and upload' }).waitFor();
    await expect
      .poll(() => requests.filter((request) => /^DELETE\n.*\/uploads\//.test(request)).length, {
        timeout: 10_000,
      })
      .toBe(1);
    expect(await page.getByRole('alert').allInnerTexts()).toEqual([]);
    expect(await page.locator('#unfinished').isVisible()).toBe(false);
    await context.close();
  });

  test('a wrong passphrase at sign-in is refused', async () => {
    const { context, page } = await visit();
    await page.goto(pages.url);
    await page.getByLabel('Email').fill(secrets.email);
    await page.getByLabel('Password').fill(secrets.password);
    await page.getByLabel('Passphrase').fill('another one');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The passphrase is wrong.').waitFor();
    await context.close();
  });
});
