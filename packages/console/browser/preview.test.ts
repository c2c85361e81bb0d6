import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { colourShown, encodeFrames, tone, writeFilm } from '../../../test/film.ts';
import { signIn, startConsole, type TestConsole, unlock, type Visit } from './support/console.ts';

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
async function preview(content: Uint8Array, fileName: string, mimeType: string): Promise<Page> {
  const { client, cipher } = testConsole;
  const { id } = await client.vaults.create({ name: 'Media' });
  await client.documents.upload(content, { vaultId: id, cipher, fileName, mimeType });
  visit = await testConsole.open({ path: `vaults/${id}` });
  await signIn(testConsole, visit);
  await unlock(visit);
  await visit.page.getByRole('button', { name: fileName, exact: true }).click();
  return visit.page;
}

/** Returns a film of 8 seconds, each of which has another colour. */
async function film(): Promise<Buffer> {
  const { page, context } = await testConsole.open();
  const frames = await encodeFrames(page);
  await context.close();
  const folder = await mkdtemp(join(tmpdir(), 'console-'));
  const path = join(folder, 'film.webm');
  await writeFilm(path, frames, { seconds: 8, secondBytes: 0 });
  const bytes = await readFile(path);
  await rm(folder, { recursive: true });
  return bytes;
}

test('a video is played from the middle', async () => {
  const page = await preview(await film(), 'film.webm', 'video/webm');
  const video = page.locator('.preview video[controls]');
  await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) >= 2);
  await video.evaluate(async (node) => {
    const player = node as HTMLVideoElement;
    player.currentTime = 5.5;
    await new Promise((resolve) => player.addEventListener('seeked', resolve, { once: true }));
  });
  expect(await colourShown(page, '.preview video')).toBe(5);
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
