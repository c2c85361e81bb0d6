import { rmSync } from 'node:fs';
import { mkdtemp, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { pdf, png, wav, webm } from '../support/samples.ts';
import type { Screen } from '../support/screens.ts';
import { createVault, isListed, openMenu, openTaxes, seed, unlockHere } from './documents.ts';

/** A document of one type, which is opened. */
function preview(
  name: string,
  fileName: string,
  mimeType: string,
  content: () => string | Uint8Array,
  isShown: (page: Page) => Promise<unknown>,
): Screen {
  return {
    name: `documents-preview-${name}`,
    async seed(console) {
      const client = await console.unlocked();
      const { id: vaultId } = await createVault(console);
      const options = { vaultId, fileName, mimeType, encryptFileName: true };
      await client.documents.upload(content(), options);
    },
    async show(page) {
      await openTaxes(page);
      await page.locator('[name=passphrase]').fill('open sesame, said the vault');
      await page.locator('.unlock button[type=submit]').click();
      await page.getByRole('button', { name: fileName, exact: true }).click();
      await isShown(page);
    },
  };
}

const isReady = (kind: 'video' | 'audio') => (page: Page) =>
  page
    .locator(kind)
    .evaluate((player: HTMLMediaElement) =>
      player.readyState > 1 ? undefined : new Promise((ready) => (player.oncanplay = ready)),
    );

/** Previews, and states of transfers. */
export const contentScreens: readonly Screen[] = [
  preview(
    'image',
    'scan.png',
    'image/png',
    () => png(900, 1200),
    (page) =>
      page
        .locator('.preview img')
        .evaluate((image: HTMLImageElement) => image.decode().then(() => undefined)),
  ),
  preview('audio', 'note.wav', 'audio/wav', wav, isReady('audio')),
  preview('video', 'visit.webm', 'video/webm', () => webm, isReady('video')),
  preview(
    'pdf',
    'letter.pdf',
    'application/pdf',
    () => pdf('Dear tax office'),
    (page) => page.locator('.preview iframe').waitFor(),
  ),
  preview(
    'broken',
    'torn.png',
    'image/png',
    () => 'no image',
    (page) => page.getByRole('heading', { name: 'Your browser cannot show this file' }).waitFor(),
  ),
  preview(
    'source',
    'page.html',
    'text/html',
    () => '<h1>Hello</h1>\n<script>alert(1)</script>\n',
    (page) => page.locator('.preview pre').filter({ hasText: 'Hello' }).waitFor(),
  ),
  {
    name: 'documents-sending',
    seed,
    async show(page) {
      await unlockHere(page);
      await openTaxes(page);
      await isListed(page).waitFor();
      await page.route(/\/parts\/[1-9]$/, () => undefined);
      const paths = [];
      const folder = await mkdtemp(join(tmpdir(), 'console-'));
      page.once('close', () => rmSync(folder, { recursive: true, force: true }));
      for (const name of ['Recording of the general meeting in November.mp4', 'a.txt', 'b.txt']) {
        const path = join(folder, name);
        // A sparse file: it takes no room.
        await writeFile(path, '');
        await truncate(path, 24 * 1024 * 1024);
        paths.push(path);
      }
      await page.locator('input[type=file][multiple]').first().setInputFiles(paths);
      await page.locator('.transfer progress').first().waitFor();
    },
  },
  {
    name: 'documents-wrong-passphrase',
    seed,
    async show(page) {
      await openTaxes(page);
      await page.locator('.unlock [name=passphrase]').fill('a wrong passphrase');
      await page.locator('.unlock button[type=submit]').click();
      await page.getByText('This does not open your keyring').waitFor();
    },
  },
  {
    name: 'documents-drop',
    seed,
    async show(page) {
      await unlockHere(page);
      await openTaxes(page);
      await isListed(page).waitFor();
      await page.evaluate(() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['1'], 'a.txt'));
        dispatchEvent(new DragEvent('dragenter', { dataTransfer }));
      });
      await page.locator('.drop-overlay').waitFor();
    },
  },
  {
    name: 'documents-archived',
    async seed(console) {
      await seed(console);
      const [vault] = (await console.client.vaults.list()).data;
      await console.client.vaults.update(vault?.id ?? '', { isActive: false });
    },
    async show(page) {
      await unlockHere(page);
      await openTaxes(page);
      await isListed(page).waitFor();
    },
  },
  {
    name: 'documents-preview-failed',
    seed,
    async show(page) {
      await unlockHere(page);
      await page.route(/\/api\/v1\/documents\/[0-9a-f-]{36}/, (route) => route.abort());
      await openMenu(page, 'Open');
      await page.getByText('This could not be loaded').waitFor();
    },
  },
];
