import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { colourShown, encodeFrames, tone, writeFilm } from '../../../test/film.ts';
import {
  type OpenOptions,
  signIn,
  startConsole,
  type TestConsole,
  unlock,
  type Visit,
} from './support/console.ts';

const mebibyte = 2 ** 20;

let testConsole: TestConsole;
let visit: Visit;
beforeAll(async () => {
  testConsole = await startConsole();
});
beforeEach(() => testConsole.server.reset());
afterEach(async () => {
  expect(visit.problems).toEqual([]);
  await visit.context.close();
});
afterAll(() => testConsole.close());

/** Uploads a document, and opens its preview. */
async function preview(
  content: Uint8Array,
  fileName: string,
  mimeType: string,
  options: OpenOptions = {},
): Promise<Page> {
  const client = await testConsole.unlocked();
  const { id } = await client.vaults.create({ name: 'Media' });
  await client.documents.upload(content, { vaultId: id, fileName, mimeType });
  visit = await testConsole.open({ path: `vaults/${id}`, ...options });
  await signIn(testConsole, visit, { staySignedIn: true });
  await unlock(visit);
  await visit.page.getByRole('button', { name: fileName, exact: true }).click();
  return visit.page;
}

/** Returns a film, each second of which has another colour than the one before. */
async function film(options = { seconds: 8, secondBytes: 0 }): Promise<Buffer> {
  const { page, context } = await testConsole.open();
  const frames = await encodeFrames(page);
  await context.close();
  const folder = await mkdtemp(join(tmpdir(), 'console-'));
  const path = join(folder, 'film.webm');
  await writeFilm(path, frames, options);
  const bytes = await readFile(path);
  await rm(folder, { recursive: true });
  return bytes;
}

/** Moves a player to a moment, in seconds, and waits for its picture. */
async function seek(page: Page, seconds: number): Promise<void> {
  await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) >= 1);
  await page.locator('.preview video[controls]').evaluate(async (node, moment) => {
    const player = node as HTMLVideoElement;
    player.currentTime = moment;
    await new Promise((resolve) => player.addEventListener('seeked', resolve, { once: true }));
  }, seconds);
}

test('a text is decoded by the charset of its type', async () => {
  const page = await preview(
    new Uint8Array([0x50, 0xf8, 0xed, 0x6b, 0x61, 0x7a]),
    'order.txt',
    'text/plain; charset=iso-8859-2',
  );
  await page.locator('.preview-text').getByText('Příkaz').waitFor();
});

test('a video is played from the middle', async () => {
  const page = await preview(await film(), 'film.webm', 'video/webm');
  await seek(page, 5.5);
  expect(await colourShown(page, '.preview video')).toBe(5);
});

describe('a video above 64 MB', () => {
  const large = { seconds: 70, secondBytes: mebibyte };

  test('is decrypted while it is played, and its address returns 404 after the preview is closed', async () => {
    const page = await preview(await film(large), 'film.webm', 'video/webm');
    await seek(page, 60.5);
    expect(await colourShown(page, '.preview video')).toBe(60 % 8);
    const starts = visit.sent.flatMap((request) => {
      const [, start] = /"range":"bytes=(\d+)-/.exec(request) ?? [];
      return start === undefined ? [] : Number(start);
    });
    expect(Math.max(...starts)).toBeGreaterThanOrEqual(50 * mebibyte);
    const address = (await page.locator('.preview video').getAttribute('src')) ?? '';
    expect(address.startsWith(`${testConsole.url}files/`)).toBe(true);
    const statusOf = () => page.evaluate(async (url) => (await fetch(url)).status, address);
    expect(await statusOf()).toBe(206);
    await page.keyboard.press('Escape');
    await page.locator('.preview').waitFor({ state: 'detached' });
    expect(await statusOf()).toBe(404);
  });

  test('stops when the console is locked', async () => {
    const page = await preview(await film(large), 'film.webm', 'video/webm');
    await seek(page, 1.5);
    const address = (await page.locator('.preview video').getAttribute('src')) ?? '';
    const other = await testConsole.open({ context: visit.context });
    await other.page.getByRole('button', { name: 'Lock', exact: true }).click();
    await page.locator('.preview').waitFor({ state: 'detached' });
    expect(await page.evaluate(async (url) => (await fetch(url)).status, address)).toBe(404);
  });

  test('shows the error of a failed download, and opens the video again', async () => {
    const page = await preview(await film(large), 'film.webm', 'video/webm');
    await seek(page, 1.5);
    const contents = '**/api/v1/documents/*/content';
    await page.route(contents, (route) => route.abort());
    await page.locator('.preview video').evaluate((node) => {
      (node as HTMLVideoElement).currentTime = 60.5;
    });
    const retry = page.locator('.preview').getByRole('button', { name: 'Try again' });
    await retry.waitFor();
    await page.unroute(contents);
    await retry.click();
    await seek(page, 60.5);
    expect(await colourShown(page, '.preview video')).toBe(60 % 8);
  });

  test('is downloaded where the browser has no service workers', async () => {
    const options = { hasServiceWorkers: false };
    const page = await preview(await film(large), 'film.webm', 'video/webm', options);
    await page.getByText('Previews end at 64 MB').waitFor();
    await page.locator('dialog').getByRole('button', { name: 'Download' }).waitFor();
  });
});

test('a video of 34 MiB is decrypted as a whole where the browser has no service workers', async () => {
  const bytes = await film({ seconds: 34, secondBytes: mebibyte });
  const page = await preview(bytes, 'film.webm', 'video/webm', { hasServiceWorkers: false });
  await seek(page, 28.5);
  expect(await colourShown(page, '.preview video')).toBe(28 % 8);
  expect(await page.locator('.preview video').getAttribute('src')).toMatch(/^blob:/);
});

test('a sound is played', async () => {
  const page = await preview(tone(3), 'tone.wav', 'audio/wav');
  const audio = page.locator('.preview audio[controls]');
  await audio.evaluate((node) => (node as HTMLAudioElement).play());
  await page.waitForFunction(() => (document.querySelector('audio')?.currentTime ?? 0) > 0.3);
});

test('an image has the name of its document as its alternative text', async () => {
  const bytes = Buffer.from('R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=', 'base64');
  const page = await preview(bytes, 'dot.gif', 'image/gif');
  const image = page.getByRole('img', { name: 'dot.gif' });
  const width = () => image.evaluate((element) => (element as HTMLImageElement).naturalWidth);
  await expect.poll(width).toBe(1);
});

test.each([
  ['an image', 'image/png', 20, {}],
  ['a film', 'video/webm', 20, {}],
  ['a film above 32 MB', 'video/webm', 33_000_000, {}],
  ['a PDF', 'application/pdf', 20, { hasPdfViewer: false }],
])('%s that the browser cannot show is offered as a download', async (...row) => {
  const [, mimeType, size, options] = row;
  const page = await preview(Buffer.alloc(size, 'x'), 'broken', mimeType, options);
  await page.getByRole('heading', { name: 'Your browser cannot show this file' }).waitFor();
  await page.locator('dialog').getByRole('button', { name: 'Download' }).waitFor();
});
